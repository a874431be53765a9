# SPDX-License-Identifier: BSD-3-Clause
"""--metric run: last exit minus first arrival, wherever min, avg and max are."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import agreport
from agreport.data.load import METRICS
from agreport.main import main
from shared.checksums import checksummed, without_checksums

from ..support import fake_launches
from ..support.commands import Capture, Rows, Write
from ..support.compared import compared


def test_it_is_a_metric(write: Write, rows: Rows, capsys: Capture) -> None:
    """run is 3 us above avg in these files."""
    assert list(METRICS) == ["min", "avg", "max", "run", "cycle"]
    path = str(write("a.csv", [*rows("ring", [10] * 9), *rows("bruck", [12] * 9)]))
    assert main(["summary", path, "--metric", "run", "--format", "csv"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    assert table["median_us"].tolist() == [13, 15] and set(table["metric"]) == {"run"}
    assert agreport.summary(path, metric="run")["median_us"].tolist() == [13, 15]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["heatmap", "selection", "loss", "scaling", "variation", "series"]
)
def test_figures_say_what_it_is(write: Write, rows: Rows, tmp_path: Path, command: str) -> None:
    path = str(write("a.csv", [*rows("ring", [10, 11] * 9), *rows("bruck", [12, 14] * 9)]))
    figure = tmp_path / "a.svg"
    assert main([command, path, "--metric", "run", "-o", str(figure)]) == 0
    assert "last exit minus first arrival" in " ".join(figure.read_text().split())


def test_a_file_without_it_is_refused(write: Write, rows: Rows, capsys: Capture) -> None:
    path = write("a.csv", rows("ring", [10] * 9))
    lines = [line.split(",") for line in path.read_text().splitlines()]
    column = next(cells for cells in lines if "run_us" in cells).index("run_us")
    without = [",".join(cells[:column] + cells[column + 1 :]) for cells in lines]
    path.write_text(checksummed("\n".join(without) + "\n"))
    assert main(["summary", str(path), "--metric", "run"]) == 2
    said = capsys.readouterr().err
    assert f"--metric run: {path} has no run_us; legal: min, avg, max" in said
    assert main(["summary", str(path), "--metric", "max"]) == 0


@pytest.mark.slow
def test_compare_takes_it(tmp_path: Path) -> None:
    """Only the run time of the new side is longer."""
    times = 0.01 * np.random.default_rng(3).standard_normal((10, 4))
    for side in ("base", "new"):
        fake_launches.side(tmp_path / side, times, "note__pair")
    for path in (tmp_path / "new").iterdir():
        longer = map(with_longer_run, without_checksums(path.read_text()).splitlines())
        path.write_text(checksummed("\n".join(longer) + "\n"))
    sides = ([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert compared(*sides)["exit_code"] == 0
    assert compared(*sides, "--metric", "run")["exit_code"] == 1


def with_longer_run(line: str) -> str:
    cells = line.split(",")
    if cells[0] != "allgather":
        return line
    cells[13] = str(float(cells[13]) * 1.5)
    return ",".join(cells)
