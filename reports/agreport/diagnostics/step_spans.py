# SPDX-License-Identifier: BSD-3-Clause
"""Computes how long the steps of a schedule take, without the time in which a rank waits for other
ranks.

The own time of a step begins on a rank when the rank, and all that it sends to or receives from in
this step, have begun it, by the common clock. It ends when the rank ends the step. The k-th step
in which a rank sends to another belongs to the k-th in which that one receives from it. A receiver
that begins after the sender's end was not waited for: the message was buffered.

The time of a message is the own time of the step that receives it, if that receives from one rank
only. In two cases this is not exact, so a message has a least and a most time:

- The receiver begins later than the sender. The message may have been on its way before, so it
  takes at most so much longer.
- The receiver's step also lasts until its own messages are sent. If a rank that it sends to takes
  at least half as long, and the sender of the message less, the message takes at least as long as
  the sender's step.

Where ranks keep pace, both are equal in nearly all steps. A message counts as quick or as slow only
if it is so by both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agformats.files import result_file
from agreport.data.hosts import hosts_of_ranks, why_unknown
from agreport.data.load import CASE, PAIR, SETTING, Launch, Results
from agreport.data.step_times import AFTER, BEFORE, STEP, peers
from agreport.stats.arrays import Floats

PART = ["rank", "step", "part", "to", "from", "sent_bytes", "received_bytes", "barrier"]
LINK = ["from_rank", "to_rank"]
HOSTS = ["from_host", "to_host"]
QUICK = 0.25  # ratios are of times to this quantile
MOST_USES = 0.75  # a slow link is slow in more than this part of its uses
HALF = 0.5


@dataclass(frozen=True)
class Calls:
    """The calls of one algorithm in one case of one launch.

    parts: a row for each rank and part, without times. start_us, end_us: calls down, the rows of
    parts across; both count from the first rank's arrival.
    """

    parts: pd.DataFrame
    start_us: Floats
    end_us: Floats
    longest_us: Floats  # by call: of the slowest rank, from its own arrival

    @cached_property
    def meets(self) -> tuple[list[list[int]], list[list[int]]]:
        """Returns, for each row, the rows of the steps that it sends to and receives from."""
        sends: dict[tuple[int, int], list[int]] = {}
        receives: dict[tuple[int, int], list[int]] = {}
        ranks = int(self.parts["rank"].max()) + 1
        for row, (rank, to, source) in enumerate(
            self.parts[["rank", "to", "from"]].itertuples(index=False)
        ):
            for other in peers(to, ranks):
                sends.setdefault((rank, other), []).append(row)
            for other in peers(source, ranks):
                receives.setdefault((other, rank), []).append(row)
        met_to: list[list[int]] = [[] for _ in range(len(self.parts))]
        met_from: list[list[int]] = [[] for _ in range(len(self.parts))]
        for link, sending in sends.items():
            receiving = receives.get(link, [])
            if len(sending) != len(receiving):  # steps that do not meet one by one tell nothing
                continue
            for one, other in zip(sending, receiving, strict=True):
                met_to[one].append(other)
                met_from[other].append(one)
        return met_to, met_from

    @cached_property
    def ready_us(self) -> Floats:
        """Returns when the last of those that a step needs had begun the step: calls down, parts
        across."""
        ready = self.start_us.copy()
        barriers = self.parts["barrier"].eq(1)
        number = self.parts["barrier"].groupby(self.parts["rank"]).cumsum()
        for _, rows in self.parts[barriers].groupby(number[barriers]):
            ready[:, rows.index] = self.start_us[:, rows.index].max(axis=1, keepdims=True)
        for row, (to, source) in enumerate(zip(*self.meets, strict=True)):
            for other in source:
                np.maximum(ready[:, row], self.start_us[:, other], out=ready[:, row])
            for other in to:
                begun = self.start_us[:, other]
                waited = np.where(begun < self.end_us[:, row], begun, -np.inf)
                np.maximum(ready[:, row], waited, out=ready[:, row])
        return np.minimum(ready, self.end_us)

    @cached_property
    def own_us(self) -> Floats:
        found: Floats = self.end_us - self.ready_us
        return found

    @cached_property
    def late_us(self) -> Floats:
        """Returns by how much a rank begins a step later than all that it receives from: calls
        down, parts across."""
        found = np.zeros(self.own_us.shape)
        for row, source in enumerate(self.meets[1]):
            if source:
                begun = self.start_us[:, source].max(axis=1)
                found[:, row] = np.maximum(self.start_us[:, row] - begun, 0)
        return found

    def steps(self) -> pd.DataFrame:
        """Returns the parts with the number of calls, and with medians of their times over the
        calls. waits_us: how long a rank waits for others in the part; most_us: own_us and by how
        much the rank began later than all that it receives from."""
        return self.parts.assign(
            calls=len(self.start_us),
            start_us=np.median(self.start_us, axis=0),
            end_us=np.median(self.end_us, axis=0),
            waits_us=np.median(self.ready_us - self.start_us, axis=0),
            own_us=np.median(self.own_us, axis=0),
            most_us=np.median(self.own_us + self.late_us, axis=0),
        )

    def messages(self) -> pd.DataFrame:
        """Returns one row for each step that receives bytes from one rank alone: the ranks of the
        link, the step, its bytes, and the medians over the calls of the message's least time
        (own_us) and most time (most_us)."""
        rows = []
        met_to, met_from = self.meets
        for row in np.flatnonzero(self.parts["received_bytes"] > 0).tolist():
            if len(met_from[row]) != 1 or not str(self.parts["from"].iat[row]).isdecimal():
                continue
            (sender,) = met_from[row]
            own, sent = self.own_us[:, row], self.own_us[:, sender]
            by_sending = np.zeros(len(own), bool)
            for other in met_to[row]:
                by_sending |= self.own_us[:, other] >= HALF * own
            by_sending &= sent < HALF * own
            part = self.parts.iloc[row]
            rows.append(
                (self.parts["rank"].iat[sender], part["rank"], part["step"], part["received_bytes"],
                 float(np.median(np.where(by_sending, sent, own))),
                 float(np.median(own + self.late_us[:, row])))
            )  # fmt: skip
        return pd.DataFrame(rows, columns=[*LINK, "step", "received_bytes", "own_us", "most_us"])

    def shares(self) -> dict[str, float]:
        """Returns where the ranks' time goes, in percent of all of it: parts before the steps,
        waiting in steps, the steps' own times, and parts after them. They are NaN if all times are
        0."""
        ranks_us = float((self.end_us - self.start_us).sum()) or np.nan
        waits_us = (self.ready_us - self.start_us).sum(axis=0)
        own_us = self.own_us.sum(axis=0)
        part = self.parts["part"]
        return {
            "before_percent": 100 * float(own_us[part == BEFORE].sum()) / ranks_us,
            "waiting_percent": 100 * float(waits_us[part == STEP].sum()) / ranks_us,
            "steps_percent": 100 * float(own_us[part == STEP].sum()) / ranks_us,
            "after_percent": 100 * float(own_us[part == AFTER].sum()) / ranks_us,
        }


def quick_us(rows: pd.DataFrame, alike: Sequence[str]) -> "pd.Series[float]":
    """Returns, for each row, the first quartile of most_us of the rows that are alike, the lower of
    two neighbours; NaN where that is 0. alike: the columns in which such rows agree."""
    if rows.empty:
        return pd.Series(dtype="float64")
    grouped = rows.groupby(list(alike), observed=True, dropna=False)["most_us"]
    quick: pd.Series[float] = grouped.transform("quantile", QUICK, interpolation="lower")
    return quick.where(quick > 0)


def calls_of(rows: pd.DataFrame, what: str) -> Calls:
    """Returns the calls of one algorithm in one case of one launch. Raises BadInput if not every
    call has the same parts, each once, or if a part names peers that are no ranks; what: begins the
    message."""
    ordered = rows.sort_values(["iteration", "rank", "step"], kind="stable", ignore_index=True)
    ordered = ordered.astype(dict.fromkeys(["part", "to", "from"], "str"))
    count = int((ordered["iteration"] == ordered["iteration"].iat[0]).sum())
    parts = ordered[PART].iloc[:count]
    calls = ordered["iteration"].nunique()
    same = len(ordered) == calls * count
    if same:
        values = ordered[PART].to_numpy(object).reshape(calls, count, len(PART))
        same = bool((values == values[0]).all()) and not parts.duplicated(["rank", "step"]).any()
    if not same:
        raise BadInput(f"{what}: its calls have not all the same steps, each once")
    try:
        for text in {*parts["to"], *parts["from"]}:
            peers(text, int(parts["rank"].max()) + 1)
    except BadInput as error:
        raise BadInput(f"{what}: {error}") from None
    arrived = ordered["arrived_us"].to_numpy(float)
    start = (arrived + ordered["start_us"].to_numpy(float)).reshape(calls, count)
    end = (arrived + ordered["end_us"].to_numpy(float)).reshape(calls, count)
    longest = ordered["end_us"].to_numpy(float).reshape(calls, count).max(axis=1)
    return Calls(parts, start, end, longest)


def every_call(results: Results) -> Iterator[tuple[Launch, dict[str, Any], Calls]]:
    """Yields for each algorithm in each case, launch by launch: the launch, the values of the
    columns of PAIR by their names, and the calls."""
    groups: Iterable[tuple[Any, pd.DataFrame]] = results.rows.groupby(
        ["launch", *PAIR], observed=True
    )
    for (number, *pair), rows in groups:
        named = dict(zip(PAIR, pair, strict=True))
        launch = results.launches[number]
        yield launch, named, calls_of(rows, f"{launch.path}: {named['algorithm']}")


def hosts_at(launch: Launch, mapping: str, ranks: Sequence[int]) -> list[str]:
    """Returns the hosts of these ranks; empty where the launch does not say it."""
    if why_unknown(launch):
        return [""] * len(ranks)
    every = hosts_of_ranks(launch, mapping)
    return [every[rank] if rank < len(every) else "" for rank in ranks]


def combine(every: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Returns one row for each combination of keys, in the order in which they first appear. Of
    several launches the values are medians, and calls are summed up."""
    values = [name for name in every if name not in keys and name != "calls"]
    how: dict[Any, Any] = dict.fromkeys(values, "median")
    how |= {"calls": "sum"} if "calls" in every else {}
    return every.groupby(list(keys), sort=False, dropna=False, as_index=False).agg(how)


