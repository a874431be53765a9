# SPDX-License-Identifier: BSD-3-Clause
"""The runs test: whether a series is in random order (Wald and Wolfowitz 1940).

A run is a stretch of equal labels. A series that drifts has few runs, one that alternates has many.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import comb, sqrt

import numpy as np
from scipy.special import ndtr

from agreport.stats.arrays import Floats

FEWEST_A_SIDE = 10  # for the normal approximation


def runs_p(values: Floats) -> float:
    """Returns the p of the number of runs above and below the median, by the normal approximation
    (NIST e-Handbook 1.3.5.13); two-sided. NaN: there are too few values."""
    median = np.median(values)
    above = (values > median)[values != median]
    more = int(above.sum())
    less = len(above) - more
    if min(more, less) < FEWEST_A_SIDE:
        return float("nan")
    runs = 1 + int((above[1:] != above[:-1]).sum())
    both = 2 * more * less
    total = more + less
    spread = sqrt(both * (both - total) / (total**2 * (total - 1)))
    return float(2 * ndtr(-abs(runs - both / total - 1) / spread))


def count_runs(labels: Sequence[bool]) -> int:
    if not labels:
        return 0
    return 1 + sum(one != other for one, other in pairwise(labels))


def share_with_runs(runs: int, one: int, other: int) -> float:
    """Returns the share of all orders of labels with at most so many runs, exactly. one, other: how
    many there are of each label."""
    found = 0
    for count in range(2, runs + 1):
        half = count // 2
        if count % 2:
            found += comb(one - 1, half) * comb(other - 1, half - 1)
            found += comb(one - 1, half - 1) * comb(other - 1, half)
        else:
            found += 2 * comb(one - 1, half - 1) * comb(other - 1, half - 1)
    return found / comb(one + other, one)
