# SPDX-License-Identifier: BSD-3-Clause
"""One launch a side: what its iterations tell, which is not what another launch would.

The standard error is that of the ratio of medians over the iterations, by bootstrap; of duets of
the median ratio of rounds. Launches differ by more than that, so verdicts by it are for those
who ask for them.
"""

import numpy as np
import pandas as pd
from scipy.stats import norm

from agreport.data.load import METRICS, PAIR
from agreport.stats.inference import Floats, resampled_medians

from .chance import Chance, Judgement
from .changes import logarithms, rounds
from .evidence import Change, Evidence
from .pairing import DUETS, Pairing
from .sides import Sides

FEWEST_ITERATIONS = 6


def judge_single(
    sides: Sides, pairing: Pairing, metric: str, index: pd.MultiIndex, means: Floats, alarms: float
) -> Judgement:
    """means: the log changes, of the cases in the index."""
    error = errors(sides, pairing, METRICS[metric]).reindex(index).to_numpy(float)
    nothing = Change(np.full((1, len(index)), np.nan), np.full((1, len(index)), np.nan))
    total = Change(means[np.newaxis], np.asarray(error, np.float64)[np.newaxis])
    none = Change(np.full((1, 1), np.nan), np.full((1, 1), np.nan))
    slower, faster = (
        Chance(whole(p), p, float(norm.isf(alarms / max(1, len(index)))))
        for p in (norm.sf(sign * total.statistic[0]) for sign in (1, -1))
    )
    return Judgement(Evidence(total, nothing, none), np.full(len(index), np.inf), slower, faster)


def whole(p: Floats) -> float:
    """Bonferroni's, over the cases."""
    known = p[~np.isnan(p)]
    return min(1.0, len(known) * float(known.min())) if len(known) else 1.0


def errors(sides: Sides, pairing: Pairing, column: str) -> "pd.Series[float]":
    if pairing.kind == DUETS:
        found = rounds(sides, pairing, column)
        grouped = found.groupby(PAIR, observed=True)["ratio"]
        return grouped.agg(lambda values: median_error(values.to_numpy()))
    rows = sides.rows(False), sides.rows(True)
    base, new = (
        logarithms(side[column])
        .groupby([side[key] for key in PAIR], observed=True)
        .agg(lambda values: median_error(values.to_numpy()))
        for side in rows
    )
    both = pd.concat([base, new], axis=1, join="inner")
    return (both**2).sum(axis=1, skipna=False) ** 0.5


def median_error(values: Floats) -> float:
    if len(values) < FEWEST_ITERATIONS:
        return float("nan")
    return float(resampled_medians(values)[:, 0].std(ddof=1))
