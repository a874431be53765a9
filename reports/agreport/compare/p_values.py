# SPDX-License-Identifier: BSD-3-Clause
"""p-values: one of the whole family of tests, and one of each case.

If there are permutations enough, the family is tested by its largest statistic (Westfall and Young
1993, single-step max-T), which holds however the cases are correlated. The statistics from means
and from trimmed means have different tails, so each is measured by its own size in the
permutations. The p-value of a case is the share of the statistics of all cases, in all
permutations, that are as large (a pooled null distribution, as in Tusher 2001). With fewer launches
the p-values are Student's, from means, with Bonferroni's correction for the family; they take the
noise for normal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from agreport.stats.inference import SEED, Floats, Ints

from .moderated_t import Decomposition, Statistics, decompose
from .permutations import Units, count_permutations, permute_labels

MOST_CELLS = 1 << 21  # of an array of permutations by units by cases
ROUNDING = 1e-9
SIGNS = (1, -1)  # slower, faster
NORMAL_SAMPLES = 1000
UNIT_QUANTILE = 0.99  # of the largest statistics of permutations: what a statistic is measured by


@dataclass(frozen=True)
class PValues:
    """One-sided; of the family, and of each case before any correction for their number.

    critical: the t that a case alone would have to reach for the family to be significant, of each
    member of Statistics.
    """

    family: float
    cases: Floats
    critical: tuple[float, ...]


@dataclass(frozen=True)
class Significance:
    """observed: the statistics of the labels as they are."""

    observed: Statistics
    slower: PValues
    faster: PValues


def assess(units: Units, group: Ints, alpha: float) -> Significance:
    """alpha: the family-wise error rate, of slower and of faster each."""
    split = decompose(units, group)
    observed = split.observed()
    if count_permutations(units) * alpha >= 1:
        slower, faster = p_by_permutation(split, permute_labels(units), observed, alpha)
    else:
        slower, faster = (p_by_student(observed, sign, alpha) for sign in SIGNS)
    return Significance(observed, slower, faster)


def p_by_permutation(
    split: Decomposition, permutations: Floats, observed: Statistics, alpha: float
) -> Iterator[PValues]:
    """Of slower, then of faster."""
    # What was observed is one of the permutations.
    largest = [largest_of(observed)]
    largest += [largest_of(each) for each in in_batches(split, permutations[1:])]
    made = np.concatenate([largest_of(each) for each in normal_in_batches(split)], axis=2)
    for place, sign in enumerate(SIGNS):
        of_sign = np.concatenate([each[place] for each in largest], axis=1)
        # Of few pairs, normal noise has the larger statistics: the more the more is trimmed.
        units = np.array([unit_of(row) for row in of_sign])
        units = np.maximum(units, [unit_of(row) for row in made[place]])
        extremes = (of_sign / units[:, np.newaxis]).max(axis=0)
        normal = (made[place] / units[:, np.newaxis]).max(axis=0)
        family = max(share_at_least(each, extremes[0]) for each in (extremes, normal))
        critical = units * max(
            float(np.quantile(each, 1 - alpha, method="higher")) for each in (extremes, normal)
        )
        if family <= alpha:
            cases = pooled_p(split, permutations, observed, sign, units)
        else:  # no case can be called, whatever its own p-value
            cases = np.where(np.isnan(observed.mean.total.change[0]), np.nan, 1.0)
        yield PValues(family, cases, tuple(map(float, critical)))


def in_batches(split: Decomposition, permutations: Floats) -> Iterator[Statistics]:
    rows = max(1, MOST_CELLS // split.values.size)
    for first in range(0, len(permutations), rows):
        yield split.permuted(permutations[first : first + rows])


def normal_in_batches(split: Decomposition) -> Iterator[Statistics]:
    random = np.random.default_rng(SEED)
    rows = max(1, MOST_CELLS // split.values.size)
    for first in range(0, NORMAL_SAMPLES, rows):
        yield split.normal(random, min(rows, NORMAL_SAMPLES - first))


def share_at_least(values: Floats, least: float) -> float:
    return float((values >= least - ROUNDING).mean())


def largest_of(found: Statistics) -> Floats:
    """Over all cases and groups: by sign, by kind of statistic, by permutation.

    Without `common` of trimmed means: its error is not shrunken, and tiny in some permutations.
    """
    members = [found.mean.t, *(each.t[:, : 2 * each.cases] for each in found.members[1:])]
    return np.array(
        [[np.fmax.reduce(sign * t, axis=1, initial=-np.inf) for t in members] for sign in SIGNS]
    )


def unit_of(largest: Floats) -> float:
    """1 where there is nothing to measure by: without spread statistics are 0 or infinite."""
    found = float(np.quantile(largest, UNIT_QUANTILE, method="lower"))
    return found if np.isfinite(found) and found > 0 else 1.0


def pooled_p(
    split: Decomposition, permutations: Floats, observed: Statistics, sign: int, units: Floats
) -> Floats:
    found = of_cases(observed, sign, units)[0]
    at_least, count = np.zeros(len(found)), 0
    for batch in in_batches(split, permutations):
        null = of_cases(batch, sign, units)
        null = np.sort(null[~np.isnan(null)])
        at_least += len(null) - np.searchsorted(null, found - ROUNDING)
        count += len(null)
    # Pairs are permuted without their changes, so what was observed is not among the permutations.
    at_least, count = np.fmax(at_least, 1), max(count, 1)
    return np.where(np.isnan(found), np.nan, at_least / count)


def of_cases(found: Statistics, sign: int, units: Floats) -> Floats:
    """The largest statistic of each case: a permutation a row; NaN where it has none."""
    parts = [
        sign * part.t / unit
        for each, unit in zip(found.members, units, strict=True)
        for part in (each.total, each.own)
    ]
    return np.asarray(np.fmax.reduce(np.array(parts), axis=0))


def smaller_p(total: Floats, own: Floats) -> Floats:
    """Bonferroni's correction of the smaller of two; the one alone if there is no other."""
    return np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))


def p_by_student(observed: Statistics, sign: int, alpha: float) -> PValues:
    found = observed.mean
    p, cases = stdtr(found.degrees[0], -sign * found.t[0]), found.cases
    known = p[~np.isnan(p)]
    critical = np.nan
    if len(known) and (degrees := float(np.nanmedian(found.total.degrees))) > 0:
        critical = -float(stdtrit(degrees, alpha / len(known)))
    return PValues(bonferroni(known), smaller_p(p[:cases], p[cases : 2 * cases]), (critical,) * 3)


def bonferroni(p: Floats) -> float:
    """Of a family of tests; NaN if there are none."""
    return min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
