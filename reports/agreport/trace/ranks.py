# SPDX-License-Identifier: BSD-3-Clause
"""The file that one rank leaves under libagtrace.so: lines `#@key=value` and blocks of records.

docs/reference/trace_file.md has the format. Behind each block and at the end, a file has a line
with the CRC-32 of all that stands before it, so what was altered is refused, and records behind the
last such line are not taken. Files of version 1 have none. Since version 3, records are
packed (blocks.py).
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agformats.errors import BadInput
from agformats.files.checksums import MARK as CHECKSUM
from agformats.regular_file import read_whole
from agreport.stats.arrays import Ints
from agreport.trace.blocks import (
    KIND_COLUMNS,
    NO_LAYOUT,
    RECORD,
    RECORD_COLUMNS,
    Block,
    Records,
    number_calls,
    parse_layout,
)

AFTER_WRITE, DRAWN = 1, 2  # flags: after_write and drawn in formats/trace/record.h
MARK = b"#@"
PARAMETERS = re.compile(r"\(.*\)( const)?(?=\+0x)")
NEEDED = ("rank", "ranks", "operations", "record")
VERSIONS = WITHOUT_CHECKSUMS, WITH_CHECKSUMS, PACKED = "1", "2", "3"
CLOSING = ("block_end", "end")  # the lines that have a checksum
LONGEST = len(" crc32:") + 8


@dataclass(frozen=True)
class Site:
    """The place that a call returns to: an address in a module, by its symbol if that is known."""

    address: str
    symbol: str
    module: str

    def __str__(self) -> str:
        """Returns the symbol without parameter types, or module and address if there is no symbol;
        the symbol's offset tells overloaded functions apart."""
        name = PARAMETERS.sub("", self.symbol)
        return name or f"{Path(self.module).name}+{self.address}"


@dataclass(frozen=True)
class Membership:
    """A communicator that the rank of a trace is in.

    identity: the number that tells the communicator from others on all ranks. rank: which of the
    communicator's ranks the rank of the trace is. ranks: how many ranks the communicator has.
    """

    identity: int
    rank: int
    ranks: int


@dataclass
class RankTrace:
    path: Path
    metadata: dict[str, str] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)
    memberships: dict[int, Membership] = field(default_factory=dict)
    messages: list[tuple[int, int]] = field(default_factory=list)
    clock: list[tuple[int, int]] = field(default_factory=list)
    layout: np.dtype[np.void] = NO_LAYOUT  # of a record, as the file says
    records: Records = field(default_factory=lambda: np.empty(0, NO_LAYOUT))

    @property
    def rank(self) -> int:
        return int(self.metadata["rank"])

    @property
    def ranks(self) -> int:
        return int(self.metadata["ranks"])

    @property
    def operations(self) -> list[str]:
        return self.metadata["operations"].split()

    @property
    def run(self) -> tuple[object, ...]:
        """Returns values that all ranks of a run have in common."""
        return self.ranks, self.operations, self.layout, self.sample

    @property
    def checked(self) -> bool:
        """True if there is a checksum of what was read."""
        return self.metadata.get("agtrace", WITHOUT_CHECKSUMS) != WITHOUT_CHECKSUMS

    @property
    def packed(self) -> bool:
        return self.metadata.get("agtrace") == PACKED

    @property
    def sample(self) -> int:
        """Returns N if of N calls that are alike one is on record (AGTRACE_SAMPLE), else 1."""
        return int(self.metadata.get("sample", 1))

    @property
    def is_whole(self) -> bool:
        return self.metadata.get("end", "").startswith("finalize ")

    @property
    def why_cut(self) -> str:
        """Returns the reason why the trace is not whole, as a clause."""
        end = self.metadata.get("end")
        if end is None:
            return (
                "the file was cut off (the program was killed, or its disk was full), and calls "
                "after that are not known"
            )
        if end.startswith("limit "):
            return "the trace ends where AGTRACE_LIMIT was reached"
        return "the program did not reach MPI_Finalize"

    def global_ns(self, local_ns: Ints) -> Ints:
        """Converts times of the rank's own clock to the common clock, in ns, by the straight line
        through the last two points of the clock; without two points they stay as they are."""
        if len(self.clock) < 2:
            return local_ns
        (local, shown), (next_local, next_shown) = self.clock[-2:]
        gained = (next_shown - next_local) - (shown - local)
        drift = gained / (next_local - local)
        since = local_ns - next_local
        moved: Ints = np.rint(drift * since).astype(np.int64)
        return next_shown + since + moved


