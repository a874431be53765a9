# SPDX-License-Identifier: BSD-3-Clause
"""How far each launch of a sweep is, told by its log."""

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from agsweep.launch_log import Try, tries
from agsweep.points import Launch
from agsweep.results_folder import Folder


class State(Enum):
    DONE = "done"
    RUNNING = "running"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True)
class Progress:
    launch: Launch
    state: State
    last: Try | None
    reason: str = ""


def progress(folder: Folder, launches: Iterable[Launch]) -> list[Progress]:
    found = [(launch, tries(folder.file(launch, ".log"))) for launch in launches]
    open_jobs = {t[-1].job for _, t in found if t and t[-1].exit_code is None and t[-1].job}
    alive = jobs_alive(open_jobs)
    user = folder.user()
    return [state_of(folder, launch, t[-1] if t else None, alive, user) for launch, t in found]


def state_of(
    folder: Folder, launch: Launch, last: Try | None, alive: set[str], user: str
) -> Progress:
    if last is None:
        return Progress(launch, State.MISSING, None)
    if last.exit_code == 0:
        if folder.file(launch, ".csv").exists():
            return Progress(launch, State.DONE, last)
        return Progress(launch, State.FAILED, last, "it ended well, but its result file is gone")
    if last.exit_code is not None:
        return Progress(launch, State.FAILED, last, last.reason)
    if (last.job in alive) if last.job else (last.by == user):
        return Progress(launch, State.RUNNING, last)
    return Progress(launch, State.FAILED, last, f"cut off; {last.reason}")


def jobs_alive(jobs: set[str]) -> set[str]:
    """Those that the scheduler still knows as not ended. Array elements are `4711_3`."""
    if not jobs or shutil.which("squeue") is None:
        return set()
    done = subprocess.run(
        ["squeue", "--noheader", "--array", "--format=%i"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return jobs & set(done.stdout.split())
