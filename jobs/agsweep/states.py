# SPDX-License-Identifier: BSD-3-Clause
"""How far each launch of a sweep is, by its log, and by the scheduler where a job may have it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    UNKNOWN = "unknown"  # a job may have it, and the scheduler does not tell


@dataclass(frozen=True)
class Progress:
    launch: Launch
    state: State
    last: Try | None
    reason: str = ""
    in_job: bool = False  # one that waits or runs has it


@dataclass(frozen=True)
class Jobs:
    """That wait or run."""

    of: Mapping[str, set[str]]  # their numbers, by the names of launches that they have
    silent: str = ""  # why the scheduler does not tell: then of all that may wait or run


def done(folder: Folder, launches: Iterable[Launch]) -> list[Progress]:
    """Those that are. Their logs suffice, and no scheduler is asked."""
    found = (ended_well(folder, launch, last_try(folder, launch)) for launch in launches)
    return [each for each in found if each and each.state is State.DONE]


def progress(folder: Folder, launches: Iterable[Launch]) -> list[Progress]:
    found = [(launch, last_try(folder, launch)) for launch in launches]
    left = {x.name: last for x, last in found if last is None or last.exit_code != 0}
    jobs, user = asked(folder, left), folder.user()
    return [
        ended_well(folder, launch, last) or unfinished(launch, last, jobs, user)
        for launch, last in found
    ]


def last_try(folder: Folder, launch: Launch) -> Try | None:
    return next(reversed(tries(folder.file(launch, ".log"))), None)


def asked(folder: Folder, left: Mapping[str, Try | None]) -> Jobs:
    """The scheduler, of launches that are left; but not where no job can have one of them."""
    recorded = queue.recorded(folder.jobs)
    known = {job.number for job in recorded}
    by_hand = [job for job in under_way(left) if job.number not in known]
    jobs = by_hand + [job for job in recorded if not left.keys().isdisjoint(job.launches)]
    if not jobs:
        return Jobs({})
    try:
        if not recorded and folder.launcher != "slurm":
            raise queue.NoAnswer(f"not asked, since agsweep cannot ask {folder.launcher}")
        return Jobs(by_launch(queue.alive(jobs)))
    except queue.NoAnswer as error:
        return Jobs(by_launch((job, job.number) for job in jobs), str(error))


def under_way(left: Mapping[str, Try | None]) -> Iterator[queue.Job]:
    """As the launches' logs say: those of scripts that somebody submitted without agsweep, too."""
    for name, last in left.items():
        if last and last.job and last.exit_code is None:
            yield queue.Job(last.job, "", [name])


def by_launch(jobs: Iterable[tuple[queue.Job, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for job, number in jobs:
        for name in job.launches:
            found.setdefault(name, set()).add(number)
    return found


def ended_well(folder: Folder, launch: Launch, last: Try | None) -> Progress | None:
    if last is None or last.exit_code != 0:
        return None
    if folder.result(launch) is None:
        return Progress(launch, State.FAILED, last, "it ended well, but its result is gone")
    return Progress(launch, State.DONE, last)


def unfinished(launch: Launch, last: Try | None, jobs: Jobs, user: str) -> Progress:
    numbers = jobs.of.get(launch.name, set())
    if last is None:
        return untried(launch, numbers, jobs.silent)
    has_ended = last.exit_code is not None
    if numbers and jobs.silent:
        before = f"; before: {last.reason}" if has_ended else ""
        return Progress(launch, State.UNKNOWN, last, jobs.silent + before)
    if not has_ended and (last.job in numbers if last.job else last.by == user):
        return Progress(launch, State.RUNNING, last, "", True)
    if numbers - {last.job}:  # another job than that of the last try
        return Progress(launch, State.WAITING, last, "", True)
    reason = last.reason if has_ended else f"cut off; {last.reason}"
    return Progress(launch, State.FAILED, last, reason, bool(numbers))


def untried(launch: Launch, numbers: Collection[str], silent: str) -> Progress:
    if not numbers:
        return Progress(launch, State.MISSING, None)
    if silent:
        return Progress(launch, State.UNKNOWN, None, silent)
    return Progress(launch, State.WAITING, None, "", True)
