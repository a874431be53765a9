# SPDX-License-Identifier: BSD-3-Clause
"""The test statistics: moderated t, the trimmed mean of a change over its shrunken standard error.

There are two:

- `total`: of a case;
- `own`: of a case, less the shift that all cases of its launch have in common (their median), so
  that a launch that is slow as a whole neither hides nor fakes one slow case.

Few units estimate a variance badly, and one that is small by luck would raise a false alarm. So the
variance of a case is shrunken towards that of the cases together, by as much as the cases are alike
(Smyth 2004; from medians, so that a noisy case does not decide).
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import polygamma

from agreport.stats.arrays import Flags, Floats, Ints
from agreport.stats.trimmed_mean import (
    SMALLEST_VARIANCE,
    TO_DEVIATION,
    Location,
    locate_trimmed,
)
from agreport.stats.units import Units, count_fewest

FEWEST_FOR_SHIFT = 10  # the change of one case would move the median of fewer cases
# With fewer units the prior adds no degrees of freedom: two or three launches are in one mode so
# often, all cases at once, that the other cases tell nothing.
FEWEST_TO_LEAN = 5
FAR = 16.0  # a variance that is so many times larger or smaller than the prior is not shrunken
# The degrees of freedom of the prior stay between these, as few cases estimate them badly.
LEAST_PRIOR, MOST_PRIOR = 1.0, 10.0
NEWTON_STEPS = 30


@dataclass(frozen=True)
class Estimate:
    """Changes of cases, with standard errors and degrees of freedom; NaN: not known."""

    change: Floats
    error: Floats
    degrees: Floats

    @property
    def t(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.change / self.error
            # No spread at all: as sure as can be, or nothing.
            is_none = np.abs(self.change) <= sqrt(SMALLEST_VARIANCE)
            exact = np.where(is_none, 0.0, np.sign(self.change) * np.inf)
        return np.where(self.error == 0, exact, found)


@dataclass(frozen=True)
class Statistics:
    total: Estimate
    own: Estimate


def estimate(units: Units, group: Ints) -> Statistics:
    """Returns the statistics of all cases, total and own.

    group: of each case the number of the group of cases that shift together. In single launches the
    mean of each case is subtracted before the shift is estimated, or it would be part of the shift.
    """
    values = units.values
    if units.new is not None:
        values = values - np.nanmean(values, axis=0)
    own = values - estimate_shifts(values, group)[:, group]
    lean = count_fewest(units) >= FEWEST_TO_LEAN
    found = (moderate(locate_change(each, units), group, lean) for each in (values, own))
    return Statistics(*found)


def locate_change(values: Floats, units: Units) -> Location:
    """Returns the change of each case, with variance and degrees of freedom: the location of the
    pairs, or that of the new launches less that of the base launches. Two sides of launches have
    variances of their own (Welch 1947). In pairs, an effect of the order that was estimated has
    cost a degree of freedom; where none is left, the variance is NaN.

    values: those of the units, or what is made of them, in the same shape."""
    unsure = np.zeros_like(values) if units.unsure is None else units.unsure
    if units.new is not None:
        new, base = (locate_unsure(values[side], unsure[side]) for side in (units.new, ~units.new))
        return new.minus(base)
    found = locate_unsure(values, unsure)
    spent = 0 if units.of_order is None else np.where(units.of_order != 0, 1, 0)
    degrees = found.degrees - spent
    return Location(found.value, np.where(degrees > 0, found.variance, np.nan), degrees)


def locate_unsure(values: Floats, unsure: Floats) -> Location:
    """Returns what locate_trimmed does; the variance is at least what ticks leave the values."""
    found = locate_trimmed(values.T)
    known = ~np.isnan(values)
    mean = np.where(known, unsure, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    kept = np.maximum(found.degrees + 1, 1)
    return replace(found, variance=np.maximum(found.variance, mean / kept))


def moderate(found: Location, group: Ints, lean: Flags) -> Estimate:
    """Returns the changes with their standard errors, from variances that are shrunken in each
    group of cases. lean: of each case whether the prior adds to its degrees of freedom."""
    variance = np.where(np.isfinite(found.value), found.variance, np.nan)
    degrees = np.array(found.degrees, float)
    for number in np.unique(group):
        part = group == number
        variance[part], more = shrink(variance[part], degrees[part])
        degrees[part] = np.where(lean[part], more, degrees[part])
    change = np.where(np.isfinite(found.value), found.value, np.nan)
    return Estimate(change, np.sqrt(variance), degrees)


def shrink(variances: Floats, degrees: Floats) -> tuple[Floats, Floats]:
    """Returns the variances of cases, shrunken towards the prior, and their degrees of freedom with
    those of the prior added. A case that is FAR from the prior keeps its own, and all do if there
    is no prior."""
    prior = find_prior(variances, degrees)
    if prior is None:
        return variances, degrees
    shrunken = prior.shrink(variances, degrees)
    with np.errstate(invalid="ignore"):
        alike = (variances <= FAR * prior.variance) & (variances >= prior.variance / FAR)
    more = degrees + prior.degrees
    return np.where(alike, shrunken, variances), np.where(alike, more, degrees)


def estimate_shifts(values: Floats, group: Ints) -> Floats:
    """Returns the shift of each group of cases in each unit, units down and groups across: the
    median of the group's cases; NaN if they are fewer than FEWEST_FOR_SHIFT."""
    groups = pd.DataFrame(values.T).groupby(group)
    found: Floats = groups.median().where(groups.count() >= FEWEST_FOR_SHIFT).to_numpy().T
    return found


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
    """Returns the number whose trigamma function is this value. It is found by Newton's method, as
    in the appendix of Smyth 2004."""
    found = 0.5 + 1 / value
    for _ in range(NEWTON_STEPS):
        here = float(polygamma(1, found))
        found += here * (1 - here / value) / float(polygamma(2, found))
    return found


def median_of_chi_square(degrees: float) -> float:
    """Returns a chi-square distribution's median over its mean (Wilson and Hilferty 1931)."""
    return float((1 - 2 / (9 * degrees)) ** 3)
