# SPDX-License-Identifier: BSD-3-Clause
"""How small a change could be found, and how many more launches it takes to find a larger one."""

from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from scipy.special import ndtri

from .verdicts import ALPHA, POWER


@dataclass(frozen=True)
class Power:
    """Detectable changes as logarithms; more: units (pairs, or launches on each side) until the
    goal is detectable. NaN and None: not known from one launch."""

    half: float
    worst: float
    more_half: int | None
    more_worst: int | None


def estimate_power(cases: pd.DataFrame, threshold: float, goal: float, tests: int) -> Power:
    """goal: the change that is to be called; more than the threshold."""
    known = cases[np.isfinite(cases["detectable"])]
    if known.empty:
        return Power(np.nan, np.nan, None, None)
    now = known["detectable"]
    count = np.minimum(known["base_n"], known["new_n"])
    # With launches enough for the normal distribution. With few the test asks for more, so this is
    # the least that it takes.
    z = ndtri(POWER)
    error = min((goal - threshold) / z, goal / (z - ndtri(ALPHA / (2 * tests))))
    needed = np.ceil(count * (known["error"] / error) ** 2)
    more = (needed - count).clip(lower=1).where(now > goal, 0)
    return Power(float(now.median()), float(now.max()), ceil(float(more.median())), int(more.max()))
