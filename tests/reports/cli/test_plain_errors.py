# SPDX-License-Identifier: BSD-3-Clause
"""What the system refuses is told in words, with the option or the path, and without a number."""

from pathlib import Path

import pytest

from agreport.main import main

from ..support.commands import Capture, Rows, Write, refused

LONG = "a" * 5000

CASES = {
    "predict run.csv --costs none": "predict: error: argument --costs: there is no file 'none'",
    "predict run.csv --costs .": "predict: error: argument --costs: '.' is a directory; legal: a ",
    "cost --costs none -o a.svg": "cost: error: argument --costs: there is no file 'none'",
    "schedule --schedule none -o a.svg": "schedule: error: argument --schedule: there is no file '",
    "tune run.csv --mpich a.json --mpich-library none": "tune: error: argument --mpich-library: th",
    "compare --baseline run.csv --save-baseline a --baselines run.csv": (
        "compare: error: argument --baselines: 'run.csv' is no folder"
    ),
    "compare --baseline run.csv --save-baseline a --baselines /proc/none": (
        "agreport: error: '/proc/none/a' cannot be made: No such file or directory; legal: "
    ),
    "summary run.csv -o /dev/full": (
        "agreport: error: '/dev/full' cannot be written: No space left on device"
    ),
    f"summary {LONG}": "agreport: error: aaa",
    f"summary run.csv --ranks {LONG}": "agreport: error: --ranks: 'aaa",
    f"summary run.csv --nosuch={LONG}": "agreport: error: unrecognized arguments: --nosuch=aaa",
    f"summary run.csv --metric={LONG}": "summary: error: argument --metric: 'aaa",
    "schedule --schedule deep.json -o a.svg": "agreport: error: deep.json: not what `allgather_sch",
}


@pytest.mark.slow
@pytest.mark.parametrize("words", CASES, ids=[words[:50] for words in CASES])
def test_errors_in_words(
    words: str, write: Write, rows: Rows, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write("run.csv", rows("ring", [1, 2])).parent)
    Path("deep.json").write_text("[" * 200_000)
    line = refused(capsys, *words.split())
    assert CASES[words] in line and "Errno" not in line
    assert len(line) < 600


def test_what_cannot_be_read_is_left_out_in_words(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    write("a.csv", rows("ring", [1]))
    (tmp_path / "b.csv").symlink_to(tmp_path / "gone.csv")
    assert main(["summary", str(tmp_path)]) == 3
    assert capsys.readouterr().err.splitlines()[0] == (
        f"agreport: warning: left out: {tmp_path}/b.csv: No such file or directory"
    )


def test_too_little_memory(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("agreport.main.run", short)
    assert main(["summary", "run.csv"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("agreport: error: there is not enough memory for these files; legal: ")
