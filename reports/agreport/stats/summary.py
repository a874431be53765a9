# SPDX-License-Identifier: BSD-3-Clause
"""Counts, means, percentiles and intervals of every case and algorithm."""

import pandas as pd

from agreport.data.load import PAIR, Results
from agreport.stats.launch_interval import median_interval
from agreport.stats.median_interval import sorted_groups
from agreport.stats.runs import grouped

OF_ITERATIONS = ["stddev_us", "cv_percent", "p90_us", "p99_us", "min_us", "max_us"]


def summarise(results: Results, metric: str) -> pd.DataFrame:
    """One row a case and algorithm with times, sorted once, so that ranks are positions; or with
    late iterations, which have none that count."""
    column = results.column_of(metric)
    rows = results.timed()[[*PAIR, "launch", "iteration", column]]
    pairs = grouped(rows, PAIR)
    by_pair = rows.groupby(pairs.number)
    summary = (
        by_pair[column].agg(["mean", "std"]).set_axis(["mean_us", "stddev_us"], axis="columns")
    )
    summary.insert(0, "iterations", by_pair["iteration"].count())
    summary = summary.set_axis(pairs.index)
    groups = sorted_groups(rows, PAIR, column)
    smallest, largest = groups.ends()
    median = median_interval(rows, PAIR, column)
    summary = summary.assign(
        cv_percent=100 * summary["stddev_us"] / summary["mean_us"],
        median_us=median.value,
        p90_us=groups.percentile(0.9),
        p99_us=groups.percentile(0.99),
        min_us=smallest,
        max_us=largest,
        median_low_us=median.low,
        median_high_us=median.high,
    )
    # Rows without iterations are means: what iterations alone can tell nobody knows of them.
    unknown = summary["iterations"] == 0
    summary[OF_ITERATIONS] = summary[OF_ITERATIONS].mask(unknown)
    late = results.with_status("late").groupby(PAIR, observed=True).size().rename("late")
    summary = summary.join(late, how="outer").sort_index()
    counts = summary[["iterations", "late"]].fillna(0).astype(int)
    return counts.join(summary.drop(columns=["iterations", "late"]))