@dataclass
class Proof:
    """Says how far the checksums of a file have proven it.

    end: where in the file the proven part ends. crc: the checksum of the proven part. blocks: how
    many blocks of records lie in the proven part.
    """

    path: Path
    end: int = 0
    crc: int = 0
    blocks: int = 0

    def take(
        self, data: bytes, checksum: re.Match[bytes], number: int, blocks: list[Block]
    ) -> None:
        """Compares the checksum in the line `number` with that of the data before that line, and
        notes that these blocks of records, which lie there, are proven. Raises BadInput if the
        checksums differ."""
        view = memoryview(data)
        here, said = zlib.crc32(view[self.end : checksum.start()], self.crc), int(checksum[1], 16)
        if here != said:
            first = sum(block.count for block in blocks[: self.blocks]) + 1
            last = sum(block.count for block in blocks)
            what = f"records {first} to {last}" if first <= last else "no records"
            raise BadInput(
                f"{self.path}: was altered: line {number} says that the checksum of all before it "
                f"is {said:08x}, it is {here:08x}; since the checksum before there are {what}; "
                "legal: the file as it was written"
            )
        after = checksum.end() + 1
        self.crc = zlib.crc32(view[checksum.start() : after], here)
        self.end, self.blocks = after, len(blocks)


def read(path: Path) -> RankTrace:
    trace, proof = RankTrace(path), Proof(path)
    blocks = read_lines(trace, proof, read_whole(path))
    if missing := [key for key in NEEDED if key not in trace.metadata]:
        raise BadInput(f"{path}: not a rank's trace; it has no {', '.join(missing)}")
    if trace.checked:
        del blocks[proof.blocks :]
    trace.records = np.concatenate([np.empty(0, trace.layout), *unpacked(trace, blocks)])
    if trace.packed:
        number_calls(trace.records)
    check(trace)
    return trace


def unpacked(trace: RankTrace, blocks: Sequence[Block]) -> Iterator[Records]:
    before = 0
    for block in blocks:
        try:
            yield block.unpack(trace.layout)
        except ValueError:
            which = f"records {before + 1} to {before + block.count}"
            raise BadInput(f"{trace.path}: {which}: they cannot be unpacked") from None
        before += block.count


def read_lines(trace: RankTrace, proof: Proof, data: bytes) -> list[Block]:
    """Reads lines into the trace, with what is proven of them; returns the blocks of records
    between them."""
    path = trace.path
    blocks: list[Block] = []
    at, number = 0, 0
    while (end := data.find(b"\n", at)) >= 0:  # a cut file may end in the middle of a line
        number += 1
        if not data.startswith(MARK, at):
            raise BadInput(f"{path}: line {number}: not a rank's trace; it does not start with #@")
        key, equals, value = data[at + len(MARK) : end].decode(errors="replace").partition("=")
        if key in CLOSING and (checksum := CHECKSUM.search(data, max(at, end - LONGEST), end)):
            value = value[:-LONGEST]
            proof.take(data, checksum, number, blocks)
        elif key in CLOSING and trace.checked:
            raise BadInput(f"{path}: line {number}: was altered: {key}={value!r} has no checksum")
        at = end + 1
        try:
            if not equals:
                raise ValueError
            if key == "block":
                at = add_block(trace, blocks, memoryview(data)[at:], value) + at
            else:
                note(trace, key, value)
        except ValueError:
            raise BadInput(f"{path}: line {number}: {key}={value!r} cannot be read") from None
        require_last(trace, key, number, len(data) - at)
    return blocks


