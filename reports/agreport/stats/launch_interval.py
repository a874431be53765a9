# SPDX-License-Identifier: BSD-3-Clause
"""A median and its confidence interval, by what is known of how it would come out again.

Launches of one program differ by more than its iterations tell: placement of pages, company on the
machine, the state of the network. So where there are two launches or more, they are the sample:
the median is that of the launches' medians, and the interval is of it. Where there is one, it can
only say what that launch's iterations would do again, which follow each other and are not
independent.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from agformats.student import CONFIDENCE, half_width
from agreport.stats.inference import Floats, Ints
from agreport.stats.median_interval import SortedGroups, median_rank, sorted_groups, surely_between
from agreport.stats.runs import grouped

FEWEST_FOR_CORRELATION = 16  # iterations: fewer have too few blocks
FEWEST_FOR_RANKS = 6  # launches: between the ends of fewer the median is too seldom


class Medians(NamedTuple):
    """Of each group, in the unit of the times; NaN: no interval."""

    value: Floats
    low: Floats
    high: Floats


def median_interval(rows: pd.DataFrame, keys: list[str], column: str) -> Medians:
    """In the order of rows.groupby(keys, observed=True).

    rows: with `launch` and `iteration`. No interval has a group of one launch with too few
    iterations, or of a few launches with medians of 0.
    """
    medians = launch_medians(rows, keys, column)
    launches = sorted_groups(medians.rename(column).reset_index(), keys, column)
    iterations = sorted_groups(rows, keys, column)
    low, high = iterations.median_interval(
        correlation(rows, keys, column, iterations.percentile(0.5))
    )
    for least, interval in ((2, interval_of_few), (FEWEST_FOR_RANKS, interval_of_many)):
        known = launches.count >= least
        lower, higher = interval(launches)
        low, high = np.where(known, lower, low), np.where(known, higher, high)
    value = launches.percentile(0.5)
    # The ends of equal times may be off by rounding.
    return Medians(value, np.minimum(low, value), np.maximum(high, value))


def interval_of_few(launches: SortedGroups) -> tuple[Floats, Floats]:
    """Student's, of the mean of the logarithms: where these are symmetric, of their median too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(launches.values)
        mean = np.add.reduceat(logs, launches.first) / launches.count
        off = (logs - np.repeat(mean, launches.count)) ** 2
        deviation = np.sqrt(np.add.reduceat(off, launches.first) / (launches.count - 1))
        width = half_width(deviation, launches.count)
        return np.exp(mean - width), np.exp(mean + width)


def interval_of_many(launches: SortedGroups) -> tuple[Floats, Floats]:
    """Between the k-th smallest and the k-th largest of the launches, and the (k + 1)-th ones,
    interpolated so that it covers 95 % (Hettmansperger and Sheather 1986). No distribution is
    assumed, so that launches may have modes."""
    count = launches.count
    rank = np.maximum(median_rank(count), 1)
    inner = np.minimum(rank + 1, count)
    covers, covers_less = (surely_between(each, count) for each in (rank, rank + 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        part = (covers - CONFIDENCE) / (covers - covers_less)
        inwards = (count - rank) * part / (rank + (count - 2 * rank) * part)
    first, last = launches.first - 1, launches.first + count
    values = launches.values
    return (
        (1 - inwards) * values[first + rank] + inwards * values[first + inner],
        (1 - inwards) * values[last - rank] + inwards * values[last - inner],
    )


def launch_medians(rows: pd.DataFrame, keys: list[str], column: str) -> "pd.Series[float]":
    """By the keys and the launch."""
    every = [*keys, "launch"]
    index = grouped(rows, every).index
    return pd.Series(sorted_groups(rows, every, column).percentile(0.5), index)


def correlation(rows: pd.DataFrame, keys: list[str], column: str, median: Floats) -> Floats:
    """By how much the variance of each group's number of values below its median is larger than
    that of independent values; 1 where it is not, or where there are few. median: of each group.

    From blocks of sqrt(n) iterations that follow each other: the variance of the blocks' means of
    the sign (below or above the median), times their length (batch means; what a block bootstrap of
    the median comes to, without drawing).
    """
    groups = grouped(rows, keys)
    if not len(groups.index):
        return np.array([])
    order = np.lexsort((rows["iteration"].to_numpy(), rows["launch"].to_numpy(), groups.number))
    group = groups.number[order]
    values = rows[column].to_numpy(float)[order]
    count = groups.count
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
