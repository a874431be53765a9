# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/company.py refuses: sizes that its program cannot read word by word, and
what leaves nothing to compare."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "company.py"


@pytest.mark.parametrize("sizes", ["1024,12", "1K", ""])
def test_bad_sizes(sizes: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, "--sizes", sizes)
    assert f"--sizes: '{sizes.split(',')[-1]}' is not legal" in said


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--companies", "alone,of ten", "'of ten' is not legal; legal: alone, alone again, of two"),
        ("--companies", "of five", "'of five' compares nothing; legal: alone, and more"),
        ("--companies", "alone,alone again", "'alone,alone again' compares nothing"),
        ("--collectives", "alltoall", "'alltoall' is not legal; legal: allgather, allgatherv"),
        ("--rounds", "0", "'0' is not legal; legal: 1 or more"),
    ],
)
def test_nothing_to_compare(option: str, value: str, named: str, tmp_path: Path) -> None:
    assert f"{option}: {named}" in refusal(tmp_path, option, value)


def refusal(build: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(STUDY), str(build), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr
