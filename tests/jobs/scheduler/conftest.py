# SPDX-License-Identifier: BSD-3-Clause
"""The build under test, and a Slurm of shell scripts that answers as a test wants."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from agsweep.results_folder import Folder
from program.conftest import build

from ..sweeps import Sweep, bench, build_table, written

__all__ = ["build"]

# Each of these programs does this before it answers. The number of a job is told by how many there
# were before.
SBATCH = """
words=("$@") name=
for word; do [[ $word != --job-name=* ]] || name=${word#*=}; done
number=$((4711 + $(wc -l <submitted)))
printf '%s\\n' "$*" >>submitted
env >environment.sbatch
enqueue() { echo "$number $name" >>queue; }
"""
SQUEUE = """
printf '%s\\n' "$*" >>asked
env >environment.squeue
"""
# Slurm has no accounts here, and forgets a job some minutes after the end of all jobs.
SACCT = "echo 'Slurm accounting storage is disabled' >&2; exit 1"
SCONTROL = "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"
PMIX = "echo 'MPI plugin types are...'; echo pmi2; echo pmix"


@dataclass(frozen=True)
class Slurm:
    """Programs on the PATH; `answers` are lines of bash."""

    folder: Path

    def program(self, name: str, answers: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\ncd {self.folder}\n{answers}\n")
        path.chmod(0o755)

    def sbatch(self, answers: str = "enqueue; echo $number") -> None:
        self.program("sbatch", SBATCH + answers)

    def squeue(self, answers: str = "echo JOBID NAME; cat queue") -> None:
        self.program("squeue", SQUEUE + answers)

    def lines(self, file: str) -> list[str]:
        return (self.folder / file).read_text().splitlines()

    def environment(self, program: str) -> dict[str, str]:
        pairs = (line.partition("=") for line in self.lines(f"environment.{program}"))
        return {name: value for name, _, value in pairs}

    def forget(self) -> None:
        """All jobs have ended."""
        (self.folder / "queue").write_text("")


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    found = Slurm(tmp_path / "slurm")
    (found.folder / "bin").mkdir(parents=True)
    for file in ("queue", "submitted", "asked"):
        (found.folder / file).touch()
    found.sbatch()
    found.squeue()
    for name, answers in (("srun", PMIX), ("sacct", SACCT), ("scontrol", SCONTROL)):
        found.program(name, answers)
    monkeypatch.setenv("PATH", str(found.folder / "bin"), prepend=":")
    return found


def asked(folder: Path, mine: Path, resources: str = "", points: str = "ranks = 2") -> Sweep:
    """A launch a job, whatever else is asked for."""
    return written(folder, build_table("mine", mine), f"[[points]]\n{points}\n", bench(),
                   f'[resources]\ntime = "10m"\n{resources}\n')  # fmt: skip


def log(sweep: Sweep, launch: str, text: str) -> None:
    path = Folder(sweep.results).path / "launches" / f"{launch}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)
