# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/parity.py refuses, before it asks a build anything."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "parity.py"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--algorithms", "ring,rign"), "--algorithms: 'rign' is not legal; legal: all, or names"),
        (("--algorithms", ""), "--algorithms: '' is not legal"),
        (("--launches", "0"), "--launches: '0' is not legal; legal: 1 or more"),
        (("--ranks", "2,x"), "--ranks: 'x' is not legal"),
    ],
)
def test_bad_words(words: tuple[str, ...], named: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(STUDY), str(tmp_path), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr and "Traceback" not in done.stderr
