# SPDX-License-Identifier: BSD-3-Clause
"""How much slower an algorithm, such as the MPI library's own, is than the best of each case.

Prints in how many cases it is as good as the best, where it is the furthest behind, and what to do.
-o draws a map of how many times as long it takes as the best one. Near-ties are grey.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_rgb

from agformats.catalogue import catalogue
from agreport.cli.report import Part
from agreport.data.load import Results
from agreport.data.machines import machine_texts
from agreport.figure.cell_grid import Bar, Maps, draw_maps
from agreport.figure.sheet import Sheet, Tooltip
from agreport.figure.words import (
    caption_of_cases,
    listed,
    near_tie,
    plural,
    sample_of,
    shown,
    time_of,
    what_a_time_is,
)
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR
from agreport.winners.answer import AS_GOOD, LOSS, Standing, in_words, standings
from agreport.winners.maps import GAPS, NO_QUOTIENT, MapPanel, legible, panels_of

MOST_CASES = 5  # each table of the largest losses has so many at most
# The factors from which on the map has another colour; the last colour is for all above.
BOUNDS = (1.0, AS_GOOD, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)
SHADES = colormaps["Reds"]
TIE = to_rgb("0.93")


class LossPanel(MapPanel):
    """Draws in each cell how many times as long the chosen algorithm takes as the best one."""

    def __init__(self, title: str, found: pd.DataFrame, chosen: str) -> None:
        super().__init__(title, found)
        self.chosen, self.loss = chosen, self.cells[LOSS]
        timed, rival = self.cells[f"{chosen}_us"].notna(), self.cells["compared_with"].eq(True)
        self.find_gaps(timed, rival)
        self.gaps[NO_QUOTIENT] = self.places(timed & rival & self.loss.isna())

    def draw(self, axes: Axes, cell_cm: float) -> None:
        near = self.cells["near_tie"].eq(True)
        colours = [
            TIE if tie and loss >= AS_GOOD else shade(loss)
            for loss, tie in zip(self.loss.fillna(1.0), near, strict=True)
        ]
        self.fill(axes, colours)
        self.hatch_gaps(axes)
        decimals = digits(cell_cm)
        if decimals is not None:
            there = self.loss.notna()
            inks = [
                "0.5" if tie else "black" if loss < BOUNDS[-2] else "white"
                for loss, tie in zip(self.loss[there], near[there], strict=True)
            ]
            self.print_numbers(axes, self.loss, lambda loss: number(loss, decimals), inks)

    def tooltips(self, axes: Axes) -> Iterator[Tooltip]:
        chosen = self.chosen

        def text(found: "pd.Series[Any]") -> str:
            best = f"; {found['best']} {found['best_us']:.4g} µs" if found["best"] != chosen else ""
            return f"{chosen} {found[f'{chosen}_us']:.4g} µs{best}; {found[LOSS]:.3g} times"

        return self.describe(axes, self.loss.notna(), text)


def digits(cell_cm: float) -> int | None:
    """Returns how many decimals quotients have in such cells; None if they do not fit."""
    return legible({n: n + 2 for n in (1, 2)}, cell_cm)


def number(loss: float, decimals: int) -> str:
    """Returns the quotient as text, with one decimal less from 10 on and two less from 100 on:
    1.05, 12.3, 123."""
    return f"{loss:.{max(0, decimals - (loss >= 10) - (loss >= 100))}f}"


def shade(loss: float) -> tuple[float, float, float]:
    """Returns the colour of a quotient (red, green, blue); the paper's white if nothing is lost."""
    if loss < AS_GOOD:
        return (1.0, 1.0, 1.0)
    place = np.searchsorted(BOUNDS, loss, side="right") - 1
    return to_rgb(SHADES(0.08 + 0.82 * place / (len(BOUNDS) - 1)))


def colours() -> ScalarMappable:
    """Returns the shades between the bounds, for a colour bar."""
    shades = [shade(bound) for bound in BOUNDS]
    return ScalarMappable(
        BoundaryNorm([*BOUNDS, 2 * BOUNDS[-1]], len(BOUNDS)),
        LinearSegmentedColormap.from_list("loss", shades, len(BOUNDS)),
    )


def losses(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns a table with a row a case: the algorithm's time, the best one and its time (us:
    microseconds), and the quotient of the times. The quotient is 1 where the algorithm is the
    fastest, NaN where the algorithm or every other one has no time, or where another one takes 0,
    of which nothing is a multiple."""
    found = options.contest.verdicts(results, options.metric)
    best_us = found[["chosen_us", "rival_us"]].min(axis=1)
    chosen = options.contest.chosen
    tied = found["near"].map(lambda names: chosen in names.split(NEAR_SEPARATOR))
    loss = (found["chosen_us"] / best_us).where(best_us > 0)
    loss = loss.mask(found["chosen_us"] == best_us, 1.0)
    return pd.DataFrame(
        {
            LOSS: loss.where(found["compared"]),
            f"{chosen}_us": found["chosen_us"],
            "best": found["fastest"],
            "best_us": best_us,
            "near_tie": tied | (found["near"].ne("") & (found["chosen_us"] == best_us)),
            "compared_with": found["rival"].notna(),
        }
    )


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    panels = [LossPanel(*panel, contest.chosen) for panel in panels_of(found)]
    maps = Maps(panels)
    return draw_maps(
        f"How many times as long {shown(contest.chosen)} takes as the best algorithm, by "
        f"{contest.statistic} {options.metric} time",
        maps,
        [gap.patch(contest.chosen) for gap in GAPS if any(panel.gaps.get(gap) for panel in panels)],
        write_caption(results, found, options, digits(maps.cell_cm) is not None),
        Bar(
            "times as long as the best",
            colours(),
            {bound: f"{bound:g}" for bound in BOUNDS},
            "and more",
        ),
    )


def write_caption(
    results: Results, found: pd.DataFrame, options: Namespace, has_numbers: bool
) -> str:
    contest: Contest = options.contest
    text = (
        f"The {contest.statistic} is of the {time_of(options.metric)}, "
        f"{sample_of(results, contest.statistic)}; the best is of {listed(contest.everyone)}."
    )
    if near := int((found["near_tie"] & (found[LOSS] >= AS_GOOD)).sum()):
        text += (
            f" Grey: {plural(near, 'case')} of {AS_GOOD:g} and more that cannot be told "
            "from the best."
        )
    if has_numbers and found["near_tie"].any():
        text += f" Grey numbers cannot be told from the best: {near_tie(results)}."
    return caption_of_cases(text, results, contest.united)


def worst_cases(standing: Standing) -> pd.DataFrame:
    """Returns a table of the cases in which the algorithm surely takes longer, with the largest
    losses first."""
    behind = standing.behind.nlargest(MOST_CASES, LOSS)
    found = behind.drop(columns=["near_tie", "compared_with"]).reset_index()
    # Left out are columns that say nothing: most launches have no groups, and nothing beside the
    # calls.
    ordinary = [
        name for name, value in catalogue().ordinary.items() if (found[name] == value).all()
    ]
    return found.drop(columns=ordinary).rename(columns={LOSS: "times_as_long"})


def parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    chosen = options.contest.chosen
    times = options.contest.times(results, options.metric)
    yield from map(str, in_words(results, found, chosen, times))
    yield what_a_time_is(options.contest.statistic, options.metric)
    yield from machine_texts(results)
    for standing in standings(results, found, chosen):
        if standing.slower:
            where = standing.where[:1].lower() + standing.where[1:]
            yield f"The largest losses {where}", worst_cases(standing)