@dataclass(frozen=True)
class Found:
    """The times of all steps, messages and algorithms.

    steps: a row for each part of a rank. messages: a row for each link, algorithm, case and step.
    algorithms: a row for each algorithm of a case.
    """

    results: Results
    steps: pd.DataFrame
    messages: pd.DataFrame
    algorithms: pd.DataFrame


def find_spans(results: Results, timed_us: "pd.Series[float]") -> Found:
    """Computes the times of all steps, messages and algorithms. timed_us: by PAIR, the median of
    the timed iterations' slowest ranks; where it lacks a PAIR, timed_us and recording_percent are
    NaN."""
    steps, messages, algorithms = [], [], []
    for launch, named, calls in every_call(results):
        path = {"path": str(launch.path)}
        steps.append(calls.steps().assign(**named, **path))
        found = calls.messages()
        for host, rank in zip(HOSTS, LINK, strict=True):
            found[host] = hosts_at(launch, str(named["mapping"]), found[rank].tolist())
        messages.append(found.assign(**named, **path))
        whole = {"calls": len(calls.start_us), "recorded_us": float(np.median(calls.longest_us))}
        algorithms.append(pd.DataFrame([{**named, **whole, **calls.shares()}]))
    of_algorithm = combine(pd.concat(algorithms, ignore_index=True), PAIR)
    keys = map(tuple, of_algorithm[PAIR].to_numpy(object))
    timed = np.array([timed_us.get(key, np.nan) for key in keys], float)
    recorded = of_algorithm["recorded_us"]
    place = [*of_algorithm].index("recorded_us")
    of_algorithm.insert(place, "timed_us", timed)
    of_algorithm.insert(place + 2, "recording_percent", 100 * (recorded / timed - 1))
    parts = over_quick(steps, ["part", "sent_bytes", "received_bytes"])
    links = over_quick(messages, ["received_bytes"])
    return Found(
        results,
        arrange(results, combine(parts, [*PAIR, *PART]), ["rank", "step"]),
        arrange(
            results,
            combine(links, [*PAIR, *LINK, *HOSTS, "step", "received_bytes"]),
            [*LINK, "step"],
        ),
        arrange(results, of_algorithm, []),
    )


