# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/agstar_gain.py refuses, and what it finds in a program's output."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "agstar_gain.py"
IS_LOADED = "$((${#LD_PRELOAD} > 0))"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("1", sys.executable, "true"), "pairs: '1'"),
        (("2", "none.so", "true"), "library: 'none.so' is no file"),
        (("2", sys.executable), "command: is missing"),
        (("2", sys.executable, "./none", "true"), "command: './none' is no program"),
        (("--result", "(", "2", sys.executable, "true"), "--result: '(' is no regular expression"),
    ],
)
def test_bad_words(words: tuple[str, ...], named: str, tmp_path: Path) -> None:
    done = study(words, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "says", "code", "named"),
    [
        ((), "whole=1.5 sum=2", 0, "whole: 1.5 s without; ratio 1.000 (1.000 to 1.000), 2 pairs"),
        ((), f"whole=1.5 sum={IS_LOADED}", 1, "the results differ: without ['0'], with ['1']"),
        (("--result", "Energy +([-.0-9]+)"), "Energy  -7.5", 0, "command: "),
        (
            ("--result", "Energy +(.*)"),
            f"Energy {IS_LOADED}",
            1,
            "the results differ: without ['0'], with ['1']",
        ),
        (("--result", "Energy"), "nothing", 1, "--result: 'Energy' is not in the program's output"),
    ],
)
def test_results(
    options: tuple[str, ...], says: str, code: int, named: str, tmp_path: Path
) -> None:
    done = study((*options, "2", sys.executable, "sh", "-c", f'echo "{says}"'), tmp_path)
    assert done.returncode == code
    assert named in (done.stderr if code else done.stdout)


def test_words_that_are_no_times_are_named_and_left_out(tmp_path: Path) -> None:
    """They end no study, whose launches may have taken hours."""
    says = f"mode=Edge errors=0 day=2026-11-30 once{IS_LOADED}=2 whole=1.5 sum=2"
    done = study(("2", sys.executable, "sh", "-c", f'echo "{says}"'), tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["command", "whole"]
    left_out = [line for line in done.stderr.splitlines() if line.startswith("agstar_gain: ")]
    assert left_out == [
        f"agstar_gain: {name} is no time above 0 in each run"
        for name in ("errors", "once0", "once1")
    ]


def study(words: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(STUDY), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
