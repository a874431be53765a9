# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles of launches whose times come in ticks of a clock, and how unsure ticks leave them.

Where a clock ticks each microsecond, a call of 3.4 us reads 3 us or 4. The median of a launch is
one of the two, so launches that differ by next to nothing seem to differ by a third. Therefore a
percentile is interpolated within its tick, by how many calls are below that tick and in it (as the
median of grouped data is). Where all calls of a launch read the same, nothing tells where in the
tick they are, and the variance is that of an even distribution over a tick, tick^2 / 12.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.stats.inference import Floats

from ..launches.sides import Sides

SMALLEST = 1e-6  # us, of which times are multiples


class Percentiles(NamedTuple):
    """Cases down, launches across; NaN where a launch lacks the case.

    us: of the times of each launch. unsure: the variance that ticks leave the logarithm of it.
    calls: how many times.
    """

    us: pd.DataFrame
    unsure: pd.DataFrame
    calls: pd.DataFrame


def find_tick(times: Floats) -> float:
    """Returns the largest step of which all times are multiples; 0 if all of them are 0."""
    steps = np.unique(np.round(times / SMALLEST).astype(np.int64))
    return float(np.gcd.reduce(steps)) * SMALLEST if len(steps) else 0.0


def find_percentiles(sides: Sides, column: str, share: float) -> Percentiles:
    """share: of the times that are below the percentile. Each side may have a clock of its own."""
    return sides.results.once(
        ("percentiles", column, share, sides.new.tobytes()),
        lambda: measure_percentiles(sides, column, share),
    )


def measure_percentiles(sides: Sides, column: str, share: float) -> Percentiles:
    rows = sides.results.timed()
    rows = rows[rows[column].notna()]
    groups = rows.groupby([*PAIR, "launch"], observed=True)
    counts = groups.size()
    number, values = groups.ngroup().to_numpy(), rows[column].to_numpy(float)
    ordered = values[np.lexsort((values, number))]
    count = counts.to_numpy(np.int64)
    first = np.cumsum(count) - count
    is_new = sides.new[counts.index.get_level_values("launch").to_numpy(int)]
    of_row = sides.new[rows["launch"].to_numpy()]
    tick = np.where(is_new, find_tick(values[of_row]), find_tick(values[~of_row]))

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
    us, variance, many = (
        pd.Series(each, counts.index).unstack("launch").sort_index()
        for each in (found, unsure, count)
    )
    every = range(len(sides.new))
    return Percentiles(*(each.reindex(columns=every) for each in (us, variance, many)))
