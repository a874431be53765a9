# SPDX-License-Identifier: BSD-3-Clause
"""CSV text with `#` comment lines -> a table of the columns that it has to have."""

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from agformats.errors import BadInput
from agformats.files.comment_lines import row_blocks, without_comments
from agformats.files.csv_faults import first_fault

if TYPE_CHECKING:  # to import them takes half a second, and what files have is known without them
    import pandas as pd
    import pyarrow as pa

HEADER = re.compile(rb"^[^#\s].*$", re.MULTILINE)
# So many bytes are parsed at a time: larger blocks are slower, as they are in no cache when the
# last column is converted, and so are smaller ones. A longer line is a block.
BLOCK = 1 << 22
LARGEST_BLOCK = 1 << 30  # bytes; the most that pyarrow is told to parse at a time


@cache
def arrow_types() -> "dict[str, pa.DataType]":
    """Returns the types of pyarrow by the names that pandas has for them."""
    import pyarrow as pa

    return {
        "category": pa.dictionary(pa.int32(), pa.string()),
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
    }


@dataclass(frozen=True)
class Header:
    """The line of column names, and its number."""

    names: Sequence[str]
    line: int


@dataclass(frozen=True)
class Kind:
    """A kind of CSV file: what messages call such a file, and the types of its columns by pandas'
    names.

    may_lack: columns whose cells may be empty. optional: columns that may be empty, or that the
    whole file may lack because it is older than they are; they are of numbers, but for those in
    `texts`. unread: what other columns the file may have; None: any. when_absent: text columns that
    the whole file may lack, each with what every row then has there.
    """

    name: str
    columns: dict[Hashable, str]
    may_lack: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    unread: tuple[str, ...] | None = None
    texts: tuple[str, ...] = ()
    when_absent: Mapping[str, str] = field(default_factory=dict)

    def split(self, source: object, data: bytes) -> tuple[Header, bytes]:
        """Returns the line of column names, and the text that follows it. Raises BadInput if the
        file is empty, has no such line, or has the names of another kind of file."""
        if is_blank(data):
            raise BadInput(f"{source}: the file is empty")
        match = HEADER.search(data)
        if match is None:
            raise BadInput(f"{source}: not {self.name}; it has no line of column names")
        names = match.group().decode(errors="replace").strip().split(",")
        header = Header(names, data.count(b"\n", 0, match.start()) + 1)
        if fault := self.header_fault(names):
            raise BadInput(f"{source}:{header.line}: not {self.name}; {fault}")
        return header, data[match.end() :]

    def header_fault(self, names: Sequence[str]) -> str:
        """Returns what is wrong with the names of columns; empty: nothing."""
        known = [str(column) for column in self.columns]
        missing = without(known, (*names, *self.when_absent))
        others = without(names, (*known, *self.optional))
        if units := other_units(others, (*missing, *self.optional)):
            return "; ".join(units)
        faults = {
            "missing columns": missing,
            "foreign columns": [] if self.unread is None else sorted(without(others, self.unread)),
            "columns that stand twice": sorted({n for n in names if names.count(n) > 1}),
        }
        told = (f"{fault}: {', '.join(some)}" for fault, some in faults.items() if some)
        return next(told, "")

    def types(self, header: Header) -> dict[str, str]:
        """Returns the types of the columns that are read from the file."""
        there = {
            column: "category" if column in self.texts else "float64"
            for column in self.optional
            if column in header.names
        }
        own = {str(column): kind for column, kind in self.columns.items()}
        implied = {*self.when_absent} - {*header.names}
        return {**{name: kind for name, kind in own.items() if name not in implied}, **there}

    def with_implied(self, table: "pa.Table") -> "pa.Table":
        """Adds the columns that the file lacks because all its rows have the same there."""
        import numpy as np
        import pyarrow as pa

        for name, value in self.when_absent.items():
            if name in self.columns and name not in table.column_names:
                codes = pa.array(np.zeros(len(table), np.int32))
                column = pa.DictionaryArray.from_arrays(codes, pa.array([value]))
                table = table.append_column(name, column)
        return table

    def without_empty(self, table: "pa.Table") -> "pa.Table":
        """Leaves out optional columns in which no row has a value, as if the file lacked them: a
        file has all of these columns, and most of them are empty."""
        empty = [name for name in self.optional if name in table.column_names]
        return table.drop_columns([name for name in empty if not has_values(table[name])])

    def table(self, source: object, header: Header, body: bytes) -> "pa.Table":
        import pyarrow as pa

        types = self.types(header)
        may_lack = (*self.may_lack, *self.optional)
        blocks = (in_utf8(block) for block in row_blocks(body, BLOCK) if not is_blank(block))
        try:
            found = [self.without_empty(read_rows(block, header.names, types)) for block in blocks]
            if not found:
                empty = {name: pa.array([], arrow_types()[kind]) for name, kind in types.items()}
                return self.with_implied(pa.table(empty))
            table = pa.concat_tables(found, promote_options="default")
            table = table.select([name for name in types if name in table.column_names])
            lacking = [n for n in types if n not in may_lack and table[n].null_count]
            fault = f"{lacking[0]} is empty" if lacking else ""
        except pa.ArrowInvalid as error:
            fault = " ".join(str(error).split())
        if fault:
            rows = numbered_rows(header, body)
            line, what = first_fault(header.names, types, may_lack, rows) or (header.line, fault)
            raise BadInput(f"{source}:{line}: no row of {self.name}: {what}")
        return self.with_implied(table)

    def frame(self, source: object, header: Header, body: bytes) -> "pd.DataFrame":
        frame: pd.DataFrame = self.table(source, header, body).unify_dictionaries().to_pandas()
        kinds = self.types(header)
        frame = frame.astype({name: kind for name, kind in kinds.items() if name in frame})
        return frame.assign(**dict.fromkeys(set(self.optional) - set(frame.columns), float("nan")))

    def read(self, source: object, data: bytes) -> "pd.DataFrame":
        return self.frame(source, *self.split(source, data))


