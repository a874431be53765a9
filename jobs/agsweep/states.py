# SPDX-License-Identifier: BSD-3-Clause
"""Finds how far each launch of a sweep is, by its log, and by the scheduler where a job may have
it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from agformats.files.gzip_text import first_comments
from agsweep import job_ends, queue
from agsweep.launch_log import Try, tries
from agsweep.results_folder import Folder
from agsweep.sweep.points import Launch, Point


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
    in_job: bool = False  # a job that waits or runs has the launch


@dataclass(frozen=True)
class Jobs:
    """Holds the jobs that wait or run."""

    of: Mapping[str, set[str]]  # their numbers, by the names of launches that they have
    silent: str = ""  # why the scheduler does not tell: then `of` has all that may wait or run


def done(folder: Folder, launches: Iterable[Launch]) -> list[Progress]:
    """Returns the launches that are done. Their logs and results suffice, and no scheduler is
    asked."""
    tried = folder.tried()
    found = ((x, last_try(folder, x)) for x in launches if x.name in tried)
    return [
        Progress(launch, State.DONE, last)
        for launch, last in found
        if last and not why_not_done(folder, launch, last)
    ]


def progress(folder: Folder, launches: Iterable[Launch]) -> list[Progress]:
    """Returns how far each launch is, in the order given. The logs are read before and after the
    scheduler, or the owner of the folder, is asked: a launch that ends in between is in no queue,
    and only a later look at its log tells how it ended."""
    before = [(launch, last_try(folder, launch)) for launch in launches]
    left = {x.name: last for x, last in before if not last or why_not_done(folder, x, last)}
    jobs = asked(folder, left)
    user = folder.user()
    found = [
        of_launch(folder, launch, last, jobs, user)
        if launch.name in left
        else Progress(launch, State.DONE, last)
        for launch, last in before
    ]
    return found if jobs.silent else explained(folder, found)


def last_try(folder: Folder, launch: Launch) -> Try | None:
    return next(reversed(tries(folder.file(launch, ".log"))), None)


def asked(folder: Folder, left: Mapping[str, Try | None]) -> Jobs:
    """Asks the scheduler about launches that are left, unless no job can have one of them."""
    recorded = queue.recorded(folder.jobs)
    known = {job.number for job in recorded}
    by_hand = [job for job in under_way(left) if job.number not in known]
    jobs = by_hand + [job for job in recorded if not left.keys().isdisjoint(job.launches)]
    if not jobs:
        return Jobs({})
    try:
        return Jobs(by_launch(queue.alive(jobs)))
    except queue.NoAnswer as error:
        return Jobs(by_launch((job, job.number) for job in jobs), str(error))


def under_way(left: Mapping[str, Try | None]) -> Iterator[queue.Job]:
    """Yields a job for each launch that is under way, as its log says, also where somebody
    submitted the script without agsweep."""
    for name, last in left.items():
        if last and last.job and last.exit_code is None:
            yield queue.Job(last.job, "", [name])


def by_launch(jobs: Iterable[tuple[queue.Job, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for job, number in jobs:
        for name in job.launches:
            found.setdefault(name, set()).add(number)
    return found


def why_not_done(folder: Folder, launch: Launch, last: Try) -> str:
    """Says why a launch is not done; empty: it is."""
    if last.exit_code is None:
        return f"cut off; {last.reason}"
    if last.exit_code != 0:
        return last.reason
    result = folder.result(launch)
    return (
        why_of_another_point(result, launch.point)
        if result
        else "it ended well, but its result is gone"
    )


def why_of_another_point(result: Path, point: Point) -> str:
    """Says why a result is not one of this point; empty: it is, or does not tell its hosts. It ran
    on more hosts than the point has nodes, as launchers go on to another node when the slots of one
    are full, or on fewer than the ranks fill, as launchers do that know of no others. The head of
    the file suffices, since no launch goes on with other ranks on its nodes."""
    from agformats.files.result_file import metadata  # with pyarrow: takes a quarter of a second

    hosts = metadata(first_comments(result)).get("hosts", "")
    count = len(hosts.split(","))
    if not hosts or point.filled <= count <= point.nodes:
        return ""
    if count > point.nodes:
        filled = ""
        legal = f"a launcher that puts {point.ranks_per_node} ranks on a node, or other nodes"
    else:
        filled = f", of which its {point.ranks} ranks fill {point.filled}"
        legal = f"--hostfile, a launcher that knows the nodes, or nodes = {count}"
    return (
        f"{result}: ran on {count} host{'s' * (count > 1)}, {hosts}, and its point has nodes = "
        f"{point.nodes}{filled}; legal: {legal}, after this file was moved away"
    )


def of_launch(
    folder: Folder, launch: Launch, before: Try | None, jobs: Jobs, user: str
) -> Progress:
    """Finds how far a launch is. before: its last try when nobody was asked yet."""
    numbers = jobs.of.get(launch.name, set())
    last = last_try(folder, launch)
    if last is None:
        return untried(launch, numbers, jobs.silent)
    if not (reason := why_not_done(folder, launch, last)):
        return Progress(launch, State.DONE, last)
    has_ended = last.exit_code is not None
    if numbers and jobs.silent:
        told = f"; before: {reason}" if has_ended else ""
        return Progress(launch, State.UNKNOWN, last, jobs.silent + told)
    if not has_ended and (
        (last.job in numbers if last.job else last.by == user) or has_begun_since(before, last)
    ):
        return Progress(launch, State.RUNNING, last, "", True)
    if numbers - {last.job}:  # another job than that of the last try
        return Progress(launch, State.WAITING, last, "", True)
    return Progress(launch, State.FAILED, last, reason, bool(numbers))


def has_begun_since(before: Try | None, last: Try) -> bool:
    return before is None or (before.start, before.by) != (last.start, last.by)


def untried(launch: Launch, numbers: Collection[str], silent: str) -> Progress:
    if not numbers:
        return Progress(launch, State.MISSING, None)
    if silent:
        return Progress(launch, State.UNKNOWN, None, silent)
    return Progress(launch, State.WAITING, None, "", True)


def explained(folder: Folder, found: list[Progress]) -> list[Progress]:
    """Adds how the job ended that cut a launch off, or ended before the launch began."""
    recorded = queue.recorded(folder.jobs)
    last = {name: job for job in recorded for name in job.launches}
    known = {job.number: job for job in recorded if job.accepted}
    jobs = {each.launch.name: job for each in found if (job := job_that_ended(each, last, known))}
    ends = job_ends.ends(job for job in jobs.values() if job.accepted)
    return [
        replace(each, reason=why_not_run(folder, each, jobs[each.launch.name], ends))
        if each.launch.name in jobs
        else each
        for each in found
    ]


def job_that_ended(
    each: Progress, last: Mapping[str, queue.Job], known: Mapping[str, queue.Job]
) -> queue.Job | None:
    """Returns the job that ended before a launch began, or that cut it off. last: the last job that
    had each launch, by the launch's name; known: the jobs by their numbers. None: no job is to
    blame, as far as agsweep knows."""
    name = each.launch.name
    if each.state is State.MISSING:
        return last.get(name)
    tried = each.last
    if each.state is not State.FAILED or not tried or tried.exit_code is not None or not tried.job:
        return None
    return known.get(tried.job, queue.Job(tried.job, "", [name]))


def why_not_run(folder: Folder, each: Progress, job: queue.Job, ends: Mapping[str, str]) -> str:
    if not job.accepted:
        return f"sbatch told no number of its job {job.name}, and squeue has none of that name"
    end = f"job {job.number} ended: {ends[job.number]}"
    if each.reason:
        return f"{each.reason}; {end}"
    output = next(iter(sorted(folder.jobs.glob(f"*.{job.number}.out"))), None)
    return f"{end}, before this launch began{f'; see {output}' if output else ''}"


def alike(found: Iterable[Progress], *states: State) -> list[list[Progress]]:
    """Groups the launches in these states by state and reason, since one job may have many of them.
    Launches without a reason are left out."""
    by_reason: dict[tuple[State, str], list[Progress]] = {}
    for each in found:
        if each.state in states and each.reason:
            by_reason.setdefault((each.state, each.reason), []).append(each)
    return list(by_reason.values())
