# SPDX-License-Identifier: BSD-3-Clause
"""A median and its confidence interval, by what is known of how it would come out again.

Launches of one program differ by more than its iterations tell: placement of pages, company on the
machine, the state of the network. So where there are two launches or more, they are the sample:
the median is that of the launches' medians, and the interval is of it. Where there is one, it can
only say what that launch's iterations would do again, which follow each other and are not
independent.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from agformats.student import CONFIDENCE, half_width
from agreport.data.load import Results
from agreport.stats.arrays import Floats, Ints
from agreport.stats.median_interval import SortedGroups, median_rank, sort_groups, surely_between
from agreport.stats.samples import Samples, measured

PERCENTILES = 0.0, 0.1, 0.5, 0.9, 0.99, 1.0
FEWEST_FOR_CORRELATION = 16  # iterations: fewer have too few blocks
FEWEST_FOR_RANKS = 6  # launches: between the ends of fewer the median is too seldom


class Medians(NamedTuple):
    """Holds each group's median and its interval, in the unit of the times; NaN: no interval."""

    value: Floats
    low: Floats
    high: Floats


class Statistics(NamedTuple):
    """Holds the statistics of each group, in the unit of the values.

    of_launches: the median of each sample. percentiles: for each of PERCENTILES, that of all
    iterations of a group together.
    """

    median: Medians
    of_launches: Floats
    mean: Floats
    deviation: Floats
    percentiles: dict[float, Floats]


def statistics_of(results: Results, column: str) -> Statistics:
    """Returns the statistics by case and algorithm, in the order of the samples of measured."""
    return results.once(("statistics", column), lambda: statistics(*measured(results, column)))


def statistics(samples: Samples, values: Floats) -> Statistics:
    """Returns the statistics of each group, and the median of each sample.

    values: those of all rows of the table that the samples are of. The interval is NaN for a group
    of one launch with too few iterations, or of a few launches with medians of 0.
    """
    parts = [np.empty((4 + len(PERCENTILES), 0))]
    of_launches = [np.empty(0)]
    for part in samples.parts(values):
        launches = sort_groups(part.values.copy(), part.of_sample)
        of_launches.append(launches.percentile(0.5))
        groups = sort_groups(launches.values, part.of_group)
        middle = groups.percentile(0.5)
        ends = groups.median_interval(correlation(part.values, part.of_group, middle))
        number = np.repeat(np.arange(len(part.of_group)), part.of_group)
        moments = pd.Series(part.values).groupby(number).agg(["mean", "std"])
        percentiles = [groups.percentile(fraction) for fraction in PERCENTILES]
        parts.append(np.vstack([*ends, moments["mean"], moments["std"], *percentiles]))
    low, high, mean, deviation, *percentiles = np.hstack(parts)
    medians = np.concatenate(of_launches)
    return Statistics(
        median_of(sort_groups(medians.copy(), samples.samples_of_group), low, high),
        medians,
        mean,
        deviation,
        dict(zip(PERCENTILES, percentiles, strict=True)),
    )


def median_of(launches: SortedGroups, low: Floats, high: Floats) -> Medians:
    """Returns the median of each group's launches, and its interval.

    low, high: the intervals by the iterations, which groups with one launch keep.
    """
    for least, interval in ((2, interval_of_few), (FEWEST_FOR_RANKS, interval_of_many)):
        known = launches.count >= least
        lower, higher = interval(launches)
        low, high = np.where(known, lower, low), np.where(known, higher, high)
    value = launches.percentile(0.5)
    # The ends of equal times may be off by rounding.
    return Medians(value, np.minimum(low, value), np.maximum(high, value))


def interval_of_few(launches: SortedGroups) -> tuple[Floats, Floats]:
    """Returns the ends of Student's interval of the mean of the logarithms, as times. Where the
    logarithms are symmetric, the interval is that of their median, too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(launches.values)
        mean = np.add.reduceat(logs, launches.first) / launches.count
        off = (logs - np.repeat(mean, launches.count)) ** 2
        deviation = np.sqrt(np.add.reduceat(off, launches.first) / (launches.count - 1))
        width = half_width(deviation, launches.count)
        return np.exp(mean - width), np.exp(mean + width)


def interval_of_many(launches: SortedGroups) -> tuple[Floats, Floats]:
    """Returns the ends of an interval of the median, for which no distribution is assumed, so that
    launches may have modes. The ends lie between the k-th smallest and the k-th largest of the
    launches and the (k + 1)-th ones, interpolated so that the interval covers 95 % (Hettmansperger
    and Sheather 1986)."""
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


def launch_medians(results: Results, column: str) -> "pd.Series[float]":
    """Returns the medians by case, algorithm and launch."""
    index = measured(results, column).samples.samples
    return pd.Series(statistics_of(results, column).of_launches, index)


def correlation(values: Floats, count: Ints, median: Floats) -> Floats:
    """Returns by how much the variance of each group's number of values below its median is larger
    than that of independent values; 1 where it is not, or where there are few.

    values: of all groups, launch after launch and iteration after iteration; count: how many each
    has. From blocks of sqrt(n) iterations that follow each other: the variance of the blocks' means
    of the sign (below or above the median), times their length (batch means; what a block bootstrap
    of the median comes to, without drawing).
    """
    first = np.cumsum(count) - count
    # One value more, so that there is something behind the last group, too.
    sign = np.append(np.sign(values - np.repeat(median, count)), 0)
    length = np.maximum(np.floor(np.sqrt(count)).astype(int), 1)
    blocks = count // length
    parts = blocks + 1  # the last one is what no block has
    number = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    starts = np.repeat(first, parts) + number * np.repeat(length, parts)
    sums = np.add.reduceat(sign, starts)[number < np.repeat(blocks, parts)]
    means = sums / np.repeat(length, blocks)
    owner = np.repeat(np.arange(len(count)), blocks)
    mean = np.bincount(owner, means) / blocks
    squares = np.bincount(owner, (means - mean[owner]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_blocks = squares / (blocks - 1) * length
        alone = np.add.reduceat(sign**2, first) / count
        found: Floats = of_blocks / alone
    return np.where((count >= FEWEST_FOR_CORRELATION) & (found > 1), found, 1.0)
