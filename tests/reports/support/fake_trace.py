# SPDX-License-Identifier: BSD-3-Clause
"""Rank files as libagtrace.so writes them, with arrivals that a test chooses."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from agreport.trace.blocks import Records, parse_layout
from agreport.trace.ranks import DRAWN

FOLDER = Path(__file__).parents[3] / "formats" / "trace"
HEADER = FOLDER / "record.h"


def words(name: str, header: str = "record.h") -> str:
    """A text of C++, which joins its parts."""
    text = (FOLDER / header).read_text().partition(f"{name} =")[2].partition(";")[0]
    return "".join(re.findall(r'"([^"]*)"', text))


LAYOUT = words("layout")
KIND_COLUMNS, RECORD_COLUMNS = (words(f"{name}_columns", "block.h") for name in ("kind", "record"))
OPERATIONS = ["MPI_Allgather", "MPI_Allgatherv", "MPI_Barrier"]
SITES = ["0\t0x10\tsolve(int*)+0x5\t/bin/app", "1\t0x20\t\t/bin/app", "2\t0x30\t\t/lib/b.so"]
# One way: 1 us for a byte, 2 us for 1001.
MESSAGES = [(1, 1000), (1001, 2000)]


def closed(data: bytes, line: str) -> bytes:
    """Adds the line, and the checksum of all before it."""
    data += f"#@{line}".encode()
    return data + f" crc32:{zlib.crc32(data):08x}\n".encode()


def plain(records: Records) -> bytes:
    return f"#@block={len(records)}\n".encode() + records.tobytes()


def packed(records: Records, nexts: dict[int, int]) -> bytes:
    """docs/reference/trace_file.md, number by number. nexts: of each communicator the next call."""
    kinds: dict[tuple[int, ...], int] = {}
    rows = []
    for record in records:
        fields = {name: int(record[name]) for name in records.dtype.names or ()}
        kind = kinds.setdefault(tuple(fields[name] for name in KIND_COLUMNS.split()), len(kinds))
        skipped = fields["call"] - nexts.get(fields["communicator"], 0)
        nexts[fields["communicator"]] = fields["call"] + 1
        rows.append((kind, skipped, fields["arrival_ns"], fields["exit_ns"]))
    data = b"".join(map(column, [*zip(*kinds, strict=True), *zip(*rows, strict=True)]))
    return f"#@block={len(rows)} {len(kinds)} {len(data)}\n".encode() + data


def column(values: Sequence[int]) -> bytes:
    half = 2**63  # sums are of 64 bits without a carry
    steps = [(after - before + half) % 2**64 - half for before, after in pairwise(values)]
    least = min(steps, default=0)
    width = max(((step - least).bit_length() + 7) // 8 for step in [least, *steps])
    head = (values[0] % 2**64).to_bytes(8, "little") + (least % 2**64).to_bytes(8, "little")
    return head + bytes([width]) + b"".join((s - least).to_bytes(width, "little") for s in steps)


@dataclass
class Call:
    """Arrivals of the communicator's ranks, microseconds; exit: of all of them, None: each leaves
    half a microsecond after it came."""

    arrivals: Sequence[float]
    site: int = 0
    operation: int = 0
    bytes: int = 1
    total: int = 4
    flags: int = 0  # of its last rank
    communicator: int = 0
    exit: float | None = None
    drawn: bool = False  # from a sample
    number: int | None = None  # on its communicator; None: the one after the last


@dataclass
class FakeTrace:
    """`members` are the ranks of each communicator; offsets and drifts those of ranks' clocks."""

    calls: list[Call]
    ranks: int = 4
    members: dict[int, list[int]] = field(default_factory=dict)
    offset_ns: int = 0
    drift: float = 0.0
    messages: Sequence[tuple[int, int]] = tuple(MESSAGES)
    end: str = "finalize"
    block: int = 1000
    version: int = 3
    sample: int = 1

    def write(self, folder: Path) -> Path:
        folder.mkdir()
        for rank in range(self.ranks):
            (folder / f"rank_{rank}.agtrace").write_bytes(self.file(rank))
        return folder

    def of(self, communicator: int) -> list[int]:
        return self.members.get(communicator, list(range(self.ranks)))

    def head(self, rank: int) -> list[str]:
        lines = [f"agtrace={self.version}", f"rank={rank}", f"ranks={self.ranks}"]
        lines.append("command=app -x")
        lines.append(f"operations={' '.join(OPERATIONS)}")
        if self.version < 3:
            lines.append(f"record={LAYOUT}")
        else:
            lines += [f"kind={KIND_COLUMNS}", f"record={RECORD_COLUMNS}"]
        if self.sample > 1:
            lines.append(f"sample={self.sample}")
        lines.append("clock_error_ns=250")
        # The common clock shows -offset at 0 of its own; 1000 s later it has drifted.
        for local in (0, 10**12):
            shown = local - rank * self.offset_ns - round(rank * self.drift * local)
            lines.append(f"clock_point={local} {shown}")
        if rank == 0:
            lines += [f"message={size} {time}" for size, time in self.messages]
        lines += [f"site={site}" for site in SITES]
        for number in sorted({call.communicator for call in self.calls}):
            members = self.of(number)
            if rank in members:
                place = members.index(rank)
                lines.append(f"communicator={number} {77 + number} {place} {len(members)}")
        return lines

    def file(self, rank: int) -> bytes:
        records = self.records(rank)
        text = "".join(f"#@{line}\n" for line in self.head(rank)).encode()
        nexts: dict[int, int] = {}
        for start in range(0, len(records), self.block):
            part = records[start : start + self.block]
            text += packed(part, nexts) if self.version > 2 else plain(part)
            if self.version > 1:
                text = closed(text, f"block_end={len(part)}")
        if not self.end:
            return text
        end = f"end={self.end} {len(records)}"
        return closed(text, end) if self.version > 1 else text + f"#@{end}\n".encode()

    def records(self, rank: int) -> Records:
        counts: dict[int, int] = {}
        rows = []
        for call in self.calls:
            members = self.of(call.communicator)
            if rank not in members:
                continue
            number = counts.get(call.communicator, 0) if call.number is None else call.number
            counts[call.communicator] = number + 1
            common_ns = round(1000 * call.arrivals[members.index(rank)])
            arrival = round((common_ns + rank * self.offset_ns) / (1 - rank * self.drift))
            flags = (call.flags if rank == members[-1] else 0) | (DRAWN if call.drawn else 0)
            sizes = (call.bytes, call.total)
            place = (call.communicator, number, call.site, call.operation)
            lasts = 500 if call.exit is None else round(1000 * call.exit) - common_ns
            rows.append((arrival, arrival + lasts, *sizes, *place, flags))
        return np.array(rows, parse_layout(LAYOUT))
