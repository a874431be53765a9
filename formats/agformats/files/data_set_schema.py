# SPDX-License-Identifier: BSD-3-Clause
"""Says what the two files of a data set have to hold: their columns, and a row of launches.parquet
as the launch that it is of."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.result_file import RESULT_FILE, Launch
from agformats.regular_file import MOST_BYTES
from agformats.units import in_units

RESULTS, LAUNCHES = "results.parquet", "launches.parquet"
ENDING = ".parquet"
NUMBER = "launch"  # the column that both files have, and that joins them
# The sweep says these of a launch; the other columns are what the launch says about itself.
ORIGIN = ["build", "point"]
OF_LAUNCH = {
    NUMBER: pa.int32(),
    **dict.fromkeys(["file", *ORIGIN, "identity"], pa.string()),
    "cut_rows": pa.int64(),
}
# Data sets of 0.1.0 lack these: whether the file had checksums, the cases that the launch had not
# finished, and what is wrong with those that were left out, a line each.
PROOF = {"checked": pa.bool_(), "lacking": pa.int64(), "altered": pa.string()}
# At most so many are read. A row in memory has a hundred bytes or more, a launch its metadata.
MOST_ROWS, MOST_LAUNCHES = 1 << 28, 1 << 20


class BrokenDataSet(BadInput):
    """The error of a data set whose file itself is no good, so that none of its launches can be
    read."""


def refuse_large(path: Path, about: parquet.FileMetaData, most: int) -> None:
    """Refuses with BrokenDataSet a file that has more than `most` rows or too much data. It is
    called before anything is read: a small file may be of many rows, or of long texts."""
    if about.num_rows > most:
        raise BrokenDataSet(f"{path}: has {about.num_rows} rows; legal: up to {most}")
    size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    if size > MOST_BYTES:
        has, legal = in_units(size), in_units(MOST_BYTES)
        raise BrokenDataSet(f"{path}: has {has} of data; legal: up to {legal}")


def read_types() -> dict[str, str]:
    """Returns the type of every column that reports read."""
    required = {str(name): kind for name, kind in RESULT_FILE.columns.items()}
    return {**required, **dict.fromkeys(RESULT_FILE.optional, "float64")}


def may_lack() -> set[str]:
    return {*RESULT_FILE.may_lack, *RESULT_FILE.optional}


def launches_of(path: Path, table: pa.Table, has_sums: bool) -> list[Launch]:
    """Returns launches by their numbers. Without sums nothing tells if they were altered since."""
    if missing := [name for name in OF_LAUNCH if name not in table.column_names]:
        raise BrokenDataSet(f"{path}: not of a data set; missing columns: {', '.join(missing)}")
    former = catalogue().former_keys()
    found = [
        launch_of(path, number, row, former, has_sums)
        for number, row in enumerate(table.to_pylist())
    ]
    if len({each.path for each in found}) < len(found):
        raise BrokenDataSet(f"{path}: two launches have one file")
    return found


def launch_of(
    path: Path, number: int, row: dict[str, Any], former: Mapping[str, str], has_sums: bool
) -> Launch:
    """Returns the launch that a row of launches.parquet is of. number: what the row has to have as
    its launch; former: the names of today by those of former versions' metadata keys. Raises
    BrokenDataSet if the row lacks something, or is of another launch."""
    about = {name: row.pop(name) for name in OF_LAUNCH}
    proof = {name: row.pop(name, None) for name in PROOF}
    if about[NUMBER] != number:
        raise BrokenDataSet(f"{path}: row {number + 1} is not of launch {number}")
    if None in about.values():
        raise BrokenDataSet(f"{path}: launch {number} lacks its {', '.join(OF_LAUNCH)}")
    return Launch(
        path.parent / below(path, str(about["file"])),
        {former.get(key, key): str(value) for key, value in row.items() if value is not None},
        int(about["cut_rows"]),
        identity(path, about),
        has_sums and bool(proof["checked"]),
        tuple(str(proof["altered"] or "").splitlines()),
        int(proof["lacking"] or 0),
    )


def below(path: Path, name: str) -> PurePath:
    """Returns the path of a launch's file, which has to be below the data set: per-rank files
    beside it are read, which must not be those of others."""
    file = PurePath(name)
    if file.is_absolute() or ".." in file.parts or not file.parts:
        raise BrokenDataSet(
            f"{path}: file '{name}' is not below {path.parent}; legal: a path such as "
            "BUILD/NAME.csv"
        )
    return file


def identity(path: Path, about: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(about["identity"])
    except (TypeError, ValueError):
        raise BrokenDataSet(f"{path}: identity '{about['identity']}' is no hex number") from None


def columns_of(path: Path, schema: pa.Schema) -> list[str]:
    """Returns the columns that reports read; there must be no others than a result file has."""
    names = [name for name in schema.names if name != NUMBER]
    fault = RESULT_FILE.header_fault(names)
    if NUMBER not in schema.names:
        fault = fault or f"missing columns: {NUMBER}"
    if fault:
        raise BrokenDataSet(f"{path}: not of a data set; {fault}")
    types = read_types()
    found = [name for name in names if name in types]
    for name in found:
        require_type(path, name, types[name] == "category", schema.field(name).type)
    return found


def require_type(path: Path, name: str, is_text: bool, kind: pa.DataType) -> None:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if is_text:
        legal = pa.types.is_string(value) or pa.types.is_large_string(value)
    else:
        legal = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if not legal:
        what = "text" if is_text else "a number"
        raise BrokenDataSet(f"{path}: {name} is of type {kind}, not {what}")
