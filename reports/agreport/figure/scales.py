# SPDX-License-Identifier: BSD-3-Clause
"""Panels of lines: where they are on a sheet, and their axes with plain numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation, Transform

from agformats.units import three_digits
from agreport.figure.sheet import DIGIT_PT, POINTS_A_CM, WIDTH_CM, Sheet

# From this ratio of the largest to the smallest value on, an axis is logarithmic.
WIDE_RANGE = 10.0
CHARACTERS_A_CM = 6  # of a title
ASIDE_PT, MOST_ASIDE_PT = 2.0, 12.0
SPACE_PT = 4.0  # between the labels of ticks


@dataclass(frozen=True)
class Grid:
    """Panels of equal size: one alone is as wide as the page, more are two or three a line."""

    count: int
    left_cm: float = 1.45
    right_cm: float = 0.25
    above_cm: float = 0.85
    below_cm: float = 1.0

    @property
    def across(self) -> int:
        return 1 if self.count == 1 else 2 if self.count <= 4 else 3

    @property
    def inner_cm(self) -> tuple[float, float]:
        """Width and height of the axes."""
        height_cm = {1: 7.0, 2: 4.6, 3: 3.4}[self.across]
        return WIDTH_CM / self.across - self.left_cm - self.right_cm, height_cm

    @property
    def title_characters(self) -> int:
        return int(WIDTH_CM / self.across * CHARACTERS_A_CM)

    @property
    def panel_cm(self) -> float:
        return self.above_cm + self.inner_cm[1] + self.below_cm

    @property
    def height_cm(self) -> float:
        return ceil(self.count / self.across) * self.panel_cm

    def axes(self, page: Sheet, place: int, top_cm: float = 0.0) -> Axes:
        down, right = divmod(place, self.across)
        left_cm = right * WIDTH_CM / self.across + self.left_cm
        axes = page.axes(left_cm, top_cm + down * self.panel_cm + self.above_cm, *self.inner_cm)
        prepare(axes)
        return axes


@dataclass(frozen=True)
class Pairs:
    """Lines of two panels each, with one title."""

    count: int
    left_cm: float = 1.45
    gap_cm: float = 1.7
    right_cm: float = 0.25
    above_cm: float = 0.85
    high_cm: float = 4.3
    below_cm: float = 1.1

    @property
    def wide_cm(self) -> float:
        return (WIDTH_CM - self.left_cm - self.gap_cm - self.right_cm) / 2

    @property
    def height_cm(self) -> float:
        return self.count * (self.above_cm + self.high_cm + self.below_cm)

    def axes(self, page: Sheet, place: int, title: str) -> tuple[Axes, Axes]:
        top_cm = place * self.height_cm / self.count + self.above_cm
        both = [
            page.axes(left_cm, top_cm, self.wide_cm, self.high_cm)
            for left_cm in (self.left_cm, self.left_cm + self.wide_cm + self.gap_cm)
        ]
        for axes in both:
            prepare(axes)
        both[0].set_title(title, loc="left")
        return both[0], both[1]


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
    wide_pt = axes.get_position().width * WIDTH_CM * POINTS_A_CM
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
