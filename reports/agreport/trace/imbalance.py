# SPDX-License-Identifier: BSD-3-Clause
"""Computes how far apart the ranks arrive at their calls, after Faraj (2006), 4.2.

The average case imbalance of a call is the mean of the ranks' distances from their average arrival,
the worst case imbalance the last minus the first arrival. As factors they are divided by the time T
of one message of the call. A call whose worst case factor is below 1 is balanced.

What the calls of a site cost is the mean over the program's ranks of the time in them. Until the
last rank has come, ranks wait; what comes then is the algorithm's. Where each rank needs something
of all (all-gather, all-reduce, all-to-all, barrier) no other algorithm changes the waiting. In a
broadcast, a gather, a scan it may: there a rank needs some of the others alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.trace.calls import Calls, Trace

US = 1000.0  # in nanoseconds
BALANCED = 1.0


@dataclass(frozen=True)
class MessageTimes:
    """Says how long a message takes, by its size (T).

    given_us: one time for all sizes, in microseconds; None: a time lies on a line between measured
    ones. measured: sizes in bytes, each with its time in nanoseconds.
    """

    given_us: float | None
    measured: Sequence[tuple[int, int]]

    def describe(self) -> str:
        """Returns a phrase that says what factors are relative to."""
        if self.given_us is not None:
            return f"{self.given_us:g} µs a message, as given"
        return "the time of one of its messages between the first rank and the last"

    def interpolate_us(self, sizes: "pd.Series[int]") -> "pd.Series[float]":
        if self.given_us is not None:
            return pd.Series(self.given_us, sizes.index)
        if not self.measured:
            return pd.Series(np.nan, sizes.index)
        known, times = np.array(self.measured, float).T
        found = np.interp(sizes, known, times)
        if len(known) > 1:  # larger than any measured: on along the last line
            byte_ns = max(0.0, (times[-1] - times[-2]) / (known[-1] - known[-2]))
            found += byte_ns * np.maximum(0, sizes - known[-1])
        return pd.Series(found / US, sizes.index)


def imbalances(trace: Trace, message_times: MessageTimes) -> pd.DataFrame:
    """Returns a row for each call of more than one rank, in the order of first arrivals: the
    columns of measure, message_us, average_factor, worst_factor, and site, the number of the call
    site. `group` and `call` are the place of the call in the trace. Raises BadInput if there is no
    such call."""
    # Together by their numbers of ranks: a program may make a communicator for each call.
    together: dict[int, list[int]] = defaultdict(list)
    for number, calls in enumerate(trace.groups):
        if calls.ranks > 1 and len(calls):
            together[calls.ranks].append(number)
    frames = [measure(trace.groups, numbers) for numbers in together.values()]
    if not frames:
        raise BadInput(f"{trace.folder}: no collective calls of more than one rank")
    rows = pd.concat(frames, ignore_index=True)
    rows = rows.sort_values("group", kind="stable", ignore_index=True)
    rows = rows.sort_values("start_ns", ignore_index=True)
    rows["message_us"] = message_times.interpolate_us(rows["bytes"])
    for case in ("average", "worst"):
        rows[f"{case}_factor"] = rows[f"{case}_us"] / rows["message_us"]
    # Call sites are numbered by their first calls: one place, operation and number of ranks.
    rows["site"] = rows.groupby(["place", "operation", "ranks"], sort=False).ngroup()
    return rows


def measure(groups: Sequence[Calls], numbers: Sequence[int]) -> pd.DataFrame:
    """Returns a row for each call of the groups with these numbers, which have calls and all the
    same number of ranks. The ending of a column is its unit: _us or _ns."""
    some = [groups[number] for number in numbers]
    lengths = [len(calls) for calls in some]
    arrival_ns, exit_ns, sizes, operation, site, after_write, weight = (
        np.concatenate(parts)
        for parts in zip(
            *(
                (each.arrival_ns, each.exit_ns, each.bytes, each.operation, each.site,
                 each.after_write, each.weight)
                for each in some
            ),
            strict=True,
        )
    )  # fmt: skip
    first_arrival, last_arrival = arrival_ns.min(axis=1), arrival_ns.max(axis=1)
    delays = (arrival_ns - first_arrival[:, np.newaxis]) / US
    after_last = exit_ns - last_arrival[:, np.newaxis]
    return pd.DataFrame(
        {
            "group": np.repeat(numbers, lengths),
            "call": np.concatenate([np.arange(length) for length in lengths]),
            "communicator": np.repeat([calls.identity for calls in some], lengths),
            "operation": operation,
            "place": site,
            "ranks": some[0].ranks,
            "bytes": sizes,
            "start_ns": first_arrival,
            "average_us": np.abs(delays - delays.mean(axis=1, keepdims=True)).mean(axis=1),
            "worst_us": delays.max(axis=1),
            "after_last_us": (exit_ns.max(axis=1) - last_arrival) / US,
            "ranks_us": (exit_ns - arrival_ns).sum(axis=1) / US,
            "ranks_after_last_us": after_last.clip(min=0).sum(axis=1) / US,
            "after_write": after_write,
            "weight": weight,
        }
    )


def describe_shares(trace: Trace, rows: pd.DataFrame) -> str:
    """Returns a text on the time from the program's first call to its last: how much of it the
    ranks spend in these calls, and how much after the last rank has come, in the mean over the
    program's ranks."""
    all_us = trace.ranks * trace.span_ns() / US
    in_calls, after_last = (
        100 * (rows[column] * rows["weight"]).sum() / all_us
        for column in ("ranks_us", "ranks_after_last_us")
    )
    return (
        f"{in_calls:.1f} % in these calls, {after_last:.1f} % after the last rank had come: all "
        "that another algorithm could gain, where each rank needs all"
    )


