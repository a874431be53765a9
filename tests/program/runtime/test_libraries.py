# SPDX-License-Identifier: BSD-3-Clause
"""Preloaded libraries in a program of another MPI than theirs."""

import subprocess
from pathlib import Path

import pytest

from ..support.folders import SOURCES
from ..support.launch import Build

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("library", ["agstar", "agtrace"])
def test_another_mpi_is_one_line(build: Build, tmp_path: Path, library: str) -> None:
    """Their handles differ, so that the next call would be a segmentation fault."""
    compiler = build.cached("MPI_CXX_COMPILER")
    program, planted = tmp_path / "program", tmp_path / "libplanted_version.so"
    for target, source, options in (
        (program, "traced_program.cpp", ["-std=c++20", "-pthread"]),
        (planted, "planted_version.cpp", ["-shared", "-fPIC"]),
    ):
        subprocess.run([compiler, *options, "-o", target, SOURCES / source], check=True)
    own = build.folder / "lib" / f"lib{library}.so"
    env = {"LD_PRELOAD": f"{planted}:{own}", "AGTRACE_DIR": str(tmp_path / "trace")}
    ended = build.run(str(program), "staggered", "2", ranks=1, env=env, cwd=tmp_path)
    said = [line for line in ended.stderr.splitlines() if line.startswith(f"{library}: ")]
    families = {"Open MPI", "the standard ABI" if build.is_of_abi else "MPICH"}
    assert ended.exit_code == 2 and len(said) == 1, ended.stderr
    assert all(family in said[0] for family in families)
    assert said[0].endswith(f"legal: a lib{library}.so that is built with the program's MPI")
    assert not (tmp_path / "trace").exists()
