# SPDX-License-Identifier: BSD-3-Clause
"""Tests that places of buffers tell cases apart; in older files the metadata say the place."""

from pathlib import Path

import pandas as pd
import pytest
from pyarrow import parquet

from agformats.files.data_set_schema import RESULTS
from agformats.files.data_set_sums import SUMS
from agreport.figure.words import describe_value, in_case

from ..support.commands import Rows, Write
from ..support.loading import load
from .test_data_set import collected


def places(*paths: Path) -> list[str]:
    return load([*map(str, paths)]).rows["buffer_offset"].astype(str).tolist()


def test_an_older_file_says_it_in_its_metadata(write: Write, rows: Rows) -> None:
    pages = write("a.csv", rows("ring", [1.0]))
    apart = write("b.csv", rows("ring", [1.0]), buffer_offset="16")
    said = write("c.csv", rows("ring", [1.0]), buffer_offset="0")
    assert places(pages, apart, said) == ["0,0", "16,16", "0,0"]


def test_an_older_data_set_says_it_of_each_launch(write: Write, rows: Rows, tmp_path: Path) -> None:
    of = {
        f"{place}.csv": write(f"{place}.csv", rows("ring", [1.0]), buffer_offset=place)
        for place in ("0", "16")
    }
    folder = collected(tmp_path / "set", of)
    (folder / SUMS).unlink()
    table = parquet.read_table(folder / RESULTS)
    assert table["buffer_offset"].to_pylist() == ["0,0", "16,16"]
    parquet.write_table(table.drop_columns(["buffer_offset"]), folder / RESULTS)
    assert sorted(places(folder)) == ["0,0", "16,16"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0,0", ""),
        ("0,16", "buffers 0 and 16 B behind a page"),
        ("16,16", "buffers 16 B behind a page"),
        ("random", "buffers at random places"),
    ],
)
def test_places_in_words(value: str, text: str) -> None:
    assert describe_value("buffer_offset", value) == text
    case = pd.Series({"ranks": "4", "buffer_offset": value})
    assert in_case(case) == ", ".join(filter(None, ["4 ranks", text]))
