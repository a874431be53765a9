# SPDX-License-Identifier: BSD-3-Clause
"""The build's mpirun_here gives a launcher what agsweep gives it."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agsweep.launchers import LAUNCHERS
from agsweep.launchers.flags import table
from agsweep.launchers.request import Request
from program.support.folders import ROOT

PROCESSORS = 2
MACHINE = 'name = "x"\nhost_link = { bandwidth = "1Gbps", latency = "20us" }\n' \
          '[[switches]]\nname = "s"\nhosts = "h[0-3]"\n'  # fmt: skip


def executable(file: Path, *lines: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(["#!/usr/bin/env bash", *lines, ""]))
    file.chmod(0o755)
    return file


def write(folder: Path, simgrid: str, launcher: Path) -> None:
    """The script that CMake writes for such a build."""
    subprocess.run(
        ["cmake", f"-DGATHERBENCH_SIMGRID={simgrid}", f"-DGATHERBENCH_MPIEXEC={launcher}",
         f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={folder}", "-P", ROOT / "cmake" / "mpirun_here.cmake"],
        check=True, capture_output=True,
    )  # fmt: skip


def launcher_of(folder: Path, version: str, slots: int) -> Path:
    """Says what it is given, and starts no more ranks than it has slots, unless told to."""
    return executable(
        folder / "mpirun",
        f'[[ $1 != --version ]] || exec echo "{version}"',
        '[[ "$*" =~ -n\\ ([0-9]+) ]] && ranks=${BASH_REMATCH[1]}',
        f'[[ "$*" == *--oversubscribe* ]] || ((${{ranks:-0}} <= {slots})) || exit 1',
        r'printf "%s\n" "$@"',
    )


def given_here(
    folder: Path, simgrid: str, version: str, ranks: int, slots: int = PROCESSORS, nproc: str = ""
) -> list[str]:
    """The words after the launcher, from the script that CMake writes for such a build."""
    executable(folder / "bin" / "nproc", nproc or f"echo {PROCESSORS}")
    write(folder, simgrid, launcher_of(folder, version, slots))
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    environment.pop("MPIEXEC", None)
    done = subprocess.run([folder / "mpirun_here", str(ranks), "true"], check=True,
                          capture_output=True, text=True, env=environment)  # fmt: skip
    return done.stdout.splitlines()


def asked(folder: Path, ranks: int) -> Request:
    return Request(
        name="x", mpirun="mpirun", nodes=1, ranks=ranks, ranks_per_node=ranks, mapping="sequential",
        binding="default", processors=PROCESSORS, root=os.geteuid() == 0, folder=folder,
    )  # fmt: skip


@pytest.mark.parametrize("ranks", [PROCESSORS, PROCESSORS + 1])
def test_open_mpi(ranks: int, tmp_path: Path) -> None:
    words = given_here(tmp_path, "OFF", "mpirun (Open MPI) 4.1.4", ranks)
    assert words == [*LAUNCHERS["openmpi"].command(asked(tmp_path, ranks))[1:], "true"]
    assert ("--oversubscribe" in words) == (ranks > PROCESSORS)


@pytest.mark.parametrize(
    ("ranks", "slots", "shares"), [(1, 1, False), (2, 1, True), (2, 2, False), (4, 2, True)]
)
def test_fewer_slots_than_processors(ranks: int, slots: int, shares: bool, tmp_path: Path) -> None:
    """Two threads a core, or an allocation of few tasks: Open MPI counts cores, or tasks."""
    words = given_here(tmp_path, "OFF", "mpirun (Open MPI) 4.1.4", ranks, slots, "echo 4")
    assert ("--oversubscribe" in words) == shares


@pytest.mark.parametrize("told", ["1", "8"])
@pytest.mark.parametrize(("ranks", "shares"), [(PROCESSORS, False), (PROCESSORS + 1, True)])
def test_threads_of_openmp_are_no_processors(
    ranks: int, shares: bool, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    nproc = f"echo ${{OMP_NUM_THREADS-{PROCESSORS}}}"
    words = given_here(tmp_path, "OFF", "mpirun (Open MPI) 4.1.4", ranks, 8, nproc)
    assert ("--oversubscribe" in words) == shares


def test_simgrid(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(MACHINE)
    request = replace(asked(tmp_path, 3), platform=str(tmp_path / "x.toml"))
    here = given_here(tmp_path, "ON", "SimGrid version 3.32", 3)
    words = [*LAUNCHERS["smpirun"].command(request)[1:], "true"]
    for file in ("-platform", "-hostfile"):
        for each in (here, words):
            del each[each.index(file) + 1]
    assert here == words
    assert "--cfg=smpi/simulate-computation:no" in words


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, "usage: mpirun_here RANKS PROGRAM"),
        ([], 2, "mpirun_here: RANKS: '' is not legal; legal: 1 or more"),
        (["0", "true"], 2, "mpirun_here: RANKS: '0' is not legal; legal: 1 or more"),
        (["true"], 2, "mpirun_here: RANKS: 'true' is not legal; legal: 1 or more"),
        (["2"], 2, "mpirun_here: PROGRAM is missing; legal: a program, such as"),
        (["2", "nosuch_bench"], 2, "mpirun_here: PROGRAM: there is no program 'nosuch_bench'; "),
        (["2", "/nosuch/true"], 2, "mpirun_here: PROGRAM: there is no program '/nosuch/true'; "),
        (["2", "tests"], 2, "mpirun_here: PROGRAM: there is no program 'tests'; legal: a path"),
    ],
)
@pytest.mark.parametrize("simgrid", ["OFF", "ON"])
def test_words_of_its_own(
    simgrid: str, words: list[str], code: int, said: str, tmp_path: Path
) -> None:
    write(tmp_path, simgrid, Path("/bin/false"))
    done = subprocess.run(
        [tmp_path / "mpirun_here", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    output = done.stderr if code else done.stdout
    assert output.startswith(said)
    assert len(output.splitlines()) == (1 if code else 2)


@pytest.mark.parametrize("simgrid", ["OFF", "ON"])
def test_the_program_beside_it_is_named(simgrid: str, tmp_path: Path) -> None:
    write(tmp_path, simgrid, Path("/bin/false"))
    executable(tmp_path / "own_bench")
    for name in ("own_bench", "build/own_bench"):
        done = subprocess.run([tmp_path / "mpirun_here", "2", name], capture_output=True, text=True,
                              check=False)  # fmt: skip
        (line,) = done.stderr.splitlines()
        assert done.returncode == 2 and line.endswith(f" such as {tmp_path}/own_bench")


@pytest.mark.parametrize("launcher", ["", "/nosuch/mpiexec"])
@pytest.mark.parametrize("simgrid", ["OFF", "ON"])
def test_a_launcher_is_missing(simgrid: str, launcher: str, tmp_path: Path) -> None:
    write(tmp_path, simgrid, Path("/nosuch/mpiexec"))
    script = tmp_path / "mpirun_here"
    script.write_text(script.read_text().replace("/nosuch/mpiexec", launcher))
    done = subprocess.run([script, "2", "true"], capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"mpirun_here: MPIEXEC: there is no launcher '{launcher}'; legal: ")


def test_every_flag_is_of_a_launcher() -> None:
    assert {launcher for launcher, _ in table()} <= set(LAUNCHERS)
