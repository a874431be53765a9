# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles of the times of each launch and case."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.stats.ticks import find_tick, grouped_percentile

from .sides import Sides


class Percentiles(NamedTuple):
    """A percentile of the times of each launch and case. The tables have cases down and launches
    across, and NaN where a launch lacks the case.

    us: the percentile. unsure: the variance that ticks leave the logarithm of the percentile.
    calls: how many times the percentile is of.
    """

    us: pd.DataFrame
    unsure: pd.DataFrame
    calls: pd.DataFrame


def find_percentiles(sides: Sides, column: str, share: float) -> Percentiles:
    """Returns a percentile of the times of each launch and case. share: the share of the times that
    are below the percentile. Each side may have a clock of its own, so each has its own tick."""
    return sides.results.once(
        ("percentiles", column, share, sides.new.tobytes()),
        lambda: measure_percentiles(sides, column, share),
    )


def measure_percentiles(sides: Sides, column: str, share: float) -> Percentiles:
    rows = sides.results.timed()
    rows = rows[rows[column].notna()]
    groups = rows.groupby([*PAIR, "launch"], observed=True)
    counts = groups.size()
    values = rows[column].to_numpy(float)
    is_new = sides.new[counts.index.get_level_values("launch").to_numpy(int)]
    of_row = sides.new[rows["launch"].to_numpy()]
    tick = np.where(is_new, find_tick(values[of_row]), find_tick(values[~of_row]))
    count = np.asarray(counts, np.int64)
    number = np.asarray(groups.ngroup(), np.int64)
    found, unsure = grouped_percentile(values, number, count, tick, share)
    us, variance, many = (
        pd.Series(each, counts.index).unstack("launch").sort_index()
        for each in (found, unsure, count)
    )
    every = range(len(sides.new))
    return Percentiles(*(each.reindex(columns=every) for each in (us, variance, many)))