def over_quick(tables: Sequence[pd.DataFrame], alike: Sequence[str]) -> pd.DataFrame:
    """Returns the rows of all tables, with the ratios of their least and most times to the first
    quartile of rows that are alike. Such rows are of one case of a launch, whatever the algorithm,
    and agree in the columns `alike`."""
    every = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
    quick = quick_us(every, ["path", *CASE, *alike])
    ratios = {"ratio": every["own_us"] / quick, "most_ratio": every["most_us"] / quick}
    return every.drop(columns="path").assign(**ratios)


def arrange(results: Results, table: pd.DataFrame, then: Sequence[str]) -> pd.DataFrame:
    """Sorts the rows in the catalogue's order."""
    names = results.in_order(table).assign(
        algorithm=pd.Categorical(table["algorithm"], results.catalogue, ordered=True)
    )
    return names.sort_values([*PAIR, *then], ignore_index=True)


def rank_links(messages: pd.DataFrame, threshold_percent: float) -> pd.DataFrame:
    """Returns one row for each link, the slowest first. uses: the number of algorithms and cases in
    which the link's times tell whether it is slow; slow_in: in how many of them it is slow, by the
    least time; slow: whether these are more than MOST_USES of them. median_us and ratio are medians
    of the least times in these uses."""
    keys = [SETTING, *LINK, *HOSTS]
    columns = [*keys, "uses", "slow_in", "median_us", "ratio", "slow"]
    if messages.empty:
        return pd.DataFrame(columns=columns)
    by_use = messages.groupby([*keys, *result_file.PAIR], observed=True)
    uses = by_use[["own_us", "ratio", "most_ratio"]].median()
    limit = 1 + threshold_percent / 100
    uses["over"] = uses["ratio"] >= limit
    told = uses[uses["over"] | (uses["most_ratio"] < limit)]
    by_link = told.groupby(level=keys, observed=True)
    found = by_link.agg(
        uses=("over", "size"), slow_in=("over", "sum"), median_us=("own_us", "median"),
        ratio=("ratio", "median"),
    )  # fmt: skip
    found["slow"] = found["slow_in"] > MOST_USES * found["uses"]
    return found.sort_values("ratio", ascending=False, kind="stable").reset_index()
