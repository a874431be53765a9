# SPDX-License-Identifier: BSD-3-Clause
"""Large files are read in parts and kept in less memory, with the same rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from agformats.errors import BadInput
from agformats.files import csv_text
from agformats.files.data_set_writer import WHOLE_FILE
from agformats.files.result_file import RESULT_FILE
from agformats.files.result_rows import read
from agreport.data import load as loading
from agreport.data import rows as data_rows
from agreport.data.rows import compact, join_tables

from ..support import fake_arrivals
from ..support.commands import Rows, Write
from ..support.loading import load

BLOCKS = (1, 200, 1000, 3000)


def mixed(folder: Path) -> Path:
    """Only the last case has values in the columns of an arrival pattern."""
    times = {"ring": [3.0, 4.0, 5.0, 5.0], "bruck": [6.0, 7.0, 8.0, 9.0]}
    cases = [fake_arrivals.case("none", times, size=size) for size in (1, 2, 4)]
    cases.append(fake_arrivals.case("delayed:rank=1,delay=20us", times, imbalance=20))
    return fake_arrivals.write(folder / "a.csv", *cases)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("whole", [True, False])
def test_blocks_give_the_table_of_the_whole(
    block: int, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = mixed(tmp_path)
    kind = WHOLE_FILE if whole else RESULT_FILE
    expected = read(path, kind)[1].to_pandas()
    assert expected["delay_error_us"].notna().sum() == 8
    monkeypatch.setattr(csv_text, "BLOCK", block)
    found = read(path, kind)[1]
    assert found["avg_us"].num_chunks > 1
    pd.testing.assert_frame_equal(found.to_pandas(), expected)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("before", "after"), [("64,256,3,", "64,256,x,"), ("64,256,3,", ",256,3,"), ("ring", "ring,1")]
)
def test_faults_have_their_line_in_all_blocks(
    block: int,
    before: str,
    after: str,
    write: Write,
    rows: Rows,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = [rows(name, [1.0, 2, 3, 4], size=64) for name in ("bruck", "ring")]
    assert any(before in row for row in good[1])
    bad = [row.replace(before, after) for row in good[1]]
    path = write("a.csv", good[0], bad)
    faults = []
    for size in (1 << 20, block):
        monkeypatch.setattr(csv_text, "BLOCK", size)
        with pytest.raises(BadInput) as raised:
            read(path)
        faults.append(str(raised.value))
    changed = next(row for row in bad if row not in good[1])
    line = path.read_text().splitlines().index(changed) + 1
    assert faults[0].startswith(f"{path}:{line}:")
    assert faults[1] == faults[0]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_repeated_row_is_found_in_another_block(
    block: int, write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_text, "BLOCK", block)
    path = write("a.csv", rows("ring", [1.0] * 9), rows("bruck", [1.0]), rows("ring", [2.0]))
    with pytest.raises(BadInput, match="ring stands in line 8 already"):
        read(path)


def tables() -> list[pa.Table]:
    """Columns that are the same in all rows, in those of one table, and in none; and texts of
    more kinds than one byte can tell apart."""
    names = [[f"a{n}" for n in range(count)] for count in (3, 300, 3)]
    return [
        pa.table({
            "algorithm": pa.array(texts).dictionary_encode(),
            "status": pa.array(["ok"] * len(texts)).dictionary_encode(),
            "ranks": pa.array(np.full(len(texts), 4)),
            "bytes": pa.array(np.full(len(texts), number)),
            "avg_us": pa.array(np.arange(len(texts)) / 8),
            "cycle_us": pa.array([None, *[2.5] * (len(texts) - 1)], pa.float64()),
            "read_us": pa.array([None] * len(texts), pa.float64()),
            "run_us": pa.array(np.full(len(texts), 7.25)),
        })
        for number, texts in enumerate(names)
    ]  # fmt: skip


@pytest.mark.parametrize("alike", [2, 100, 1 << 16])
def test_compact_tables_have_the_same_rows(alike: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = join_tables(tables())
    monkeypatch.setattr(data_rows, "ALIKE_ROWS", alike)
    found = join_tables([compact(table) for table in tables()])
    pd.testing.assert_frame_equal(found, expected, check_like=True)
    assert [f"a{n}" for n in range(300)] == list(found["algorithm"][3:303])
    for name, same in (("ranks", True), ("run_us", True), ("bytes", False), ("cycle_us", False)):
        assert (found[name].to_numpy().strides == (0,)) == same, name


def test_a_compact_column_is_small() -> None:
    table = pa.table({
        "ranks": pa.array(np.full(1_000_000, 4)),
        "status": pa.array(["ok"] * 1_000_000).dictionary_encode(),
    })  # fmt: skip
    small = compact(table)
    assert small["status"].combine_chunks().indices.type == pa.int8()
    chunks = {chunk.buffers()[1].address for chunk in small["ranks"].chunks}
    assert len(chunks) == 1
    assert small["ranks"].to_pylist() == table["ranks"].to_pylist()


def test_a_zero_and_its_negative_are_not_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_rows, "ALIKE_ROWS", 1)
    table = pa.table({"algorithm": pa.array(["a"] * 3).dictionary_encode(),
                      "avg_us": pa.array([0.0, -0.0, 0.0])})  # fmt: skip
    assert np.signbit(join_tables([compact(table)])["avg_us"]).tolist() == [False, True, False]


def test_equal_columns_can_be_changed_in_a_copy(write: Write, rows: Rows) -> None:
    """They are one number in memory, which nothing may write to."""
    frame = load([str(write("a.csv", rows("ring", [1.0, 2.0])))]).timed().copy()
    frame.loc[frame.index[0], "ranks"] = 9
    assert frame["ranks"].tolist() == [9, 4]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([60, 40, 1], [[60, 40], [1]]),
        ([300, 1, 300], [[300], [1], [300]]),
        ([0, 0, 0, 0], [[0, 0, 0], [0]]),
    ],
)
def test_files_are_read_together_up_to_a_size(
    sizes: Sequence[int],
    expected: list[list[int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loading, "MOST_BYTES", 100)
    monkeypatch.setattr(loading, "AT_A_TIME", 3)
    paths = [tmp_path / f"{number}.csv" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(b"x" * size)
    found = list(loading.batches(paths))
    assert [[path.stat().st_size for path in some] for some in found] == expected
    assert [path for some in found for path in some] == paths


def test_a_gzipped_text_counts_as_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_BYTES", 100)
    paths = [tmp_path / "a.csv.gz", tmp_path / "b.csv.gz", tmp_path / "none.csv"]
    for path in paths[:2]:
        path.write_bytes(b"x" * 10)
    assert list(loading.batches(paths)) == [[paths[0]], paths[1:]]
