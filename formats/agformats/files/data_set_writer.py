# SPDX-License-Identifier: BSD-3-Clause
"""Writes a data set (data_set.py), launch after launch, never with all rows in memory."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from agformats.catalogue import catalogue
from agformats.errors import BadInput, in_one_line
from agformats.files.csv_text import Kind, arrow_types
from agformats.files.data_set_schema import LAUNCHES, NUMBER, OF_LAUNCH, PROOF, RESULTS
from agformats.files.data_set_sums import write_sums
from agformats.files.result_file import COLUMNS, OPTIONAL, RESULT_FILE, UNREAD, Launch

# Launches are written together until they have so many rows.
ROWS_A_GROUP = 1 << 18
PANDAS = {"text": "category", "integer": "int64", "number": "float64"}
KINDS = {column.name: PANDAS[column.type] for column in catalogue().columns}
# All columns of a result file, with the types of the catalogue.
WHOLE_FILE = Kind(
    RESULT_FILE.name,
    {name: KINDS[str(name)] for name in COLUMNS},
    RESULT_FILE.may_lack,
    (*OPTIONAL, *UNREAD),
    unread=(),
    texts=tuple(name for name in UNREAD if KINDS[name] == "category"),
    when_absent=RESULT_FILE.when_absent,
)
SCHEMA = pa.schema(
    [(NUMBER, pa.int32()), *((name, arrow_types()[kind]) for name, kind in KINDS.items())]
)  # fmt: skip


class Writer:
    """A writer of the two files of a data set, in a folder that is there. Leaving it without a
    fault completes the files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.launches: list[dict[str, Any]] = []
        self.keys: dict[str, None] = {}
        self.waiting: list[pa.Table] = []
        # pyarrow opens no file whose name is no UTF-8, but takes an open one.
        self.results = (folder / RESULTS).open("wb")
        self.writer = parquet.ParquetWriter(
            self.results, SCHEMA, compression="zstd", write_page_checksum=True
        )

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: object, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.write_rows()
        self.writer.close()
        self.results.close()
        if kind is None:
            self.write_launches()
            write_sums(self.folder)

    def add(self, launch: Launch, rows: pa.Table, file: str, about: Mapping[str, str]) -> int:
        """Adds a launch and returns its number. rows: as read with WHOLE_FILE; file: the path of
        the launch below the folder; about: its build and point. Raises BadInput if the launch has a
        metadata key that the data set needs itself."""
        number = len(self.launches)
        if taken := [key for key in launch.metadata if key in (*OF_LAUNCH, *PROOF)]:
            raise BadInput(
                f"{launch.path}: '#@{taken[0]}=' is a key that the data set needs itself"
            )
        self.keys.update(dict.fromkeys(launch.metadata))
        own = {NUMBER: number, "file": file, "identity": launch.identity.hex(), **about}
        proof = {
            "checked": launch.checked,
            "lacking": launch.lacking,
            "altered": "\n".join(map(in_one_line, launch.left_out)),
        }
        self.launches.append({**launch.metadata, **own, "cut_rows": launch.cut_rows, **proof})
        self.waiting.append(whole(rows, number))
        if sum(map(len, self.waiting)) >= ROWS_A_GROUP:
            self.write_rows()
        return number

    def write_rows(self) -> None:
        if self.waiting:
            table = pa.concat_tables(self.waiting).unify_dictionaries().combine_chunks()
            self.waiting.clear()
            self.writer.write_table(table, row_group_size=max(1, len(table)))

    def write_launches(self) -> None:
        types = {**OF_LAUNCH, **PROOF, **dict.fromkeys(self.keys, pa.string())}
        table = pa.Table.from_pylist(self.launches, pa.schema(list(types.items())))
        with (self.folder / LAUNCHES).open("wb") as file:
            parquet.write_table(table, file, compression="zstd", write_page_checksum=True)


def whole(rows: pa.Table, number: int) -> pa.Table:
    """Makes a table with every column; what an older file lacks is null."""
    columns = [pa.array(np.full(len(rows), number, np.int32))]
    for field in list(SCHEMA)[1:]:
        there = field.name in rows.column_names
        columns.append(
            rows[field.name].cast(field.type) if there else pa.nulls(len(rows), field.type)
        )
    return pa.table(columns, schema=SCHEMA)
