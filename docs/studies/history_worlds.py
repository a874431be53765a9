# SPDX-License-Identifier: BSD-3-Clause
"""How often `agreport history` finds what is there, and what is not, in histories that are made.

Each history has 60 versions of 64 cases, with 5 launches each unless the world says otherwise,
which differ by 5 % (a standard deviation). A step is in a tenth of the cases, at a version drawn
between the 5th and the 55th. `false`: a change is told of a case that has none, or more than one
version away from any that was made; `found`: each changed case has a change within one version of
each that was made, and none elsewhere; `gate`: histories whose newest version is called slower.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.history.findings import find_steps, judge_newest
from agreport.stats.arrays import Floats
from agreport.stats.change_points import find_changes

VERSIONS, CASES, LAUNCHES, SPREAD = 60, 64, 5, 0.05
CHANGED = CASES // 10
THRESHOLD = np.log1p(0.02)
Random = np.random.Generator


@dataclass(frozen=True)
class World:
    """A step of so much is made at each of some versions, in so many cases."""

    make: Callable[[Random], Floats]
    step: float = 0.0
    changed: int = CHANGED
    second: float | None = None  # the step back, five versions later
    at: int | None = None  # the step's version; None: drawn


def launches(random: Random, count: Callable[[], int] = lambda: LAUNCHES) -> Floats:
    """The medians of each version's launches."""
    return np.stack([
        np.median(random.normal(0, SPREAD, (count(), CASES)), axis=0) for _ in range(VERSIONS)
    ])  # fmt: skip


def shared(random: Random) -> Floats:
    """Nights, all of whose cases are slower or faster."""
    return launches(random) + random.normal(0, 0.02, (VERSIONS, 1))


def drift(random: Random) -> Floats:
    """Within each night, launch after launch slower by 2 %."""
    slower = np.linspace(0, 0.08, LAUNCHES)[:, np.newaxis]
    return np.stack([
        np.median(random.normal(0, SPREAD, (LAUNCHES, CASES)) + slower, axis=0)
        for _ in range(VERSIONS)
    ])  # fmt: skip


def two_speeds(random: Random) -> Floats:
    """One launch of five is slower by half in all cases."""
    slow = np.log(1.5) * (random.random((VERSIONS, LAUNCHES, 1)) < 0.2)
    found: Floats = np.median(random.normal(0, SPREAD, (VERSIONS, LAUNCHES, CASES)) + slow, axis=1)
    return found


def bad_night(random: Random) -> Floats:
    """One night all cases are slower by 40 %."""
    found = launches(random)
    found[random.integers(1, VERSIONS - 1)] += np.log(1.4)
    return found


def one_or_ten(random: Random) -> Floats:
    return launches(random, lambda: int(random.choice([1, 10])))


def missing(random: Random) -> Floats:
    """A fifth of all is missing."""
    found = launches(random)
    return np.where(random.random(found.shape) < 0.2, np.nan, found)


TEN, FIVE = np.log1p(0.10), np.log1p(0.05)
WORLDS = {
    "no change": World(launches),
    "no change, nights differ by 2 %": World(shared),
    "no change, drift within a night": World(drift),
    "no change, two speeds": World(two_speeds),
    "no change, one bad night": World(bad_night),
    "no change, one launch or ten": World(one_or_ten),
    "no change, a fifth missing": World(missing),
    "+10 % in a tenth": World(launches, TEN),
    "+5 % in a tenth": World(launches, FIVE),
    "+10 % in a tenth, nights differ by 2 %": World(shared, TEN),
    "+10 % in a tenth, two speeds": World(two_speeds, TEN),
    "+10 % in a tenth, one bad night": World(bad_night, TEN),
    "+10 % in a tenth, a fifth missing": World(missing, TEN),
    "+10 % in one case": World(launches, TEN, 1),
    "+10 % in all": World(launches, TEN, CASES),
    "+10 % in a tenth, back five versions later": World(launches, TEN, CHANGED, -TEN),
    "+10 % in a tenth, in the newest alone": World(launches, TEN, CHANGED, None, VERSIONS - 1),
    "+20 % in a tenth, in the newest alone": World(launches, np.log(1.2), CHANGED, None,
                                                   VERSIONS - 1),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100, help="of a world (%(default)s)")
    parser.add_argument("--worlds", default="", help="only those with this in their name")
    options = parser.parse_args()
    if options.histories < 1:
        parser.error(f"--histories: '{options.histories}' is not legal; legal: 1 or more")
    print("| world | histories | false | found | gate |\n|---|---:|---:|---:|---:|", flush=True)
    for number, (name, world) in enumerate(WORLDS.items()):
        if options.worlds not in name:
            continue
        told = [judge(world, np.random.default_rng([number, i])) for i in range(options.histories)]
        false, found, gate = (sum(each) for each in zip(*told, strict=True))
        hits = str(found) if world.step else "-"
        print(f"| {name} | {options.histories} | {false} | {hits} | {gate} |", flush=True)
    return 0


def judge(world: World, random: Random) -> tuple[bool, bool, bool]:
    """Whether something false is found in a history, all that was made, and the newest slower."""
    values = world.make(random)
    at = world.at if world.at is not None else int(random.integers(5, VERSIONS - 5))
    made = [at] if world.second is None else [min(at, VERSIONS - 10)]
    changed = range(world.changed if world.step else 0)
    values[made[0] :, changed] += world.step
    if world.second is not None:
        made.append(made[0] + 5)
        values[made[1] :, changed] += world.second
    cases = pd.MultiIndex.from_tuples([(number,) * len(PAIR) for number in range(CASES)])
    segments = find_changes(values)
    told = [(place, int(str(step.case[0]))) for place, step in find_steps(values, cases, segments,
                                                                     THRESHOLD)]  # fmt: skip
    right = [case in changed and any(abs(place - one) <= 1 for one in made) for place, case in told]
    all_there = all(
        any(case == number and abs(place - one) <= 1 for place, case in told)
        for number in changed
        for one in made
    )
    newest = judge_newest(values, cases, segments, THRESHOLD) or []
    slower = any(step.change > 0 for step in newest)
    return not all(right), all_there and all(right), slower


if __name__ == "__main__":
    sys.exit(main())
