# SPDX-License-Identifier: BSD-3-Clause
"""The history as a figure: a panel a case, those that changed most first."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.units import time_unit
from agreport.figure.looks import BLUE, VERMILLION
from agreport.figure.panels import panel_sheet, panels_a_page
from agreport.figure.sheet import Sheet

from . import words
from .findings import CHANGE, WRONG, History

FASTER, SLOWER, LAUNCH, MEAN = BLUE, VERMILLION, "0.6", "0.3"
LONGEST = 12  # characters of a name: two stand below a panel


def draw(history: History) -> Sheet:
    values = history.series.values  # medians of 0 have no logarithm
    order = [each for each in history.by_change() if not np.isnan(values[:, each]).all()]
    shown = order[: panels_a_page()]
    found = [*words.sentences(history), words.verdict(history)]
    said = [words.describe(history), *(f"{each[0].upper()}{each[1:]}." for each in found)]
    if len(shown) < len(order):
        said.insert(1, f"Drawn: the {len(shown)} cases that changed most, of {len(order)}.")
    page, every = panel_sheet(
        [words.case_name(history, number) for number in shown],
        "History, version by version",
        legend(),
        " ".join(said),
    )
    for number, axes in zip(shown, every, strict=True):
        draw_case(axes, history, number)
    return page


def draw_case(axes: Axes, history: History, number: int) -> None:
    """Draws a dot a launch, a line from version to version, the levels between the changes, and a
    line where this case changes."""
    series = history.series
    launches = np.exp(series.values[:, number])
    means = np.exp(series.means()[0][:, number])
    us, unit = time_unit(float(np.nanmedian(means)))
    axes.plot(series.version, launches / us, ".", color=LAUNCH, ms=2.5, mew=0)
    axes.plot(np.arange(len(means)), means / us, color=MEAN, lw=0.7)
    level = np.exp(history.changes.level[:, number]) / us
    axes.step(np.arange(len(level)), level, where="mid", color="black", lw=1.4)
    for each in history.findings:
        if number not in each.cases:
            continue
        if each.kind == CHANGE:
            axes.axvline(each.place - 0.5, color=SLOWER if each.slower else FASTER, lw=1.2)
        elif each.kind != WRONG:
            axes.plot(each.place, means[each.place] / us, "x", color="black", ms=4, mew=0.8)
    name_ends(axes, [version.name for version in history.versions])
    axes.set_ylim(0, 1.08 * float(np.nanmax(launches)) / us)
    axes.set_ylabel(f"time ({unit})")


def name_ends(axes: Axes, names: list[str]) -> None:
    """Names the first version and the last one, each inwards, so that they do not meet."""
    ends = sorted({0, len(names) - 1})
    axes.set_xticks(ends, [short(names[end]) for end in ends])
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
    axes.get_xticklabels()[0].set_horizontalalignment("left")


def short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def legend() -> list[Line2D]:
    return [
        Line2D([], [], color=LAUNCH, marker=".", ls="", label="launch"),
        Line2D([], [], color=MEAN, lw=0.7, label="version, its mean"),
        Line2D([], [], color="black", lw=1.4, label="level"),
        Line2D([], [], color=SLOWER, lw=1.2, label="slower since"),
        Line2D([], [], color=FASTER, lw=1.2, label="faster since"),
        Line2D([], [], color="black", marker="x", ls="", ms=4, label="stands out alone"),
    ]
