# SPDX-License-Identifier: BSD-3-Clause
"""Panels of lines on a sheet, and their axes with plain numbers."""

from collections.abc import Sequence
from math import ceil
from textwrap import fill
from typing import Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation, Transform

from agformats.units import three_digits
from agreport.figure.sheet import DIGIT_PT, POINTS_A_CM, WIDTH_CM, Sheet, sheet

# From this ratio of the largest to the smallest value on, an axis is logarithmic.
WIDE_RANGE = 10.0
CHARACTERS_A_CM = 6  # of a title
ASIDE_PT, MOST_ASIDE_PT = 2.0, 12.0
BESIDE_CM = 1.7  # of a panel: its labels at the left, and what parts it from the next
SPACE_PT = 4.0  # between the labels of ticks


def panel_sheet(
    titles: Sequence[str], head: str, legend: Sequence[Artist], caption: str
) -> tuple[Sheet, list[Axes]]:
    """A panel a title: one alone is as wide as the page, more are two or three a line."""
    across = 1 if len(titles) == 1 else 2 if len(titles) <= 4 else 3
    down = ceil(len(titles) / across)
    page = sheet(head, down * {1: 8.9, 2: 6.5, 3: 5.3}[across], legend, caption)
    every = page.body.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, title in zip(every, titles, strict=False):
        prepare(axes)
        axes.set_title(fill(title, int(WIDTH_CM / across * CHARACTERS_A_CM)))
    for axes in every[len(titles) :]:
        axes.remove()
    return page, every[: len(titles)]


def pair_sheet(
    titles: Sequence[str],
    head: str,
    legend: Sequence[Artist],
    caption: str,
    line_cm: float = 6.2,
) -> tuple[Sheet, list[tuple[Axes, Axes]]]:
    """A line of two panels for each title."""
    page = sheet(head, len(titles) * line_cm, legend, caption)
    pairs = page.body.subplots(len(titles), 2, squeeze=False).tolist()
    for (left, right), title in zip(pairs, titles, strict=True):
        prepare(left)
        prepare(right)
        left.set_title(title, loc="left")
    return page, [(left, right) for left, right in pairs]


def prepare(axes: Axes) -> None:
    axes.tick_params(length=2, pad=2)
    axes.grid(color="0.9", lw=0.6)
    axes.set_axisbelow(True)


def is_wide(values: Sequence[float]) -> bool:
    found = [value for value in values if value > 0]
    return bool(found) and max(found) / min(found) >= WIDE_RANGE


def logarithmic(axes: Axes, which: Literal["x", "y"], values: Sequence[float]) -> None:
    """A logarithmic axis from the lowest to the highest value, with plain numbers."""
    found = [value for value in values if value > 0] or [1.0]  # nothing timed: an empty axis
    limits = min(found) / 1.5, max(found) * 1.5
    if which == "x":
        axes.set(xscale="log", xlim=limits)
    else:
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(*limits)
    axis = axes.xaxis if which == "x" else axes.yaxis
    decades = np.log10(limits[1] / limits[0])
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 3 else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: three_digits(value)))
    axis.set_minor_locator(NullLocator())


def linear(axes: Axes, highest: float) -> None:
    axes.set_ylim(0, 1.05 * highest)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: three_digits(value)))


def aside(axes: Axes, count: int) -> list[Transform]:
    """Where so many lines are drawn that would hide each other's bars: some points beside."""
    scale = axes.figure.dpi_scale_trans
    step_pt = min(ASIDE_PT, MOST_ASIDE_PT / count)
    return [
        axes.transData + ScaledTranslation((place - (count - 1) / 2) * step_pt / 72, 0, scale)
        for place in range(count)
    ]


def mark(axes: Axes, values: Sequence[float], labels: Sequence[str], log_base: int | None) -> None:
    """Ticks where there are values, as many labels as have room; after everything is drawn.

    A logarithmic axis is linear up to its smallest value but 0.
    """
    positive = [value for value in values if value > 0]
    if log_base and positive:
        if len(positive) < len(values):
            axes.set_xscale("symlog", base=log_base, linthresh=min(positive), linscale=0.7)
        else:
            axes.set_xscale("log", base=log_base)
    scaled = axes.transScale.transform([(value, 1) for value in values])[:, 0]
    room = 0.06 * np.ptp(scaled) or 1.0
    ends = [(scaled.min() - room, 0), (scaled.max() + room, 0)]
    axes.set_xlim(*axes.transScale.inverted().transform(ends)[:, 0])
    place_in_line = axes.get_subplotspec()
    across = place_in_line.get_gridspec().ncols if place_in_line else 1
    wide_pt = (WIDTH_CM / across - BESIDE_CM) * POINTS_A_CM
    to_axes = axes.transScale + axes.transLimits
    kept: list[int] = []
    for place, (value, label) in enumerate(zip(values, labels, strict=True)):
        if not kept:
            kept.append(place)
            continue
        apart_pt = wide_pt * np.ptp(to_axes.transform([(values[kept[-1]], 1), (value, 1)])[:, 0])
        needed_pt = (len(label) + len(labels[kept[-1]])) / 2 * DIGIT_PT + SPACE_PT
        if apart_pt >= needed_pt:
            kept.append(place)
    axes.xaxis.set_major_locator(FixedLocator([values[place] for place in kept]))
    axes.set_xticklabels([labels[place] for place in kept])
    axes.xaxis.set_minor_locator(NullLocator())
