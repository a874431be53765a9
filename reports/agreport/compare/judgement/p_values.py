# SPDX-License-Identifier: BSD-3-Clause
"""p-values: one of the whole family of tests, and one of each case.

They are Student's, of moderated t; the family is corrected by Bonferroni, which holds however the
cases are correlated.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from agreport.stats.inference import Floats, Ints

from .moderated_t import Statistics, estimate
from .units import Units

SIGNS = (1, -1)  # slower, faster
# The family-wise error rate in each direction: of comparisons where nothing changed, this share may
# call a regression, and as many an improvement.
ALPHA = 0.005


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


def assess(units: Units, group: Ints, together: Ints | None = None) -> Significance:
    return find_significance(estimate(units, group, together))


def find_significance(observed: Statistics) -> Significance:
    return Significance(observed, *(find_p(observed, sign) for sign in SIGNS))


def find_p(observed: Statistics, sign: int) -> PValues:
    """NaN of what has no error, and of a family without tests."""
    both = observed.total, observed.own
    total, own, common = (stdtr(each.degrees, -sign * each.t) for each in (*both, observed.common))
    p = np.concatenate([total, own, common])
    p = p[~np.isnan(p)]
    family = min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
    # The smaller of the two p-values counts twice (Bonferroni), and one alone once.
    cases = np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))
    with np.errstate(invalid="ignore"):
        of_total, of_own = (-stdtrit(each.degrees, ALPHA / max(1, len(p))) for each in both)
    return PValues(family, cases, (of_total, of_own))
