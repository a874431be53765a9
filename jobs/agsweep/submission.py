# SPDX-License-Identifier: BSD-3-Clause
"""What of a sweep is neither done nor in the queue goes there, as job scripts."""

from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from agformats.errors import BadInput
from agsweep import bench_options, queue
from agsweep.command import Commands
from agsweep.estimate import Estimates
from agsweep.precision import grown_plan
from agsweep.results_folder import Folder
from agsweep.scripts import Group, Script, scripts
from agsweep.states import State, progress
from agsweep.sweep.points import Plan, plan
from agsweep.sweep.sweep_file import Sweep, told_with

OPEN = (State.RUNNING, State.WAITING)


def submit_missing(sweep: Sweep, folder: Folder, dry_run: bool) -> int:
    """dry_run: the scripts are written only."""
    check(sweep, dry_run)
    commands = Commands(sweep, folder, in_job=True, dry_run=dry_run)
    planned = grown_plan(sweep, folder)
    # What is refused is so before there is a folder; a launcher may write files to its own.
    with told_with(sweep.file), TemporaryDirectory() as trial:
        scripts(
            replace(commands, folder=Folder(Path(trial))),
            [Group(point, steps) for point, steps in planned.groups.items()],
        )
    folder.begin(sweep, sweep.resources.scheduler)
    with folder.locked():
        groups = missing(planned, folder)
        for script in scripts(commands, groups):
            script.path.write_text(script.text)
            line = str(script.path)
            if not dry_run:
                line += f": job {submit(script, folder.jobs)}"
            print(line)
    if not groups:
        print("nothing to submit: all launches are done, running or waiting")
    return 0


def check(sweep: Sweep, dry_run: bool) -> None:
    """What can be refused before anything is planned."""
    scheduler = sweep.resources.scheduler
    if scheduler != "slurm" and not dry_run:
        raise BadInput(
            f"{sweep.file}: resources.scheduler: scripts for {scheduler} were never tried; "
            "legal: --dry-run, then submit them yourself"
        )
    with told_with(sweep.file):
        bench_options.check(sweep)
        check_budget(sweep)
    if not dry_run:
        queue.require("sbatch")


def missing(planned: Plan, folder: Folder) -> list[Group]:
    """Of each point of which nothing is in the queue, what is not done."""
    state = {each.launch: each.state for each in progress(folder, planned.launches)}
    groups = []
    for point, steps in planned.groups.items():
        left = [step for step in steps if any(state[each] is not State.DONE for each in step)]
        if left and not any(state[each] in OPEN for each in chain.from_iterable(left)):
            groups.append(Group(point, left))
    return groups


def submit(script: Script, folder: Path) -> str:
    number = queue.sbatch(script.path)
    elements = [
        (f"{number}_{index}" if script.array else number, group)
        for index, group in enumerate(script.groups)
    ]
    queue.record(folder, [
        queue.Job(name, script.path.name, [x.name for step in group.steps for x in step])
        for name, group in elements
    ])  # fmt: skip
    return number


def check_budget(sweep: Sweep) -> None:
    if not (most := sweep.budget.node_hours):
        return
    total = Estimates(sweep).node_seconds(plan(sweep))
    if total is None:
        raise BadInput(
            f"{sweep.file}: budget.node_hours: {most} cannot be kept: nothing limits a launch; "
            "legal: budget.launch_time, or max-time in the options of each bench"
        )
    if total > most * 3600:
        raise BadInput(
            f"{sweep.file}: budget.node_hours: {most} is less than the {total / 3600:.0f} that it "
            "may take; legal: more, or fewer points, launches or max-time"
        )
