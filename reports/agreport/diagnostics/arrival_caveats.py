# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt when ranks arrived, as sentences: under arrival patterns, and without."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, PAIR, Results
from agreport.data.rows import ROWS, grouped

# Errors matter from these shares of what is asked for, or of what is compared, on.
HIGHEST_SHARE = 0.1
HIGHEST_LATE = 0.1
NEAR_EFFECT = 0.5  # of the lead
UNSYNCHRONISED = "none"  # --sync: there ranks are as far apart as the program makes them
MOST_APART = 0.1  # of the median elapsed time


def arrival_caveats(results: Results) -> list[str]:
    return [*delay_errors(results), *clock_errors(results)]


def ranks_apart(results: Results) -> Iterator[str]:
    """That ranks did not begin together although no pattern asked them to be apart."""
    rows = results.timed()[[*PAIR, "launch", "imbalance_us", "avg_us"]]
    apart = [
        number
        for number, launch in enumerate(results.launches)
        if launch.metadata.get("sync") == UNSYNCHRONISED
    ]
    kept = rows["arrival"].eq(NONE) & rows["imbalance_us"].notna() & ~rows["launch"].isin(apart)
    rows = rows if kept.all() else rows[kept]
    pairs = grouped(rows, PAIR)
    medians = rows[["imbalance_us", "avg_us"]].groupby(pairs.number).median().set_axis(pairs.index)
    shares = (medians["imbalance_us"] / medians["avg_us"])[medians["avg_us"] > 0]
    if over := int(shares.gt(MOST_APART).sum()):
        worst = shares.idxmax()
        assert isinstance(worst, tuple)
        named = dict(zip(PAIR, worst, strict=True))
        yield (
            f"Ranks did not begin together: the median imbalance is over {100 * MOST_APART:g} % "
            f"of the median elapsed time in {over} of {len(shares)} pairs of case and "
            f"algorithm, at most {100 * shares.max():.3g} % ({named['algorithm']}, "
            f"{named['bytes']} B on {named['ranks']} ranks). What the synchronisation leaves is "
            "in the times. Measure with --sync dissemination, which leaves the same with every "
            "MPI library, or with --sync window, which leaves least if each rank has a core."
        )


def late_share(results: Results) -> Iterator[str]:
    runs = results.runs[results.runs["status"].isin(["ok", "late"])]
    late = runs[ROWS].where(runs["status"].eq("late"), 0)
    total, every = int(late.sum()), int(runs[ROWS].sum())
    if not total:
        return
    counts = runs[PAIR].assign(late=late, rows=runs[ROWS]).groupby(PAIR, observed=True).sum()
    share = counts["late"] / counts["rows"]
    many = int(share.gt(HIGHEST_LATE).sum())
    yield (
        f"Late iterations, which do not count: {total} of {every} "
        f"({format_percent(total / every)}), over {format_percent(HIGHEST_LATE)} of them for "
        f"{many} of {len(share)} pairs of case and algorithm. They follow slow iterations, so "
        "those left may be the faster ones: synchronise with --sync barrier, or measure more."
    )


def delay_errors(results: Results) -> Iterator[str]:
    """Whether ranks arrived when they should."""
    for column, name, share in (
        ("asked_imbalance_us", "the asked imbalance", HIGHEST_SHARE),
        ("message_us", "the time of one block's message", 1.0),
    ):
        parts = error_shares(results, "delay_error_us", column)
        if over := int((parts > share).sum()):
            yield (
                f"Ranks did not arrive as asked: the worst rank's delay error is, in the median, "
                f"over {format_percent(share)} of {name} in {over} of {len(parts)} cases, at "
                f"most {format_percent(float(parts.max()))}. Ask for longer delays, or "
                "give each rank a core (--wait busy)."
            )


def clock_errors(results: Results) -> Iterator[str]:
    """Whether the ranks' common clock is good enough for what is compared."""
    parts = error_shares(results, "clock_error_us", "asked_imbalance_us")
    if over := int((parts > HIGHEST_SHARE).sum()):
        yield (
            f"The clock error is over {format_percent(HIGHEST_SHARE)} of the asked imbalance in "
            f"{over} of {len(parts)} cases. Ask for longer delays."
        )
    yield from clock_near_effect(results)


def clock_near_effect(results: Results) -> Iterator[str]:
    """Only times that take two ranks' clocks have its error: arrivals, and --sync window."""
    timed = results.timed()
    if not timed["clock_error_us"].gt(0).any():
        return
    clock = timed.groupby(CASE, observed=True)["clock_error_us"].median()
    leads = pd.DataFrame({"clock": clock, "lead": lead_us(timed)}).dropna()
    leads = leads[leads["clock"] > 0]
    close = leads["clock"] > NEAR_EFFECT * leads["lead"]
    if close.any():
        yield (
            f"The clock error is over {format_percent(NEAR_EFFECT)} of the lead of the fastest "
            f"algorithm over the second in {int(close.sum())} of {len(leads)} cases. "
            "Elapsed times and --sync barrier take no common clock: use them there, or measure "
            "larger differences."
        )


def error_shares(results: Results, error: str, of: str) -> "pd.Series[float]":
    """Of each case with an arrival pattern the median error, as a share of another median."""
    timed = results.timed()
    timed = timed[timed["arrival"] != NONE]
    cases = timed.groupby(CASE, observed=True)[[error, of]].median()
    cases = cases[cases[of] > 0]
    return (cases[error] / cases[of]).dropna()


def lead_us(timed: pd.DataFrame) -> "pd.Series[float]":
    """By how much the fastest algorithm of each case is ahead, by mean average elapsed time."""
    means = timed.groupby(PAIR, observed=True)["avg_us"].mean().unstack("algorithm")
    if means.shape[1] < 2:
        return pd.Series(np.nan, means.index)
    ordered = np.sort(means.to_numpy(), axis=1)  # NaN last
    return pd.Series(ordered[:, 1] - ordered[:, 0], means.index)


def format_percent(share: float) -> str:
    return f"{100 * share:.3g} %"
