# SPDX-License-Identifier: BSD-3-Clause
"""One launch a side: a test by its iterations, which do not say what another launch would.

The standard error is that of the log ratio of medians over the iterations, by bootstrap; of duets
that of the median log ratio of rounds. Launches differ by more than that, so a user has to ask for
verdicts by it.
"""

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.stats.inference import resampled_medians

from ..launches.pairing import DUETS, Pairing
from ..launches.sides import Sides
from .log_ratios import compare_rounds, take_logs
from .moderated_t import Estimate, Statistics
from .p_values import Significance, find_significance

FEWEST_ITERATIONS = 6


def assess_iterations(
    sides: Sides,
    pairing: Pairing,
    metric: str,
    cases: pd.MultiIndex,
    found: Significance,
    alpha: float,
) -> Significance:
    """found: by launches; of a single one it has the log ratios, and nothing else."""
    known = found.observed
    error = np.asarray(estimate_errors(sides, pairing, metric).reindex(cases), np.float64)
    total = Estimate(known.total.change, error, np.full(error.shape, np.inf))
    return find_significance(Statistics(total, known.own, known.common), alpha)


def estimate_errors(sides: Sides, pairing: Pairing, metric: str) -> "pd.Series[float]":
    if pairing.kind == DUETS:
        return bootstrap_errors(compare_rounds(sides, pairing, metric), "ratio")
    base, new = (
        bootstrap_errors(rows.assign(log=take_logs(rows[sides.results.column_of(metric)])), "log")
        for rows in (sides.rows(False), sides.rows(True))
    )
    both = pd.concat([base, new], axis=1, join="inner")
    return (both**2).sum(axis=1, skipna=False) ** 0.5


def bootstrap_errors(rows: pd.DataFrame, column: str) -> "pd.Series[float]":
    """The standard error of each case's median; NaN with too few iterations."""
    found: pd.Series[float] = rows.groupby(PAIR, observed=True)[column].agg(
        lambda values: (
            float(resampled_medians(values.to_numpy())[:, 0].std(ddof=1))
            if len(values) >= FEWEST_ITERATIONS
            else float("nan")
        )
    )
    return found