def require_last(trace: RankTrace, key: str, number: int, behind: int) -> None:
    """Refuses a file with checksums if anything is behind the line that ends the file, since no
    checksum covers that. behind: the bytes behind the line `number`. Raises BadInput."""
    if key == "end" and trace.checked and behind > 0:
        raise BadInput(
            f"{trace.path}: was altered: there is more behind its end in line {number}; legal: the "
            "file as it was written"
        )


def add_block(trace: RankTrace, blocks: list[Block], behind: memoryview, value: str) -> int:
    """Appends the block of records that stands behind its line, and returns how many bytes the line
    says that the block has. If the file is cut there, a packed block is left out, another is taken
    as far as it goes.

    ValueError: the line has no such numbers, or the file has not said what a record looks like.
    """
    if trace.layout == NO_LAYOUT:
        raise ValueError
    if trace.packed:
        count, kinds, size = map(int, value.split())
        if min(count, kinds, size) < 1:
            raise ValueError
        if size <= len(behind):  # else the file is cut
            blocks.append(Block(behind[:size], count, kinds))
        return size
    if (count := int(value)) < 0:
        raise ValueError
    there = min(count, len(behind) // trace.layout.itemsize)
    blocks.append(Block(behind[: there * trace.layout.itemsize], there))
    return count * trace.layout.itemsize


def note(trace: RankTrace, key: str, value: str) -> None:
    """Takes what a line says, other than of a block, into the trace. Raises ValueError if the value
    makes no sense."""
    if key == "site":
        number, address, symbol, module = value.split("\t", 3)  # a path may have tabs, too
        trace.sites[int(number)] = Site(address, symbol, module)
    elif key == "communicator":
        number, identity, rank, ranks = value.split()
        trace.memberships[int(number)] = Membership(int(identity), int(rank), int(ranks))
    elif key in ("message", "clock_point"):
        one, other = value.split()
        if max(abs(int(one)), abs(int(other))) >= 2**62:
            raise ValueError
        (trace.messages if key == "message" else trace.clock).append((int(one), int(other)))
    else:
        trace.metadata[key] = value
        if key in ("rank", "ranks", "clock_error_ns"):
            int(value)
        if not legal(trace, key, value):
            raise ValueError
        if key == "record":
            trace.layout = RECORD if trace.packed else parse_layout(value)


def legal(trace: RankTrace, key: str, value: str) -> bool:
    if key == "agtrace":
        return value in VERSIONS
    if key == "sample":
        return int(value) > 0
    if key == "kind":
        return trace.packed and value == KIND_COLUMNS
    return key != "record" or not trace.packed or value == RECORD_COLUMNS


def check(trace: RankTrace) -> None:
    """Refuses a trace with a rank, a clock or a record that could not have been. Raises
    BadInput."""
    records = trace.records
    if not 0 <= trace.rank < trace.ranks:
        raise BadInput(f"{trace.path}: rank {trace.rank} of {trace.ranks} ranks")
    if len(trace.clock) > 1 and trace.clock[-1][0] == trace.clock[-2][0]:
        raise BadInput(f"{trace.path}: the last two clock_point lines are of the same time")
    known = [
        ("it leaves before it arrives", records["exit_ns"] >= records["arrival_ns"]),
        ("negative bytes", (records["bytes"] >= 0) & (records["total_bytes"] >= 0)),
        ("an unknown operation", records["operation"] < len(trace.operations)),
        ("an unknown site", np.isin(records["site"], list(trace.sites))),
        ("an unknown communicator", np.isin(records["communicator"], list(trace.memberships))),
    ]
    for reason, good in known:
        if not good.all():
            raise BadInput(f"{trace.path}: record {int(np.argmin(good)) + 1}: {reason}")
