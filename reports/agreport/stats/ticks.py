# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles of times that come in ticks of a clock, and how unsure ticks leave them.

Where a clock ticks each microsecond, a call of 3.4 us reads 3 us or 4. The median of a launch is
one of the two, so launches that differ by next to nothing seem to differ by a third. Therefore a
percentile is interpolated within its tick, by how many calls are below that tick and in it (as the
median of grouped data is). Where all calls of a launch read the same, nothing tells where in the
tick they are, and the variance is that of an even distribution over a tick, tick^2 / 12
(Sheppard 1897).
"""

import numpy as np

from agreport.stats.arrays import Floats, Ints

SMALLEST = 1e-6  # us, of which times are multiples


def find_tick(times: Floats) -> float:
    """Returns the largest step of which all times are multiples; 0 if all of them are 0."""
    steps = np.unique(np.round(times / SMALLEST).astype(np.int64))
    return float(np.gcd.reduce(steps)) * SMALLEST if len(steps) else 0.0


def grouped_percentile(
    values: Floats, number: Ints, count: Ints, tick: Floats, share: float
) -> tuple[Floats, Floats]:
    """Returns of each group the percentile, and the variance that ticks leave its logarithm.

    number: of each value its group, from 0 on. count: how many values each group has, one or more.
    tick: of each group. share: of a group's values that are below the percentile.
    """
    ordered = values[np.lexsort((values, number))]
    first = np.cumsum(count) - count
    place = (count - 1) * share
    below = np.floor(place).astype(np.int64)
    low, high = ordered[first + below], ordered[first + np.ceil(place).astype(np.int64)]
    # The calls that read the same as the percentile: where they begin, and how many they are.
    begins = np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)
    begins = np.unique(np.concatenate([begins, first]))
    run = np.searchsorted(begins, first + below, side="right") - 1
    alike = np.append(begins, len(ordered))[run + 1] - begins[run]
    within = (place + 0.5 - (begins[run] - first)) / np.maximum(alike, 1) - 0.5
    found = np.where(low == high, low + within * tick, low + (place - below) * (high - low))
    found = np.where(low > 0, found, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        unsure = np.where(alike == count, (tick / found) ** 2 / 12, 0.0)
    return found, unsure
