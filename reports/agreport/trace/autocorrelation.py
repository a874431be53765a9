# SPDX-License-Identifier: BSD-3-Clause
"""Whether a call tells anything of the ones after it."""

from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

MOST_LAGS = 50

Floats = npt.NDArray[np.float64]


def count_lags(count: int) -> int:
    """With a quarter of the pairs at least, as usual."""
    return min(MOST_LAGS, max(1, count * 3 // 4))


def noise_bound(count: int) -> float:
    """Independent values stay within this around 0, 95 % of them."""
    return 1.96 / sqrt(count)


def autocorrelation(values: Floats) -> Floats:
    """By lag from 0 on. The order of the values counts, not their size: a few calls that are a
    second late would outvote all others."""
    ranked = rankdata(values) - (len(values) + 1) / 2
    power = float(ranked @ ranked)
    count = len(values)
    if power == 0:  # all alike: each tells the next one exactly
        return np.ones(count_lags(count) + 1)
    found = [float(ranked[: count - lag] @ ranked[lag:]) for lag in range(count_lags(count) + 1)]
    return np.array(found) / power


def order_autocorrelation(delays: npt.NDArray[np.int64]) -> Floats:
    """[call, rank] -> by lag, the mean Spearman correlation of two calls' orders of arrival."""
    orders = rankdata(delays, axis=1)
    orders -= orders.mean(axis=1, keepdims=True)
    lengths = np.sqrt((orders * orders).sum(axis=1, keepdims=True))
    orders = np.divide(orders, lengths, out=np.zeros_like(orders), where=lengths > 0)
    count = len(orders)
    return np.array(
        [
            float((orders[: count - lag] * orders[lag:]).sum(axis=1).mean())
            for lag in range(count_lags(count) + 1)
        ]
    )
