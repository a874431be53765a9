# SPDX-License-Identifier: BSD-3-Clause
"""The medians that `agreport history` makes of a launch's rows, and the file that keeps them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from agformats.files.data_set import read_launch
from agformats.files.result_file import METRICS
from agreport.data.load import read_files, read_one
from agreport.history import summaries
from agreport.main import main
from agreport.stats.launch_interval import launch_medians

from ..support import fake_launches
from ..support.commands import Capture


def table_of(tmp_path: Path) -> pa.Table:
    """Two algorithms by turns, with an odd and an even number of rows."""
    times = {
        ("ring", 8): [3.0, 1.0, 2.0, 9.0, 7.0],
        ("bruck", 8): [4.0, 1.0, 2.0, 8.0],
        ("ring", 16): [5.0],
    }
    return read_launch(fake_launches.launch(tmp_path / "a.csv", times))[1]


def medians(table: pa.Table, column: str) -> dict[tuple[str, int], list[Any]]:
    found: dict[tuple[str, int], list[Any]] = {}
    for row in table.to_pylist():
        found.setdefault((row["algorithm"], row["bytes"]), []).append(row[column])
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_summary_has_the_median_of_each_case(seed: int, tmp_path: Path) -> None:
    table = table_of(tmp_path)
    order = np.random.default_rng(seed).permutation(len(table))
    found = medians(summaries.summarise(table.take(pa.array(order))), "avg_us")
    assert found == {("ring", 8): [3.0], ("bruck", 8): [3.0], ("ring", 16): [5.0]}


def test_a_missing_time_makes_no_median_but_of_cycles(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    some = pa.array([None, 6.0, None, 2.0, None, *[1.0] * 4, None])
    table = table.drop_columns(["run_us"])
    table = table.append_column("run_us", some).append_column("cycle_us", some)
    found = summaries.summarise(table)
    assert medians(found, "cycle_us")["ring", 8] == [4.0]
    assert np.isnan(medians(found, "run_us")["ring", 8][0])
    assert np.isnan(medians(found, "cycle_us")["ring", 16][0]), "none is known"


def test_rows_that_are_not_ok_stay_as_they_are(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    status = ["ok", "late", "late", "ok", "ok", *["ok"] * 4, "wrong"]
    column = pa.array(status).dictionary_encode()
    table = table.set_column(table.column_names.index("status"), "status", column)
    found = summaries.summarise(table)
    assert medians(found, "status")["ring", 8] == ["ok", "late", "late"]
    assert medians(found, "status")["ring", 16] == ["wrong"]
    assert medians(found, "avg_us")["ring", 8] == [7.0, 1.0, 2.0]


def make(folder: Path, launches: int = 6) -> Path:
    random = np.random.default_rng(1)
    for number in range(launches):
        times = {("ring", 2**size): random.lognormal(3, 0.1, 5).tolist() for size in range(4)}
        fake_launches.launch(
            folder / f"{number}.csv", times,
            start=f"2026-11-{number + 1:02}T00:00:00+0000", note__commit=f"c{number}",
        )  # fmt: skip
    return folder


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "cycle"])
def test_launches_have_the_same_medians_by_their_summaries(metric: str, tmp_path: Path) -> None:
    folder = [str(make(tmp_path / "data"))]
    whole = read_files(folder).apart(None)
    summed = read_files(folder, read=summaries.Summaries(None).read).apart(None)
    assert len(summed.rows) == 24 < len(whole.rows)
    column = METRICS[metric]
    assert launch_medians(whole, column).equals(launch_medians(summed, column))


class History:
    """Calls the command, and counts the result files that it reads."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.cache = make(folder / "data"), folder / "kept"
        self.read: list[str] = []

        def counted(path: Path, *words: object) -> object:
            self.read.append(path.name)
            return read_one(path, *words)  # type: ignore[arg-type]

        monkeypatch.setattr("agreport.history.summaries.read_one", counted)

    def __call__(self, *words: str, cached: bool = True, code: int = 0) -> str:
        """Returns what was found."""
        self.read.clear()
        written = self.folder.parent / "h.json"
        words = (*words, *(("--cache", str(self.cache)) if cached else ()))
        command = ["history", str(self.folder), "--by", "note.commit", "--json", str(written)]
        assert main([*command, *words]) == code
        return written.read_text()


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    return History(tmp_path, monkeypatch)


def test_what_is_kept_is_not_read_again_and_says_the_same(history: History) -> None:
    first = history()
    assert len(history.read) == 6
    assert history() == first == history("--metric", "avg")
    assert history.read == []
    assert history(cached=False) == first
    assert len(history.read) == 6
    whole = history("--bytes", "4", "--metric", "max", cached=False)
    assert history("--bytes", "4", "--metric", "max") == whole
    assert history.read == []


def test_only_new_and_altered_files_are_read(history: History) -> None:
    history()
    make(history.folder, launches=7)  # the first six are as they were
    history()
    assert history.read == ["6.csv"]
    file = history.folder / "2.csv"
    fake_launches.launch(
        file, {("ring", 1): [7.0] * 5}, start="2026-11-03T00:00:00+0000", note__commit="c2"
    )
    file.rename(history.folder / "z.csv")
    (history.folder / "3.csv").rename(history.folder / "y.csv")
    found = history()
    assert history.read == ["z.csv"], "one that has another name is the same launch"
    assert found == history(cached=False)


@pytest.mark.parametrize("place", [len(summaries.begin()) + 7, 2000, -40])
def test_an_altered_cache_is_told_and_written_anew(
    place: int, history: History, capsys: Capture
) -> None:
    history()
    make(history.folder, launches=7)
    first = history()  # written in two parts
    data = bytearray(history.cache.read_bytes())
    data[place] ^= 1
    history.cache.write_bytes(data)
    assert history() == first
    assert len(history.read) == 7
    assert "was altered, and is written anew" in capsys.readouterr().err
    assert history() == first
    assert history.read == []


def test_a_cache_that_was_cut_off_is_told(history: History, capsys: Capture) -> None:
    first = history()
    history.cache.write_bytes(history.cache.read_bytes()[:-1])
    assert history() == first
    assert "was altered, and is written anew" in capsys.readouterr().err


def test_a_cache_of_another_version_is_told(history: History, capsys: Capture) -> None:
    history.cache.write_bytes(summaries.BEGIN + b"0 gatherbench 0.1.0\nsomething")
    history()
    assert "is of another version, and is written anew" in capsys.readouterr().err
    history()
    assert history.read == []


def test_a_file_that_is_no_cache_is_kept(tmp_path: Path, capsys: Capture) -> None:
    folder, other = make(tmp_path / "data"), tmp_path / "thesis.txt"
    other.write_text("my thesis")
    assert main(["history", str(folder), "--by", "note.commit", "--cache", str(other)]) == 2
    assert "is no cache; legal: a new name" in capsys.readouterr().err
    assert other.read_text() == "my thesis"


def test_nothing_is_kept_of_a_launch_whose_cases_were_left_out(
    history: History, capsys: Capture
) -> None:
    file = history.folder / "1.csv"
    text = file.read_text()
    row = next(line for line in text.splitlines() if ",1,2,8,0," in line)
    file.write_text(text.replace(row, row.replace(",ok,", ",no,"), 1))
    for _ in range(2):
        history("--keep-going", code=3)
        assert "was altered in line" in capsys.readouterr().err
    assert history.read == ["1.csv"], "what is left out depends on an option"
