# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of records in the file of a rank (docs/reference/trace_file.md; formats/trace/block.h).

In files of the versions 1 and 2 records lie as the file says. Since then they are packed: a block
has a table of the kinds of its calls, and for each record its kind. Both lie column by column: a
first value, then what each value adds to the one before, in as few bytes as will do.
"""

import re
import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agreport.stats.arrays import Ints

Records = npt.NDArray[np.void]

KIND_COLUMNS = "communicator site operation flags bytes total_bytes"
RECORD_COLUMNS = "kind skipped arrival_ns exit_ns"
MOST_RECORDS = 4096  # of a block
RECORD = np.dtype(
    [
        *((name, "<i8") for name in ("arrival_ns", "exit_ns", "bytes", "total_bytes")),
        *((name, "<u4") for name in ("communicator", "call", "site")),
        *((name, "<u2") for name in ("operation", "flags")),
    ]
)
COLUMN = struct.Struct("<QQB")  # first value, least step, bytes of each number above the step
STEP = np.dtype("<u8")


# These fields are read of a record that is not packed; the file says where in it each is.
FIELDS = set(RECORD.names or ())
KIND = re.compile(r"[iu][1248]")
NO_LAYOUT = np.dtype([])


@dataclass(frozen=True)
class Block:
    """A block of records as they lie in the file. count: how many records the block has. kinds: how
    many kinds of calls its table has; 0: the block is not packed."""

    data: memoryview
    count: int
    kinds: int = 0

    def unpack(self, layout: np.dtype[np.void]) -> Records:
        """Returns the records. Raises ValueError if the bytes are no block. layout: of a record
        that is not packed."""
        if self.kinds:
            return unpack(self.data, self.count, self.kinds)
        return np.frombuffer(self.data, layout)


class Columns:
    """Takes the columns of a packed block from its bytes, one after the other. at: where the next
    column begins."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> npt.NDArray[np.uint64]:
        """Returns the next column, which has so many values. The sums are of 64 bits without a
        carry, so each value comes out as it was. Raises ValueError if there is no such column."""
        if len(self.data) < self.at + COLUMN.size:
            raise ValueError
        first, least, width = COLUMN.unpack_from(self.data, self.at)
        start = self.at + COLUMN.size
        self.at = start + (count - 1) * width
        if width > STEP.itemsize or len(self.data) < self.at:
            raise ValueError
        values = np.full(count, least, np.uint64)
        values[0] = first
        if width:
            numbers = np.zeros((count - 1, STEP.itemsize), np.uint8)
            numbers[:, :width] = np.frombuffer(self.data[start : self.at], np.uint8).reshape(
                count - 1, width
            )
            values[1:] += numbers.view(STEP)[:, 0]
        np.cumsum(values, out=values)
        return values


def unpack(data: memoryview, count: int, kinds: int) -> Records:
    """Returns the records of a packed block. Their field `call` says how many calls were skipped on
    the communicator since the last record, until number_calls puts the number of the call there.
    Raises ValueError if the bytes are no block."""
    if not 1 <= kinds <= count <= MOST_RECORDS:
        raise ValueError
    columns = Columns(data)
    table = np.empty(kinds, RECORD)
    for name in KIND_COLUMNS.split():
        put(table, name, columns.take(kinds))
    kind = columns.take(count)
    if kind.max() >= kinds:
        raise ValueError
    records: Records = table[kind]
    skipped = columns.take(count).view(np.int64)
    if (skipped != skipped.astype(np.int32)).any():
        raise ValueError
    records["call"] = skipped.astype(np.int32).view(np.uint32)
    for name in ("arrival_ns", "exit_ns"):
        put(records, name, columns.take(count))
    if columns.at != len(data):
        raise ValueError
    return records


def put(records: Records, name: str, values: npt.NDArray[np.uint64]) -> None:
    """Writes values to a field of the records. Raises ValueError if the field cannot hold one."""
    field = RECORD[name]
    if field.kind == "u" and (values > np.iinfo(field).max).any():
        raise ValueError
    records[name] = values.view(np.int64)


def number_calls(records: Records) -> None:
    """Writes the number of each call on its communicator to the field `call`, which had how many
    calls were skipped before it. The records are those of a file, in the file's order."""
    communicator = records["communicator"]
    order = np.argsort(communicator, kind="stable")
    sorted_communicator = communicator[order]
    # The sums have 32 bits without a carry, as the numbers have.
    steps = records["call"][order] + np.uint32(1)
    counts = np.cumsum(steps, dtype=np.uint32)
    starts = np.flatnonzero(np.r_[True, sorted_communicator[1:] != sorted_communicator[:-1]])
    lengths: Ints = np.diff(np.r_[starts, len(records)])
    before = np.r_[np.uint32(0), counts[starts[1:] - 1]] if len(records) else counts
    records["call"][order] = counts - np.repeat(before, lengths) - np.uint32(1)


def parse_layout(text: str) -> np.dtype[np.void]:
    """Returns the layout of a record from NAME:KIND ..., where a kind is i or u and a number of
    bytes: arrival_ns:i8 flags:u2. Raises ValueError if the text is not that, or lacks a field that
    is read."""
    kinds = dict(entry.split(":") for entry in text.split())
    if not kinds.keys() >= FIELDS or not all(map(KIND.fullmatch, kinds.values())):
        raise ValueError
    return np.dtype([(name, f"<{kind}") for name, kind in kinds.items()])
