# SPDX-License-Identifier: BSD-3-Clause
"""How small a change would be called in most comparisons, and how many more units that takes.

By the normal approximation of a t-test's power (Cohen 1988, chapter 2): a change is found if it is
larger than the critical value by the quantile of POWER, both in standard errors.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from scipy.special import ndtri

from agreport.stats.arrays import Floats
from agreport.stats.multiple_tests import ALPHA, Significance

POWER = 0.95


def find_detectable(found: Significance, reach: Floats, threshold: float) -> Floats:
    """Returns the log change of each case that would be called in POWER of such comparisons:
    significant by one of the statistics, at least the threshold, and with an interval that excludes
    no change. reach: of each case from its change to the end of its interval."""
    z = ndtri(POWER)
    observed = found.observed
    errors = [
        (critical + z) * each.error
        for each, critical in zip(
            (observed.total, observed.own), found.slower.critical, strict=True
        )
    ]
    smallest: Floats = np.maximum(
        np.fmin.reduce(errors), np.maximum(threshold, reach) + z * observed.total.error
    )
    return smallest


@dataclass(frozen=True)
class Power:
    """The changes that can be detected, as logarithms, and how many more units that takes.

    half, worst: the median and the largest of the cases' detectable changes. more_half, more_worst:
    the median and the largest number of further units (pairs, or launches on each side) until the
    goal is detectable. NaN and None: not known, as from one launch.
    """

    half: float
    worst: float
    more_half: int | None
    more_worst: int | None


def estimate_power(cases: pd.DataFrame, threshold: float, goal: float, tests: int) -> Power:
    """Returns the median and the largest of the cases' detectable changes, and of the numbers of
    further units that the cases need until the goal is detectable. Cases without a finite
    detectable change do not count; if there are no others, the result is NaN and None.

    cases: the columns error (standard error), detectable, base_n and new_n (units). goal: the
    change that is to be called, a logarithm above the threshold. tests: the number of cases that
    are tested."""
    known = cases[np.isfinite(cases["detectable"])]
    if known.empty:
        return Power(np.nan, np.nan, None, None)
    now = known["detectable"]
    count = np.minimum(known["base_n"], known["new_n"])
    # This holds with launches enough for the normal distribution. With few launches the test asks
    # for more, so this is the least that it takes.
    z = ndtri(POWER)
    error = min((goal - threshold) / z, goal / (z - ndtri(ALPHA / (2 * tests))))
    needed = np.ceil(count * (known["error"] / error) ** 2)
    more = (needed - count).clip(lower=1).where(now > goal, 0)
    return Power(float(now.median()), float(now.max()), ceil(float(more.median())), int(more.max()))
