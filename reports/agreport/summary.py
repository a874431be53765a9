# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches."""

from argparse import ArgumentParser, Namespace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import binom

from agreport import options as opt
from agreport import render
from agreport.load import METRICS, PAIR, Results

CONFIDENCE = 0.95

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_metric(parser)
    render.add_output(parser)


def run(options: Namespace) -> None:
    summary = summarise(opt.load_selected(options), options.metric)
    render.write(summary.assign(metric=options.metric), options)


def summarise(results: Results, metric: str) -> pd.DataFrame:
    """One row a case and algorithm with times, sorted once, so that ranks are positions; or with
    late iterations, which have none that count."""
    column = METRICS[metric]
    rows = results.timed()[[*PAIR, column]]
    group = rows.groupby(PAIR, observed=True).ngroup().to_numpy()
    rows = rows.iloc[np.lexsort((rows[column], group))]
    times = rows[column].to_numpy()
    grouped = rows.groupby(PAIR, observed=True)[column]
    summary = grouped.agg(["size", "mean", "std"]).set_axis(
        ["iterations", "mean_us", "stddev_us"], axis="columns"
    )
    count = summary["iterations"].to_numpy()
    first = np.cumsum(count) - count
    low = median_rank(count)
    known = low > 0
    summary = summary.assign(
        cv_percent=100 * summary["stddev_us"] / summary["mean_us"],
        median_us=percentile(times, first, count, 0.5),
        p90_us=percentile(times, first, count, 0.9),
        p99_us=percentile(times, first, count, 0.99),
        min_us=times[first],
        max_us=times[first + count - 1],
        median_low_us=np.where(known, times[first + np.maximum(low, 1) - 1], np.nan),
        median_high_us=np.where(known, times[first + count - np.maximum(low, 1)], np.nan),
    )
    late = results.with_status("late").groupby(PAIR, observed=True).size().rename("late")
    summary = summary.join(late, how="outer").sort_index()
    counts = summary[["iterations", "late"]].fillna(0).astype(int)
    return counts.join(summary.drop(columns=["iterations", "late"]))


def percentile(times: Floats, first: Ints, count: Ints, fraction: float) -> Floats:
    """Of each sorted group; linear between neighbours, as numpy.percentile has it by default."""
    place = (count - 1) * fraction
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, count - 1)
    low, high = times[first + below], times[first + above]
    values: Floats = low + (high - low) * (place - below)
    return values


def median_rank(count: Ints) -> Ints:
    """The k for which the k-th smallest and k-th largest of n values enclose the median.

    Each value lies below the median with probability 1/2, so the number that do is binomial, and
    k is the largest with P(fewer than k) <= 2.5 %. No distribution of the times is assumed. 0:
    there is none, n < 6.
    """
    ranks: Ints = binom.ppf((1 - CONFIDENCE) / 2, count, 0.5).astype(int)
    return ranks
