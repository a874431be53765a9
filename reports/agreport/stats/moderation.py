# SPDX-License-Identifier: BSD-3-Clause
"""Finds what the variances of many cases say of each other's (Smyth 2004).

Few units estimate a variance badly, and one that is small by luck would make a difference out of
chance. So the variance of a case is moved towards the common variance of the cases, the further the
more alike the cases are. The common variance is found from medians, so that a noisy case does not
decide.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import polygamma

from agreport.stats.inference import Floats
from agreport.stats.robust import TO_DEVIATION

# The degrees of freedom of the prior stay between these, as few cases estimate them badly.
LEAST_PRIOR, MOST_PRIOR = 1.0, 10.0
NEWTON_STEPS = 30


class Prior(NamedTuple):
    """The common variance of cases. degrees is how many degrees of freedom it counts as."""

    variance: float
    degrees: float

    def shrink(self, variances: Floats, degrees: Floats) -> Floats:
        """Returns the variances, drawn towards this one by the degrees of freedom of both."""
        return (self.degrees * self.variance + degrees * variances) / (self.degrees + degrees)


def find_prior(variances: Floats, degrees: Floats) -> Prior | None:
    """Returns what the variances have in common, or None if fewer than two are above 0. degrees:
    the degrees of freedom of each variance."""
    known = variances > 0
    if known.sum() < 2:
        return None
    typical = float(np.median(degrees[known]))
    variance = float(np.median(variances[known])) / median_of_chi_square(typical)
    return Prior(variance, weigh_prior(np.log(variances[known]), typical))


def weigh_prior(logs: Floats, degrees: float) -> float:
    """Returns the degrees of freedom of the prior, d0. The logarithms of variances differ by more
    than their own error where the noise of the cases differs. Their variance is trigamma(d / 2)
    from their own error and trigamma(d0 / 2) from the noise (Smyth 2004, 6.2). degrees: d."""
    spread = TO_DEVIATION * float(np.median(np.abs(logs - np.median(logs))))
    noise = spread**2 - float(polygamma(1, degrees / 2))
    if noise <= 0:
        return MOST_PRIOR
    return float(np.clip(2 * invert_trigamma(noise), LEAST_PRIOR, MOST_PRIOR))


def invert_trigamma(value: float) -> float:
    """Inverts the trigamma function by Newton's method, as in the appendix of Smyth 2004."""
    found = 0.5 + 1 / value
    for _ in range(NEWTON_STEPS):
        here = float(polygamma(1, found))
        found += here * (1 - here / value) / float(polygamma(2, found))
    return found


def median_of_chi_square(degrees: float) -> float:
    """Returns a chi-square distribution's median over its mean (Wilson and Hilferty 1931)."""
    return float((1 - 2 / (9 * degrees)) ** 3)
