# SPDX-License-Identifier: BSD-3-Clause
"""p-values: one of the whole family of tests, and one of each case.

They are Student's, of moderated t; the family is corrected by Bonferroni, which holds however the
cases are correlated.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from agreport.stats.inference import Floats, Ints

from .moderated_t import Estimate, Statistics, estimate
from .permutations import Units

SIGNS = (1, -1)  # slower, faster


@dataclass(frozen=True)
class PValues:
    """One-sided; of the family, and of each case before any correction for their number.

    critical: the t that a case alone would have to reach for the family to be significant: of each
    case, of total and of own.
    """

    family: float
    cases: Floats
    critical: tuple[Floats, Floats]


@dataclass(frozen=True)
class Significance:
    observed: Statistics
    slower: PValues
    faster: PValues


def assess(units: Units, group: Ints, alpha: float) -> Significance:
    """alpha: the family-wise error rate, of slower and of faster each."""
    return find_significance(estimate(units, group), alpha)


def find_significance(observed: Statistics, alpha: float) -> Significance:
    slower, faster = (find_p(observed, sign, alpha) for sign in SIGNS)
    return Significance(observed, slower, faster)


def find_p(observed: Statistics, sign: int, alpha: float) -> PValues:
    total, own, common = (
        tail_of(each, sign) for each in (observed.total, observed.own, observed.common)
    )
    p = np.concatenate([total, own, common])
    p = p[~np.isnan(p)]
    with np.errstate(invalid="ignore"):
        critical = (
            -stdtrit(observed.total.degrees, alpha / max(1, len(p))),
            -stdtrit(observed.own.degrees, alpha / max(1, len(p))),
        )
    return PValues(bonferroni(p), smaller_p(total, own), critical)


def tail_of(found: Estimate, sign: int) -> Floats:
    """NaN without an error."""
    p: Floats = stdtr(found.degrees, -sign * found.t)
    return p


def smaller_p(total: Floats, own: Floats) -> Floats:
    """Bonferroni's correction of the smaller of two; the one alone if there is no other."""
    return np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))


def bonferroni(p: Floats) -> float:
    """Of a family of tests; NaN if there are none."""
    return min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
