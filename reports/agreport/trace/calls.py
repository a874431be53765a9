# SPDX-License-Identifier: BSD-3-Clause
"""The traces of all ranks -> the calls that they made together.

Collectives on a communicator come in the same order on all its ranks, so the k-th of one rank is
the k-th of the others.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from agformats.errors import BadInput
from agformats.notes import note, tell
from agreport.figure.words import plural
from agreport.stats.arrays import Flags, Ints
from agreport.trace.ranks import AFTER_WRITE, DRAWN, RankTrace, Site, read

Member = tuple[RankTrace, int]  # and the number that it has for the communicator
# A rank records only the sum of the bytes of calls with unequal blocks, so a message of such a call
# is taken to have the mean block.
UNEQUAL = ("v", "w", "Reduce_scatter")
READ = ("bytes", "total_bytes", "operation", "site", "flags", "call")  # beside the times


@dataclass(frozen=True)
class Calls:
    """Holds the calls on one communicator, in order. Arrays have a row for each call; where the
    comment says [call, rank], they also have a column for each rank of the communicator."""

    identity: int
    arrival_ns: Ints  # [call, rank], on the common clock
    exit_ns: Ints  # [call, rank], on the common clock
    bytes: Ints  # [call], of one message
    operation: Ints  # [call], in the trace's operations
    site: Ints  # [call], in the trace's sites
    after_write: Flags  # [call]
    weight: Ints  # [call], how many calls it stands for

    @property
    def ranks(self) -> int:
        return int(self.arrival_ns.shape[1])

    def __len__(self) -> int:
        return len(self.arrival_ns)

    def delays_ns(self) -> Ints:
        """Returns how much later than the first each rank arrived."""
        delays: Ints = self.arrival_ns - self.arrival_ns.min(axis=1, keepdims=True)
        return delays


@dataclass(frozen=True)
class Trace:
    folder: Path
    metadata: dict[str, str]  # of rank 0
    operations: list[str]
    sites: list[Site]  # of the rank 0 of each communicator
    groups: list[Calls]
    messages: list[tuple[int, int]]  # size in bytes, and nanoseconds for one way
    clock_error_ns: int
    sample: int  # one of so many calls that are alike was recorded

    @property
    def ranks(self) -> int:
        return int(self.metadata["ranks"])

    def span_ns(self) -> int:
        """Returns the time from when the first rank came to a call to when the last one left one;
        at least 1."""
        some = [calls for calls in self.groups if len(calls)]
        first = min(int(calls.arrival_ns.min()) for calls in some)
        return max(1, max(int(calls.exit_ns.max()) for calls in some) - first)


@dataclass(frozen=True)
class Recorded:
    """Holds the calls that one rank has on record, sorted by communicator and call.

    columns: the fields of the records by their names, with times of the common clock. places: where
    the calls on each communicator begin and end.
    """

    columns: Mapping[str, Ints]
    places: Mapping[int, tuple[int, int]]

    def span(self, communicator: int) -> tuple[int, int]:
        return self.places.get(communicator, (0, 0))


def load(folder: Path) -> Trace:
    ranks = read_all(folder)
    members: dict[int, list[Member]] = defaultdict(list)
    for rank in ranks:
        for number, membership in rank.memberships.items():
            members[membership.identity].append((rank, number))
    unequal = np.array([name.endswith(UNEQUAL) for name in ranks[0].operations])
    matcher = Matcher(
        {rank.rank: in_order(rank) for rank in ranks}, unequal, all(rank.is_whole for rank in ranks)
    )
    groups: list[Calls] = []
    lost = 0
    for identity, found in members.items():
        found.sort(key=lambda pair: pair[0].memberships[pair[1]].rank)
        calls, cut = matcher.match(identity, found)
        groups.append(calls)
        lost += cut
    tell_faults(ranks, lost)
    return Trace(
        folder,
        ranks[0].metadata,
        ranks[0].operations,
        list(matcher.sites),
        groups,
        sorted(ranks[0].messages),
        max(int(rank.metadata.get("clock_error_ns", 0)) for rank in ranks),
        ranks[0].sample,
    )


def tell_faults(ranks: Sequence[RankTrace], lost: int) -> None:
    """Warns if ranks' traces are cut, with the first rank of each reason, and notes if files have
    no checksums. lost: how many calls not all ranks have on record."""
    first: dict[str, RankTrace] = {}  # by reason
    for rank in ranks:
        if not rank.is_whole:
            first.setdefault(rank.why_cut, rank)
    if first:
        reasons = "; ".join(f"{rank.path}: {why}" for why, rank in first.items())
        tell(
            f"agreport: warning: {reasons}; left out: {plural(lost, 'call')} that not all ranks "
            "have on record"
        )
    if not all(rank.checked for rank in ranks):
        note("some ranks' files have no checksums, so nothing tells whether they were altered")


def read_all(folder: Path) -> list[RankTrace]:
    if not folder.is_dir():
        fault = "is no directory" if folder.exists() else "no such directory"
        raise BadInput(f"{folder}: {fault}")
    paths = sorted(folder.glob("rank_*.agtrace"), key=lambda path: (len(path.name), path.name))
    if not paths:
        raise BadInput(f"{folder}: no rank_*.agtrace in it")
    ranks = [read(path) for path in paths]
    for rank in ranks:
        if rank.run != ranks[0].run:
            raise BadInput(f"{rank.path}: not of the same run as {ranks[0].path}")
        if rank.path.name != f"rank_{rank.rank}.agtrace":
            raise BadInput(f"{rank.path}: holds rank {rank.rank}")
    require_all(folder, ranks)
    return ranks


def require_all(folder: Path, ranks: Sequence[RankTrace]) -> None:
    wanted = ranks[0].ranks
    there = {rank.rank for rank in ranks}
    # Six are enough for the line, whatever number the file says.
    if missing := [*islice((rank for rank in range(wanted) if rank not in there), 6)]:
        listed = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise BadInput(f"{folder}: {wanted} ranks were traced; no file of rank {listed}")


@dataclass
class Matcher:
    """Matches the calls of all communicators.

    records: what each rank has on record. unequal: which operations may have unequal blocks. whole:
    whether the traces of all ranks are whole. sites: the numbers of the call sites found so far.
    site_columns: by rank, the number of the call site of each record; a rank is there once it was
    asked for.
    """

    records: Mapping[int, Recorded]
    unequal: Flags
    whole: bool
    sites: dict[Site, int] = field(default_factory=dict)
    site_columns: dict[int, Ints] = field(default_factory=dict)

    def match(self, identity: int, members: Sequence[Member]) -> tuple[Calls, int]:
        """Returns the calls on one communicator, and how many not all its ranks have on record.
        Raises BadInput if those of the ranks do not match, or if some are lacking though the traces
        are whole.

        members: by rank of the communicator.
        """
        size = members[0][0].memberships[members[0][1]].ranks
        spans = [self.records[rank.rank].span(number) for rank, number in members]
        counts = [end - first for first, end in spans]
        common = min(counts) if len(members) == size else 0
        if self.whole and common < max(counts):
            short, own = members[counts.index(min(counts))]
            raise BadInput(
                f"{short.path}: {min(counts)} calls on communicator {own}; another rank has "
                f"{max(counts)}, and {len(members)} of {size} ranks have it on record"
            )
        columns = [self.records[rank.rank].columns for rank, _ in members]

        def of_ranks(name: str) -> Ints:  # [rank, call]
            return np.array(
                [
                    each[name][first : first + common]
                    for each, (first, _) in zip(columns, spans, strict=True)
                ]
            )

        operations, flags = of_ranks("operation"), of_ranks("flags")
        check_operations(members, operations)
        if members[0][0].sample > 1:
            check_numbers(members, of_ranks("call"))
        operation = operations[0].astype(np.int64)
        # Ranks know different shares of the sizes; the largest is the whole.
        blocks, totals = of_ranks("bytes").max(axis=0), of_ranks("total_bytes").max(axis=0)
        calls = Calls(
            identity,
            of_ranks("arrival_ns").T,
            of_ranks("exit_ns").T,
            np.where(self.unequal[operation], totals // size, blocks),
            operation,
            self.sites_of(members[0][0])[spans[0][0] : spans[0][0] + common],
            np.any(flags & AFTER_WRITE, axis=0),
            np.where(flags[0] & DRAWN, members[0][0].sample, 1),
        )
        return calls, max(counts) - common

    def sites_of(self, rank: RankTrace) -> Ints:
        """Returns the call site of each record of a rank, by the site's number in the whole
        trace."""
        if rank.rank not in self.site_columns:
            numbers = {
                site: self.sites.setdefault(where, len(self.sites))
                for site, where in rank.sites.items()
            }
            own = self.records[rank.rank].columns["site"]
            different, place = np.unique(own, return_inverse=True)
            found = np.array([numbers[int(site)] for site in different], np.int64)
            self.site_columns[rank.rank] = found[place]
        return self.site_columns[rank.rank]


def check_operations(members: Sequence[Member], operations: Ints) -> None:
    """Raises BadInput if the ranks of a communicator have different operations as the same call.
    operations: [rank, call]"""
    differs = operations != operations[0]
    if differs.any():
        place, call = np.argwhere(differs)[0]
        (first, _), (rank, number) = members[0], members[place]
        here, there = (first.operations[operations[row, call]] for row in (place, 0))
        raise BadInput(
            f"{rank.path}: call {call} on communicator {number} is {here}, which in "
            f"{first.path} is {there}"
        )


def check_numbers(members: Sequence[Member], numbers: Ints) -> None:
    """Raises BadInput if the ranks of a communicator have different calls on record. This happens
    in a sample alone: without one all calls are on record. numbers: [rank, call], as the file has
    them."""
    differs = (numbers != numbers[0]).any(axis=1)
    if differs.any():
        rank, number = members[int(np.argmax(differs))]
        raise BadInput(
            f"{rank.path}: calls on record on communicator {number} are others than in "
            f"{members[0][0].path}"
        )


def in_order(rank: RankTrace) -> Recorded:
    """Returns what a rank has on record, sorted by communicator and call: threads may have put
    calls down in another order. Raises BadInput if calls are missing in a trace that is no
    sample."""
    records = rank.records
    order = np.lexsort((records["call"], records["communicator"]))
    if (np.diff(order) != 1).any():
        records = records[order]
    numbers = records["communicator"]
    first = np.flatnonzero(np.diff(numbers.astype(np.int64), prepend=-1))
    end = np.append(first, len(records))[1:]
    expected = np.arange(len(records)) - np.repeat(first, end - first)
    wrong = np.flatnonzero(records["call"] != expected)
    if len(wrong) and rank.sample == 1:
        raise BadInput(f"{rank.path}: calls are missing on communicator {numbers[wrong[0]]}")
    places = dict(
        zip(numbers[first].tolist(), zip(first.tolist(), end.tolist(), strict=True), strict=True)
    )
    columns = {name: records[name] for name in READ}
    for name in ("arrival_ns", "exit_ns"):
        columns[name] = rank.global_ns(records[name])
    return Recorded(columns, places)