def mean(rows: pd.DataFrame, column: str) -> float:
    """Averages over calls with a value; NaN if there are none. A call of a sample counts for all
    that it stands for."""
    known = rows[rows[column].notna()]
    return float(np.average(known[column], weights=known["weight"])) if len(known) else np.nan


def summarise_sites(trace: Trace, rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for each call site with all its calls taken together, as in Faraj's tables 4.10
    to 4.12; the sites that take most time first."""
    all_us = trace.ranks * trace.span_ns() / US
    grouped = rows.assign(
        time=rows["ranks_us"] * rows["weight"],
        after_last=rows["ranks_after_last_us"] * rows["weight"],
        balanced=(rows["worst_factor"] < BALANCED)
        .where(rows["worst_factor"].notna())
        .astype(float),
    ).groupby("site")

    def means(column: str) -> "pd.Series[float]":
        found = {site: mean(calls, column) for site, calls in grouped}
        return pd.Series(found).rename_axis("site")

    first = grouped[["place", "operation", "ranks"]].first()
    table = pd.DataFrame(
        {
            "operation": [trace.operations[number] for number in first["operation"]],
            "where": [str(trace.sites[number]) for number in first["place"]],
            "ranks": first["ranks"],
            "communicators": grouped["communicator"].nunique(),
            "calls": grouped["weight"].sum(),
            "min_bytes": grouped["bytes"].min(),
            "max_bytes": grouped["bytes"].max(),
            "time_percent": 100 * grouped["time"].sum() / all_us,
            "after_last_percent": 100 * grouped["after_last"].sum() / all_us,
            "average_us": means("average_us"),
            "worst_us": means("worst_us"),
            "largest_us": grouped["worst_us"].max(),
            "message_us": means("message_us"),
            "average_factor": means("average_factor"),
            "worst_factor": means("worst_factor"),
            "balanced_percent": 100 * means("balanced"),
        }
    )
    return table.sort_values("time_percent", ascending=False, kind="stable")
