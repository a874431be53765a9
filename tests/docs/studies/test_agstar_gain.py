# SPDX-License-Identifier: BSD-3-Clause
"""What docs/studies/agstar_gain.py refuses: else it would compare a program with itself."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "agstar_gain.py"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("1", sys.executable, "true"), "pairs: '1'"),
        (("2", "none.so", "true"), "library: 'none.so' is no file"),
        (("2", sys.executable), "command: is missing"),
    ],
)
def test_bad_words(words: tuple[str, ...], named: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(STUDY), *words], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr and "Traceback" not in done.stderr
