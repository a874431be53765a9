# SPDX-License-Identifier: BSD-3-Clause
"""The surest correlation of many cases with two labels, over permutations of the labels.

That is single-step max-T of Westfall and Young (1993): the p-values are adjusted for the number of
cases, however the cases are correlated. What is compared is the likelihood ratio of a correlation,
since cases may lack launches: of three values, one always correlates well with the labels.
"""

import numpy as np

from agreport.stats.arrays import ROUNDING, Flags, Floats
from agreport.stats.permutation import permute_labels


def adjusted_p(values: Floats, new: Flags) -> list[Floats]:
    """Returns p of larger values on the new side, and of smaller ones, for each case: the share of
    permutations of which the surest correlation of any case is as sure.

    values: launches down, cases across; NaN where a launch lacks the case. new: of each launch.
    """
    found = correlate(permute_labels(len(new), new), values)
    degrees = np.maximum((~np.isnan(values)).sum(axis=0) - 2.0, 0.0)
    found = np.copysign(surely(found**2, degrees), found)
    return [
        (each.max(axis=1, initial=-np.inf)[:, np.newaxis] >= each[0] - ROUNDING).mean(axis=0)
        for each in (found, -found)
    ]


def surely(share: Floats, degrees: Floats) -> Floats:
    """Returns the logarithm of the likelihood ratio of a share of the squares that is explained,
    with these degrees of freedom."""
    found: Floats = -degrees * np.log(np.maximum(1 - share, ROUNDING))
    return found


def correlate(labels: Floats, values: Floats) -> Floats:
    """Returns the correlation of each case's values with each permutation of the labels,
    permutations down, cases across; 0 where nothing varies.

    labels: 1 and -1, permutations down, launches across. values: launches down, cases across; NaN
    is left out.
    """
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    rest = np.where(known, values - np.nansum(values, axis=0) / np.maximum(count, 1), 0.0)
    balance = labels @ known
    spread = (count - balance**2 / np.maximum(count, 1)) * (rest**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = labels @ rest / np.sqrt(spread)
    return np.where(spread > ROUNDING, found, 0.0)
