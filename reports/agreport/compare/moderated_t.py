# SPDX-License-Identifier: BSD-3-Clause
"""The test statistics: moderated t, a change over its shrunken standard error.

There are three:

- `total`: of a case;
- `own`: of a case, less the shift that all cases of its launch have in common (their median), so
  that a launch that is slow as a whole neither hides nor fakes one slow case;
- `common`: of that shift.

Each is computed three times: from means, and from means that are trimmed moderately and heavily
(robust.py). Two sides of launches have variances of their own (Welch 1947).

Few units estimate a variance badly, and one that is small by luck would raise a false alarm. So the
variance of a case is shrunken towards the median variance of the cases (as in limma, Smyth 2004,
but with a fixed weight), unless it is far larger. The error of `common` is not shrunken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from agreport.stats.inference import Floats, Ints

from .permutations import Units
from .robust import (
    HEAVY,
    MODERATE,
    OUTLIER,
    SMALLEST_VARIANCE,
    TO_DEVIATION,
    Location,
    locate_mean,
    locate_trimmed,
)

FEWEST_FOR_SHIFT = 10  # of fewer cases the median is moved by the change of one


@dataclass(frozen=True)
class Shrinkage:
    """prior: the weight of the median variance, against 1 of the case's own. far: how many times
    the median variance are not shrunken, since cases differ in earnest."""

    prior: float
    far: float

    def apply(self, variances: Floats, group: Ints) -> Floats:
        """Cases across; towards the median of their group."""
        found = variances.copy()
        for number in np.unique(group):
            own = variances[:, group == number]
            median = row_medians(own)[:, np.newaxis]
            shrunken = (self.prior * median + own) / (self.prior + 1)
            found[:, group == number] = np.where(own > self.far * median, own, shrunken)
        return found


MILD, STRONG = Shrinkage(2.0, 3.0), Shrinkage(6.0, 6.0)
# Heavily trimmed means have few values left, so their errors lean more on those of other cases.
OF_MEMBERS = (MILD, MILD, STRONG)
OF_NOISE = Shrinkage(1.0, np.inf)


@dataclass(frozen=True)
class Estimate:
    """Changes, standard errors, degrees of freedom: a permutation a row, a case or group a column;
    side by side all cases' total, all cases' own, and each group's common."""

    change: Floats
    error: Floats
    degrees: Floats
    cases: int

    def columns(self, chosen: slice) -> "Estimate":
        return Estimate(
            self.change[:, chosen], self.error[:, chosen], self.degrees[:, chosen], self.cases
        )

    @property
    def total(self) -> "Estimate":
        return self.columns(slice(self.cases))

    @property
    def own(self) -> "Estimate":
        return self.columns(slice(self.cases, 2 * self.cases))

    @property
    def common(self) -> "Estimate":
        return self.columns(slice(2 * self.cases, None))

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
    """Of the same labels: from means, and from trimmed means."""

    mean: Estimate
    trimmed: Estimate
    heavily: Estimate

    @property
    def members(self) -> tuple[Estimate, Estimate, Estimate]:
        return self.mean, self.trimmed, self.heavily


