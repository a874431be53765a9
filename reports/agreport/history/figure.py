# SPDX-License-Identifier: BSD-3-Clause
"""A history as small multiples: a panel a case, those that changed most first."""

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.units import time_unit
from agreport.compare.sides import find_varied, name_case
from agreport.figure.looks import COLOURS
from agreport.figure.panels import panel_sheet, panels_a_page
from agreport.figure.sheet import Sheet, Tooltip
from agreport.figure.words import time_text

from . import texts
from .findings import History

FASTER, SLOWER, LAUNCH = COLOURS[0], COLOURS[5], "0.6"
MOST_NAMES = 3  # of versions below a panel


def draw(history: History) -> Sheet:
    order = by_change(history)
    shown = order[: panels_a_page()]
    varied = find_varied(pd.DataFrame(index=history.cases))
    titles = [name_case(history.cases[number], varied) for number in shown]
    caption = " ".join(
        [texts.describe(history), *(f"{texts.describe_finding(history, one)}." for one in
                                    history.findings), texts.conclude(history)]
    )  # fmt: skip
    if len(shown) < len(order):
        caption += f" Drawn: the {len(shown)} cases that changed most, of {len(order)}."
    page, every = panel_sheet(titles, "History, version by version", legend(), caption)
    for number, axes in zip(shown, every, strict=True):
        draw_case(page, axes, history, number)
    return page


def by_change(history: History) -> list[int]:
    """The numbers of the cases, the largest step first; those without one as the table has them."""
    largest = dict.fromkeys(history.cases, 0.0)
    for step in [
        *(step for one in history.findings for step in one.steps),
        *(history.newest or []),
    ]:
        largest[step.case] = max(largest[step.case], abs(step.change))
    return sorted(range(len(history.cases)), key=lambda number: -largest[history.cases[number]])


def draw_case(page: Sheet, axes: Axes, history: History, number: int) -> None:
    """A dot a launch, a line from version to version, a level as a bar, and where it changes."""
    series = np.exp(history.values[:, number])
    us, unit = time_unit(float(np.nanmedian(series)))
    for place, version in enumerate(history.versions):
        times = np.exp(history.of_launches.iloc[number].reindex(list(version.launches)))
        axes.plot([place] * len(times), times / us, ".", color=LAUNCH, ms=2, mew=0)
        if not np.isnan(series[place]):
            said = f"{version.name}{texts.dated(version.date)}: {time_text(series[place])}"
            point = (float(place), float(series[place] / us))
            page.tooltips.append(Tooltip(axes, (point, point), said))
    axes.plot(np.arange(len(series)), series / us, color="0.3", lw=0.7)
    kept = np.where(history.segments.odd[:, number], np.nan, history.values[:, number])
    ends = history.segments.bounds(number, len(series))
    levels = [float(np.exp(np.nanmean(kept[first:last]))) for first, last in pairwise(ends)]
    for level, (first, last) in zip(levels, pairwise(ends), strict=True):
        axes.plot([first - 0.4, last - 0.6], [level / us] * 2, color="black", lw=1.6)
    for at, (before, after) in zip(ends[1:], pairwise(levels), strict=False):
        axes.axvline(at - 0.5, color=SLOWER if after > before else FASTER, lw=1.2)
    odd = np.flatnonzero(history.segments.odd[:, number])
    axes.plot(odd, series[odd] / us, "x", color="black", ms=4, mew=0.8)
    places = np.unique(np.linspace(0, len(series) - 1, MOST_NAMES).astype(int))
    names = [history.versions[place].name for place in places]
    axes.set_xticks(places, [name if len(name) <= 10 else f"{name[:9]}…" for name in names])
    axes.set_ylim(0, 1.08 * float(np.nanmax(series)) / us)
    axes.set_ylabel(f"time ({unit})")


def legend() -> list[Line2D]:
    return [
        Line2D([], [], color=LAUNCH, marker=".", ls="", label="launch"),
        Line2D([], [], color="0.3", lw=0.7, label="version, its median"),
        Line2D([], [], color="black", lw=1.6, label="level"),
        Line2D([], [], color=SLOWER, lw=1.2, label="slower since"),
        Line2D([], [], color=FASTER, lw=1.2, label="faster since"),
        Line2D([], [], color="black", marker="x", ls="", ms=4, label="odd version"),
    ]
