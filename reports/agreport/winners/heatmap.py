# SPDX-License-Identifier: BSD-3-Clause
"""Hybrid heat map: the fastest algorithm of each case, or how much the chosen one improves on it.

After figures 23 and 24 of Loch (2021): a colour where another algorithm is the best; where the
chosen one is, a grey, the lighter the larger its improvement over the best other one.
"""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import TypeVar

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import PANEL, Results
from agreport.figure.cell_grid import BESIDE_CM, LEFT_CM, ROW_CM, CellGrid, near_handle
from agreport.figure.sheet import DIGIT_PT, POINTS_A_CM, WIDTH_CM, Sheet, looks, sheet
from agreport.figure.words import FORMULA, NEAR_TIE, UNITED_TEXT, launches, panel_titles, plural
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.winners.heatmap_panel import GAPS, GREYS, Panel

BAR_CM = 1.5  # the colour bar with its title
LEGIBLE_CELL_CM, WIDEST_CELL_CM = 0.65, 1.6
ROUNDING_CM = 0.01
Grid = TypeVar("Grid", bound=CellGrid)


def draw(results: Results, contest: Contest, verdicts: pd.DataFrame, metric: str) -> Sheet:
    groups = verdicts.groupby(level=PANEL, observed=True)
    panels = [Panel(title, groups.get_group(p)) for p, title in panel_titles(verdicts).items()]
    cell_cm = cell_width_cm(panels)
    lines = flow(panels, cell_cm)
    above = [max(panel.above_cm(cell_cm) for panel in line) for line in lines]
    below = [max(panel.below_cm(cell_cm) for panel in line) for line in lines]
    highest = verdicts[IMPROVEMENT].where(verdicts["won"]).max()
    scale = Normalize(0, 10 * ceil(highest / 10) if highest > 0 else 10)
    digits = percent_digits(highest, cell_cm)
    page = sheet(
        f"Fastest algorithm by {contest.statistic} {metric} time, "
        f"and the improvement of {contest.chosen} where it is that",
        BAR_CM + sum(above) + sum(below),
        legend(results, contest, panels),
        caption(results, contest, verdicts, metric, digits),
    )
    bar = page.axes(WIDTH_CM / 4, 0.45, WIDTH_CM / 2, 0.3)
    page.figure.colorbar(ScalarMappable(scale, GREYS), cax=bar, orientation="horizontal")
    bar.set_title(f"improvement of {contest.chosen} over the best other algorithm (%)")
    down_cm = BAR_CM
    for line, above_cm, below_cm in zip(lines, above, below, strict=True):
        # The last line of several starts where the others do; the only one is centred.
        left_cm = max(0, WIDTH_CM - line_width_cm(lines[0], cell_cm)) / 2
        for panel in line:
            axes = page.axes(
                left_cm + LEFT_CM,
                down_cm + above_cm,
                cell_cm * len(panel.columns),
                len(panel.sizes) * ROW_CM,
            )
            panel.draw(axes, looks(results.catalogue), scale)
            panel.label(axes, cell_cm)
            panel.draw_near(axes, looks(results.catalogue), cell_cm)
            if digits is not None:
                panel.print_percentages(axes, digits, scale)
            left_cm += panel.width_cm(cell_cm)
        down_cm += above_cm + below_cm
    return page


def cell_width_cm(panels: Sequence[CellGrid]) -> float:
    """One width for all cells: of three, two or one widest panels a line, if legible."""
    columns = max(len(panel.columns) for panel in panels)
    for across in range(min(len(panels), 3), 0, -1):
        width_cm = (WIDTH_CM / across - BESIDE_CM) / columns
        if width_cm >= LEGIBLE_CELL_CM:
            break
    return min(width_cm, WIDEST_CELL_CM)


def line_width_cm(line: Sequence[CellGrid], cell_cm: float) -> float:
    return sum(panel.width_cm(cell_cm) for panel in line)


def flow(panels: Sequence[Grid], cell_cm: float) -> list[list[Grid]]:
    """Fill line after line, as words fill a paragraph."""
    lines: list[list[Grid]] = [[]]
    for panel in panels:
        if line_width_cm([*lines[-1], panel], cell_cm) > WIDTH_CM + ROUNDING_CM:
            lines.append([])
        lines[-1].append(panel)
    return lines


def percent_digits(highest: float, cell_cm: float) -> int | None:
    """How many decimals of a percentage fit into a cell at a legible size; None: not even 0."""
    for digits in (1, 0):
        if len(f"{highest:.{digits}f}") * DIGIT_PT < cell_cm * POINTS_A_CM:
            return digits
    return None


def legend(results: Results, contest: Contest, panels: Sequence[Panel]) -> list[Artist]:
    """The algorithms and gaps that this figure has."""
    shown = set(pd.concat([panel.best for panel in panels]).dropna())
    look = looks(results.catalogue)
    named = [look[name].patch(name) for name in results.catalogue if name in shown]
    gaps = [gap.patch(contest.chosen) for gap in GAPS if any(panel.gaps[gap] for panel in panels)]
    near = [near_handle()] if any(panel.near.ne("").any() for panel in panels) else []
    return [*named, *gaps, *near]


def near_ties(verdicts: pd.DataFrame) -> str:
    """How many wins are none that is called, and what a corner is."""
    won, clear = int(verdicts["won"].sum()), int(verdicts["clear"].sum())
    return (
        f"Of {plural(won, 'such case', 'such cases')} {won - clear} are near-ties: the fastest and "
        f"the next are {NEAR_TIE}."
    )


def caption(
    results: Results, contest: Contest, verdicts: pd.DataFrame, metric: str, digits: int | None
) -> str:
    text = (
        f"A cell compares the {contest.statistic} t of the {metric} elapsed time over the ranks, "
        f"over all iterations of {launches(results)}. Grey: {contest.chosen} is strictly faster "
        f"than {', '.join(contest.others)}; its improvement is {FORMULA} %. "
        f"{near_ties(verdicts)}"
    )
    if contest.united:
        text += f" {UNITED_TEXT}"
    if digits is None:
        text += " The cells are too small for legible percentages; --csv writes them."
    return text


def both_mappings(results: Results, options: Namespace) -> Results | None:
    """A page has this map as well, unless its maps are united already."""
    several = results.timed()["mapping"].nunique() > 1 and not options.contest.united
    options.contest = replace(options.contest, united=True)
    return results if several else None


REPORT = Report(
    "heatmap",
    __doc__,
    needs=(opt.CONTEST, opt.METRIC),
    table=lambda results, options: options.contest.verdicts(results, options.metric),
    draw=lambda results, verdicts, options: draw(
        results, options.contest, verdicts, options.metric
    ),
    on_page=(
        OnPage(
            "Where {algorithm} wins if each algorithm has the better of its mappings",
            "Heat map, mappings united: the best algorithm of each case, or the improvement of "
            "{algorithm} where it is the best",
            select=both_mappings,
        ),
    ),
)
