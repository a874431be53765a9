# SPDX-License-Identifier: BSD-3-Clause
"""Print the points and launches of a sweep and how long they may take; nothing is touched."""

from argparse import ArgumentParser, Namespace

from agsweep import bench_options, options
from agsweep.command import Commands
from agsweep.estimate import Estimates, node_seconds_in_jobs
from agsweep.precision import longest_plan
from agsweep.states import done
from agsweep.sweep.points import Point, Step, plan
from agsweep.sweep.sweep_file import told_with


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    parser.add_argument("--launches", action="store_true", help="list the launches, in their order")


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    planned = plan(sweep)
    with told_with(sweep.file):
        bench_options.check(sweep)
        Commands(sweep, folder).check_programs()
    estimates = Estimates(sweep)
    estimates.learn(done(folder, planned.launches))
    print(f"sweep     {sweep.name}: {len(planned.groups)} points, {len(planned.launches)} launches"
          f", into {folder.path}")  # fmt: skip
    for build in sweep.builds:
        where = ", ".join([*build.modules, *([build.venv] if build.venv else [])])
        print(f"build     {build.name}: {build.folder}{f' with {where}' if where else ''}")
    if sweep.top.pairing != "none":
        a, b = sweep.builds
        print(f"pairing   {sweep.top.pairing} of {a.name} and {b.name}")
    for text in planned.left_out:
        print(f"left out  {text}")
    for point, steps in planned.groups.items():
        print(f"point     {point_line(point, steps, estimates)}")
    if given.launches:
        for step in planned.steps:
            print("launch    " + " and ".join(launch.name for launch in step))
    counted = ["most_launches"] if sweep.top.precision else []
    total = estimates.node_seconds(longest_plan(sweep))
    by = ["what is measured so far", *counted, "max-time of each case", "and budget.launch_time"]
    print("estimate  " + (
        f"none: {estimates.why}, and there is no budget.launch_time"
        if total is None else f"{total / 3600:.2f} node hours at most, by {', '.join(by)}"
    ))  # fmt: skip
    if sweep.budget.launch_time or sweep.budget.node_hours:
        total, why = node_seconds_in_jobs(sweep)
        by = [*counted, "max-time of each case"]
        print("in jobs   " + (
            f"none, as launch_time does not count: {why}"
            if total is None else f"{total / 3600:.2f} node hours at most, by {' and '.join(by)}"
        ))  # fmt: skip
    return 0


def point_line(point: Point, steps: list[Step], estimates: Estimates) -> str:
    each = estimates.of(steps[0][0])
    count = sum(len(step) for step in steps)
    time = "" if each is None else f", {each:.0f} s at most each"
    return f"{point.name}: {count} launches{time}"
