# SPDX-License-Identifier: BSD-3-Clause
"""The traces of all ranks -> the calls that they made together.

Collectives on a communicator come in the same order on all its ranks, so the k-th of one rank is
the k-th of the others.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agformats.errors import BadInput
from agreport.figure.words import plural
from agreport.trace.ranks import AFTER_WRITE, Ints, RankTrace, Records, Site, read

Bools = npt.NDArray[np.bool_]
Member = tuple[RankTrace, int]  # and the number that it has for the communicator
# What their ranks know of blocks are sums; a message of these has the mean of them.
UNEQUAL = ("v", "w", "Reduce_scatter")


@dataclass(frozen=True)
class Calls:
    """The calls on one communicator, in order; a row a call, and where it says so a column a rank
    of the communicator."""

    identity: int
    arrival_ns: Ints  # [call, rank], on the common clock
    exit_ns: Ints
    bytes: Ints  # [call], of one message
    operation: Ints  # [call], in the trace's operations
    site: Ints  # [call], in the trace's sites
    after_write: Bools  # [call]

    @property
    def ranks(self) -> int:
        return int(self.arrival_ns.shape[1])

    def __len__(self) -> int:
        return len(self.arrival_ns)

    def delays_ns(self) -> Ints:
        """How much later than the first each rank arrived."""
        delays: Ints = self.arrival_ns - self.arrival_ns.min(axis=1, keepdims=True)
        return delays


@dataclass(frozen=True)
class Trace:
    folder: Path
    metadata: dict[str, str]  # of rank 0
    operations: list[str]
    sites: list[Site]  # of the communicators' ranks 0
    groups: list[Calls]
    messages: list[tuple[int, int]]  # bytes and nanoseconds, one way
    clock_error_ns: int

    @property
    def ranks(self) -> int:
        return int(self.metadata["ranks"])


def load(folder: Path) -> Trace:
    ranks = read_all(folder)
    whole = all(rank.is_whole for rank in ranks)
    members: dict[int, list[Member]] = defaultdict(list)
    for rank in ranks:
        for number, membership in rank.memberships.items():
            members[membership.identity].append((rank, number))
    sites: dict[Site, int] = {}
    groups: list[Calls] = []
    lost = 0
    for identity, found in members.items():
        found.sort(key=lambda pair: pair[0].memberships[pair[1]].rank)
        calls, cut = match(identity, found, sites, whole)
        groups.append(calls)
        lost += cut
    if not whole:
        ended = next(rank for rank in ranks if not rank.is_whole)
        print(
            f"agreport: warning: {ended.path}: the program did not reach MPI_Finalize; left out: "
            f"{plural(lost, 'call', 'calls')} that not all ranks have on record",
            file=sys.stderr,
        )
    return Trace(
        folder,
        ranks[0].metadata,
        ranks[0].operations,
        list(sites),
        groups,
        sorted(ranks[0].messages),
        max(int(rank.metadata.get("clock_error_ns", 0)) for rank in ranks),
    )


def read_all(folder: Path) -> list[RankTrace]:
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such directory")
    paths = sorted(folder.glob("rank_*.agtrace"), key=lambda path: (len(path.name), path.name))
    if not paths:
        raise BadInput(f"{folder}: no rank_*.agtrace in it")
    ranks = [read(path) for path in paths]
    wanted = ranks[0].ranks
    for rank in ranks:
        if rank.ranks != wanted or rank.operations != ranks[0].operations:
            raise BadInput(f"{rank.path}: not of the same run as {ranks[0].path}")
        if rank.path.name != f"rank_{rank.rank}.agtrace":
            raise BadInput(f"{rank.path}: holds rank {rank.rank}")
    if missing := sorted(set(range(wanted)) - {rank.rank for rank in ranks}):
        listed = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise BadInput(f"{folder}: {wanted} ranks were traced; no file of rank {listed}")
    return ranks


def match(
    identity: int, members: Sequence[Member], sites: dict[Site, int], whole: bool
) -> tuple[Calls, int]:
    """The calls on one communicator, and how many are not on record on all its ranks.

    members: by rank of the communicator; sites: numbers of the call sites so far, which grow.
    """
    first, number = members[0]
    size = first.memberships[number].ranks
    records = [select_communicator(*member) for member in members]
    counts = [len(each) for each in records]
    common = min(counts) if len(members) == size else 0
    if whole and common < max(counts):
        short, own = members[counts.index(min(counts))]
        raise BadInput(
            f"{short.path}: {min(counts)} calls on communicator {own}; another rank has "
            f"{max(counts)}, and {len(members)} of {size} ranks have it on record"
        )
    records = [each[:common] for each in records]
    check_operations(members, records)
    operation = records[0]["operation"].astype(np.int64)
    pairs = [(rank, each) for (rank, _), each in zip(members, records, strict=True)]
    calls = Calls(
        identity,
        np.stack([rank.global_ns(each["arrival_ns"]) for rank, each in pairs], axis=1),
        np.stack([rank.global_ns(each["exit_ns"]) for rank, each in pairs], axis=1),
        message_bytes(first.operations, operation, records, size),
        operation,
        number_sites(first, records[0]["site"], sites),
        np.any([each["flags"] & AFTER_WRITE for each in records], axis=0),
    )
    return calls, max(counts) - common


def check_operations(members: Sequence[Member], records: Sequence[Records]) -> None:
    first, _ = members[0]
    for (rank, number), each in zip(members, records, strict=True):
        agree = each["operation"] == records[0]["operation"]
        if not agree.all():
            call = int(np.argmin(agree))
            here, there = (first.operations[rows["operation"][call]] for rows in (each, records[0]))
            raise BadInput(
                f"{rank.path}: call {call} on communicator {number} is {here}, which in "
                f"{first.path} is {there}"
            )


def select_communicator(rank: RankTrace, number: int) -> Records:
    """In the order of the calls; threads may have put them down in another one."""
    records: Records = rank.records[rank.records["communicator"] == number]
    if (np.diff(records["call"].astype(np.int64)) != 1).any():
        records = records[np.argsort(records["call"], kind="stable")]
    if (records["call"] != np.arange(len(records))).any():
        raise BadInput(f"{rank.path}: calls are missing on communicator {number}")
    return records


def number_sites(first: RankTrace, own: Ints, sites: dict[Site, int]) -> Ints:
    """The numbers of call sites in one rank's file -> those in the whole trace."""
    numbers = np.zeros(max(first.sites, default=0) + 1, np.int64)
    for site, where in first.sites.items():
        numbers[site] = sites.setdefault(where, len(sites))
    found: Ints = numbers[own]
    return found


def message_bytes(
    operations: Sequence[str], operation: Ints, records: Sequence[Records], size: int
) -> Ints:
    """Ranks know different shares of the sizes; the largest is the whole."""
    blocks = np.max([each["bytes"] for each in records], axis=0)
    totals = np.max([each["total_bytes"] for each in records], axis=0)
    unequal = np.array([name.endswith(UNEQUAL) for name in operations])[operation]
    found: Ints = np.where(unequal, totals // size, blocks)
    return found
