# SPDX-License-Identifier: BSD-3-Clause
"""Which ticks an axis has: as many as have room for their labels, the rounder ones first."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from agformats.units import three_digits

# Of a decade, from fine to coarse: the first whose labels have room.
DECADES = (
    *((1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)),
    *((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)),
)
# Of quotients, as many times as fast and as slow: each that has room beside the earlier ones.
QUOTIENTS = (
    *((1.0,), (2.0, 0.5), (1.25, 0.8), (1.5, 0.67), (1.1, 0.9), (5.0, 0.2), (3.0, 0.33)),
    *((1.05, 0.95), (1.02, 0.98), (4.0, 0.25), (1.75, 0.6)),
)
# These have a line of the grid even where their labels have no room.
ALWAYS_LINES = (0.8, 0.9, 1.1, 1.25, 1.5)
PLAIN_BELOW = 1e5


def label(value: float) -> str:
    """20, 2000, 1e6."""
    plain = 1e-3 <= value < PLAIN_BELOW
    return f"{value:.5g}" if plain else three_digits(value)


def spaced(at_pt: Sequence[float], wide_pt: Sequence[float], apart_pt: float) -> list[int]:
    """The places of labels that do not meet, in their order; the first given are taken first.

    at_pt: the middles of the labels, wide_pt: their widths along the axis.
    """
    kept: list[int] = []
    for place, (at, wide) in enumerate(zip(at_pt, wide_pt, strict=True)):
        if all(abs(at - at_pt[other]) >= (wide + wide_pt[other]) / 2 + apart_pt for other in kept):
            kept.append(place)
    return kept


def logarithmic_ticks(
    low: float, high: float, long_pt: float, label_pt: Callable[[str], float], quotients: bool
) -> list[float]:
    """Of an axis between these ends, so long; label_pt: how much of it a label takes, with what
    parts it from the next."""

    def fitting(ticks: Sequence[float]) -> list[float]:
        inside = [tick for tick in ticks if low <= tick <= high]
        at_pt = [float(np.log(tick / low) / np.log(high / low)) * long_pt for tick in inside]
        kept = spaced(at_pt, [label_pt(label(tick)) for tick in inside], 0)
        return sorted(inside[place] for place in kept)

    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    powers = [10.0**power for power in range(first, last + 1)]
    if quotients:
        wanted = [value for pair in QUOTIENTS for value in pair]
        far = sorted(powers, key=lambda value: abs(np.log10(value)))
        some = fitting(list(dict.fromkeys([1.0, *far, *wanted])))
    else:
        some = decimal_ticks(low, high, powers, fitting)
    # None: a part of a decade, without a round number.
    return some or fitting(list(MaxNLocator(4).tick_values(low, high)))


def decimal_ticks(
    low: float,
    high: float,
    powers: Sequence[float],
    fitting: Callable[[Sequence[float]], list[float]],
) -> list[float]:
    """The finest decade of which all ticks between the ends fit, else some of the powers."""
    for decade in DECADES:
        ticks = [value * power for power in powers for value in decade]
        found = fitting(ticks)
        if found and len(found) == sum(low <= tick <= high for tick in ticks):
            return found
    # Too many decades: every second, fourth, ...
    return fitting(sorted(powers, key=lambda power: -rank_of(round(np.log10(power)))))


def rank_of(power: int) -> int:
    """How often 2 divides it, so that powers with room are equally far apart."""
    return (power & -power).bit_length() if power else 64
