# SPDX-License-Identifier: BSD-3-Clause
"""Rank files as libagtrace.so writes them, with arrivals that a test chooses."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agreport.trace.ranks import parse_layout

HEADER = Path(__file__).parents[3] / "formats" / "trace_record.h"
# The words of TraceRecord::layout, which C++ joins.
LAYOUT = "".join(
    re.findall(r'"([^"]*)"', HEADER.read_text().partition("layout =")[2].partition(";")[0])
)
OPERATIONS = ["MPI_Allgather", "MPI_Allgatherv", "MPI_Barrier"]
SITES = ["0\t0x10\tsolve(int*)+0x5\t/bin/app", "1\t0x20\t\t/bin/app", "2\t0x30\t\t/lib/b.so"]
# One way: 1 us for a byte, 2 us for 1001.
MESSAGES = [(1, 1000), (1001, 2000)]


def closed(data: bytes, line: str) -> bytes:
    """With the line, and the checksum of all before it."""
    data += f"#@{line}".encode()
    return data + f" crc32:{zlib.crc32(data):08x}\n".encode()


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
    checksums: bool = True

    def write(self, folder: Path) -> Path:
        folder.mkdir()
        for rank in range(self.ranks):
            (folder / f"rank_{rank}.agtrace").write_bytes(self.file(rank))
        return folder

    def of(self, communicator: int) -> list[int]:
        return self.members.get(communicator, list(range(self.ranks)))

    def head(self, rank: int) -> list[str]:
        lines = [f"agtrace={2 if self.checksums else 1}", f"rank={rank}", f"ranks={self.ranks}"]
        lines.append("command=app -x")
        lines += [f"operations={' '.join(OPERATIONS)}", f"record={LAYOUT}", "clock_error_ns=250"]
        # At 0 on its own clock, the common one shows -offset; 1000 s later it has drifted.
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
        for start in range(0, len(records), self.block):
            part = records[start : start + self.block]
            text += f"#@block={len(part)}\n".encode() + part.tobytes()
            if self.checksums:
                text = closed(text, f"block_end={len(part)}")
        if not self.end:
            return text
        end = f"end={self.end} {len(records)}"
        return closed(text, end) if self.checksums else text + f"#@{end}\n".encode()

    def records(self, rank: int) -> "np.ndarray[tuple[int], np.dtype[np.void]]":
        counts: dict[int, int] = {}
        rows = []
        for call in self.calls:
            members = self.of(call.communicator)
            if rank not in members:
                continue
            number = counts.get(call.communicator, 0)
            counts[call.communicator] = number + 1
            common_ns = round(1000 * call.arrivals[members.index(rank)])
            arrival = round((common_ns + rank * self.offset_ns) / (1 - rank * self.drift))
            flags = call.flags if rank == members[-1] else 0
            sizes = (call.bytes, call.total)
            place = (call.communicator, number, call.site, call.operation)
            lasts = 500 if call.exit is None else round(1000 * call.exit) - common_ns
            rows.append((arrival, arrival + lasts, *sizes, *place, flags))
        return np.array(rows, parse_layout(LAYOUT))
