# SPDX-License-Identifier: BSD-3-Clause
"""The build under test: GATHERBENCH_BUILD names its folder."""

import os
import subprocess
from pathlib import Path

import pytest

from .support.agstar import compile_program
from .support.cluster import Cluster
from .support.folders import ROOT, SOURCES
from .support.launch import Build
from .support.results import read_results
from .support.stand_in import StandIn


@pytest.fixture(scope="session")
def build() -> Build:
    folder = ROOT / os.environ.get("GATHERBENCH_BUILD", "build")
    if not (folder / "bin" / "mpirun_here").exists():
        pytest.fail(f"{folder} holds no build: make build BUILD={folder.name}")
    return Build(folder)


@pytest.fixture(scope="session")
def mpi(build: Build, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Returns what a result file says of the MPI library."""
    folder = tmp_path_factory.mktemp("mpi")
    ended = build.run("allgather_bench", "--algorithms", "native", "--sizes", "1", "-i", "1",
                      "-x", "0", "--output", "a.csv", cwd=folder)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    return read_results(folder / "a.csv").metadata["mpi"]


@pytest.fixture(scope="session")
def cluster(build: Build) -> Cluster:
    found = Cluster(build)
    if reason := found.why_not():
        pytest.skip(reason)
    return found


@pytest.fixture(scope="session")
def gathering_program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whatever gathers it, it looks at every byte (gathering_program.cpp)."""
    return compile_program(build, "gathering_program", tmp_path_factory.mktemp("gathering"))


@pytest.fixture(scope="session")
def combining_program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of exchanges, broadcasts and reductions (combining_program.cpp)."""
    return compile_program(build, "combining_program", tmp_path_factory.mktemp("combining"))


@pytest.fixture(scope="session")
def stand_in(build: Build, tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn.compile(build, tmp_path_factory.mktemp("stand_in"))


@pytest.fixture(scope="session")
def planted_fault(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a library to preload: one byte of one call of one rank arrives wrong
    (planted_fault.cpp)."""
    return compile_planted(build, "planted_fault", tmp_path_factory)


@pytest.fixture(scope="session")
def planted_window(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a library to preload: it counts windows, and can refuse them (planted_window.cpp)."""
    return compile_planted(build, "planted_window", tmp_path_factory)


def compile_planted(build: Build, name: str, factory: pytest.TempPathFactory) -> Path:
    path = factory.mktemp("planted") / f"lib{name}.so"
    command = [build.cached("MPI_CXX_COMPILER"), "-std=c++20", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", str(path), str(SOURCES / f"{name}.cpp")], check=True)
    return path