def has_values(column: "pa.ChunkedArray") -> bool:
    return bool(column.null_count < len(column))


def is_blank(text: bytes) -> bool:
    return not text or text.isspace()  # strip() would copy all of it


def without(names: Iterable[str], others: Collection[str]) -> list[str]:
    return [name for name in names if name not in others]


def other_units(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Returns a sentence for each of `names` that is the name of one of `columns` but for the unit
    at its end."""
    return [
        f"'{name}' is not in the unit of '{column}'"
        for name in names
        for column in columns
        if "_" in name and name.rpartition("_")[0] == column.rpartition("_")[0]
    ]


def in_utf8(text: bytes) -> bytes:
    return text if text.isascii() else text.decode(errors="replace").encode()


def read_rows(lines: bytes, names: Sequence[str], types: Mapping[str, str]) -> "pa.Table":
    """Reads rows; an empty cell of a text column is an empty text, and one of numbers is null."""
    import pyarrow as pa
    from pyarrow import csv

    known = arrow_types()
    return csv.read_csv(
        pa.BufferReader(lines),
        read_options=csv.ReadOptions(
            use_threads=False, column_names=list(names), block_size=min(len(lines), LARGEST_BLOCK)
        ),
        convert_options=csv.ConvertOptions(
            column_types={column: known[kind] for column, kind in types.items()},
            include_columns=list(types),
            null_values=[""],
            strings_can_be_null=False,
        ),
    )


def numbered_rows(header: Header, body: bytes) -> Iterator[tuple[int, str]]:
    """Yields each line that is a row, with its number in the file. body begins with the end of the
    header's line."""
    for number, line in enumerate(
        without_comments(body).decode(errors="replace").split("\n"), header.line
    ):
        if line.rstrip("\r"):
            yield number, line.rstrip("\r")
