# SPDX-License-Identifier: BSD-3-Clause
"""Whether a call tells anything of the ones after it."""

from math import sqrt

import numpy as np
import pandas as pd

from agreport.stats.inference import Floats, Ints

MOST_LAGS = 50


def noise_bound(count: int) -> float:
    """Independent values stay within this around 0, 95 % of them."""
    return 1.96 / sqrt(count)


def autocorrelation(values: Floats) -> Floats:
    """By lag from 0 on. The order of the values counts, not their size: a few calls that are a
    second late would outvote all others."""
    order = np.asarray(pd.Series(values).rank(), np.float64)
    products: Floats = lagged_products(order[:, np.newaxis] - (len(values) + 1) / 2)
    if products[0] == 0:  # all alike: each tells the next one exactly
        return np.ones(len(products))
    found: Floats = products / products[0]
    return found


def order_autocorrelation(delays: Ints) -> Floats:
    """[call, rank] -> by lag, the mean Spearman correlation of two calls' orders of arrival."""
    ranked = pd.DataFrame(delays).rank(axis=1).to_numpy()
    orders = ranked - ranked.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(orders, axis=1, keepdims=True)
    orders = np.divide(orders, lengths, out=np.zeros_like(orders), where=lengths > 0)
    products = lagged_products(orders)
    return products / (len(orders) - np.arange(len(products)))


def lagged_products(rows: Floats) -> Floats:
    """By lag, the sum over the products of each row with a later one, with a quarter of the pairs
    at least, as usual."""
    count = len(rows)
    lags = min(MOST_LAGS, max(1, count * 3 // 4))
    return np.array([np.sum(rows[: count - lag] * rows[lag:]) for lag in range(lags + 1)])
