# SPDX-License-Identifier: BSD-3-Clause
"""Holds what is in a log, for tests; logs/README.md says where they are from."""

from pathlib import Path

from agformats.peers.formats import PeerLog, read_log
from agformats.peers.tables import PeerTable

LOGS = Path(__file__).parent / "logs"
Row = tuple[int, float, float | None, float | None]
OSU = "# OSU MPI Allgather Latency Test v7.4\n# Size       Avg Latency(us)\n"


def log_of(data: bytes | str) -> PeerLog:
    found = read_log(data.encode() if isinstance(data, str) else data)
    assert found is not None
    return found


def head(table: PeerTable) -> tuple[str, str, str, int]:
    return table.program, table.collective, table.algorithm, table.ranks


def rows(table: PeerTable) -> list[Row]:
    """Bytes, average, least and most; None: not told."""

    def told(us: float) -> float | None:
        return us if us == us else None

    return [(each.bytes, each.avg_us, told(each.min_us), told(each.max_us)) for each in table.times]
