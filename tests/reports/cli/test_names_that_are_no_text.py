# SPDX-License-Identifier: BSD-3-Clause
"""Names of files that are no UTF-8, as of old archives, are escaped wherever they are written."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from agformats.files.data_set_sums import find_altered, write_sums
from agreport.main import main
from shared.checksums import checksummed

from ..support.commands import Capture, Rows, Write
from ..support.fake_launches import side

NAME = os.fsdecode(b"m\xfcnchen")
ESCAPED = r"m\udcfcnchen"
OSU = "# OSU MPI Allgather Latency Test v7.4\n# Size  Avg Latency(us)\n1   2.81\n8   3.01\n"
# Each command writes these, but for figures.
OUTPUTS = {
    "page": ["-o", "a.html"],
    "summary": ["--format", "csv", "-o", "a.csv"],
    "times": ["--csv", "a.csv"],
    "diagnostics": ["--csv", "a.csv"],
    "export": ["-o", "a.json"],
    "loss": ["--paper", "-o", "a.svg", "--csv", "a.csv"],
    "series": ["-o", "a.pdf", "--csv", "a.csv"],
}


@pytest.fixture
def odd(write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two launches whose files have such a name, in a folder that has one, too."""
    for number in (1, 2):
        cases = [*rows("ring", [1, 2]), *rows("bruck", [3, 4]), *rows("native", [5, 6])]
        write(f"{NAME}/{NAME}{number}.csv", cases, start=str(number), tail="cut\n")
    monkeypatch.chdir(os.fspath(write("plain.csv", rows("ring", [1])).parent))
    return Path(NAME)


def written(folder: Path = Path()) -> str:
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in folder.glob("a.*"))


@pytest.mark.slow
@pytest.mark.parametrize("command", OUTPUTS)
def test_what_is_written(odd: Path, command: str) -> None:
    assert main([command, str(odd), *OUTPUTS[command]]) == 0
    assert "\N{REPLACEMENT CHARACTER}" not in written() or command == "series"
    if command in ("page", "export"):
        assert ESCAPED in written().replace(r"\\", "\\")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["summary", "times"])
def test_logs_that_are_told_apart_by_their_names(odd: Path, capsys: Capture, command: str) -> None:
    files = [odd / f"{NAME}{number}.txt" for number in (1, 2)]
    for file in files:
        file.write_text(OSU)
    given = [*map(str, files), "--ranks", "4", "--by", "log"]
    assert main([command, *given]) == 0
    assert f"{ESCAPED}1.txt" in capsys.readouterr().out


@pytest.mark.slow
def test_a_comparison(odd: Path, capsys: Capture) -> None:
    logs = np.zeros((2, 1))
    sides = [side(odd / name, logs) for name in "ab"]
    for number, path in enumerate(sorted(odd.rglob("[ab]/*.csv"))):
        path.write_text(checksummed(f"#@start={number}\n{path.read_text()}"))
    given = ["compare", "--baseline", *sides[0], "--new", *sides[1]]
    outputs = ["--junit", "a.xml", "--json", "a.json", "--markdown", "a.md"]
    assert main([*given, *outputs]) in (0, 1, 2, 3)
    assert json.loads(Path("a.json").read_text())
    assert "Traceback" not in capsys.readouterr().err


def test_sums_of_a_data_set(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("rows")
    write_sums(tmp_path)
    assert find_altered(tmp_path, [NAME]) is None
    (tmp_path / NAME).write_text("others")
    assert find_altered(tmp_path, [NAME]) == tmp_path / NAME
