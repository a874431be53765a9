# SPDX-License-Identifier: BSD-3-Clause
"""Counts, means, percentiles and intervals of every case and algorithm."""

import numpy as np
import pandas as pd

from agreport.data.load import PAIR, Results
from agreport.data.rows import ROWS
from agreport.stats.launch_interval import statistics_of
from agreport.stats.samples import measured

OF_ITERATIONS = ["stddev_us", "cv_percent", "p90_us", "p99_us", "min_us", "max_us"]


def summarise(results: Results, metric: str) -> pd.DataFrame:
    """Returns one row a case and algorithm. Where all iterations were late, a row has their number
    and no times. Values are sorted once, so that each percentile is a place among them."""
    column = results.column_of(metric)
    found = statistics_of(results, column)
    samples = measured(results, column).samples
    with np.errstate(divide="ignore", invalid="ignore"):  # times of 0 have no coefficient
        cv_percent = 100 * found.deviation / found.mean
    summary = pd.DataFrame(
        {
            "iterations": samples.iterations,
            "mean_us": found.mean,
            "stddev_us": found.deviation,
            "cv_percent": cv_percent,
            "median_us": found.median.value,
            "p90_us": found.percentiles[0.9],
            "p99_us": found.percentiles[0.99],
            "min_us": found.percentiles[0.0],
            "max_us": found.percentiles[1.0],
            "median_low_us": found.median.low,
            "median_high_us": found.median.high,
        },
        samples.index,
    )
    # Rows without iterations are means: their deviation and their percentiles are not known.
    unknown = summary["iterations"] == 0
    summary[OF_ITERATIONS] = summary[OF_ITERATIONS].mask(unknown)
    late = (
        results.runs[results.runs["status"] == "late"]
        .groupby(PAIR, observed=True)[ROWS]
        .sum()
        .rename("late")
    )
    summary = summary.join(late, how="outer").sort_index()
    counts = summary[["iterations", "late"]].fillna(0).astype(int)
    return counts.join(summary.drop(columns=["iterations", "late"]))
