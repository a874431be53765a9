# SPDX-License-Identifier: BSD-3-Clause
"""How much slower an algorithm, such as the MPI library's own, is than the best of each case.

Prints in how many cases it is as good as the best, and where it is the furthest behind. -o draws a
map of its time over the best one's. Near-ties are grey.
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
from agreport.cli import options as opt
from agreport.cli.report import OnPage, Part, Report
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, Results
from agreport.data.machines import machine_texts
from agreport.figure.cell_grid import Bar, Maps, draw_maps
from agreport.figure.sheet import Sheet, Tooltip
from agreport.figure.words import (
    in_case,
    launches,
    listed,
    near_tie,
    one_launch,
    plural,
    same_text,
    shown,
    time_of,
    united_text,
)
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR
from agreport.winners.maps import GAPS, MapPanel, legible, panels_of

MOST_CASES = 5  # of the largest losses
LOSS = "loss"
AS_GOOD = 1.05  # what is lost below this is called nothing
# The colours of the map, as factors; the last one is for all above.
BOUNDS = (1.0, AS_GOOD, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)
SHADES = colormaps["Reds"]
TIE = to_rgb("0.93")


class LossPanel(MapPanel):
    """In each cell the quotient."""

    def __init__(self, title: str, found: pd.DataFrame, chosen: str) -> None:
        super().__init__(title, found)
        self.chosen, self.loss = chosen, self.cells[LOSS]
        self.find_gaps(self.cells[f"{chosen}_us"].notna(), self.cells["compared_with"].eq(True))

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
    """Decimals of the quotients; None: they do not fit."""
    return legible({n: n + 2 for n in (1, 2)}, cell_cm)


def number(loss: float, decimals: int) -> str:
    """Three digits at most: 1.05, 12.3, 123."""
    return f"{loss:.{max(0, decimals - (loss >= 10) - (loss >= 100))}f}"


def shade(loss: float) -> tuple[float, float, float]:
    """The paper's white where nothing is lost."""
    if loss < AS_GOOD:
        return (1.0, 1.0, 1.0)
    place = np.searchsorted(BOUNDS, loss, side="right") - 1
    return to_rgb(SHADES(0.08 + 0.82 * place / (len(BOUNDS) - 1)))


def colours() -> ScalarMappable:
    """The shades between the bounds, for a colour bar."""
    shades = [shade(bound) for bound in BOUNDS]
    return ScalarMappable(
        BoundaryNorm([*BOUNDS, 2 * BOUNDS[-1]], len(BOUNDS)),
        LinearSegmentedColormap.from_list("loss", shades, len(BOUNDS)),
    )


def losses(results: Results, options: Namespace) -> pd.DataFrame:
    """One row a case: the algorithm's time, the best one and its time, and the quotient; 1 where it
    is the fastest, NaN where it or every other one has no time."""
    found = options.contest.verdicts(results, options.metric)
    best_us = found[["chosen_us", "rival_us"]].min(axis=1)
    chosen = options.contest.chosen
    tied = found["near"].map(lambda names: chosen in names.split(NEAR_SEPARATOR))
    return pd.DataFrame(
        {
            LOSS: (found["chosen_us"] / best_us).where(found["compared"] & (best_us > 0)),
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
        f"Time of {shown(contest.chosen)} over that of the best algorithm, by {contest.statistic} "
        f"{options.metric} time",
        maps,
        [gap.patch(contest.chosen) for gap in GAPS if any(panel.gaps.get(gap) for panel in panels)],
        write_caption(results, found, options, digits(maps.cell_cm) is not None),
        Bar(
            "its time over the best one's",
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
        f"The {contest.statistic} is of the {time_of(options.metric)}, over all "
        f"iterations of {launches(results)}; the best is of {listed(contest.everyone)}."
    )
    if near := int((found["near_tie"] & (found[LOSS] >= AS_GOOD)).sum()):
        text += (
            f" Grey: {plural(near, 'case')} of {AS_GOOD:g} and more that cannot be told "
            "from the best."
        )
    if has_numbers and found["near_tie"].any():
        text += f" Grey numbers cannot be told from the best: {near_tie(results)}."
    return " ".join([f"{text}{united_text(results, contest.united)}", *same_text(results)])


def in_words(found: pd.DataFrame, chosen: str) -> Iterator[str]:
    """How good the chosen algorithm is here, in three sentences at most."""
    loss = found[LOSS].dropna()
    if loss.empty:
        yield f"No case has times of {chosen} and of another algorithm."
        return
    good = int((loss < AS_GOOD).sum())
    fastest = int(found["best"][loss.index].eq(chosen).sum())
    yield (
        f"{chosen} is within {100 * (AS_GOOD - 1):.0f} % of the best in {good} of "
        f"{plural(len(loss), 'case')} ({100 * good / len(loss):.0f} %), and the fastest "
        f"in {fastest}."
    )
    if loss.max() == 1:
        return
    median = f"It loses {100 * (loss.median() - 1):.0f} % in the median case"
    near = found["near_tie"][loss.index]
    if near.all():
        yield f"{median}, but nowhere can it be told from the best."
        return
    worst = loss[~near].idxmax()
    case = in_case(pd.Series(worst, CASE).astype(str))
    yield (
        f"{median}; in the worst it takes {loss[worst]:.3g} times as long as "
        f"{found['best'][worst]}: {case}."
    )
    if untold := int((near & (loss >= AS_GOOD)).sum()):
        yield f"In {untold} of the others it cannot be told from the best."


def worst_cases(losses: pd.DataFrame) -> pd.DataFrame:
    """The largest losses that are no near-ties."""
    behind = losses[(losses[LOSS] >= AS_GOOD) & ~losses["near_tie"]].nlargest(MOST_CASES, LOSS)
    found = behind.drop(columns=["near_tie", "compared_with"]).reset_index()
    # What most launches have none of: groups, something beside the calls.
    ordinary = [
        name for name, value in catalogue().ordinary.items() if (found[name] == value).all()
    ]
    return found.drop(columns=ordinary)


def how_to_mend(results: Results) -> str:
    """The command that makes the library choose better, of equal blocks."""
    tune = "`agreport tune FILES --distribution regular --arrival none`"
    if any(name.startswith(f"{LIBRARY}:") for name in results.timed_algorithms()):
        return f"{tune} says which of its own algorithms the library should choose."
    return (
        "To make the library choose better, time its own algorithms too (`native:NAME` of --list); "
        f"then {tune} says which it should choose."
    )


def parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    yield from one_launch(options.contest.times(results, options.metric))
    yield from in_words(found, options.contest.chosen)
    yield from machine_texts(results)
    worst = worst_cases(found)
    if len(worst):
        yield "The largest losses", worst
        if options.contest.chosen == LIBRARY:
            yield how_to_mend(results)


REPORT = Report(
    "loss",
    __doc__,
    logs=True,
    view="loss",
    needs=(opt.CONTEST, opt.METRIC),
    table=losses,
    draw=draw,
    parts=parts,
    on_page=(
        OnPage(
            "What {algorithm} loses",
            "Map: block sizes up, rank counts across; the time of {algorithm} over the best one's",
        ),
    ),
)
