# SPDX-License-Identifier: BSD-3-Clause
"""A data set is of as many rows and bytes as can be in memory."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from agformats.errors import BadInput
from agformats.files import data_set, data_set_schema
from agformats.files.data_set_schema import LAUNCHES, RESULTS
from agformats.files.data_set_sums import SUMS
from agreport.data.load import read_files

from ..support.commands import Rows, Write
from .test_data_set import collected


@pytest.fixture
def folder(write: Write, rows: Rows, tmp_path: Path) -> Path:
    return collected(tmp_path / "set", {"a/0.csv": write("0.csv", rows("ring", [1, 2, 3]))})


def refusal(folder: Path) -> str:
    data_set.opened_once.cache_clear()
    with pytest.raises(BadInput) as error:
        read_files([str(folder)])
    return str(error.value)


def test_rows_are_counted_before_they_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_set, "MOST_ROWS", 3)
    assert len(read_files([str(folder)]).rows) == 3
    monkeypatch.setattr(data_set, "MOST_ROWS", 2)
    assert refusal(folder) == f"{folder / RESULTS}: has 3 rows; legal: up to 2"
    monkeypatch.setattr(data_set, "MOST_LAUNCHES", 0)
    assert refusal(folder) == f"{folder / LAUNCHES}: has 1 rows; legal: up to 0"


def test_so_are_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are bounded by their bytes, as they are uncompressed."""
    (folder / SUMS).unlink()
    path = folder / LAUNCHES
    table = parquet.read_table(path)
    long = pa.array([(1 << 20) * "a"])
    parquet.write_table(table.append_column("long", long), path, compression="zstd")
    assert path.stat().st_size < 1 << 17
    monkeypatch.setattr(data_set_schema, "MOST_BYTES", 1 << 20)
    told = refusal(folder)
    assert told.startswith(f"{path}: has ") and told.endswith(" MiB of data; legal: up to 1 MiB")


def no_text() -> pa.Array:
    """A text of one byte, 0xfc, which pyarrow looks at only where it becomes one of Python's."""
    offsets = pa.py_buffer(bytes([0, 0, 0, 0, 1, 0, 0, 0]))
    return pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xfc")])


@pytest.mark.parametrize(("name", "column"), [(LAUNCHES, "hosts"), (RESULTS, "reason")])
def test_texts_that_are_no_utf_8(write: Write, rows: Rows, tmp_path: Path, name: str, column: str
) -> None:  # fmt: skip
    path = write("0.csv", rows("ring", [1]), hosts="h")
    folder = collected(tmp_path / "set", {"a/0.csv": path})
    (folder / SUMS).unlink()
    table = parquet.read_table(folder / name)
    place = table.column_names.index(column)
    parquet.write_table(table.set_column(place, column, no_text()), folder / name)
    said = refusal(folder)
    assert said.startswith(f"{folder / name}: not to be read as Parquet: ") and "UTF" in said


def test_names_of_columns_that_are_no_utf_8(folder: Path) -> None:
    """A bit that a disk has lost makes such a name."""
    (folder / SUMS).unlink()
    path = folder / RESULTS
    path.write_bytes(path.read_bytes().replace(b"algorithm", b"algorith\xfc"))
    assert refusal(folder).startswith(f"{path}: not to be read as Parquet: 'utf-8' codec")
