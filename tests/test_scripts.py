# SPDX-License-Identifier: BSD-3-Clause
"""tools/*.sh do nothing where they are told what they do not know."""

import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools"


@pytest.mark.parametrize(
    "words",
    [
        ["build.sh", "--nosuch"],
        ["build.sh", "--"],
        ["quickstart.sh", "--nosuch"],
        ["quickstart.sh", "build", "more"],
        ["test_mpis.sh", "--nosuch"],
        ["test_mpis.sh", "mpich"],
        ["test_bounds.sh", "--nosuch"],
        ["tidy.sh", "--nosuch"],
        ["tidy.sh", "build", "some"],
        ["wheel.sh", "--nosuch"],
        ["wheel.sh", "build", "more"],
        ["fuzz.sh", "--nosuch"],
        ["fuzz.sh", "build", "long"],
    ],
    ids=" ".join,
)
def test_what_is_not_known_is_refused(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [str(TOOLS / words[0]), *words[1:]], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert repr(words[-1]) in line
    assert not list(tmp_path.iterdir())


def test_the_abi_without_a_wrapper_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(TOOLS / "build.sh"), str(tmp_path / "build"), "abi"], env={"PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "MPI=abi needs mpicxx_abi on the PATH" in line and "pip install mpich" in line
