# SPDX-License-Identifier: BSD-3-Clause
"""Trimmed means with their standard errors, of many samples at once.

A trimmed mean leaves out a fifth of the values at each end, and its standard error comes from the
Winsorised variance (Tukey and McLaughlin 1963; of two samples Yuen 1974). One launch that another
job disturbed moves a mean and widens its interval; it hardly moves a trimmed mean.
"""

from dataclasses import dataclass

import numpy as np

from agreport.stats.arrays import Floats, Ints

TRIMMED = 0.2  # of the values, at each end
FEWEST_TO_TRIM = 8  # of fewer values the rest would have too few degrees of freedom
OUTLIER = 3.0  # standard deviations, at which a value is cut off
TO_DEVIATION = 1.4826  # of a normal distribution: the standard deviation over the median deviation
SMALLEST_VARIANCE = 1e-20  # rounding makes 0 a little more


@dataclass(frozen=True)
class Location:
    """Holds the location of each sample, such as a trimmed mean. variance: the squared standard
    error of the location; NaN: of fewer than two values. degrees: the degrees of freedom."""

    value: Floats
    variance: Floats
    degrees: Floats

    def minus(self, other: "Location") -> "Location":
        """Returns the difference of two independent samples, whose variances may differ (Welch
        1947)."""
        variance = self.variance + other.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = (each.variance**2 / each.degrees for each in (self, other))
            degrees = variance**2 / sum(parts)
        fewest = np.minimum(self.degrees, other.degrees)  # of samples without spread
        return Location(
            self.value - other.value, variance, np.where(np.isfinite(degrees), degrees, fewest)
        )


def locate_trimmed(values: Floats) -> Location:
    """Returns the trimmed means of the samples along the last axis, without their NaN, with
    variances and degrees of freedom. A variance is NaN if fewer than two values are kept."""
    ordered = np.sort(values, axis=-1)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=-1)
    cut = count_cut(count)
    place = np.arange(ordered.shape[-1])
    first, last = cut[..., np.newaxis], (count - cut)[..., np.newaxis]
    kept_places = (place >= first) & (place < last)
    total = np.where(kept_places, ordered, 0.0).sum(axis=-1)
    outermost = np.clip(np.concatenate([first, last - 1], axis=-1), 0, None)
    low, high = np.moveaxis(np.take_along_axis(ordered, outermost, axis=-1), -1, 0)
    left = count - 2 * cut
    with np.errstate(divide="ignore", invalid="ignore"):
        winsorised = (total + np.where(cut > 0, cut * (low + high), 0.0)) / count
        inner = np.where(kept_places, ordered - winsorised[..., np.newaxis], 0.0)
        ends = cut * ((low - winsorised) ** 2 + (high - winsorised) ** 2)
        # These are the squares of the deviations, where a value that is left out counts as the last
        # that is kept.
        squares = (inner**2).sum(axis=-1) + np.where(cut > 0, ends, 0.0)
        variance = np.where(left > 1, squares / (left * (left - 1.0)), np.nan)
        variance = np.where(variance < SMALLEST_VARIANCE, 0.0, variance)
        return Location(total / left, variance, left - 1.0)


def count_cut(count: Ints) -> Ints:
    """Returns how many of so many values are left out at each end."""
    return np.asarray(np.where(count >= FEWEST_TO_TRIM, (TRIMMED * count).astype(int), 0))


def winsorise(values: Floats) -> Floats:
    """Returns the values, where each that a trimmed mean over the last axis leaves out becomes the
    last value that is kept at the same end; NaN stay."""
    ordered = np.sort(values, axis=-1)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=-1, keepdims=True)
    cut = count_cut(count)
    low, high = (
        np.take_along_axis(ordered, np.clip(place, 0, None), axis=-1)
        for place in (cut, count - cut - 1)
    )
    found: Floats = np.clip(values, low, high)
    return found