@dataclass(frozen=True)
class Decomposition:
    """The values of the units, split once for all permutations.

    values: units down; across all cases' totals, the same less the shifts, and the shifts; group:
    of each case the group of cases that shift together.
    """

    paired: bool
    group: Ints
    labels: Floats
    values: Floats

    def observed(self) -> Statistics:
        return self.statistics(self.labels[np.newaxis], centred=False)

    def permuted(self, signs: Floats) -> Statistics:
        """With labels exchanged, a permutation a row.

        Of pairs, those of the residuals. With the values themselves, of ten pairs that all are
        slower a statistic that one bad pair cannot move would be as large where any one of them is
        exchanged, so that 1 % of all permutations would be as extreme as what was seen.
        """
        return self.statistics(signs, centred=self.paired)

    def normal(self, random: np.random.Generator, count: int) -> Statistics:
        """Of normal noise with the covariances of what was observed, without its outliers, so many
        times; each side of launches has its own."""
        sides = [self.labels > 0] if self.paired else [self.labels > 0, self.labels < 0]
        cases, units = len(self.group), len(self.labels)
        made = np.empty((count, units, cases))
        for side in sides:
            rest = level_spreads(cut_outliers(self.values[side, :cases]), self.group)
            weights = random.standard_normal((count, *rest.shape[:1] * 2))
            made[:, side] = weights @ rest
        made[:, np.isnan(self.values[:, :cases])] = np.nan
        shifts = estimate_shifts(made.reshape(-1, cases), self.group).reshape(count, units, -1)
        values = np.concatenate([made, made - shifts[:, :, self.group], shifts], axis=2)
        return self.evaluate(self.labels, [values.swapaxes(1, 2)] * 2)

    def statistics(self, signs: Floats, centred: bool) -> Statistics:
        columns = self.values.T
        both = [columns, columns]
        if centred:
            # A trimmed mean of which a third is bad would take the others off the center.
            centers = (locate_mean(columns).value, row_medians(columns))
            both = [columns - each[:, np.newaxis] for each in centers]
        return self.evaluate(signs[:, np.newaxis], both)

    def evaluate(self, signs: Floats, values: Sequence[Floats]) -> Statistics:
        """values: for means and for trimmed means; units across."""
        found = []
        for locate, each in zip((locate_means, locate_robust), values, strict=True):
            if self.paired:
                found += locate(signs * each)
            else:
                one, other = (locate(side) for side in take_sides(signs, each))
                found += [new.minus(base) for new, base in zip(one, other, strict=True)]
        return Statistics(
            *(self.moderate(each, how) for each, how in zip(found, OF_MEMBERS, strict=True))
        )

    def moderate(self, found: Location, shrinkage: Shrinkage) -> Estimate:
        variance, cases = (
            np.where(np.isfinite(found.value), found.variance, np.nan),
            len(self.group),
        )
        for columns in (slice(cases), slice(cases, 2 * cases)):
            variance[:, columns] = shrinkage.apply(variance[:, columns], self.group)
        change = np.where(np.isfinite(found.value), found.value, np.nan)
        return Estimate(change, np.sqrt(variance), found.degrees, cases)


def locate_means(values: Floats) -> list[Location]:
    return [locate_mean(values)]


def locate_robust(values: Floats) -> list[Location]:
    return locate_trimmed(values, (MODERATE, HEAVY))


def cut_outliers(values: Floats) -> Floats:
    """The residuals of each case, cut off where they are far outside; 0 for NaN."""
    rest = np.nan_to_num(values - row_medians(values.T))
    spread = TO_DEVIATION * np.median(np.abs(rest), axis=0)
    return np.clip(rest, -OUTLIER * spread, OUTLIER * spread)


def level_spreads(rest: Floats, group: Ints) -> Floats:
    """With variances nearer to each other. Those of ten units differ by more than the noise does,
    above all where it has heavy tails; noise as uneven would ask too much of the statistics."""
    own = (rest**2).sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.sqrt(OF_NOISE.apply(own, group) / own)
    return np.where(own > 0, rest * factor, 0.0)


def take_sides(signs: Floats, values: Floats) -> tuple[Floats, Floats]:
    """New and base: a permutation, a column, and the launches of the side.

    signs: of one permutation, or a permutation down, one, and launches across; all with as many new
    launches. values: columns down, launches across; or of each permutation its own.
    """
    if values.ndim > signs.ndim or signs.ndim == 1:
        return values[..., signs > 0], values[..., signs < 0]
    order = np.argsort(signs[:, 0] < 0, axis=1, kind="stable")
    new = int((signs[0] > 0).sum())
    one, other = (values[:, part].swapaxes(0, 1) for part in (order[:, :new], order[:, new:]))
    return one, other


def decompose(units: Units, group: Ints) -> Decomposition:
    """The means of the cases are taken off single launches, or they would be part of the shift."""
    paired, values = units.new is None, units.values
    if not paired:
        values = values - np.nanmean(values, axis=0)
    shifts = estimate_shifts(values, group)
    own = values - shifts[:, group]
    return Decomposition(paired, group, units.labels, np.concatenate([values, own, shifts], axis=1))


def estimate_shifts(values: Floats, group: Ints) -> Floats:
    """Units down, groups across: the median of the group's cases; NaN if they are too few."""
    found = np.full((len(values), int(group.max(initial=-1)) + 1), np.nan)
    for number in range(found.shape[1]):
        part = values[:, group == number]
        enough = (~np.isnan(part)).sum(axis=1) >= FEWEST_FOR_SHIFT
        found[enough, number] = row_medians(part[enough])
    return found


def row_medians(rows: Floats) -> Floats:
    """Without the NaN of each row; NaN if nothing else is in it. Faster than nanmedian alone."""
    if not np.isnan(rows).any():
        return np.asarray(np.median(rows, axis=1))
    found = np.full(len(rows), np.nan)
    some = ~np.isnan(rows).all(axis=1)
    found[some] = np.nanmedian(rows[some], axis=1)
    return found
