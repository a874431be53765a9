# SPDX-License-Identifier: BSD-3-Clause
"""Permutation tests: of the ratio of two medians, and the labels that other tests permute.

If nothing changed, the labels of two samples can be exchanged: within each pair, or among all
values where there are no pairs. Then every permutation is as likely as the observed one, whatever
the distribution of the noise, and however the values of a row are correlated (Good 2005, chapters
2 and 3). All draw from the same seed. scipy.stats.permutation_test takes 2 to 4 times as long.
"""

from itertools import combinations, product
from math import comb

import numpy as np
import numpy.typing as npt
import pandas as pd

from agreport.stats.arrays import ROUNDING, Flags, Floats, Ints
from agreport.stats.bootstrap import MOST_CELLS, SEED, middle
from agreport.stats.exchanges import Exchanges, OfAll, OfPairs, Window

MOST_LABELS = 2048  # of more labels a random sample is taken


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
    ordered = values[order]
    observed = abs(np.log(np.median(one) / np.median(other)))
    ranks = pd.Series(ordered).rank().to_numpy() - (len(ordered) + 1) / 2  # 0 in the middle
    apart = abs(ranks[order < len(one)].sum())
    window = Window.of(len(one), len(other))
    places = np.arange(window.first + 1, window.end + 1, dtype=np.int32)
    everywhere = np.arange(1, len(values) + 1, dtype=np.int32)
    random = np.random.default_rng(SEED)
    drawn: Exchanges
    found = 0
    rows = max(1, MOST_CELLS // len(places))
    for first in range(0, permutations, rows):
        many = min(rows, permutations - first)
        if paired:
            drawn = OfPairs(random, many, order, window)
        else:
            drawn = OfAll(random, many, len(values), len(one), window)
        upto = np.cumsum(drawn.inside, axis=1, dtype=np.int32)
        upto += drawn.before.astype(np.int32)[:, np.newaxis]
        held = np.full(many, True)
        for start, end, size in (
            (drawn.before, upto[:, -1], len(one)),
            (window.first - drawn.before, window.end - upto[:, -1], len(other)),
        ):
            held &= (start < (size + 1) // 2) & (end >= size // 2 + 1)
        excess = np.full(many, np.nan)
        inside = ordered[window.first : window.end]
        excess[held] = log_ratios(inside, places, upto[held], len(one), len(other)) - observed
        found += int((excess > ROUNDING).sum())
        unsure = np.flatnonzero(~(np.abs(excess) > ROUNDING))  # equal, or not in the window
        part = max(1, MOST_CELLS // len(values))
        for at in range(0, len(unsure), part):
            some = unsure[at : at + part]
            in_one = drawn.whole(random, some)
            upto = np.cumsum(in_one, axis=1, dtype=np.int32)
            excess = log_ratios(ordered, everywhere, upto, len(one), len(other)) - observed
            found += int((excess > ROUNDING).sum())
            equal = np.abs(excess) <= ROUNDING
            found += int((np.abs(in_one[equal] @ ranks) >= apart - ROUNDING).sum())
    return (found + 1) / (permutations + 1)


def log_ratios(
    ordered: Floats,
    places: npt.NDArray[np.int32],
    upto: npt.NDArray[np.int32],
    one: int,
    other: int,
) -> Floats:
    """Returns how far the ratio of the medians is from 1 in each permutation. places: those of
    `ordered` among all values, from 1."""
    ratios = middle(ordered, upto, one) / middle(ordered, places - upto, other)
    with np.errstate(divide="ignore"):
        found: Floats = np.abs(np.log(ratios))
    return found


def permute_labels(pairs: int, new: Flags | None = None) -> Floats:
    """Returns all permutations of the labels, or a random sample that does not depend on which side
    is called new.

    A permutation a row, a unit a column; the first row is what was observed. new: of single
    launches which are on the new side: 1 labels a new one, and -1 a base one. Without it the units
    are so many pairs, of which -1 exchanges the labels.
    """
    return (flip_signs(pairs) if new is None else relabel(new)).astype(np.float64)


def flip_signs(pairs: int) -> Ints:
    if 2**pairs <= MOST_LABELS:
        return np.array(list(product((1, -1), repeat=pairs)))
    signs = 1 - 2 * draw_swaps(np.random.default_rng(SEED), MOST_LABELS // 2, pairs).astype(int)
    signs[0] = 1
    return np.concatenate([signs, -signs])


def relabel(new: Flags) -> Ints:
    launches, fewer = len(new), int(min(new.sum(), (~new).sum()))
    balanced = 2 * fewer == launches
    sampled = comb(launches, fewer) > MOST_LABELS
    if sampled:
        chosen = draw_subsets(np.random.default_rng(SEED), MOST_LABELS // 2, launches, fewer)
    else:
        places = np.array(list(combinations(range(launches), fewer)), int)
        chosen = np.zeros((len(places), launches), bool)
        np.put_along_axis(chosen, places, True, axis=1)
    sign = 1 if new.sum() == fewer else -1  # of the side with fewer launches
    signs = np.where(chosen, sign, -sign)
    if balanced and sampled:
        signs = np.concatenate([signs, -signs])
    observed = np.where(new, 1, -1)
    first = np.array([observed, -observed] if balanced else [observed])
    others = ~(signs[:, np.newaxis] == first).all(axis=2).any(axis=1)
    return np.concatenate([first, signs[others]])


def draw_swaps(random: np.random.Generator, rows: int, pairs: int) -> Flags:
    """Returns which pairs are exchanged in each permutation."""
    return random.integers(2, size=(rows, pairs), dtype=np.uint8).astype(bool)


def draw_subsets(random: np.random.Generator, rows: int, count: int, chosen: int) -> Flags:
    """Returns which of so many values are in the first sample, that has so many, in each
    permutation."""
    flags = np.zeros((rows, count), bool)
    places = random.random(flags.shape).argpartition(chosen - 1, axis=1)[:, :chosen]
    np.put_along_axis(flags, places, True, axis=1)
    return flags


def share_as_far(found: Floats) -> float:
    """Returns the two-sided p of a statistic over all permutations, of which the first is what was
    observed."""
    return float((np.abs(found) >= abs(found[0]) - ROUNDING).mean())
