# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles and the median's confidence interval of many groups at once, sorted only once."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrik

from agformats.student import CONFIDENCE
from agreport.stats.arrays import ROUNDING, Floats, Ints


@dataclass(frozen=True)
class SortedGroups:
    """The values of all groups behind each other, each group sorted. first: the place of each
    group's first value. count: how many values each group has."""

    values: Floats
    first: Ints
    count: Ints

    def percentile(self, fraction: float) -> Floats:
        """Returns the percentile of each group, linear between neighbours, as numpy.percentile has
        it by default. fraction: from 0 to 1."""
        place = (self.count - 1) * fraction
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, self.count - 1)
        low, high = self.values[self.first + below], self.values[self.first + above]
        found: Floats = low + (high - low) * (place - below)
        return found

    def median_interval(self, correlation: Floats | float = 1.0) -> tuple[Floats, Floats]:
        """Returns the ends of the median's confidence interval of each group, NaN where a group has
        too few values for one.

        correlation: the factor by which the variance is larger than that of independent values. The
        ranks of the ends are farther from the middle by the square root of this factor.
        """
        middle = self.count / 2
        independent = median_rank(self.count)
        away = (middle - independent) * np.sqrt(correlation)
        rank = np.where(independent > 0, np.floor(middle - away + ROUNDING), 0).astype(int)
        known, back = rank > 0, np.maximum(rank, 1)
        low = self.values[self.first + back - 1]
        high = self.values[self.first + self.count - back]
        return np.where(known, low, np.nan), np.where(known, high, np.nan)


def sort_groups(values: Floats, count: Ints) -> SortedGroups:
    """Returns the groups with each group's values sorted. The values are sorted in place, and are
    not copied.

    values: those of all groups behind each other; count: how many each group has.
    """
    first = np.cumsum(count) - count
    for start, length in zip(first.tolist(), count.tolist(), strict=True):
        values[start : start + length].sort()
    return SortedGroups(values, first, count)


def median_rank(count: Ints) -> Ints:
    """Returns the k for which the k-th smallest and k-th largest of n values enclose the median, 0
    if there is none: n < 6.

    Each value lies below the median with probability 1/2, so the number that do is binomial, and
    k is the largest with P(fewer than k) <= 2.5 %. No distribution of the times is assumed.
    """
    # This is what scipy.stats.binom.ppf does, which takes a second to import.
    tail = (1 - CONFIDENCE) / 2
    above = np.ceil(bdtrik(tail, count, 0.5))
    below = np.maximum(above - 1, 0)
    ranks: Ints = np.where(bdtr(below, count, 0.5) >= tail, below, above).astype(int)
    return ranks


def surely_between(rank: Ints, count: Ints) -> Floats:
    """Returns how often the median is between the k-th smallest and k-th largest of n values."""
    found: Floats = 1 - 2 * bdtr(rank - 1, count, 0.5)
    return found
