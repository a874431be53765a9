# SPDX-License-Identifier: BSD-3-Clause
"""Says what nccl-tests (and rccl-tests) mean by their numbers, as text and as JSON.

`count` is what a rank sends to all in an all-gather, to each rank in an all-to-all, and the message
otherwise; `size` is the larger of a rank's two buffers, so `count` elements times the number of
ranks there (src/all_gather.cu, src/alltoall.cu, doc/PERFORMANCE.md). `time` is the mean over the
iterations, and over the ranks if -a is not given. Both kinds of buffers are measured, one after the
other, so they are launches of their own.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agformats.peers.tables import NATIVE, NOT_TOLD, Found, PeerTable, Time

PROGRAM = re.compile(r"(?<![\w-])(\w+)_perf(?:_mpi)?(?![\w-])")
COLLECTIVES = {
    "all_gather": "allgather",
    "alltoall": "alltoall",
    "broadcast": "bcast",
    "reduce": "reduce",
    "all_reduce": "allreduce",
}
GATHERING = ("allgather", "alltoall")  # the collectives whose `size` is that of all blocks
BYTES = {
    **dict.fromkeys(("int8", "uint8", "char", "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2"), 1),
    **dict.fromkeys(("half", "bfloat16"), 2),
    **dict.fromkeys(("int32", "uint32", "float"), 4),
    **dict.fromkeys(("int64", "uint64", "double"), 8),
}
PLACES = {"out_of_place": "no", "in_place": "yes"}  # the values of `in_place` in the metadata


@dataclass(frozen=True)
class Record:
    """What a test measured of one size.

    root: -1 or empty where there is none. times: in us, by the names in PLACES. wrong: how many
    elements were wrong, by the same names; NaN where nobody looked.
    """

    size: int
    count: int
    type: str
    op: str
    root: str
    times: dict[str, float]
    wrong: dict[str, float]

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.type, self.op, self.root

    @property
    def block(self) -> int:
        return self.count * BYTES.get(self.type, 0)


@dataclass(frozen=True)
class Run:
    """A run of one test. name: the name of the test; empty if the log does not say it. devices: the
    number of devices of all ranks; 0: not told."""

    program: str
    name: str
    line: int
    records: Sequence[Record]
    facts: dict[str, str]
    devices: int = 0
    nodes: int = NOT_TOLD


def read_run(run: Run) -> Found:
    found = Found()
    may_be = collectives_of(run)
    if not may_be:
        found.others.append(f"{run.name or 'a test without a name'} (line {run.line})")
    elif unknown := next((one.type for one in run.records if one.type not in BYTES), ""):
        found.others.append(f"{run.name} of the type {unknown} (line {run.line})")
    else:
        found.tables.extend(tables_of(run, may_be))
    return found


def collectives_of(run: Run) -> tuple[str, ...]:
    """Returns the collectives that the run may be of; empty: it is of none that the suite has."""
    if run.name:
        return (COLLECTIVES[run.name],) if run.name in COLLECTIVES else ()
    return guesses(run.records) if run.records else ()


def tables_of(run: Run, may_be: tuple[str, ...]) -> Iterator[PeerTable]:
    """Yields one table for each kind of message and each kind of buffers."""
    collective, maybe = (may_be[0], ()) if len(may_be) == 1 else ("", may_be)
    ranks = ranks_of(run) if set(may_be) <= set(GATHERING) else run.devices
    times: dict[tuple[tuple[str, str, str], str], list[Time]] = {}
    for record in run.records:
        for place in record.times:
            times.setdefault((record.kind, place), []).append(time_of(record, place))
    for (kind, place), some in times.items():
        facts = {**run.facts, "in_place": PLACES[place], **facts_of(kind)}
        yield PeerTable(
            run.program, collective, NATIVE, ranks, run.line, some, facts, maybe, run.nodes
        )


def guesses(records: Sequence[Record]) -> tuple[str, ...]:
    """Returns the collectives whose sizes and columns look like those of these records; may be
    empty."""
    one = max(records, key=lambda record: record.count)
    rooted = one.root not in ("-1", "")
    combines = one.op not in ("none", "")
    if one.size == one.block:
        if rooted:
            return ("reduce",) if combines else ("bcast",)
        return ("allreduce",) if combines else ()
    return GATHERING if not combines and not rooted else ()


def ranks_of(run: Run) -> int:
    """Returns the number of ranks, by the sizes; small ones are rounded to nothing."""
    found = {
        one.size // one.block if one.size % one.block == 0 else NOT_TOLD
        for one in run.records
        if one.block
    }
    return found.pop() if len(found) == 1 else run.devices


def time_of(record: Record, place: str) -> Time:
    time, wrong = record.times[place], record.wrong.get(place, math.nan)
    if wrong > 0:
        return Time(record.block, time, status="wrong", reason=f"{wrong:g} wrong, by nccl-tests")
    return Time(record.block, time)


def facts_of(kind: tuple[str, str, str]) -> dict[str, str]:
    type_, op, root = kind
    found = {"datatype": type_}
    if op not in ("none", ""):
        found["op"] = op
    if root not in ("-1", ""):
        found["root"] = root
    return found
