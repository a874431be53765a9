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
from .permutations import Permutations, Units, permute_labels

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
    """observed: the statistics of the labels as they are; degrees: of freedom, of each case and of
    what each group has in common."""

    observed: Statistics
    degrees: Floats
    common_degrees: Floats
    slower: PValues
    faster: PValues


def assess(units: Units, group: Ints, alpha: float) -> Significance:
    """alpha: the family-wise error rate, of slower and of faster each."""
    split = decompose(units, group)
    permutations = permute_labels(units)
    observed = split.statistics(permutations.signs[:1])
    if len(permutations) * alpha >= 1:
        slower, faster = p_by_permutation(split, permutations, observed, alpha)
    else:
        slower, faster = (p_by_student(split, observed, sign, alpha) for sign in SIGNS)
    degrees = split.degrees(split.total), split.degrees(split.shift)
    return Significance(observed, *degrees, slower, faster)


def p_by_permutation(
    split: Decomposition, permutations: Permutations, observed: Statistics, alpha: float
) -> Iterator[PValues]:
    """Of slower, then of faster."""
    batches = statistics_in_batches(split, permutations)
    max_t = np.concatenate([max_statistics(batch.all_t) for batch in batches])
    if permutations.mirrored:
        max_t = np.concatenate([max_t, max_t[:, ::-1]])
    for sign, extremes in zip(SIGNS, max_t.T, strict=True):
        family = float((extremes >= extremes[0] - ROUNDING).mean())
        critical = float(np.quantile(extremes, 1 - alpha, method="higher"))
        if family <= alpha:
            cases = pooled_p(split, permutations, observed, sign)
        else:  # no case can be called, whatever its own p-value
            cases = np.where(np.isnan(observed.total.mean[0]), np.nan, 1.0)
        yield PValues(family, cases, critical)


def statistics_in_batches(split: Decomposition, permutations: Permutations) -> Iterator[Statistics]:
    rows = max(1, MOST_CELLS // split.total.shape[1])
    for first in range(0, len(permutations.signs), rows):
        yield split.statistics(permutations.signs[first : first + rows])


def max_statistics(t: Floats) -> Floats:
    """Over all cases and groups: a row a permutation, for slower and for faster."""
    return np.column_stack([np.fmax.reduce(sign * t, axis=1, initial=-np.inf) for sign in SIGNS])


def pooled_p(
    split: Decomposition, permutations: Permutations, observed: Statistics, sign: int
) -> Floats:
    t = [sign * each.t[0] for each in (observed.total, observed.own)]
    at_least, counts = np.zeros((2, len(t[0]))), np.zeros((2, 1))
    for batch in statistics_in_batches(split, permutations):
        for side in (sign, -sign) if permutations.mirrored else (sign,):
            for row, each in enumerate((batch.total, batch.own)):
                null = np.sort(side * each.t[~np.isnan(each.t)])
                at_least[row] += len(null) - np.searchsorted(null, t[row] - ROUNDING)
                counts[row] += len(null)
    with np.errstate(invalid="ignore"):
        total, own = np.where(np.isnan(t), np.nan, at_least / counts)
    return smaller_p(total, own)


def smaller_p(total: Floats, own: Floats) -> Floats:
    """Bonferroni's correction of the smaller of two; the one alone if there is no other."""
    return np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))


def p_by_student(split: Decomposition, observed: Statistics, sign: int, alpha: float) -> PValues:
    total, own, common = (
        student.sf(sign * each.t[0], split.degrees(values))
        for each, values in (
            (observed.total, split.total),
            (observed.own, split.own),
            (observed.common, split.shift),
        )
    )
    known = np.concatenate([total, own, common])
    known = known[~np.isnan(known)]
    tests = len(known)
    critical = np.nan
    if tests and (degrees := float(np.nanmedian(split.degrees(split.total)))) > 0:
        critical = float(student.isf(alpha / tests, degrees))
    return PValues(bonferroni(known), smaller_p(total, own), critical)


def bonferroni(p: Floats) -> float:
    """Of a family of tests; NaN if there are none."""
    return min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
