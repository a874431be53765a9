# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether the noise of one side is larger than that of the other.

If nothing changed, the labels of the sides can be exchanged, so the sides have one spread. Where
one is far noisier, and skewed, a trimmed mean of ten launches is off more often than a t-test
allows for. In pairs the spreads differ if ratio and level of a pair are correlated
(Pitman 1939, Morgan 1939).
"""

import warnings

import numpy as np

from agreport.stats.arrays import Flags, Floats, Ints
from agreport.stats.moderated_t import estimate_shifts
from agreport.stats.permutation import permute_labels, share_as_far
from agreport.stats.trimmed_mean import OUTLIER, TO_DEVIATION, locate_trimmed
from agreport.stats.units import Units

MOST_ALIKE = 2.0  # how many times as large a spread may be
RARE = 0.005  # of permutations; of each of the two tests


def find_unlike(units: Units, group: Ints) -> float:
    """Returns the spread of new over that of base if they differ surely (RARE) and widely
    (MOST_ALIKE), else NaN. Without two units and a case, or the levels of pairs, there is
    nothing to test, and NaN is returned too."""
    if len(units) < 2 or not len(group) or (units.new is None and units.levels is None):
        return float("nan")
    signs = permute_labels(len(units), units.new)
    for own in (False, True):
        ratio, p = (
            test_pairs(units, group, signs, own)
            if units.new is None
            else test_launches(units, group, signs, own)
        )
        if p <= RARE and max(ratio, 1 / ratio) > MOST_ALIKE:
            return ratio
    return float("nan")


def find_beyond(units: Units) -> Flags:
    """Returns the cases that differ by more than the whole range of their noise: a call stands
    there, whatever the noise is like."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of cases that a side lacks
        if units.new is None:
            low, high = np.nanmin(units.values, axis=0), np.nanmax(units.values, axis=0)
            apart, noise = np.maximum(low, -high), high - low
        else:
            new, base = units.values[units.new], units.values[~units.new]
            ends = [(np.nanmin(side, axis=0), np.nanmax(side, axis=0)) for side in (new, base)]
            (new_low, new_high), (base_low, base_high) = ends
            apart = np.maximum(new_low - base_high, base_low - new_high)
            noise = np.maximum(new_high - new_low, base_high - base_low)
    return np.asarray((apart > 0) & (apart >= noise))


def test_pairs(units: Units, group: Ints, signs: Floats, own: bool) -> tuple[float, float]:
    assert units.levels is not None
    ratios, levels = (residuals(part, group, own) for part in (units.values, units.levels))
    # Scaling takes out the size of a case; a pair that lacks the case has 0.
    both = scale(ratios) * scale(levels)
    norm = np.sqrt((scale(ratios) ** 2).sum() * (scale(levels) ** 2).sum())
    if not norm > 0:
        return 1.0, 1.0
    found = signs @ (both.sum(axis=1) / norm)
    r = float(np.clip(found[0], -0.999, 0.999))
    return float(np.sqrt((1 + r) / (1 - r))), share_as_far(found)


def test_launches(units: Units, group: Ints, signs: Floats, own: bool) -> tuple[float, float]:
    assert units.new is not None
    rest = np.empty_like(units.values)
    for side in (units.new, ~units.new):
        # The residuals of few launches are smaller than their noise.
        few = np.sqrt(1 - 1 / max(2, int(side.sum())))
        rest[side] = residuals(units.values[side], group, own) / few
    size = np.abs(scale(rest)).mean(axis=1)
    if not size.any():
        return 1.0, 1.0
    new, base = ((signs > 0).astype(float), (signs < 0).astype(float))
    with np.errstate(divide="ignore"):
        means = [np.log(each @ size / each.sum(axis=1)) for each in (new, base)]
    found = np.clip(means[0] - means[1], -50, 50)
    return float(np.exp(found[0])), share_as_far(found)


def residuals(values: Floats, group: Ints, own: bool) -> Floats:
    """Returns the values less the location of each case; own: less what all cases of a unit
    have in common, too."""
    rest = values - locate_trimmed(values.T).value
    if own:
        rest = rest - np.nan_to_num(estimate_shifts(rest, group))[:, group]
    return rest


def scale(rest: Floats) -> Floats:
    """Returns values in robust standard deviations of the case, without outliers; NaN become 0."""
    filled = np.nan_to_num(rest)
    spread = TO_DEVIATION * np.median(np.abs(filled), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.clip(filled / spread, -OUTLIER, OUTLIER))
