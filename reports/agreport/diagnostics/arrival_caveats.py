# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt when ranks arrived, as sentences: under arrival patterns, and without."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from agformats.files.result_file import CYCLE, ELAPSED
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, PAIR, Results
from agreport.data.rows import ROWS, grouped
from agreport.diagnostics.answers import Answers, Caveat, logs, times_as_long
from agreport.stats.launch_interval import statistics_of
from agreport.stats.samples import timed_samples

# Errors matter where they are over these shares of what is asked for, or of what is compared.
HIGHEST_SHARE = 0.1
HIGHEST_LATE = 0.1
NEAR_EFFECT = 0.5  # of the lead
UNSYNCHRONISED = "none"  # --sync: there ranks are as far apart as the program makes them
MOST_APART = 0.1  # of the median elapsed time
MOST_LATE = 0.5  # if more are late, the median is a late one


def arrival_caveats(results: Results) -> list[str]:
    return [one.text for one in arrival_errors(results)]


def arrival_errors(results: Results) -> Iterator[Caveat]:
    if results.has_patterns:
        yield from delay_errors(results)
        yield from clock_errors(results)
    yield from clock_near_effect(results)


def ranks_apart(
    results: Results, found: Answers | None = None, metric: str = "avg"
) -> Iterator[Caveat]:
    """Says that ranks did not begin together although no pattern asked them to be apart.

    This makes a time too long by at most as much as ranks were apart, so nothing is said where the
    times of a comparison differ by more. Nothing is said of cycles, which nothing synchronises.
    found: None if nothing is compared.
    """
    if metric == CYCLE:
        return
    rows = results.timed()
    apart = [
        number
        for number, launch in enumerate(results.launches)
        if launch.metadata.get("sync") == UNSYNCHRONISED
    ]
    kept = rows["arrival"].eq(NONE) & rows["imbalance_us"].notna() & ~rows["launch"].isin(apart)
    rows = rows if kept.all() else rows.loc[kept, [*PAIR, "imbalance_us", "avg_us"]]
    pairs = grouped(rows, PAIR)
    medians = rows[["imbalance_us", "avg_us"]].groupby(pairs.number).median().set_axis(pairs.index)
    shares = (medians["imbalance_us"] / medians["avg_us"])[medians["avg_us"] > 0]
    many = shares[shares > MOST_APART]
    if found:
        many = many[found.matter(logs(1 + many))]
    if many.empty:
        return
    worst = many.idxmax()
    assert isinstance(worst, tuple)
    named = dict(zip(PAIR, worst, strict=True))
    less = ", and more than what is compared differs by," if found and found.called else ""
    text = (
        f"Ranks did not begin together: the median imbalance is over {100 * MOST_APART:g} % "
        f"of the median elapsed time{less} in {len(many)} of {len(shares)} pairs of case and "
        f"algorithm, at most {times_as_long(many.max())} ({named['algorithm']}, "
        f"{named['bytes']} B on {named['ranks']} ranks). What the synchronisation leaves is "
        "in the times. Measure with --sync dissemination, which leaves the same with every "
        "MPI library, or with --sync window, which leaves least if each rank has a core."
    )
    yield found.caveat(text, found.reach(logs(1 + many))) if found else Caveat(text)


def late_share(results: Results, found: Answers) -> Iterator[Caveat]:
    """Says that late iterations do not count. They follow slow iterations. If all of them had been
    slow, the median would be further up among the values of the others: nothing is said where that
    would turn no comparison round."""
    runs = results.runs[results.runs["status"].isin(["ok", "late"])]
    late = runs[ROWS].where(runs["status"].eq("late"), 0)
    total, every = int(late.sum()), int(runs[ROWS].sum())
    if not total:
        return
    counts = runs[PAIR].assign(late=late, rows=runs[ROWS]).groupby(PAIR, observed=True).sum()
    share = counts["late"] / counts["rows"]
    reach = found.reach(late_effects(results, share[share > 0]))
    if not reach:
        return
    many = int(share.gt(HIGHEST_LATE).sum())
    yield found.caveat(
        f"Late iterations, which do not count: {total} of {every} "
        f"({format_percent(total / every)}), over {format_percent(HIGHEST_LATE)} of them for "
        f"{many} of {len(share)} pairs of case and algorithm. They follow slow iterations, so "
        "those left may be the faster ones: synchronise with --sync barrier, or measure more.",
        reach,
    )


def late_effects(results: Results, share: "pd.Series[float]") -> "pd.Series[float]":
    """Returns by PAIR the logarithm of the ratio of two medians: of all iterations, if the late
    ones were the slowest, over that of the iterations that count. It is infinite where no iteration
    counts or at least half of them were late. share: of late iterations, by PAIR."""
    rows = results.timed()
    pairs = grouped(rows, PAIR)
    lines = pairs.index.get_indexer(share.index)
    kept = np.isin(pairs.number, lines)
    groups: dict[Any, Any] = {
        number: values.to_numpy(float)
        for number, values in rows["avg_us"][kept].groupby(pairs.number[kept])
    }
    found = pd.Series(np.inf, share.index)  # stays infinite where no iteration counts
    for line, late, key in zip(lines.tolist(), share, share.index, strict=True):
        if line in groups and late < MOST_LATE:
            middle, upper = np.quantile(groups[line], [0.5, 0.5 / (1 - late)])
            found[key] = np.log(upper / middle) if middle > 0 else np.inf
    return found


