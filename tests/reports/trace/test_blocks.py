# SPDX-License-Identifier: BSD-3-Clause
"""Packed records: what was packed is read as it was, and what is no block is refused."""

from pathlib import Path

import numpy as np
import pytest

from agformats.errors import BadInput
from agreport.trace import blocks, ranks

from ..support.fake_trace import (
    KIND_COLUMNS,
    LAYOUT,
    RECORD_COLUMNS,
    Call,
    FakeTrace,
    closed,
    column,
    packed,
)

VERSION_2 = Path(__file__).parents[2] / "formats" / "trace" / "version_2"
LOW, HIGH = -(2**63), 2**63 - 1


def unpacked(data: bytes) -> blocks.Records:
    """Unpacks the line `#@block=` and what stands behind it."""
    line, _, body = data.partition(b"\n")
    count, kinds, _ = map(int, line.removeprefix(b"#@block=").split())
    return blocks.unpack(memoryview(body), count, kinds)


def test_odd_records_come_out_as_they_were() -> None:
    """Huge times, clocks that step back, 2^40 bytes, an overtaken thread, many communicators."""
    rows = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0),
        (HIGH, LOW, LOW, HIGH, 2**32 - 1, 2**31 - 1, 2**32 - 1, 2**16 - 1, 2**16 - 1),
        (LOW, HIGH, 2**40, HIGH, 7, 0, 1, 16, 3),
        (-1, 1, 0, 2**40, 7, 5, 1, 6, 0),
        (1000, 2000, 1, 1, 0, 9, 1, 6, 1),
        (999, 1999, 1, 1, 0, 8, 1, 6, 1),
        (500, 501, 1, 1, 0, 10, 1, 6, 1),
        *((i, i + 1, 8, 16, 100 + i, 0, 0, 2, 0) for i in range(300)),
    ]
    records = np.array(rows, blocks.RECORD)
    for size in (1, 2, 5, 1000):
        nexts: dict[int, int] = {}
        parts = [packed(records[at : at + size], nexts) for at in range(0, len(records), size)]
        found = np.concatenate([unpacked(part) for part in parts])
        blocks.number_calls(found)
        assert found.tolist() == records.tolist()


def test_no_records_have_no_numbers() -> None:
    blocks.number_calls(np.empty(0, blocks.RECORD))


def test_what_is_no_block_is_refused() -> None:
    records = np.array(
        [(10 * i * i, 10 * i * i + 1, 8, 8, 0, i, 3, 2, 0) for i in range(3)], blocks.RECORD
    )
    body = packed(records, {}).partition(b"\n")[2]
    size = blocks.COLUMN.size

    def refused(data: bytes, count: int = 3, kinds: int = 1) -> bool:
        try:
            blocks.unpack(memoryview(data), count, kinds)
        except ValueError:
            return True
        return False

    assert not refused(body)
    assert refused(body, kinds=0) and refused(body, kinds=4)
    assert refused(body, count=0) and refused(body, count=4)
    assert refused(body, count=blocks.MOST_RECORDS + 1)
    assert refused(body + b"x")
    assert all(refused(body[:end]) for end in range(len(body)))
    assert refused(body[:16] + b"\t" + body[17:])  # a column of nine bytes a number
    assert refused(body[:4] + b"\1" + body[5:])  # a communicator of 2^32
    assert refused(body[: 6 * size] + b"\1" + body[6 * size + 1 :])  # the kind of the first record
    far = column([2**31, 2**31, 2**31])  # calls skipped
    assert refused(body[: 7 * size] + far + body[7 * size + len(far) :])


def test_a_proven_block_that_is_none_is_refused(tmp_path: Path) -> None:
    trace = FakeTrace([Call([0])], ranks=1, end="")
    path = tmp_path / "rank_0.agtrace"
    path.write_bytes(closed(trace.file(0) + b"#@block=2 1 10\n0123456789", "block_end=2"))
    with pytest.raises(BadInput, match="records 2 to 3: they cannot be unpacked"):
        ranks.read(path)


def test_a_trace_of_the_last_version_reads_as_it_was() -> None:
    """Recorded by libagtrace.so of that time, with a buffer of four records."""
    first, second = (ranks.read(VERSION_2 / f"rank_{rank}.agtrace") for rank in (0, 1))
    assert first.checked and first.is_whole and not first.packed and first.sample == 1
    assert first.records["arrival_ns"].tolist() == [
        14839409250988,
        14839416038767,
        14839416131005,
        14839424123492,
        14839424443359,
    ]
    assert second.records["exit_ns"][-1] == 14839426476909
    assert second.records["total_bytes"].tolist() == [32] * 5
    assert second.records["call"].tolist() == [0, 1, 2, 3, 4]
    assert second.records["flags"].tolist() == [0, 0, 0, 0, ranks.AFTER_WRITE]


def test_columns_and_sizes_are_those_of_the_library(tmp_path: Path) -> None:
    assert blocks.parse_layout(LAYOUT) == blocks.RECORD
    assert (blocks.KIND_COLUMNS, blocks.RECORD_COLUMNS) == (KIND_COLUMNS, RECORD_COLUMNS)
    header = (VERSION_2.parents[3] / "formats" / "trace" / "block.h").read_text()
    assert f"most_records = {blocks.MOST_RECORDS};" in header
    data = FakeTrace([Call([0])], ranks=1).file(0)
    path = tmp_path / "rank_0.agtrace"
    path.write_bytes(data.replace(b"total_bytes\n", b"bytes\n"))
    with pytest.raises(BadInput, match=r"line \d: kind='.*' cannot be read"):
        ranks.read(path)
