# SPDX-License-Identifier: BSD-3-Clause
"""Finds what iterations can tell: bootstrap intervals, permutation tests, and whether they may be
used.

All draw from the same seed, so the same results give the same numbers. scipy.stats.bootstrap and
permutation_test give the same, in 8 to 12 and in 2 to 4 times the time (200 cases).
"""

from collections.abc import Iterator
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr

from agformats.student import CONFIDENCE

SEED = 2021
RESAMPLES = 2000
PERMUTATIONS = 20_000
# Below so many pairs a bootstrap interval is too narrow.
FEWEST_PAIRS = 10
FEWEST_A_SIDE = 10  # for the normal approximation of the runs test
MOST_CELLS = 1 << 22  # of a matrix of resamples
ROUNDING = 1e-9

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Interval = tuple[float, float]


def ratio_interval(numerator: Floats, denominator: Floats) -> Interval:
    """Returns the interval of the ratio of means of pairs, by a bootstrap that draws whole
    pairs (percentiles)."""
    if len(numerator) < FEWEST_PAIRS:
        return float("nan"), float("nan")
    pairs = np.column_stack([numerator, denominator])
    sums = np.concatenate([part @ pairs for part in resamples(len(pairs))])
    with np.errstate(divide="ignore", invalid="ignore"):
        return interval(sums[:, 0] / sums[:, 1])


def interval(values: Floats) -> Interval:
    rest = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [rest, 1 - rest])
    return float(low), float(high)


def resamples(count: int) -> Iterator[Floats]:
    """Yields how often each of so many values is in each resample: one of them a row, in some
    parts."""
    rows = max(1, MOST_CELLS // count)
    if rows >= RESAMPLES:
        yield keep_counts(count)
        return
    random = np.random.default_rng(SEED)
    for first in range(0, RESAMPLES, rows):
        yield draw_counts(random, min(rows, RESAMPLES - first), count)


@lru_cache(maxsize=4)
def keep_counts(count: int) -> Floats:
    return draw_counts(np.random.default_rng(SEED), RESAMPLES, count)


def draw_counts(random: np.random.Generator, rows: int, count: int) -> Floats:
    picks = random.integers(count, size=(rows, count)) + count * np.arange(rows)[:, np.newaxis]
    found = np.bincount(picks.ravel(), minlength=rows * count)
    return found.reshape(rows, count).astype(np.float64)


def medians(values: Floats, counts: npt.NDArray[np.generic]) -> Floats:
    """The median of each row's sample, which has values[j] counts[row, j] times.

    All samples are of one size.
    """
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(counts[:, order], axis=1, dtype=np.int32)
    return middle(values[order], upto, int(upto[0, -1]))


def middle(ordered: Floats, upto: npt.NDArray[np.int32], size: int) -> Floats:
    """The median of samples of which upto[row, j] values are not after the j-th in order."""
    places = [(upto < place).sum(axis=1) for place in ((size + 1) // 2, size // 2 + 1)]
    found: Floats = (ordered[places[0]] + ordered[places[1]]) / 2
    return found


def resampled_medians(*columns: Floats) -> Floats:
    """Resamples down, the median of each column across; a resample takes whole rows."""
    parts = [
        np.column_stack([medians(column, part) for column in columns])
        for part in resamples(len(columns[0]))
    ]
    return np.concatenate(parts)


def permutation_p(one: Floats, other: Floats, paired: bool, permutations: int) -> float:
    """Returns how likely a ratio of medians as far from 1 is if the two samples are alike;
    two-sided.

    paired: the values of a pair are exchanged, or not; otherwise all values are permuted, as in
    Marendic 2016, 6.2. A coarse clock gives many permutations just the observed ratio; of those
    the ones count that also part the ranks of the values as far. NaN: a median is 0, or a sample
    is empty.
    """
    if not len(one) or not len(other) or not (np.median(one) > 0 and np.median(other) > 0):
        return float("nan")
    values = np.concatenate([one, other])
    order = np.argsort(values, kind="stable")
    ordered, last = values[order], np.arange(1, len(values) + 1, dtype=np.int32)
    observed = abs(np.log(np.median(one) / np.median(other)))
    ranks = pd.Series(ordered).rank().to_numpy() - (len(ordered) + 1) / 2  # 0 in the middle
    apart = abs(ranks[order < len(one)].sum())
    random = np.random.default_rng(SEED)
    found = 0
    rows = max(1, MOST_CELLS // len(values))
    for first in range(0, permutations, rows):
        many = min(rows, permutations - first)
        if paired:
            in_one = swap_pairs(random, many, order)
        else:
            in_one = permute_labels(random, many, len(one), len(other))
        upto = np.cumsum(in_one, axis=1, dtype=np.int32)
        ratios = middle(ordered, upto, len(one)) / middle(ordered, last - upto, len(other))
        with np.errstate(divide="ignore"):
            excess = np.abs(np.log(ratios)) - observed
        found += int((excess > ROUNDING).sum())
        equal = np.abs(excess) <= ROUNDING
        found += int((np.abs(in_one[equal] @ ranks) >= apart - ROUNDING).sum())
    return (found + 1) / (permutations + 1)


def swap_pairs(random: np.random.Generator, rows: int, order: Ints) -> Flags:
    """Returns which of the ordered values are in the first sample once pairs are exchanged at
    random."""
    count = len(order) // 2
    swap = random.integers(2, size=(rows, count), dtype=np.uint8).astype(bool)
    flags: Flags = swap[:, order % count] ^ (order < count)
    return flags


def permute_labels(random: np.random.Generator, rows: int, one: int, other: int) -> Flags:
    """The same, once the labels of all values are permuted."""
    flags = np.zeros((rows, one + other), bool)
    chosen = random.random(flags.shape).argpartition(one - 1, axis=1)[:, :one]
    np.put_along_axis(flags, chosen, True, axis=1)
    return flags


def runs_p(values: Floats) -> float:
    """Runs above and below the median against those of a shuffled series, by the normal
    approximation (NIST e-Handbook 1.3.5.13); NaN: too few values."""
    above = values > np.median(values)
    above = above[values != np.median(values)]
    more = int(above.sum())
    less = len(above) - more
    if min(more, less) < FEWEST_A_SIDE:
        return float("nan")
    runs = 1 + int((above[1:] != above[:-1]).sum())
    both = 2 * more * less
    total = more + less
    spread = sqrt(both * (both - total) / (total**2 * (total - 1)))
    return float(2 * ndtr(-abs(runs - both / total - 1) / spread))


def halves_p(values: Floats) -> float:
    """Levene's test, about medians, of the first half's variance against the second's."""
    half = len(values) // 2
    if half < FEWEST_A_SIDE or np.ptp(values) == 0:
        return float("nan")
    from scipy.stats import levene  # takes a second, and few reports need it

    return float(levene(values[:half], values[half:]).pvalue)
