# SPDX-License-Identifier: BSD-3-Clause
"""The confidence interval of a median, by what is known of how it would come out again.

Launches of one program differ by more than its iterations tell: placement of pages, company on the
machine, the state of the network. So where there are two launches or more, they are the sample:
the interval is Student's of the logarithms of their medians. Where there is one, it can only say
what that launch's iterations would do again, which follow each other and are not independent.
"""

from typing import Any

import numpy as np
import pandas as pd

from agformats.student import half_width
from agreport.stats.inference import Floats, Ints
from agreport.stats.median_interval import sorted_groups

FEWEST_FOR_CORRELATION = 16  # iterations: fewer have too few blocks
Interval = tuple[Floats, Floats]


def median_interval(rows: pd.DataFrame, keys: list[str], column: str) -> Interval:
    """Of each group, in the order of rows.groupby(keys, observed=True); in the unit of the column.

    rows: with `launch` and `iteration`. NaN where a group has one launch and too few iterations, or
    launches with medians of 0.
    """
    groups = sorted_groups(rows, keys, column)
    medians = launch_medians(rows, keys, column)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = medians.transform(np.log).groupby(keys, observed=True)
        count = np.asarray(logs.size(), np.int64)
        width = half_width(np.asarray(logs.std(ddof=1), np.float64), count)
    several = count > 1
    middle = groups.percentile(0.5)
    low, high = groups.median_interval(correlation(rows, keys, column, middle))
    return (
        np.where(several, middle * np.exp(-width), low),
        np.where(several, middle * np.exp(width), high),
    )


def launch_medians(rows: pd.DataFrame, keys: list[str], column: str) -> "pd.Series[float]":
    """By the keys and the launch."""
    every = [*keys, "launch"]
    index = rows.groupby(every, observed=True).size().index
    return pd.Series(sorted_groups(rows, every, column).percentile(0.5), index)


def correlation(rows: pd.DataFrame, keys: list[str], column: str, median: Floats) -> Floats:
    """By how much the variance of each group's number of values below its median is larger than
    that of independent values; 1 where it is not, or where there are few. median: of each group.

    From blocks of sqrt(n) iterations that follow each other: the variance of the blocks' means of
    the sign (below or above the median), times their length (batch means; what a block bootstrap of
    the median comes to, without drawing).
    """
    grouped = rows.groupby(keys, observed=True)
    group = grouped.ngroup().to_numpy()
    if not len(group):
        return np.array([])
    order = np.lexsort((rows["iteration"].to_numpy(), rows["launch"].to_numpy(), group))
    group = group[order]
    values = rows[column].to_numpy(float)[order]
    count = np.bincount(group)
    first = np.cumsum(count) - count
    sign = np.sign(values - median[group])
    length = np.maximum(np.floor(np.sqrt(count)).astype(int), 1)
    blocks = count // length
    block = (np.arange(len(group)) - first[group]) // length[group]
    inside = block < blocks[group]
    start = np.cumsum(blocks) - blocks
    place = (start[group] + block)[inside]
    means = np.bincount(place, sign[inside], minlength=int(blocks.sum())) / np.repeat(
        length, blocks
    )
    owner = np.repeat(np.arange(len(count)), blocks)
    mean = np.bincount(owner, means) / blocks
    squares = np.bincount(owner, (means - mean[owner]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_blocks = squares / (blocks - 1) * length
        alone = np.bincount(group, sign**2) / count
        found: Floats = of_blocks / alone
    return np.where((count >= FEWEST_FOR_CORRELATION) & (found > 1), found, 1.0)


def paired_excess(
    of_launches: pd.DataFrame, cases: "pd.Index[Any]", base: Ints
) -> tuple[Ints, Floats]:
    """Cases down, algorithms across: how many launches have both the algorithm and the case's base,
    and the low end of the interval of the logarithm of their ratio, by launches.

    of_launches: medians by case and launch (down) and algorithm. base: a column for each case.
    """
    case = cases.get_indexer(of_launches.index.droplevel("launch"))
    inside = case >= 0
    case = case[inside]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(of_launches.to_numpy(float)[inside])
        above = logs - logs[np.arange(len(logs)), base[case]][:, np.newaxis]
    known = np.isfinite(above)
    above = np.where(known, above, 0.0)
    shape = (len(cases), of_launches.shape[1])
    count, total, squares = np.zeros(shape, int), np.zeros(shape), np.zeros(shape)
    np.add.at(count, case, known)
    np.add.at(total, case, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / count
        np.add.at(squares, case, np.where(known, (above - mean[case]) ** 2, 0.0))
        deviation = np.sqrt(squares / (count - 1))
    return count, mean - half_width(deviation, count)
