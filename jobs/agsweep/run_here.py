# SPDX-License-Identifier: BSD-3-Clause
"""Runs here what of a sweep is not done, launch after launch."""

import sys
from collections.abc import Sequence, Set
from datetime import timedelta

from agsweep import bench_options
from agsweep.command import Commands
from agsweep.estimate import Estimates
from agsweep.execute import run_step, signals_noted
from agsweep.precision import grown_plan
from agsweep.results_folder import Folder
from agsweep.states import State, done, progress
from agsweep.sweep.points import Plan, Step, plan
from agsweep.sweep.sweep_file import Sweep, told_with


def begin(sweep: Sweep, folder: Folder, launcher: str, hostfile: str) -> int:
    """Runs a sweep from its beginning; returns the exit code. Raises BadInput if the folder has one
    that is under way."""
    folder.check_new(sweep)
    return launch_missing(sweep, folder, launcher, hostfile, is_new=True)


def launch_missing(
    sweep: Sweep, folder: Folder, launcher: str, hostfile: str, is_new: bool = False
) -> int:
    """Runs whatever of the sweep is not done; returns the exit code. is_new: raises BadInput if
    another agsweep has begun it meanwhile."""
    commands = Commands(sweep, folder, launcher, hostfile)
    with told_with(sweep.file):
        bench_options.check(sweep)
        commands.check(plan(sweep))
    with folder.locked() as lock, signals_noted() as received:
        if is_new:
            folder.check_new(sweep)
        folder.begin(sweep, launcher, hostfile)
        failed: set[str] = set()  # their names, since each plan has launches of its own
        estimates = Estimates(sweep)
        estimates.learn(done(folder, plan(sweep).launches))
        # A step that failed is not tried again; those that are done may ask for more launches.
        while left := missing(folder, planned := grown_plan(sweep, folder), failed):
            for number, step in enumerate(left, 1):
                run_step(commands, step, lock, received)
                found = progress(folder, step)
                estimates.learn(found)
                for each in found:
                    state = each.reason or each.state.value
                    more = still(estimates, left[number:])
                    print(f"{each.launch.name}: {state}{more}", flush=True)
                failed.update(x.launch.name for x in found if x.state is not State.DONE)
                if received:
                    again = f"agsweep resume {folder.words(sweep)}"
                    print(f"agsweep: stopped; {again} goes on", file=sys.stderr)
                    return 128 + received[0]
    total = len(planned.launches)
    print(f"{total - len(failed)} of {total} launches are done, in {folder.path}")
    return 3 if failed else 0


def still(estimates: Estimates, left: Sequence[Step]) -> str:
    """Returns what is to come, as the end of a line."""
    launches = sum(len(step) for step in left)
    seconds = estimates.seconds(left)
    if not launches:
        return ""
    time = "" if seconds is None else f", about {timedelta(seconds=round(seconds))}"
    return f" ({launches} left{time})"


def missing(folder: Folder, planned: Plan, failed: Set[str]) -> list[Step]:
    """Returns the steps that are neither done nor failed. failed: the names of launches."""
    finished = {each.launch for each in done(folder, planned.launches)}
    return [
        step
        for step in planned.steps
        if not finished.issuperset(step) and failed.isdisjoint(each.name for each in step)
    ]
