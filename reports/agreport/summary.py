# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches."""

from argparse import ArgumentParser, Namespace

import pandas as pd

from agreport import options as opt
from agreport import render
from agreport.inference import CONFIDENCE as CONFIDENCE
from agreport.load import METRICS, PAIR, Results
from agreport.order_statistics import sorted_groups


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
    grouped = rows.groupby(PAIR, observed=True)[column]
    summary = grouped.agg(["size", "mean", "std"]).set_axis(
        ["iterations", "mean_us", "stddev_us"], axis="columns"
    )
    groups = sorted_groups(rows, PAIR, column)
    smallest, largest = groups.ends()
    low, high = groups.median_interval()
    summary = summary.assign(
        cv_percent=100 * summary["stddev_us"] / summary["mean_us"],
        median_us=groups.percentile(0.5),
        p90_us=groups.percentile(0.9),
        p99_us=groups.percentile(0.99),
        min_us=smallest,
        max_us=largest,
        median_low_us=low,
        median_high_us=high,
    )
    late = results.with_status("late").groupby(PAIR, observed=True).size().rename("late")
    summary = summary.join(late, how="outer").sort_index()
    counts = summary[["iterations", "late"]].fillna(0).astype(int)
    return counts.join(summary.drop(columns=["iterations", "late"]))
