# SPDX-License-Identifier: BSD-3-Clause
"""The effect of the order within pairs, as a two-period crossover design has it (Grizzle 1965).

Where the sides take turns at being first, half of the difference between the two orders is what
being first costs or saves, and is taken out of each pair.
"""

import numpy as np

from agreport.stats.arrays import Flags, Floats
from agreport.stats.trimmed_mean import count_cut, locate_trimmed, winsorise

FEWEST_OF_CASE = 2  # pairs of each order; with fewer the effect is not known


def estimate_effects(values: Floats, first: Flags) -> Floats:
    """Returns for each case by how much a pair's log ratio is larger for base being first; 0 if
    unknown.

    values: log ratios, pairs down, cases across; NaN where a pair lacks the case.
    """
    found = np.zeros(values.shape[1])
    known = ~np.isnan(values)
    enough = np.minimum(known[first].sum(axis=0), known[~first].sum(axis=0)) >= FEWEST_OF_CASE
    # Medians of a few values jump by chance, most of all those of ticks, and then the pairs agree
    # too well without the effect. One bad launch in five would be an effect of its own, so the ends
    # are cut off.
    kept = winsorise(values[:, enough].T).T
    one, other = (np.nanmean(kept[side], axis=0) for side in (first, ~first))
    found[enough] = (one - other) / 2
    return found


def take_out(values: Floats, first: Flags, effects: Floats) -> Floats:
    """Returns the log ratios without the effect of the order, of the same shape.

    What is left varies less than the noise, because it has been fitted: of the n pairs that a
    trimmed mean keeps n - 2 are free instead of n - 1, and orders that are not balanced tell less
    of the change. So what is left is stretched about the change by as much, as least squares would
    have it.
    """
    sign = np.where(first, 1.0, -1.0)[:, np.newaxis]
    rest = values - sign * effects
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    left = count - 2 * count_cut(count)
    fitted = (effects != 0) & (left > 2)
    balance = np.where(known, sign, 0.0).sum(axis=0) / np.maximum(count, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = np.sqrt((left - 1) / (left - 2) / (1 - balance**2))
    center = locate_trimmed(rest.T).value
    stretched = center + (rest - center) * np.where(fitted, stretch, 1.0)
    return np.asarray(np.where(fitted, stretched, values))
