# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/company.py refuses: sizes that its program cannot read word by word."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "company.py"


@pytest.mark.parametrize("sizes", ["1024,12", "1K", ""])
def test_bad_sizes(sizes: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(STUDY), str(tmp_path), "--sizes", sizes],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--sizes: '{sizes.split(',')[-1]}' is not legal" in done.stderr
