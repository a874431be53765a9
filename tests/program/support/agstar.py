# SPDX-License-Identifier: BSD-3-Clause
"""Programs under libagstar.so, what its ranks log, and what it says."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .folders import SOURCES
from .launch import Build, Ended

Run = Callable[..., Ended]


def library(build: Build) -> Path:
    return build.folder / "lib" / "libagstar.so"


def is_sanitized(build: Build) -> bool:
    return "-fsanitize=address" in build.cached("CMAKE_CXX_FLAGS_DEBUG")


def preload(build: Build) -> str:
    """Returns what to preload: with the sanitizers before it, if it has them, since the program has
    none."""
    needed = ["libasan.so", "libubsan.so"] if is_sanitized(build) else []
    compiler = build.cached("CMAKE_CXX_COMPILER")
    found = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in needed
    ]
    return ":".join([*found, str(library(build))])


def is_of_mpi_4(build: Build) -> bool:
    header = subprocess.run(
        [build.cached("MPI_CXX_COMPILER"), "-E", "-dM", "-include", "mpi.h", "-xc++", "/dev/null"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return re.search(r"#define MPI_VERSION [4-9]", header.stdout) is not None


def compile_program(build: Build, name: str, folder: Path) -> Path:
    program = folder / name
    command = [build.cached("MPI_CXX_COMPILER"), "-std=c++20", "-O1", "-pthread"]
    source = SOURCES / f"{name}.cpp"
    subprocess.run([*command, "-o", str(program), str(source)], check=True)
    return program


def compile_fortran(build: Build, name: str, folder: Path) -> Path:
    """Skips the test where no compiler of this MPI's can."""
    wrapper = Path(build.cached("MPI_CXX_COMPILER"))
    compiler = wrapper.with_name(wrapper.name.replace("mpicxx", "mpifort"))
    command = [str(compiler), "-o", str(folder / name), str(SOURCES / f"{name}.f90")]
    try:
        built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    except OSError as error:
        pytest.skip(f"no Fortran compiler for this MPI: {error}")
    if built.returncode:
        pytest.skip(f"mpi or mpi_f08 cannot be compiled here: {built.stderr.strip()[-200:]}")
    return folder / name


# MPICH 4.0's own ring of MPI_Allgatherv cuts messages into pieces of so many bytes of each rank's
# own datatype, and truncates them where those differ, with or without the library. 0: it does not.
WHOLE_BLOCKS = {"MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE": "0"}


def preloaded(build: Build, program: Path, folder: Path) -> Run:
    """Runs a scenario with the library preloaded; its logs are `log.RANK`."""

    def launch(
        scenario: str, *arguments: str, ranks: int = 3, of: Path = program, **env: str
    ) -> Ended:
        env = {"LD_PRELOAD": preload(build), "AGSTAR_LOG": "log", **WHOLE_BLOCKS, **env}
        return build.run(str(of), scenario, *arguments, ranks=ranks, env=env, cwd=folder)

    return launch


def logs(folder: Path) -> list[str]:
    """Lines of agreements, each once, after a look at whether all ranks have the same."""
    per_rank: dict[str, list[list[str]]] = {}
    for path in folder.glob("log.*"):
        own: dict[str, list[str]] = {}
        for line in path.read_text().splitlines():
            own.setdefault(line.split(",")[0], []).append(line)
        for communicator, lines in own.items():
            per_rank.setdefault(communicator, []).append(lines)
    found = []
    for communicator, each in per_rank.items():
        match = re.fullmatch(r"\d+ of (\d+) ranks", communicator)
        assert match, communicator
        assert len(each) == int(match[1]), communicator
        assert all(lines == each[0] for lines in each), communicator
        found += each[0]
    return found


def tried(folder: Path) -> set[str]:
    """The algorithms of all calls that an agreement settled."""
    return {name for line in logs(folder) for name in re.findall(r" ([a-z0-9_:=]+) x\d", line)}


def said(ended: Ended) -> list[str]:
    return [line for line in ended.stderr.splitlines() if line.startswith("agstar: ")]


def assert_right(ended: Ended) -> None:
    assert ended.exit_code == 0, ended.stderr
    assert "all right" in ended.stdout
