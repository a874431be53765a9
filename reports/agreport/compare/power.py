# SPDX-License-Identifier: BSD-3-Clause
"""How small a change could be found, and how many more launches it takes to find the threshold."""

from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from scipy.stats import norm

from .verdicts import ALPHA, POWER


@dataclass(frozen=True)
class Power:
    """Detectable changes as logarithms; more: units (pairs, or launches on each side) until the
    threshold is detectable. NaN and None: not known from one launch."""

    half: float
    worst: float
    more_half: int | None
    more_worst: int | None


def estimate_power(cases: pd.DataFrame, threshold: float, tests: int) -> Power:
    known = cases[np.isfinite(cases["detectable"])]
    if known.empty:
        return Power(np.nan, np.nan, None, None)
    now = known["detectable"]
    count = np.minimum(known["base_n"], known["new_n"])
    # What the spread would allow with enough launches for the normal distribution: with few the
    # test asks for more, so both count.
    enough = norm.isf(ALPHA / (2 * tests)) + norm.ppf(POWER)
    ideal = enough * known["error"]
    needed = count * (np.minimum(now, ideal) / threshold) ** 2
    more = np.ceil(needed).clip(lower=0) - count
    more = more.where(now > threshold, 0).clip(lower=0)
    return Power(float(now.median()), float(now.max()), ceil(float(more.median())), int(more.max()))
