# SPDX-License-Identifier: BSD-3-Clause
"""p-values of a family of tests, corrected for the number of tests.

A p-value of a statistic is Student's, of moderated t. The family is significant if its smallest p
is (Bonferroni), which holds however the cases are correlated. Only then cases are called, by the
false discovery rate (Benjamini and Hochberg 1995).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from agreport.stats.arrays import Floats, Ints
from agreport.stats.moderated_t import Statistics, estimate
from agreport.stats.units import Units

SIGNS = (1, -1)  # slower, faster
# The family-wise error rate in each direction: of comparisons where nothing changed, this share may
# call a regression, and as many an improvement.
ALPHA = 0.005
FALSE_DISCOVERY_RATE = 0.05  # of the cases called


@dataclass(frozen=True)
class PValues:
    """The p-values of a family of one-sided tests in one direction.

    family: the p-value of the family. cases: those of the cases, before any correction for the
    number of cases. critical: the t that each case alone would have to reach for the family to be
    significant, first of total, then of own (moderated_t).
    """

    family: float
    cases: Floats
    critical: tuple[Floats, Floats]

    def adjusted(self) -> Floats:
        """Returns the p-values of the cases, adjusted for their number (Benjamini and Hochberg)."""
        adjusted = np.full(len(self.cases), np.nan)
        known = ~np.isnan(self.cases)
        if known.any():
            from scipy.stats import false_discovery_control  # takes a second

            adjusted[known] = false_discovery_control(self.cases[known])
        return self.gate(adjusted)

    def gate(self, p: Floats) -> Floats:
        """Returns 1 for all that is known, unless the family is significant."""
        return p if self.family <= ALPHA else np.where(np.isnan(p), np.nan, 1.0)


@dataclass(frozen=True)
class Significance:
    observed: Statistics
    slower: PValues
    faster: PValues


def assess(units: Units, group: Ints) -> Significance:
    return find_significance(estimate(units, group))


def find_significance(observed: Statistics) -> Significance:
    return Significance(observed, *(find_p(observed, sign) for sign in SIGNS))


def find_p(observed: Statistics, sign: int) -> PValues:
    """Returns the p-values of one direction. A case whose error is not known has NaN, and so has a
    family without tests. sign: the direction, one of SIGNS."""
    both = observed.total, observed.own
    total, own = (np.asarray(stdtr(each.degrees, -sign * each.t)) for each in both)
    p = np.concatenate([total, own])
    p = p[~np.isnan(p)]
    family = min(1.0, len(p) * float(p.min())) if len(p) else float("nan")
    # The smaller of the two p-values counts twice (Bonferroni), and one alone once.
    cases = np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))
    with np.errstate(invalid="ignore"):
        of_total, of_own = (-stdtrit(each.degrees, ALPHA / max(1, len(p))) for each in both)
    return PValues(family, cases, (of_total, of_own))
