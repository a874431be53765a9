# SPDX-License-Identifier: BSD-3-Clause
"""The test statistics: moderated t, a mean change over its shrunken standard error.

There are three:

- `total`: of a case;
- `own`: of a case, less the shift that all cases of its launch have in common (their median), so
  that a launch that is slow as a whole neither hides nor fakes one slow case;
- `common`: of that shift.

Few units estimate a variance badly, and one that is small by luck would raise a false alarm. So the
variance of a case is shrunken towards the median variance of the cases (as in limma, Smyth 2004,
but with a fixed weight), unless it is far larger. The error of `common` is not shrunken.
"""

from dataclasses import dataclass

import numpy as np

from agreport.stats.inference import Floats, Ints

from .permutations import Units

FEWEST_FOR_SHIFT = 10  # of fewer cases the median is moved by the change of one
PRIOR_WEIGHT = 2.0  # of the median variance, against 1 of the case's own
FAR_LARGER = 3.0  # times the median variance


@dataclass(frozen=True)
class Estimate:
    """Mean changes and their standard errors: a permutation a row, a case or group a column."""

    mean: Floats
    error: Floats

    def columns(self, chosen: slice) -> "Estimate":
        return Estimate(self.mean[:, chosen], self.error[:, chosen])

    @property
    def t(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.mean / self.error
            # No spread at all: as sure as can be, or nothing.
            exact = np.where(self.mean == 0, 0.0, np.sign(self.mean) * np.inf)
        return np.where(self.error == 0, exact, found)


@dataclass(frozen=True)
class Statistics:
    """every: all cases' total, all cases' own, and each group's common, side by side."""

    every: Estimate
    cases: int

    @property
    def total(self) -> Estimate:
        return self.every.columns(slice(self.cases))

    @property
    def own(self) -> Estimate:
        return self.every.columns(slice(self.cases, 2 * self.cases))

    @property
    def common(self) -> Estimate:
        return self.every.columns(slice(2 * self.cases, None))


@dataclass(frozen=True)
class Decomposition:
    """The values of the units, split once for all permutations.

    values: units down; across all cases' totals, the same less the shifts, and the shifts; group:
    of each case the group of cases that shift together.
    """

    paired: bool
    group: Ints
    values: Floats

    @property
    def degrees(self) -> Floats:
        """Of freedom, of each column."""
        count = (~np.isnan(self.values)).sum(axis=0).astype(np.float64)
        found: Floats = count - (1 if self.paired else 2)
        return found

    def statistics(self, signs: Floats) -> Statistics:
        found = estimate(self.values, self.paired, signs)
        error, cases = found.error, len(self.group)
        for columns in (slice(cases), slice(cases, 2 * cases)):
            error[:, columns] = shrink_errors(error[:, columns], self.group)
        return Statistics(Estimate(found.mean, error), cases)


def decompose(units: Units, group: Ints) -> Decomposition:
    """The means of the cases are taken off single launches, or they would be part of the shift."""
    paired, values = units.new is None, units.values
    if not paired:
        values = values - np.nanmean(values, axis=0)
    shifts = estimate_shifts(values, group)
    own = values - shifts[:, group]
    return Decomposition(paired, group, np.concatenate([values, own, shifts], axis=1))


def estimate_shifts(values: Floats, group: Ints) -> Floats:
    """Units down, groups across: the median of the group's cases; NaN if they are too few."""
    found = np.full((len(values), int(group.max(initial=-1)) + 1), np.nan)
    for number in range(found.shape[1]):
        part = values[:, group == number]
        enough = (~np.isnan(part)).sum(axis=1) >= FEWEST_FOR_SHIFT
        found[enough, number] = row_medians(part[enough])
    return found


def estimate(values: Floats, paired: bool, signs: Floats) -> Estimate:
    """Of pairs the mean; of launches the difference of the two means, with a pooled variance."""
    known = ~np.isnan(values)
    filled, ones = np.where(known, values, 0.0), known.astype(np.float64)
    squares = (filled**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if paired:
            count = ones.sum(axis=0)
            mean = signs @ filled / count
            error = np.sqrt(variance(squares - count * mean**2, count - 1) / count)
        else:
            new, base = (signs > 0).astype(np.float64), (signs < 0).astype(np.float64)
            n_new, n_base = new @ ones, base @ ones
            mean_new, mean_base = new @ filled / n_new, base @ filled / n_base
            mean = mean_new - mean_base
            within = squares - n_new * mean_new**2 - n_base * mean_base**2
            error = np.sqrt(variance(within, n_new + n_base - 2) * (1 / n_new + 1 / n_base))
    finite = np.isfinite(mean)
    return Estimate(
        np.where(finite, mean, np.nan), np.where(finite & np.isfinite(error), error, np.nan)
    )


def variance(squares: Floats, degrees: Floats) -> Floats:
    """NaN without degrees of freedom. Rounding makes 0 a little less, or more."""
    found = np.where(degrees > 0, squares / degrees, np.nan)
    return np.where(found < 1e-20, 0.0, found)


def shrink_errors(errors: Floats, group: Ints) -> Floats:
    """The standard errors after the variances are shrunken towards the median of their group."""
    found = errors.copy()
    for number in np.unique(group):
        own = errors[:, group == number] ** 2
        median = row_medians(own)[:, np.newaxis]
        shrunken = (PRIOR_WEIGHT * median + own) / (PRIOR_WEIGHT + 1)
        found[:, group == number] = np.sqrt(np.where(own > FAR_LARGER * median, own, shrunken))
    return found


def row_medians(rows: Floats) -> Floats:
    """Without the NaN of each row; NaN if nothing else is in it. Faster than nanmedian alone."""
    if not np.isnan(rows).any():
        return np.asarray(np.median(rows, axis=1))
    found = np.full(len(rows), np.nan)
    some = ~np.isnan(rows).all(axis=1)
    found[some] = np.nanmedian(rows[some], axis=1)
    return found