def delay_errors(results: Results) -> Iterator[Caveat]:
    """Says that ranks did not arrive when they should, if that may change what is compared. That
    changes nothing where the fastest algorithm is ahead of the second by at least twice the median
    delay error."""
    lead, error = leads(results, "delay_error_us")
    open_cases = error.index[~(error <= NEAR_EFFECT * lead)]
    for column, name, share in (
        ("asked_imbalance_us", "the asked imbalance", HIGHEST_SHARE),
        ("message_us", "the time of one block's message", 1.0),
    ):
        parts = error_shares(results, "delay_error_us", column)
        over = parts[parts > share]
        if changed := int(over.index.isin(open_cases).sum()):
            yield Caveat(
                f"Ranks did not arrive as asked: the worst rank's delay error is, in the median, "
                f"over {format_percent(share)} of {name} in {len(over)} of {len(parts)} cases, at "
                f"most {times_as_long(float(parts.max()))}. Ask for longer delays, or "
                f"give each rank a core (--wait busy).{of_cases(changed)}",
                changed,
            )


def clock_errors(results: Results) -> Iterator[Caveat]:
    """Says that the ranks' common clock is too inexact for the arrival patterns, if that may change
    what is compared. That changes nothing where the fastest algorithm is ahead of the second by at
    least twice the median clock error."""
    lead, error = leads(results, "clock_error_us")
    open_cases = error.index[~(error <= NEAR_EFFECT * lead)]
    parts = error_shares(results, "clock_error_us", "asked_imbalance_us")
    over = parts[parts > HIGHEST_SHARE]
    if changed := int(over.index.isin(open_cases).sum()):
        yield Caveat(
            f"The clock error is over {format_percent(HIGHEST_SHARE)} of the asked imbalance in "
            f"{len(over)} of {len(parts)} cases. Ask for longer delays.{of_cases(changed)}",
            changed,
        )


def clock_near_effect(results: Results) -> Iterator[Caveat]:
    """Says in how many cases the median clock error is over NEAR_EFFECT of the fastest algorithm's
    lead over the second. Only times that take two ranks' clocks have this error: arrivals, and
    times with --sync window. Nothing is said if no timed row has a clock error, or if there are no
    such cases."""
    if not results.timed()["clock_error_us"].gt(0).any():
        return
    lead, error = leads(results, "clock_error_us")
    known = lead.notna() & (error > 0)
    if close := int((error > NEAR_EFFECT * lead)[known].sum()):
        yield Caveat(
            f"The clock error is over {format_percent(NEAR_EFFECT)} of the lead of the fastest "
            f"algorithm over the second in {close} of {int(known.sum())} cases. "
            "Elapsed times and --sync barrier take no common clock: use them there, or measure "
            "larger differences.",
            close,
        )


def leads(results: Results, error: str) -> "tuple[pd.Series[float], pd.Series[float]]":
    """Returns two series by CASE, in us: by how much the fastest algorithm is ahead of the second,
    and the median of an error. error: its column."""
    lead = results.once("lead_us", lambda: lead_us(results))
    errors = results.once(("errors", error), lambda: case_medians(results.timed(), [error]))
    return lead, errors[error].reindex(lead.index)


def case_medians(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    cases = grouped(rows, CASE)
    return rows[columns].groupby(cases.number).median().set_axis(cases.index)


def of_cases(changed: int) -> str:
    return f" It is more than half of the fastest one's lead, or nothing is compared, in {changed}."


def error_shares(results: Results, error: str, of: str) -> "pd.Series[float]":
    """Returns the median error, as a share of another median, of each case with an arrival
    pattern."""
    timed = results.timed()[[*CASE, error, of]]
    cases = case_medians(timed[timed["arrival"] != NONE], [error, of])
    cases = cases[cases[of] > 0]
    return (cases[error] / cases[of]).dropna()


def lead_us(results: Results) -> "pd.Series[float]":
    """Returns by how much the fastest algorithm of each case is ahead, by mean average elapsed
    time."""
    found = statistics_of(results, ELAPSED["avg"]).mean
    means = pd.Series(found, timed_samples(results).index).unstack("algorithm")
    if means.shape[1] < 2:
        return pd.Series(np.nan, means.index)
    ordered = np.sort(means.to_numpy(), axis=1)  # NaN last
    return pd.Series(ordered[:, 1] - ordered[:, 0], means.index)


def format_percent(share: float) -> str:
    return f"{100 * share:.3g} %"
