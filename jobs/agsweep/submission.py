# SPDX-License-Identifier: BSD-3-Clause
"""Submits what of a sweep is neither done nor in the queue, as job scripts."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from agformats.errors import BadInput
from agformats.notes import note
from agsweep import bench_options, queue
from agsweep.command import Commands
from agsweep.estimate import node_seconds_in_jobs
from agsweep.precision import grown_plan, grown_progress
from agsweep.results_folder import SLURM, Folder
from agsweep.scripts import Group, Script, output_folder, scripts
from agsweep.states import Progress, State, alike
from agsweep.sweep.sweep_file import Sweep, told_with


def submit_missing(sweep: Sweep, folder: Folder, dry_run: bool, is_new: bool = False) -> int:
    """Writes job scripts for what of a sweep is neither done nor in a job, submits them and prints
    their paths; returns the exit code, 0. dry_run: the scripts are written only. is_new: raises
    BadInput if another agsweep has begun it meanwhile."""
    check(sweep, folder, dry_run)
    commands = Commands(sweep, folder, in_job=True, dry_run=dry_run)
    planned = grown_plan(sweep, folder)
    # All is refused before there is a folder; a launcher may write files to its own.
    with told_with(sweep.file), TemporaryDirectory() as trial:
        commands.check_programs()
        scripts(
            replace(commands, folder=Folder(Path(trial))),
            [Group(point, steps) for point, steps in planned.groups.items()],
        )
    with folder.locked():
        if is_new:
            folder.check_new(sweep)
        folder.begin(sweep, SLURM)
        groups = missing(sweep, folder, dry_run)
        for script in scripts(commands, groups):
            # The names of folders may be no UTF-8.
            script.path.write_text(script.text, encoding="utf-8", errors="surrogateescape")
            line = str(script.path)
            if not dry_run:
                line += f": job {submit(script, folder.jobs, sweep.name)}"
            print(line)
    if not groups:
        print("nothing to submit: all launches are done, or in a job that waits or runs")
    return 0


def check(sweep: Sweep, folder: Folder, dry_run: bool) -> None:
    """Refuses what can be refused before anything is planned."""
    with told_with(sweep.file):
        bench_options.check(sweep)
        check_budget(sweep)
    if not sweep.resources.template:
        output_folder(folder.jobs)
    if not dry_run:
        queue.require("sbatch")
        if not folder.begun():  # else Slurm is asked for the jobs of the folder
            queue.require_cluster()


def missing(sweep: Sweep, folder: Folder, dry_run: bool) -> list[Group]:
    """Returns what is not done of each point of which no job has anything."""
    planned, found = grown_progress(sweep, folder)
    if silent := [each for each in found if each.state is State.UNKNOWN]:
        tell_silent(folder, silent, dry_run)
    for first, *more in alike(found, State.MISSING):
        others = f" (and {len(more)} more)" if more else ""
        again = "the scripts have it" if dry_run else "submitted again"
        note(f"{first.launch.name}{others}: {first.reason}; {again}")
    done = {each.launch for each in found if each.state is State.DONE}
    held = {each.launch for each in found if each.in_job}
    groups = []
    for point, steps in planned.groups.items():
        left = [step for step in steps if not done.issuperset(step)]
        if left and held.isdisjoint(chain.from_iterable(left)):
            groups.append(Group(point, left))
    return groups


def tell_silent(folder: Folder, silent: Sequence[Progress], dry_run: bool) -> None:
    one = f"{silent[0].launch.name}: {silent[0].reason}"
    what = f"{folder.path}: whether a job has {len(silent)} of the launches is unknown ({one})"
    if not dry_run:
        raise BadInput(f"{what}, so nothing is submitted; legal: where squeue answers")
    note(f"{what}; the scripts have them")


def submit(script: Script, folder: Path, sweep: str) -> str:
    name = queue.unique_name(script.path, sweep)
    return queue.submit(folder, [
        queue.Job(
            f"_{index}" if script.array else "",
            script.path.name,
            [launch.name for step in group.steps for launch in step],
            name,
        )
        for index, group in enumerate(script.groups)
    ])  # fmt: skip


def check_budget(sweep: Sweep) -> None:
    """Refuses a sweep whose jobs may take more than budget.node_hours, or as long as they like."""
    if not (most := sweep.budget.node_hours):
        return
    total, why = node_seconds_in_jobs(sweep)
    if total is None:
        raise BadInput(
            f"{sweep.file}: budget.node_hours: {most} cannot be kept in jobs, where launch_time "
            f"does not count: {why}; legal: no node_hours, or max-time in the options of each "
            "bench, and cases that one rank can count"
        )
    if total > most * 3600:
        fewer = "most_launches" if sweep.top.precision else "launches"
        raise BadInput(
            f"{sweep.file}: budget.node_hours: {most} is less than the {math.ceil(total / 3600)} "
            f"that it may take; legal: more, or fewer points, {fewer} or max-time"
        )
