# SPDX-License-Identifier: BSD-3-Clause
"""The launches of a data set lie below its folder."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from agformats.errors import BadInput
from agformats.files.data_set_schema import LAUNCHES
from agformats.files.data_set_sums import SUMS
from agreport.data.load import read_files

from ..support.commands import Rows, Write
from .test_data_set import collected


@pytest.mark.parametrize("file", ["/etc/passwd", "../0.csv", "a/../../0.csv", ""])
def test_launches_lie_below_the_folder(file: str, write: Write, rows: Rows, tmp_path: Path) -> None:
    """Per-rank files beside a launch are read: a data set must not name those of others."""
    folder = collected(tmp_path / "set", {"a/0.csv": write("0.csv", rows("ring", [1]))})
    (folder / SUMS).unlink()
    path = folder / LAUNCHES
    table = parquet.read_table(path)
    place = table.column_names.index("file")
    parquet.write_table(table.set_column(place, "file", pa.array([file])), path)
    with pytest.raises(BadInput) as error:
        read_files([str(folder)])
    assert str(error.value) == (
        f"{path}: file '{file}' is not below {folder}; legal: a path such as BUILD/NAME.csv"
    )
