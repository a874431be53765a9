# SPDX-License-Identifier: BSD-3-Clause
"""How much the new side differs, in units of what launches differ by anyway.

Three statistics, each a mean change over its standard error:

- `total`: of a case;
- `own`: of a case, less what its launch has in common with the launch's other cases (the median
  over them), so that a launch that is slow as a whole neither hides nor fakes one slow case;
- `common`: of what a launch's cases have in common.

A few launches tell a spread badly, and one that is small by luck would make an alarm. So a case's
variance between launches is drawn towards the median case's, unless it is far larger.
"""

from dataclasses import dataclass

import numpy as np

from agreport.stats.inference import Floats, Ints

from .dealing import Units

# Of fewer cases the median does not tell a launch's shift from a case's change.
FEWEST_FOR_SHIFT = 10
WEIGHT_OF_MEDIAN = 2.0  # against a case's own variance
FAR_LARGER = 3.0


@dataclass(frozen=True)
class Change:
    """Mean changes and their standard errors: a row a dealing, a column a case or a group."""

    mean: Floats
    error: Floats

    @property
    def statistic(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.mean / self.error
            # No spread at all: as sure as can be, or nothing.
            still = np.where(self.mean == 0, 0.0, np.sign(self.mean) * np.inf)
        return np.where(self.error == 0, still, found)


@dataclass(frozen=True)
class Evidence:
    total: Change
    own: Change
    common: Change

    @property
    def all(self) -> tuple[Change, Change, Change]:
        return self.total, self.own, self.common


@dataclass(frozen=True)
class Parts:
    """The units' values, taken apart once for all dealings; group: which cases shift together."""

    units: Units
    group: Ints
    total: Floats
    shift: Floats

    @property
    def own(self) -> Floats:
        return self.total - self.shift[:, self.group]

    def evidence(self, dealt: Floats) -> Evidence:
        paired = self.units.new is None
        return Evidence(
            total=drawn(change(self.total, paired, dealt), self.group),
            own=drawn(change(self.own, paired, dealt), self.group),
            common=change(self.shift, paired, dealt),
        )


def parts(units: Units, group: Ints) -> Parts:
    """Of single launches the cases' means are taken off, for precision and to find shifts."""
    values = units.values if units.new is None else units.values - np.nanmean(units.values, axis=0)
    return Parts(units, group, values, shifts(values, group))


def shifts(values: Floats, group: Ints) -> Floats:
    """Units down, groups across: the median over the group's cases; NaN if they are too few."""
    found = np.full((len(values), int(group.max()) + 1), np.nan)
    for number in range(found.shape[1]):
        part = values[:, group == number]
        enough = (~np.isnan(part)).sum(axis=1) >= FEWEST_FOR_SHIFT
        if enough.any():
            found[enough, number] = np.nanmedian(part[enough], axis=1)
    return found


def change(values: Floats, paired: bool, dealt: Floats) -> Change:
    there = ~np.isnan(values)
    filled, ones = np.where(there, values, 0.0), there.astype(np.float64)
    squares = (filled**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if paired:
            count = ones.sum(axis=0)
            mean = dealt @ filled / count
            variance = shared_out(squares - count * mean**2, count - 1)
            error = np.sqrt(variance / count)
        else:
            new, base = (dealt > 0).astype(np.float64), (dealt < 0).astype(np.float64)
            n_new, n_base = new @ ones, base @ ones
            mean_new, mean_base = new @ filled / n_new, base @ filled / n_base
            within = squares - n_new * mean_new**2 - n_base * mean_base**2
            mean = mean_new - mean_base
            variance = shared_out(within, n_new + n_base - 2)
            error = np.sqrt(variance * (1 / n_new + 1 / n_base))
    known = np.isfinite(mean)
    return Change(
        np.where(known, mean, np.nan), np.where(known & np.isfinite(error), error, np.nan)
    )


def shared_out(squares: Floats, degrees: Floats) -> Floats:
    """The variance; NaN without degrees of freedom. Rounding makes 0 a little less, or more."""
    variance = np.where(degrees > 0, squares / degrees, np.nan)
    return np.where(variance < 1e-20, 0.0, variance)


def drawn(found: Change, group: Ints) -> Change:
    """With the cases' standard errors drawn towards the median one of their group."""
    error = found.error.copy()
    for number in np.unique(group):
        squares = found.error[:, group == number] ** 2
        middle = medians(squares)
        mixed = (WEIGHT_OF_MEDIAN * middle + squares) / (WEIGHT_OF_MEDIAN + 1)
        error[:, group == number] = np.sqrt(np.where(squares > FAR_LARGER * middle, squares, mixed))
    return Change(found.mean, error)


def medians(rows: Floats) -> Floats:
    if not np.isnan(rows).any():
        return np.median(rows, axis=1, keepdims=True)
    found = np.full((len(rows), 1), np.nan)
    some = ~np.isnan(rows).all(axis=1)
    found[some] = np.nanmedian(rows[some], axis=1, keepdims=True)
    return found
