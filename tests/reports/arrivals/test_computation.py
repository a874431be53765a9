# SPDX-License-Identifier: BSD-3-Clause
"""Tests how far apart ranks come that all compute for the same time (Faraj 2006, 4.2.3)."""

from pathlib import Path

import pandas as pd
import pytest

from agreport.arrivals import computation
from agreport.data.load import read_files
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import RANK_COLUMNS, case, keys, write


def computed(path: Path, iterations: list[list[float]]) -> None:
    """Returns the times that the four ranks of every iteration compute."""
    rows = [
        f"{keys('ring', 'none', iteration)},{rank},5.0,,,{us}"
        for iteration, times in enumerate(iterations)
        for rank, us in enumerate(times)
    ]
    write(path, rows, columns=f"{RANK_COLUMNS},computed_us", compute=f"{iterations[0][0]} us")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Computations of 100 us end 2 and 4 us apart, those of 400 us four times as far; arrivals are
    always 50 us apart. The last iteration was late."""
    for us in (100.0, 400.0):
        apart = us / 50
        name = f"{us:.0f}"
        computed(
            tmp_path / f"{name}.ranks.csv",
            [[us, us + apart, us, us], [us, us, us - apart, us + apart], [us, 9 * us, us, us]],
        )
        rows = case("none", {"ring": [9, 9, 9]}, imbalance=50.0, late={"ring": [2]})
        write(tmp_path / f"{name}.csv", rows, compute=f"{us} us")
    return tmp_path


def test_means_and_the_power(folder: Path, capsys: Capture) -> None:
    assert main(["computation", str(folder), "--csv", str(folder / "out.txt.csv")]) == 0
    found = pd.read_csv(folder / "out.txt.csv")
    assert found["computation_us"].tolist() == pytest.approx([100.25, 401.0])
    assert found["computation_apart_us"].tolist() == pytest.approx([3.0, 12.0])
    assert found["computation_apart_worst_us"].tolist() == pytest.approx([4.0, 16.0])
    assert found["arrivals_apart_us"].tolist() == pytest.approx([50.0, 50.0])
    assert found["arrivals_over_computation"].tolist() == pytest.approx([50 / 3, 50 / 12])
    assert found["iterations"].tolist() == [2, 2], "without the late one"
    assert "to the power of 1.00 (1: linear)" in capsys.readouterr().out


def test_one_computation_tells_no_power(folder: Path, capsys: Capture) -> None:
    assert main(["computation", str(folder / "100.csv")]) == 0
    assert "to the power" not in capsys.readouterr().out


def test_altered_cases_are_left_out_and_told(folder: Path, capsys: Capture) -> None:
    path = folder / "100.ranks.csv"
    text = path.read_text()
    path.write_text(f"{text}{checksummed_again(text)}")
    assert main(["computation", str(folder)]) == 2
    assert "or --keep-going" in capsys.readouterr().err
    assert main(["computation", str(folder), "--keep-going"]) == 3
    printed = capsys.readouterr()
    assert f"{path}:" in printed.err and "these rows are left out" in printed.err
    assert "100.25" in printed.out and "401.00" in printed.out


def checksummed_again(text: str) -> str:
    """Returns the rows of the last case of a file with checksums again, as a case that is not what
    was written."""
    return text[text.index("\n", text.index("\ncollective,") + 1) + 1 :]


@pytest.mark.slow
def test_figure(folder: Path) -> None:
    output = folder / "figure.svg"
    assert main(["computation", str(folder), "-o", str(output)]) == 0
    text = output.read_text()
    for words in (
        "computes 100\N{NO-BREAK SPACE}",
        "computes 401\N{NO-BREAK SPACE}",
        "All: to the power of 1.00",
        "iteration",
    ):
        assert words in text
    results = read_files([str(folder)]).apart(None)
    rows = computation.per_iteration(results, computation.computations(results).rows)
    assert len(rows) == 4


def test_files_without_computations(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path / "a.csv", case("none", {"ring": [9, 9]}))
    assert main(["computation", str(tmp_path)]) == 2
    assert "No per-rank times are beside the files" in capsys.readouterr().err
    write(tmp_path / "a.ranks.csv", [f"{keys('ring', 'none', 0)},0,5.0,,"], columns=RANK_COLUMNS)
    assert main(["computation", str(tmp_path)]) == 2
    assert "no times of computation (computed_us)" in capsys.readouterr().err
