# SPDX-License-Identifier: BSD-3-Clause
"""Axes with plain numbers: their ends, and their ticks, as many as have room for their labels, the
rounder ones first."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogFormatterMathtext,
    LogFormatterSciNotation,
    MaxNLocator,
    NullLocator,
)

from agformats.units import three_digits, time_unit
from agreport.data.total_sizes import TOTAL
from agreport.figure.medium import medium
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.words import size_label

# An axis is logarithmic from this ratio of the largest to the smallest value on.
WIDE_RANGE = 10.0
LABELS_UP = 10  # so many labels at least have room at a vertical axis
LEAST_ROOM, MOST_ROOM, ROOM_PART = 1.1, 1.5, 0.08  # factors at the ends of a logarithmic axis
NEAR_ONE = [1 / 1.1, 1.1]  # each axis of quotients has both
BESIDE_CM = 1.7  # a panel's labels at its left, and the space between it and the next panel
AXIS_NAMES = {"bytes": "block size (bytes)", TOTAL: "total size (bytes)", "ranks": "ranks"}
SPACE_PT = 4.0  # between the labels of ticks
# These are the ticks of a decade, from fine to coarse: the first whose labels have room is taken.
DECADES = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
PLAIN_BELOW = 1e5


def label(value: float) -> str:
    """Returns a number as text, plain if it is neither very large nor very small: 20, 2000, 1e6."""
    plain = 1e-3 <= value < PLAIN_BELOW
    return f"{value:.5g}" if plain else three_digits(value)


class PlainLogFormatter(LogFormatterSciNotation):
    """Labels the ticks that matplotlib labels on a logarithmic axis, with plain numbers: its own
    labels are TeX, which is off in all texts since names from files may look like it."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return label(x) if super().__call__(x, pos) else ""


def with_plain_labels(axes: Axes) -> None:
    """Gives logarithmic axes whose ticks are matplotlib's own a PlainLogFormatter."""
    for axis in (axes.xaxis, axes.yaxis):
        for formatter, set_formatter in (
            (axis.get_major_formatter(), axis.set_major_formatter),
            (axis.get_minor_formatter(), axis.set_minor_formatter),
        ):
            if isinstance(formatter, LogFormatterMathtext):
                base = getattr(axis.get_transform(), "base", 10.0)
                set_formatter(PlainLogFormatter(base, formatter.labelOnlyBase))


def spaced(at_pt: Sequence[float], wide_pt: Sequence[float], apart_pt: float) -> list[int]:
    """Returns the places of labels that do not meet, in the order in which the labels are given;
    the first given are taken first.

    at_pt: the middles of the labels, wide_pt: their widths along the axis; apart_pt: the least
    space between two labels.
    """
    kept: list[int] = []
    for place, (at, wide) in enumerate(zip(at_pt, wide_pt, strict=True)):
        if all(abs(at - at_pt[other]) >= (wide + wide_pt[other]) / 2 + apart_pt for other in kept):
            kept.append(place)
    return kept


def logarithmic_ticks(low: float, high: float, most: int) -> list[float]:
    """Returns the ticks of an axis between these ends that has room for so many labels.
    matplotlib's own are at powers of ten alone, or their labels meet."""
    powers = range(floor(np.log10(low)), ceil(np.log10(high)) + 1)
    least = (high / low) ** (1 / most)  # of a tick over the one below it
    for decade in DECADES:
        every = [10.0**power * part for power in powers for part in decade]
        ticks = [tick for tick in every if low <= tick <= high]
        if len(ticks) > 1 and all(b / a >= least for a, b in pairwise(ticks)):
            return ticks
    if high / low > WIDE_RANGE**2:  # too many decades: every second, fourth, ...
        step = ceil(np.log10(high / low) / most)
        every = [10.0**power for power in powers if power % step == 0]
    else:  # a part of a decade, without two round numbers
        every = [*MaxNLocator(min(4, most)).tick_values(low, high)]
    return [float(tick) for tick in every if low <= tick <= high]


def axes_width_cm(axes: Axes) -> float:
    """Estimates how wide the axes will be, between the labels at their left and the next panel."""
    place_in_line = axes.get_subplotspec()
    across = place_in_line.get_gridspec().ncols if place_in_line else 1
    return medium().width_cm / across - BESIDE_CM


def is_wide(values: Sequence[float]) -> bool:
    found = [value for value in values if value > 0]
    return bool(found) and max(found) / min(found) >= WIDE_RANGE


def middle_unit(us: "pd.Series[float]") -> tuple[float, str]:
    """Returns the unit of times on the logarithmic axes of a figure, which is that of the middle of
    the times: how many us it has, and its name."""
    positive = us[us > 0]
    return time_unit(float(np.sqrt(positive.min() * positive.max())) if len(positive) else 1.0)


