# SPDX-License-Identifier: BSD-3-Clause
"""Launches that are none: of another MPI's launcher, and of different commands."""

import signal
import subprocess
from pathlib import Path

import pytest

from ..support import launch
from ..support.launch import NO_CARD, Build

pytestmark = pytest.mark.slow

RING = ("--algorithms", "ring", "--sizes", "64", "-i", "2", "-x", "0")


@pytest.mark.parametrize("variable", ["PMI_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_a_launcher_of_another_mpi(build: Build, tmp_path: Path, variable: str) -> None:
    """It starts two processes that know nothing of each other; each would be rank 0 of 1."""
    if variable == "PMI_SIZE" and build.family != "openmpi":
        pytest.skip("Hydra, MPICH's own launcher says so")
    output = ("--output", "out.csv")
    ended = build.run("allgather_bench", *RING, *output, ranks=1, env={variable: "2"},
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 2 and len(ended.messages) == 1
    start = f"ranks: this process is alone, but its launcher started 2 ({variable}=2): "
    assert ended.messages[0].startswith(start)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("ranks", "told"), [(1, "1"), (2, "2"), (2, "4")])
def test_a_launcher_that_is_the_own(build: Build, ranks: int, told: str) -> None:
    """More ranks than one are together, whatever another launcher's variable says."""
    ended = build.run("allgather_bench", *RING, ranks=ranks, env={"SLURM_STEP_NUM_TASKS": told})
    assert ended.exit_code == 0, ended.stderr


OTHERS = {
    "other program": ("bcast_bench", "--sizes", "64"),
    "other options": ("allgather_bench", *RING[:-4], "-i", "3"),
    "other options that are wrong": ("allgather_bench", "--sizes", "x"),
    "help": ("allgather_bench", "--help"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_different_commands(build: Build, tmp_path: Path, name: str) -> None:
    """They would wait for each other for ever, or the first one's options would hold unsaid."""
    program, *options = OTHERS[name]
    first = [str(build.program("allgather_bench")), *RING, "--output", "out.csv"]
    second = [str(build.program(program)), *options]
    command = [str(build.program("mpirun_here")), "1", *first, ":", "-n", "1", *second]
    ended = launch.ended("allgather_bench", command, tmp_path, NO_CARD)
    said = [line for line in ended.stderr.splitlines() if "_bench: " in line]
    words = " ".join([program, *options])
    assert ended.exit_code == 2 and ended.stdout == ""
    assert said == [
        f"allgather_bench: rank 1: '{words}' is another command or version than that of rank 0; "
        "legal: one for all"
    ]
    assert not (tmp_path / "out.csv").exists()


# The shell's child ends, and what the shell becomes takes no note of it.
LOCKED_UP = ["sh", "-c", "(echo said; echo $TOLD >&2; exit 1) & exec sleep 1000"]


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ("", -signal.SIGKILL),
        ("Process name: [[1,1],1] Exit code: 3", 3),
        ("MPI_ABORT was invoked with errorcode 5.", 5),
    ],
)
def test_a_launcher_that_locks_itself_up(
    monkeypatch: pytest.MonkeyPatch, told: str, code: int
) -> None:
    """What its ranks said is kept, and it ends as it told; or that it was killed is told."""
    monkeypatch.setattr(launch, "UNREAPED_S", 0.0)
    ended = launch.ended("sh", LOCKED_UP, None, {"TOLD": told})
    assert (ended.exit_code, ended.stdout) == (code, "said\n")


def test_one_that_does_after_it_was_disturbed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(launch, "UNREAPED_S", 0.0)
    with (tmp_path / "said").open("wb") as out:
        process = subprocess.Popen(LOCKED_UP, stdout=out, stderr=out)
    ended = launch.Running(Path("sh"), process, tmp_path / "said", tmp_path / "said").wait()
    assert ended.exit_code == -signal.SIGKILL and ended.stdout.startswith("said\n")
