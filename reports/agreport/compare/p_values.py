# SPDX-License-Identifier: BSD-3-Clause
"""p-values: one of the whole family of tests, and one of each case.

If there are permutations enough, the family is tested by its largest statistic (Westfall and Young
1993, single-step max-T), which holds however the cases are correlated. The p-value of a case is the
share of the statistics of all cases, in all permutations, that are as large (a pooled null
distribution, as in Tusher 2001). With fewer launches the p-values are Student's, with Bonferroni's
correction for the family; they take the noise for normal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from agreport.stats.inference import Floats, Ints

from .moderated_t import Decomposition, Statistics, decompose
from .permutations import Units, permute_labels

MOST_CELLS = 1 << 21  # of a matrix of permutations by cases
ROUNDING = 1e-9
SIGNS = (1, -1)  # slower, faster


@dataclass(frozen=True)
class PValues:
    """One-sided; of the family, and of each case before any correction for their number.

    critical: the statistic that a case alone would have to reach for the family to be significant.
    """

    family: float
    cases: Floats
    critical: float


@dataclass(frozen=True)
class Significance:
    """observed: the statistics of the labels as they are; degrees: of freedom, of each of them."""

    observed: Statistics
    degrees: Floats
    slower: PValues
    faster: PValues


def assess(units: Units, group: Ints, alpha: float) -> Significance:
    """alpha: the family-wise error rate, of slower and of faster each."""
    split = decompose(units, group)
    permutations = permute_labels(units)
    observed = split.statistics(permutations[:1])
    if len(permutations) * alpha >= 1:
        slower, faster = p_by_permutation(split, permutations, observed, alpha)
    else:
        slower, faster = (p_by_student(split, observed, sign, alpha) for sign in SIGNS)
    return Significance(observed, split.degrees, slower, faster)


def p_by_permutation(
    split: Decomposition, permutations: Floats, observed: Statistics, alpha: float
) -> Iterator[PValues]:
    """Of slower, then of faster."""
    batches = statistics_in_batches(split, permutations)
    max_t = np.concatenate([max_statistics(batch.every.t) for batch in batches])
    for sign, extremes in zip(SIGNS, max_t.T, strict=True):
        family = float((extremes >= extremes[0] - ROUNDING).mean())
        critical = float(np.quantile(extremes, 1 - alpha, method="higher"))
        if family <= alpha:
            cases = pooled_p(split, permutations, observed, sign)
        else:  # no case can be called, whatever its own p-value
            cases = np.where(np.isnan(observed.total.mean[0]), np.nan, 1.0)
        yield PValues(family, cases, critical)


def statistics_in_batches(split: Decomposition, permutations: Floats) -> Iterator[Statistics]:
    rows = max(1, MOST_CELLS // len(split.group))
    for first in range(0, len(permutations), rows):
        yield split.statistics(permutations[first : first + rows])


def max_statistics(t: Floats) -> Floats:
    """Over all cases and groups: a row a permutation, for slower and for faster."""
    return np.column_stack([np.fmax.reduce(sign * t, axis=1, initial=-np.inf) for sign in SIGNS])


def pooled_p(split: Decomposition, permutations: Floats, observed: Statistics, sign: int) -> Floats:
    t = [sign * each.t[0] for each in (observed.total, observed.own)]
    at_least, counts = np.zeros((2, len(t[0]))), np.zeros((2, 1))
    for batch in statistics_in_batches(split, permutations):
        for row, each in enumerate((batch.total, batch.own)):
            null = np.sort(sign * each.t[~np.isnan(each.t)])
            at_least[row] += len(null) - np.searchsorted(null, t[row] - ROUNDING)
            counts[row] += len(null)
    with np.errstate(invalid="ignore"):
        total, own = np.where(np.isnan(t), np.nan, at_least / counts)
    return smaller_p(total, own)


def smaller_p(total: Floats, own: Floats) -> Floats:
    """Bonferroni's correction of the smaller of two; the one alone if there is no other."""
    return np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))


def p_by_student(split: Decomposition, observed: Statistics, sign: int, alpha: float) -> PValues:
    p, cases = student.sf(sign * observed.every.t[0], split.degrees), len(split.group)
    known = p[~np.isnan(p)]
    critical = np.nan
    if len(known) and (degrees := float(np.nanmedian(split.degrees[:cases]))) > 0:
        critical = float(student.isf(alpha / len(known), degrees))
    return PValues(bonferroni(known), smaller_p(p[:cases], p[cases : 2 * cases]), critical)


def bonferroni(p: Floats) -> float:
    """Of a family of tests; NaN if there are none."""
    return min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