def logarithmic(
    axes: Axes, which: Literal["x", "y"], values: Sequence[float], quotients: bool = False
) -> None:
    """Makes an axis logarithmic, from the lowest to the highest value, with plain numbers. An axis
    of which all values are 0 stays linear.

    quotients: the values are of something over something else, so 1 is on the axis.
    """
    if max(values, default=1) == 0:
        return
    low, high = logarithmic_ends(values, quotients)
    if which == "x":
        axes.set(xscale="log", xlim=(low, high))
        fix_ticks(axes.xaxis, logarithmic_ticks(low, high, labels_across(axes)))
    else:
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(low, high)
        fix_ticks(axes.yaxis, logarithmic_ticks(low, high, LABELS_UP))


def labels_across(axes: Axes) -> int:
    """Returns how many labels a logarithmic horizontal axis has room for."""
    return max(2, int(axes_width_cm(axes) * POINTS_A_CM / (4 * DIGIT_PT + SPACE_PT)))


def logarithmic_ends(values: Sequence[float], quotients: bool) -> tuple[float, float]:
    """Returns the ends of a logarithmic axis, with some room beyond the values. quotients: 1 is on
    the axis, too."""
    found = [value for value in values if value > 0] or [1.0]  # nothing timed: an empty axis
    found += NEAR_ONE if quotients else []
    room = max(LEAST_ROOM, (max(found) / min(found)) ** ROOM_PART)
    return min(found) / min(room, MOST_ROOM), max(found) * min(room, MOST_ROOM)


def signed_ticks(axes: Axes, straight: float, furthest: float) -> None:
    """Makes the vertical axis linear up to `straight` on both sides of 0, and logarithmic beyond.
    Ticks are at 0 and at powers of ten of both signs, below `furthest`."""
    axes.set_yscale("symlog", linthresh=straight, linscale=1.5)
    ends = floor(np.log10(straight)), ceil(np.log10(furthest))
    powers = [10.0**power for power in range(*ends)]
    fix_ticks(axes.yaxis, [*(-each for each in powers), 0.0, *powers])


def fix_ticks(axis: Axis, ticks: Sequence[float]) -> None:
    """Sets ticks with plain numbers at these values and nowhere else."""
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: label(value)))
    axis.set_minor_locator(NullLocator())


def mark_cases(axes: Axes, values: Sequence[float], column: str) -> None:
    """Sets ticks at these sizes or numbers of ranks, and the name of the horizontal axis. column:
    says which of them the values are."""
    name = str if column == "ranks" else size_label
    labels = [name(int(value)) for value in values]
    mark(axes, values, labels, log_base=2 if len(values) > 1 else None)
    axes.set_xlabel(AXIS_NAMES[column])


def is_power_of_two(value: float) -> bool:
    return value > 0 and float(np.log2(value)).is_integer()


def round_ticks(axes: Axes, values: Sequence[float]) -> None:
    """Sets the ends of the horizontal axis to about the lowest and the highest value. If these are
    far apart, the axis is logarithmic, with ticks at round numbers."""
    wide = is_wide(values)
    spread(axes, values, 10 if wide else None)
    if wide:
        low, high = min(value for value in values if value > 0), max(values)
        ticks = logarithmic_ticks(low, high, labels_across(axes))
        fix_ticks(axes.xaxis, [0.0, *ticks] if 0 in values else ticks)


def places_pt(axes: Axes, values: Sequence[float]) -> list[float]:
    """Returns where the values are on the horizontal axis, in points."""
    to_axes = axes.transScale + axes.transLimits
    at: list[float] = to_axes.transform([(value, 1) for value in values])[:, 0].tolist()
    return [axes_width_cm(axes) * POINTS_A_CM * each for each in at]


def spread(axes: Axes, values: Sequence[float], log_base: int | None) -> None:
    """Sets the ends of the horizontal axis so that these values have room. log_base: makes it
    logarithmic, if it is not None; with values that are 0, linear up to the smallest of the
    others."""
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


def mark(axes: Axes, values: Sequence[float], labels: Sequence[str], log_base: int | None) -> None:
    """Sets ticks where there are values, as many as have room for their labels. Call it after
    everything is drawn."""
    spread(axes, values, log_base)
    at_pt = places_pt(axes, values)
    # Powers of two before others, since what algorithms do changes there.
    others_last = [log_base == 2 and not is_power_of_two(value) for value in values]
    order = sorted(range(len(values)), key=others_last.__getitem__)
    wide_pt = [len(labels[place]) * DIGIT_PT for place in order]
    chosen = spaced([at_pt[place] for place in order], wide_pt, SPACE_PT)
    kept = sorted(order[place] for place in chosen)
    axes.xaxis.set_major_locator(FixedLocator([values[place] for place in kept]))
    axes.set_xticklabels([labels[place] for place in kept])
    axes.xaxis.set_minor_locator(NullLocator())
