# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in the scheduler: how they are submitted, and which of them it still has."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from agformats.errors import BadInput
from agformats.notes import note
from agformats.regular_file import read_text

RECORD = "submitted.jsonl"


@dataclass(frozen=True)
class Job:
    """A job, or an element of an array (4711_3), and the launches that it is to do."""

    number: str
    script: str
    launches: list[str]


def require(program: str) -> None:
    if shutil.which(program) is None:
        raise BadInput(
            f"there is no {program} on the PATH; legal: a machine that submits jobs, or --dry-run"
        )


def output(command: list[str]) -> str:
    """Of a program of the scheduler."""
    require(command[0])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"{command[0]}: {' '.join(done.stderr.split()) or done.returncode}")
    return done.stdout + done.stderr


def sbatch(script: Path) -> str:
    """The job's number."""
    return output(["sbatch", "--parsable", str(script)]).split()[-1].partition(";")[0]


def pmi_types() -> list[str]:
    return re.findall(r"\b(pmix_v\d+|pmix|pmi2|pmi1|cray_shasta|none)\b",
                      output(["srun", "--mpi=list"]))  # fmt: skip


def pmi_for(kind: str, dry_run: bool) -> str:
    """Open MPI speaks PMIx; MPICH and Intel MPI speak PMI-2, as most are built."""
    wanted = "pmix" if kind == "openmpi" else "pmi2"
    try:
        found = pmi_types()
    except BadInput:  # no srun, or one that is of no cluster
        if not dry_run:
            raise
        note(f"no srun here can be asked which --mpi it has; the scripts say {wanted}")
        return wanted
    if wanted not in found:
        legal = ", ".join(dict.fromkeys(found))
        raise BadInput(
            f"resources.mpi: 'auto' would take {wanted}, which `srun --mpi=list` has not; "
            f"legal: {legal}, or launcher = the kind of mpirun"
        )
    return wanted


def record(folder: Path, jobs: list[Job]) -> None:
    with (folder / RECORD).open("a") as file:
        file.writelines(json.dumps(vars(job)) + "\n" for job in jobs)


def recorded(folder: Path) -> list[Job]:
    if not (folder / RECORD).exists():
        return []
    lines = read_text(folder / RECORD).splitlines()
    return [Job(**json.loads(line)) for line in lines]


def alive(numbers: set[str]) -> set[str]:
    """Those that wait or run."""
    if not numbers:
        return set()
    return numbers & set(output(["squeue", "--me", "--noheader", "--array", "--format=%i"]).split())
