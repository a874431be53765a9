# SPDX-License-Identifier: BSD-3-Clause
"""Levene's test about medians (Brown and Forsythe 1974): whether the variance changes."""

import numpy as np

from agreport.stats.arrays import Floats

FEWEST_A_HALF = 10


def halves_p(values: Floats) -> float:
    """Returns the p of the first half's variance against the second's; NaN: there are too few
    values, or they are all equal."""
    half = len(values) // 2
    if half < FEWEST_A_HALF or np.ptp(values) == 0:
        return float("nan")
    from scipy.stats import levene  # takes a second, and few reports need it

    return float(levene(values[:half], values[half:]).pvalue)
