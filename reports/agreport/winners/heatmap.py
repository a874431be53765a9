# SPDX-License-Identifier: BSD-3-Clause
"""Hybrid heat map: the fastest algorithm of each case, or how much the chosen one improves on it.

After figures 23 and 24 of Loch (2021): a colour where another algorithm is the best; where the
chosen one is, a grey, the darker the larger its improvement over the best other one (his are the
lighter).
"""

from argparse import Namespace
from dataclasses import replace
from math import ceil

import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import PANEL, Results
from agreport.figure.cell_grid import Maps
from agreport.figure.looks import looks
from agreport.figure.medium import medium
from agreport.figure.names import listed, shown
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import DIGIT_PT, LINE_CM, POINTS_A_CM, TITLE_A_CM, wrapped
from agreport.figure.words import (
    FORMULA,
    near_tie,
    panel_titles,
    plural,
    sample_of,
    time_of,
    united_text,
)
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.winners.heatmap_panel import GREYS, NEAR_TIES, Panel, make_legend

MAP_TEXT = (
    "Heat map: block sizes up, rank counts across; the best algorithm of each case, or the "
    "improvement of {algorithm} where it is the best"
)
NEAR = opt.Need(
    opt.option(
        "--near-ties",
        choices=NEAR_TIES,
        default=NEAR_TIES[0],
        help="how they are drawn, in the colour of the other algorithm (default: %(default)s)",
    )
)
BAR_CM = 1.05  # the colour bar, without its title


def draw(results: Results, verdicts: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    groups = verdicts.groupby(level=PANEL, observed=True)
    panels = [Panel(title, groups.get_group(p)) for p, title in panel_titles(verdicts).items()]
    maps = Maps(panels)
    highest = verdicts[IMPROVEMENT].where(verdicts["won"]).max()
    scale = Normalize(0, 10 * ceil(highest / 10) if highest > 0 else 10)
    digits = percent_digits(highest, maps.cell_cm)
    chosen = shown(contest.chosen)
    bar_title = wrapped(
        f"improvement of {chosen} over the best other algorithm (%)",
        medium().width_cm,
        TITLE_A_CM,
    )
    bar_title_cm = 0.45 + bar_title.count("\n") * LINE_CM
    bar_cm = BAR_CM + bar_title_cm
    page = sheet(
        f"Fastest algorithm by {contest.statistic} {options.metric} time, "
        f"and the improvement of {chosen} where it is that",
        bar_cm + maps.height_cm,
        make_legend(results.catalogue, panels, options.near_ties, contest.chosen),
        write_caption(results, verdicts, options, too_small=digits is None),
    )
    bar = page.axes(page.width_cm / 4, bar_title_cm, page.width_cm / 2, 0.3)
    page.figure.colorbar(ScalarMappable(scale, GREYS), cax=bar, orientation="horizontal")
    bar.set_title(bar_title)
    for panel, axes in maps.place(page, bar_cm):
        panel.draw(axes, looks(results.catalogue), options.near_ties, maps.cell_cm, scale)
        page.tooltips.extend(panel.tooltips(axes))
        if digits is not None:
            panel.print_percentages(axes, digits, scale)
    return page


def percent_digits(highest: float, cell_cm: float) -> int | None:
    """How many decimals of a percentage fit into a cell at a legible size; None: not even 0."""
    for digits in (1, 0):
        if len(f"{highest:.{digits}f}") * DIGIT_PT < cell_cm * POINTS_A_CM:
            return digits
    return None


def write_caption(
    results: Results, verdicts: pd.DataFrame, options: Namespace, too_small: bool
) -> str:
    contest: Contest = options.contest
    won, clear = int(verdicts["won"].sum()), int(verdicts["clear"].sum())
    text = (
        f"A cell compares the {contest.statistic} t of the {time_of(options.metric)}, "
        f"{sample_of(results, contest.statistic)}. Grey: {shown(contest.chosen)} is "
        f"strictly faster than {listed(contest.others)}, the darker the larger its improvement "
        f"{FORMULA} %. "
        f"Of {plural(won, 'such case', 'such cases')} {won - clear} are near-ties: the fastest and "
        f"the next are {near_tie(results)}.{united_text(contest.united)}"
    )
    if too_small:
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
    view="map",
    needs=(opt.CONTEST, opt.METRIC, NEAR),
    table=lambda results, options: options.contest.verdicts(results, options.metric),
    draw=draw,
    on_page=(
        OnPage("Where {algorithm} wins", MAP_TEXT),
        OnPage(
            "Where {algorithm} wins if each algorithm has the better of its mappings",
            MAP_TEXT,
            select=both_mappings,
        ),
    ),
)
