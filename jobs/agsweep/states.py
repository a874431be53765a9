# SPDX-License-Identifier: BSD-3-Clause
"""How far each launch of a sweep is, told by its log."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from agsweep import queue
from agsweep.launch_log import Try, tries
from agsweep.results_folder import Folder
from agsweep.sweep.points import Launch


class State(Enum):
    DONE = "done"
    RUNNING = "running"
    WAITING = "waiting"  # in the queue of the scheduler
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
    jobs = queue.recorded(folder.jobs)
    done = {launch.name for launch, each in found if each and each[-1].exit_code == 0}
    alive = queue.alive({job.number for job in jobs if not done.issuperset(job.launches)})
    waiting = {name for job in jobs if job.number in alive for name in job.launches}
    user = folder.user()

    def runs(last: Try) -> bool:
        return last.job in alive if last.job else last.by == user

    def of(launch: Launch, last: Try | None) -> Progress:
        if last is None:
            waits = launch.name in waiting
            return Progress(launch, State.WAITING if waits else State.MISSING, None)
        if last.exit_code is None and runs(last):
            return Progress(launch, State.RUNNING, last)
        if last.exit_code != 0:
            cut_off = "cut off; " if last.exit_code is None else ""
            return Progress(launch, State.FAILED, last, cut_off + last.reason)
        if folder.result(launch) is None:
            return Progress(launch, State.FAILED, last, "it ended well, but its result is gone")
        return Progress(launch, State.DONE, last)

    return [of(launch, each[-1] if each else None) for launch, each in found]
