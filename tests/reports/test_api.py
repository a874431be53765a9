# SPDX-License-Identifier: BSD-3-Clause
"""Tests what Python programs may rely on: agreport's __all__."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import agreport
from agformats.catalogue import catalogue
from agreport.main import main

from .support.commands import Rows, Write


@pytest.mark.slow
def test_load_gives_the_rows_that_count(example: Path) -> None:
    found = agreport.load([str(example)])
    columns = {column.name for column in catalogue().columns} - {
        "total_bytes",
        "chosen",
        "prepare_us",
    }
    assert set(found.columns) == columns | {"setting", "launch", "pattern"}
    assert len(found) == 23 and list(found.index) == list(range(23))
    assert set(found["setting"]) == {""} and set(found["status"]) == {"ok"}
    ring = found[(found["algorithm"] == "ring") & (found["bytes"] == 2)]
    assert ring["avg_us"].tolist() == [10, 10] and ring["min_us"].tolist() == [9, 9]
    pd.testing.assert_frame_equal(agreport.load(example), found)
    pd.testing.assert_frame_equal(agreport.load(str(example.parent)), found)


def test_launches_are_apart_by_their_setting(write: Write, rows: Rows) -> None:
    files = [write(f"{n}.csv", rows("ring", [n]), **{"note.cluster": f"c{n}"}, kernel=f"{n}")
             for n in (5, 6)]  # fmt: skip
    apart = agreport.load(files, by=["kernel"])
    assert apart[["setting", "launch", "avg_us"]].to_numpy().tolist() == [
        ["kernel=5", 0, 5.0],
        ["kernel=6", 1, 6.0],
    ]
    assert set(agreport.load(files, pool=["kernel"])["setting"]) == {""}
    with pytest.raises(agreport.BadInput, match="--by: 'colour' is not a fact"):
        agreport.load(files, by=["colour"])


def test_launches_have_the_numbers_of_their_rows(write: Write, rows: Rows) -> None:
    """What a launch says can then be joined to its rows."""
    files = [write("a.csv", rows("ring", [5]), mpi="one", **{"note.build": "x"}),
             write("b.csv", rows("ring", [6]), mpi="other")]  # fmt: skip
    found = agreport.launches(files)
    assert found["file"].tolist() == [str(file) for file in files]
    joined = agreport.load(files).join(found[["mpi", "note.build"]], on="launch")
    assert joined[["mpi", "avg_us"]].to_numpy().tolist() == [["one", 5.0], ["other", 6.0]]
    assert joined["note.build"].isna().tolist() == [False, True]
    with pytest.raises(agreport.BadInput, match="no such file"):
        agreport.launches("gone.csv")


def test_summary_is_the_table(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = agreport.summary(example, metric="max")
    assert main(["summary", str(example), "--metric", "max", "--format", "csv"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out), float_precision="round_trip")
    assert [*found.columns] == ["setting", *table.columns.drop("metric")]
    assert found["mean_us"].tolist() == table["mean_us"].tolist()
    with pytest.raises(agreport.BadInput, match="metric: 'p99' is not a metric; legal: min, avg"):
        agreport.summary(example, metric="p99")  # type: ignore[arg-type]


def test_a_text_is_one_fact(write: Write, rows: Rows) -> None:
    files = [
        write(f"{n}.csv", rows("ring", [n], ranks=n), **{"note.cluster": f"c{n}"}, kernel=f"{n}")
        for n in (5, 6)
    ]
    for by in ("ranks", "kernel"):
        found = agreport.summary(files, by=by)
        pd.testing.assert_frame_equal(found, agreport.summary(files, by=[by]))
        pd.testing.assert_frame_equal(agreport.load(files, by=by), agreport.load(files, by=[by]))
    assert set(agreport.load(files, pool="kernel")["setting"]) == {""}
    with pytest.raises(agreport.BadInput, match="--by: 'colour' is not a fact"):
        agreport.load(files, by="colour")


@pytest.mark.parametrize("ranks", [-4, 0, 2.5, True, "4", 10**9])
def test_ranks_are_a_number_of_ranks(example: Path, ranks: object) -> None:
    for read in (agreport.load, agreport.launches, agreport.summary):
        said = f"ranks: {ranks!r} is no number of ranks; legal: 1 to"
        with pytest.raises(agreport.BadInput, match=said):
            read(example, ranks=ranks)  # type: ignore[arg-type]
    assert len(agreport.launches(example, ranks=4)) == 1


def test_errors_are_one_line(tmp_path: Path, example: Path) -> None:
    with pytest.raises(agreport.BadInput, match=r"gone\.csv: no such file$"):
        agreport.load([tmp_path / "gone.csv"])
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(agreport.BadInput, match=r"bad\.csv:1: not a result file; missing"):
        agreport.load([example, tmp_path / "bad.csv"])


@pytest.mark.slow
def test_loading_changes_no_setting_of_matplotlib(example: Path) -> None:
    code = (
        "import sys, matplotlib as mpl; before = dict(mpl.rcParams); import agreport; "
        "agreport.load(sys.argv[1:]); agreport.summary(sys.argv[1:]); "
        "assert dict(mpl.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", code, str(example)], check=True)


@pytest.mark.slow
def test_importing_is_cheap() -> None:
    """It does without pandas and matplotlib, which load brings."""
    code = "import sys, agreport; assert not {'pandas', 'matplotlib'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
