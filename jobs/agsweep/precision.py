# SPDX-License-Identifier: BSD-3-Clause
"""Launches that a sweep adds until its medians are precise enough (`precision` of the sweep file).

A point gets another launch while all that it has are done and, of some case and algorithm of some
build, the 97.5 % interval of the median over launches is wider than `precision`, up to
`most_launches`. How many launches that makes is read off the results, so whoever asks (run, resume,
status, collect) finds the same.

Whoever looks after each launch stops where the launches happen to be alike. So a sweep that ended
with the 95 % interval as narrow as `precision` had the true median that near in 92 to 97 % only;
with the 97.5 % interval it has in 95 to 98 % (tests/jobs/test_precision.py).
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from agsweep.results_folder import Folder
from agsweep.states import Progress, done, progress
from agsweep.sweep.points import Launch, Plan, Step, plan
from agsweep.sweep.sweep_file import Sweep
from agsweep.sweep.tables import Top

STOP_CONFIDENCE = 0.975

if TYPE_CHECKING:  # they take long to import, and few sweeps ask for precision
    import numpy as np
    import numpy.typing as npt

# A median for each: the key of a case and its algorithm.
Medians = dict[tuple[object, ...], float]


def longest_plan(sweep: Sweep) -> Plan:
    """Returns the plan of a sweep with as many launches as there may be."""
    planned = plan(sweep)
    if not sweep.top.precision:
        return planned
    names = [point.name for point in planned.groups]
    return plan(sweep, dict.fromkeys(names, sweep.top.most_launches))


def grown_plan(sweep: Sweep, folder: Folder) -> Plan:
    """Returns the plan of a sweep, with the launches that the results so far ask for. Without
    `precision` this is the plan as the sweep file has it."""
    if not sweep.top.precision:
        return plan(sweep)
    most = longest_plan(sweep)
    finished = {each.launch for each in done(folder, most.launches)}
    counts = {
        point.name: launches_of(sweep.top, folder, steps, finished)
        for point, steps in most.groups.items()
    }
    return plan(sweep, counts)


def grown_progress(sweep: Sweep, folder: Folder) -> tuple[Plan, list[Progress]]:
    """Returns the plan, and how far its launches are. A launch that ends while this looks may ask
    for more launches, so this looks again until the plan no longer grows."""
    while True:
        planned = grown_plan(sweep, folder)
        found = progress(folder, planned.launches)
        if not sweep.top.precision:
            return planned, found
        if len(grown_plan(sweep, folder).launches) == len(planned.launches):
            return planned, found


def launches_of(top: Top, folder: Folder, steps: Iterable[Step], finished: set[Launch]) -> int:
    """Returns how many launches of each build a point gets by the results so far. steps: as many as
    there may be; finished: the launches that are done."""
    launches = [launch for step in steps for launch in step]
    count = top.launches
    while count < top.most_launches:
        so_far = [launch for launch in launches if launch.number < count]
        if not finished.issuperset(so_far) or worst_percent(folder, so_far) <= 100 * top.precision:
            break
        count += 1
    return count


def worst_percent(folder: Folder, launches: Iterable[Launch]) -> float:
    """Returns half the width of the widest interval of these launches' medians, in percent of the
    median. An interval is of a build, case and algorithm; infinite if one of these has one launch,
    0 if the launches have no medians."""
    import numpy as np

    logs: dict[tuple[str, tuple[object, ...]], list[float]] = {}
    for launch in launches:
        if path := folder.result(launch):
            for key, median in medians(path).items():
                logs.setdefault((launch.build.name, key), []).append(np.log(median))
    if not logs:
        return 0.0
    count = np.array([len(each) for each in logs.values()])
    if (count < 2).any():
        return float("inf")
    spread = np.array([np.std(each, ddof=1) for each in logs.values()])
    return float(half_width_percent(spread, count).max())


def half_width_percent(
    deviation: "npt.NDArray[np.float64]", count: "npt.NDArray[np.int64]"
) -> "npt.NDArray[np.float64]":
    """Returns half of the interval's width, from standard deviations of the logarithms of so many
    launches' medians."""
    import numpy as np

    from agformats.student import half_width

    found: npt.NDArray[np.float64] = 100 * np.expm1(half_width(deviation, count, STOP_CONFIDENCE))
    return found


@cache
def medians(path: Path) -> Medians:
    """Returns the medians of `avg_us` over the iterations that count. A time of 0 has no
    logarithm, and no interval."""
    from agformats.files.result_file import METRICS, PAIR
    from agformats.files.result_rows import read

    _, table = read(path)
    rows = table.to_pandas()
    column = METRICS["avg"]
    found = rows[rows["status"] == "ok"].groupby(PAIR, observed=True)[column].median()
    return {key: float(value) for key, value in found[found > 0].items()}
