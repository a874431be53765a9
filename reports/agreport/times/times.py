# SPDX-License-Identifier: BSD-3-Clause
"""Times of all algorithms side by side: block sizes down, algorithms across, the fastest marked.

A table for each number of ranks. * is the fastest, ~ a near-tie with it. --value bandwidth is what
nccl-tests call bus bandwidth, in GB/s: the bytes of a rank's result by the time, times
(ranks - 1) / ranks, or 2 (ranks - 1) / ranks in an all-reduce, or 1 in a broadcast and a reduction;
it takes blocks of one size. --intervals adds the 95 % interval of the median.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from agformats.case_words import EQUAL_BLOCKS
from agformats.errors import BadInput
from agreport.cli.report import Part
from agreport.data.load import CASE, PANEL, Results
from agreport.figure.words import (
    interval_of,
    near_tie,
    one_launch,
    panel_title,
    plural,
    shown,
    size_label,
    what_a_time_is,
)
from agreport.reports.quality import VALUES
from agreport.stats.medians import bus_kilobytes
from agreport.stats.times import times_of

FASTEST, NEAR = "*", "~"


def table(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns a row for each case and algorithm with a time: time_us, its interval (low_us and
    high_us), bandwidth_gbs in GB/s (NaN of blocks of different sizes), and the mark."""
    times = times_of(results, options.metric, options.statistic, options.united)
    best = times.us.eq(times.us.min(axis=1), axis=0)
    marks = best.replace({True: FASTEST, False: ""}).mask(times.near(), NEAR)
    frames = {"time_us": times.us, "low_us": times.low_us, "high_us": times.high_us, "mark": marks}
    found = pd.concat(
        [frame.stack(future_stack=True) for frame in frames.values()], axis=1, keys=list(frames)
    )
    found.index = found.index.set_names([*CASE, "algorithm"])
    found = found[found["time_us"].notna()]
    place = found.index.to_frame()
    equal = place["distribution"].eq(EQUAL_BLOCKS)
    found.insert(
        3,
        "bandwidth_gbs",
        bus_kilobytes(place).where(equal & (found["time_us"] > 0)).div(found["time_us"]),
    )
    return found


def check_intervals(options: Namespace, results: Results) -> Results:
    if options.intervals and options.statistic != "median":
        raise BadInput(
            f"--intervals: are of medians, and --statistic is {options.statistic}; legal: "
            "--statistic median"
        )
    return results


def parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    unit = VALUES[options.value]
    yield from one_launch(times_of(results, options.metric, options.statistic, options.united))
    yield (
        f"{FASTEST} the fastest, {NEAR} a near-tie with it: {near_tie(results)}."
        + (f" In brackets: {interval_of(results)}." if options.intervals else "")
    )
    yield what_a_time_is(options.statistic, options.metric)
    if options.value == "bandwidth":
        whole = len(found)
        found = found[found["bandwidth_gbs"].notna()]
        if found.empty:
            raise BadInput(
                "--value bandwidth: blocks of different sizes only; legal: the distribution "
                f"{EQUAL_BLOCKS}"
            )
        if left := whole - len(found):
            yield f"Left out: {plural(left, 'time')} of blocks of different sizes."
    varied = results.has_patterns
    groups: Any = found.groupby([*PANEL, "ranks"], observed=True)
    for (*panel, ranks), group in groups:
        title = panel_title(tuple(panel), varied)
        yield f"{title}, {plural(ranks, 'rank')} ({unit})", wide(group, options)


def wide(group: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    texts = group.apply(cell, axis=1, options=options)
    names = texts.index.unique("algorithm")
    table = texts.droplevel([*PANEL, "ranks"]).unstack("algorithm")[list(names)].fillna("-")
    table.columns = [shown(str(name)) for name in table.columns]
    table.insert(0, "bytes", [size_label(int(size)) for size in table.index])
    return table.reset_index(drop=True)


def cell(row: "pd.Series[float]", options: Namespace) -> str:
    value, low, high = (row[name] for name in ("time_us", "low_us", "high_us"))
    if options.value == "bandwidth":
        kilobytes = row["bandwidth_gbs"] * value
        value, low, high = (kilobytes / us if us else np.inf for us in (value, high, low))
    text = digits(value) + str(row["mark"])
    if options.intervals and low == low:
        text += f" ({digits(low)} to {digits(high)})"
    return text


def digits(value: float) -> str:
    """Returns the number with three digits, or more if it is larger: 1.23, 12.3, 12345."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def of_medians(results: Results, options: Namespace) -> Results:
    options.intervals = options.statistic == "median"
    return results
