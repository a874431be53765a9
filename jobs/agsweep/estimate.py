# SPDX-License-Identifier: BSD-3-Clause
"""Estimates how long launches may take, and where that number comes from."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from agformats import durations
from agformats.errors import Illegal
from agsweep import bench_options
from agsweep.precision import longest_plan
from agsweep.states import Progress, State
from agsweep.sweep.points import Launch, Plan, Step
from agsweep.sweep.sweep_file import Sweep
from agsweep.sweep.tables import Bench, Build

WARMUP = 1.1  # times --max-time: a tenth more may go to the warm-up
START_S = 2.0  # for a launcher to start; a guess


@dataclass
class Estimates:
    """Estimates how long launches take: by measured launches of the same point if there are any,
    else by the sweep's own limits.

    in_jobs: the launches are those of job scripts, which budget.launch_time does not end. measured:
    the seconds of measured launches, by what alike returns. limits: the limits in
    seconds, by the names of benches and whether a launch has several nodes; None: there is none.
    why: the reason why a launch has no limit.
    """

    sweep: Sweep
    in_jobs: bool = False
    measured: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    limits: dict[tuple[str, bool], float | None] = field(default_factory=dict)
    why: str = ""

    def learn(self, found: Iterable[Progress]) -> None:
        for each in found:
            if each.state is State.DONE and each.last and each.last.seconds is not None:
                self.measured.setdefault(alike(each.launch), []).append(each.last.seconds)

    def of(self, launch: Launch) -> float | None:
        if known := self.measured.get(alike(launch)):
            return median(known)
        bench, nodes = launch.point.bench, launch.point.nodes
        key = bench.name, nodes > 1
        if key not in self.limits:
            self.limits[key] = self.limit(launch.build, bench, nodes)
        return self.limits[key]

    def limit(self, build: Build, bench: Bench, nodes: int) -> float | None:
        """Returns the limit of a launch's time: cases times --max-time, or budget.launch_time."""
        most: list[float] = []
        if self.sweep.budget.launch_time and not self.in_jobs:
            most.append(float(self.sweep.budget.launch_time))
        per_case = max_time(bench)
        cases = bench_options.cases(build, bench, nodes) if per_case else 0
        if per_case and isinstance(cases, int):
            most.append(START_S + WARMUP * per_case * cases)
        elif not most and per_case:
            self.why = f"bench {bench.name} cannot count its cases without a launcher: {cases}"
        elif not most:
            self.why = f"bench {bench.name} has no max-time in its options"
        return min(most, default=None)

    def seconds(self, steps: Iterable[Step]) -> float | None:
        """Returns the seconds of these steps, one after the other; none if one of them is
        unknown. The two of a duet run at once."""
        total = 0.0
        for step in steps:
            each = [self.of(launch) for launch in step]
            if None in each:
                return None
            total += max(filter(None, each), default=0.0)
        return total

    def node_seconds(self, plan: Plan) -> float | None:
        """Returns the node seconds of all launches; none if one of them is unknown. The two of
        a duet run at once, on the same nodes."""
        total = 0.0
        for step in plan.steps:
            if (each := self.seconds([step])) is None:
                return None
            total += each * step[0].point.nodes
        return total


def node_seconds_in_jobs(sweep: Sweep) -> tuple[float | None, str]:
    """Returns the node seconds that a sweep may take in jobs, by its limits and not by what was
    measured; none, and why, if it is not known what limits a launch there."""
    estimates = Estimates(sweep, in_jobs=True)
    return estimates.node_seconds(longest_plan(sweep)), estimates.why


def max_time(bench: Bench) -> float | None:
    """Returns the --max-time of a case in seconds. None: it is not given, or is no duration, which
    is for the benchmark to say."""
    try:
        return durations.seconds(bench.options.get("max-time", ""))
    except Illegal:
        return None


def alike(launch: Launch) -> tuple[str, bool]:
    """Returns what launches that take as long have in common: of a duet each waits for the
    other."""
    return launch.point.name, bool(launch.partner)
