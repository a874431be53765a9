# SPDX-License-Identifier: BSD-3-Clause
"""tools/*.sh do nothing where they are told what they do not know."""

import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools"


@pytest.mark.parametrize(
    "words",
    [
        ["build.sh", "--nosuch"],
        ["build.sh", "--"],
        ["setup.sh", "--nosuch"],
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


@pytest.mark.parametrize(
    ("cores", "ranks"), [(1, "2 4 8"), (2, "2 4 8"), (4, "2 4"), (16, "2 4 8 16")]
)
def test_quickstart_runs_so_many_ranks(cores: int, ranks: str, tmp_path: Path) -> None:
    """One a core and fewer; where that would be 2 alone, more that share the cores, and says so."""
    programs = {
        "fake/lscpu": f"seq {cores}",
        "fake/nproc": f"echo {cores}",
        "build/bin/mpirun_here": "exit 9",
    }
    for name, does in programs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)
    done = subprocess.run(
        [str(TOOLS / "quickstart.sh"), str(tmp_path / "build")],
        env={"PATH": f"{tmp_path / 'fake'}:/usr/bin:/bin", "RESULTS": str(tmp_path / "results")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 9
    assert f" launches each with {ranks} ranks on {cores} cores;" in done.stdout
    assert ("share the cores" in done.stdout) == (cores < 4)


@pytest.mark.parametrize(("name", "value"), [("DAY", "today"), ("NEWEST_CLANG", "clang-22")])
def test_bounds_of_no_day_are_refused(name: str, value: str) -> None:
    done = subprocess.run(
        [str(TOOLS / "test_bounds.sh")], env={"PATH": "/usr/bin:/bin", name: value},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"test_bounds: {name}: '{value}' ") and "legal: " in line


@pytest.mark.slow
@pytest.mark.parametrize("given", ["", "/mine"])
def test_the_wrapper_of_intel_mpi_is_told_its_prefix(tmp_path: Path, given: str) -> None:
    """PyPI's has no prefix of its own, and CMake then says that MPI's header does not exist."""
    prefix = tmp_path / "intel"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "impi_info").touch()
    wrapper = prefix / "bin" / "mpicxx"
    wrapper.write_text(f'#!/bin/sh\necho "$I_MPI_ROOT" >>{tmp_path}/told\nexit 1\n')
    wrapper.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], **({"I_MPI_ROOT": given} if given else {})}
    done = subprocess.run(
        [str(TOOLS / "build.sh"), str(tmp_path / "build"), str(prefix)], env=environment,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert set((tmp_path / "told").read_text().split()) == {given or str(prefix)}
