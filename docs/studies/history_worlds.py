#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often `agreport history` finds what is there, and what is not, in histories made for it.

A history has 60 versions of 5 launches and 64 cases. A launch shifts all of its cases by a normal
logarithm of 3 % and each case by 4 %, so that launches of a case differ by 5 %. Of each world it
prints in how many histories there was a false finding (a change at a version more than one away
from one that is there), in how many each change was found, within one version, how many versions
away that was on average, and the seconds that a history took.

--method looks for the changes by a library instead: it needs ruptures or apache-otava.
--young says how often a change is called that is only a few versions old.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np

from agreport.stats.arrays import Floats
from agreport.stats.change_points import (
    Series,
    find_changes,
    find_single,
    judge_newest,
    settle,
    spread_of,
)

VERSIONS, CASES, LAUNCHES = 60, 64, 5
COMMON, OWN = 0.03, 0.04
CALM_PENALTY = 36.0  # ruptures finds something in 1 of 100 calm histories
OTAVA_P, OTAVA_CALM_P = 0.001, 1e-5  # its default; and something in 2 of 100 calm histories
Random = np.random.Generator


@dataclass
class World:
    """values: launches down, cases across; at: the versions at which something changes."""

    values: Floats
    version: "np.typing.NDArray[np.int64]"
    at: tuple[int, ...] = ()
    bad: tuple[int, ...] = ()


def newest(world: World, versions: int) -> Series:
    kept, cut = world.version >= VERSIONS - versions, VERSIONS - versions
    return Series(world.values[kept], world.version[kept] - cut)


def calm(random: Random, launches: "int | np.typing.NDArray[np.int64]" = LAUNCHES) -> World:
    version = np.repeat(np.arange(VERSIONS), launches)
    common = random.normal(0, COMMON, (len(version), 1))
    return World(common + random.normal(0, OWN, (len(version), CASES)), version)


def stepped(percent: float, cases: int, first: int = 5, end: int = 55) -> Callable[[Random], World]:
    def make(random: Random) -> World:
        world, at = calm(random), int(random.integers(first, end))
        world.values[np.ix_(world.version >= at, np.arange(cases))] += np.log1p(percent / 100)
        world.at = (at,)
        return world

    return make


def drift(random: Random) -> World:
    world = calm(random)
    world.values += 0.02 * (np.arange(len(world.version)) % LAUNCHES)[:, np.newaxis]
    return world


def two_speeds(random: Random) -> World:
    world = calm(random)
    world.values += np.log(1.15) * (random.random((len(world.version), 1)) < 0.3)
    return world


def nights(random: Random) -> World:
    world = calm(random)
    world.values += random.normal(0, 0.05, (VERSIONS, 1))[world.version]
    return world


def bad_night(random: Random) -> World:
    world, bad = calm(random), int(random.integers(3, 57))
    world.values[world.version == bad] += np.log(1.3)
    world.bad = (bad,)
    return world


def uneven(random: Random) -> World:
    return calm(random, np.where(random.random(VERSIONS) < 0.5, 1, 10))


def heavy_tails(random: Random) -> World:
    """Student's t with 3 degrees of freedom, of as large a standard deviation."""
    world = calm(random)
    world.values = OWN * random.standard_t(3, world.values.shape) / np.sqrt(3)
    world.values += COMMON * random.standard_t(3, (len(world.version), 1)) / np.sqrt(3)
    return world


def missing(random: Random) -> World:
    world = calm(random)
    world.values[random.random(world.values.shape) < 0.2] = np.nan
    world.values[np.ix_(world.version < 20, np.arange(8))] = np.nan
    return world


def two_changes(random: Random) -> World:
    world, at = calm(random), int(random.integers(10, 45))
    world.values[np.ix_(world.version >= at, np.arange(6))] += np.log(1.1)
    world.values[np.ix_(world.version >= at + 5, np.arange(6))] += np.log(1.1)
    world.at = (at, at + 5)
    return world


WORLDS: dict[str, Callable[[Random], World]] = {
    "no change": calm,
    "drift within each night": drift,
    "two speeds, by launch": two_speeds,
    "nights that differ by 5 %": nights,
    "versions of 1 and of 10 launches": uneven,
    "a fifth of the medians missing": missing,
    "launches with heavy tails": heavy_tails,
    "one bad night, +30 %": bad_night,
    "+10 % in 6 of 64 cases": stepped(10, 6),
    "+5 % in 6 of 64 cases": stepped(5, 6),
    "+10 % in 1 of 64 cases": stepped(10, 1),
    "+10 % in all cases": stepped(10, CASES),
    "+10 %, and again 5 versions later": two_changes,
}


def by_agreport(series: Series) -> tuple[list[int], Floats | None]:
    changes = find_changes(series)
    return changes.places, changes.level


def of_each(series: Series, find: Callable[[Floats, float], Iterable[int]]) -> list[int]:
    """Returns where a library finds changes in any case: each alone, its versions' means as
    agreport tests them. No library takes weights, or missing versions: these are left out. find:
    takes the means, and their standard deviation."""
    means = series.units()[0]
    spread, found = spread_of(means), set[int]()
    for column, deviation in zip(means.T, spread, strict=True):
        kept = np.flatnonzero(~np.isnan(column))
        found.update(int(kept[place]) for place in find(column[kept], deviation))
    return sorted(found)


def by_ruptures(series: Series, penalty: float) -> list[int]:
    """By penalised least squares (PELT)."""
    import ruptures

    def find(means: Floats, deviation: float) -> list[int]:
        fitted = ruptures.KernelCPD(kernel="linear", min_size=2).fit(means[:, np.newaxis])
        return list(fitted.predict(pen=penalty * deviation**2))[:-1]

    return of_each(series, find)


def by_ruptures_and_test(series: Series) -> list[int]:
    """What ruptures finds, less what agreport's test over all cases drops."""
    return settle(series.units(), by_ruptures(series, CALM_PENALTY), 0.0).places


def by_otava(series: Series, p: float) -> list[int]:
    from otava.analysis import compute_change_points

    def find(means: Floats, _: float) -> list[int]:
        found, _weak = compute_change_points(np.exp(means).tolist(), max_pvalue=p)
        return [each.index for each in found]

    return of_each(series, find)


METHODS: dict[str, Callable[[Series], tuple[list[int], Floats | None]]] = {
    "agreport": by_agreport,
    "ruptures": lambda series: (by_ruptures(series, CALM_PENALTY), None),
    "ruptures and test": lambda series: (by_ruptures_and_test(series), None),
    "otava": lambda series: (by_otava(series, OTAVA_P), None),
    "otava calm": lambda series: (by_otava(series, OTAVA_CALM_P), None),
}


@dataclass
class Count:
    """Holds histories with a false finding, changes there, how many versions away those found are,
    single nights named, and seconds."""

    false: int = 0
    there: int = 0
    away: list[int] = field(default_factory=list)
    named: int = 0
    seconds: float = 0.0


def count(
    make: Callable[[Random], World], histories: int, seed: int, method: str, versions: int
) -> Count:
    counted = Count()
    for number in range(histories):
        world = make(np.random.default_rng([seed, number]))
        series = newest(world, versions)
        began = time.perf_counter()
        places, level = METHODS[method](series)
        counted.seconds += (time.perf_counter() - began) / histories
        away = [min((abs(p - at) for p in places), default=99) for at in world.at]
        counted.false += any(min((abs(p - a) for a in world.at), default=99) > 1 for p in places)
        counted.away += [each for each in away if each <= 1]
        counted.there += len(away)
        if level is not None:
            alone = find_single(series, level)
            counted.named += any(bool(alone[bad].any()) for bad in world.bad)
    return counted


def print_young(histories: int, seed: int) -> None:
    """Prints how often +10 % in 6 cases is called when it is so many versions old: as a change, and
    as what makes the newest version slower, which `--gate` asks for."""
    print("| versions | age | called a change | the newest version is called slower |")
    print("|--:|--:|--:|--:|")
    for versions in (20, 60):
        for age in range(6):
            changed = slower = 0
            for number in range(histories):
                world = calm(np.random.default_rng([seed, number]))
                world.values[np.ix_(world.version >= VERSIONS - age, np.arange(6))] += np.log(1.1)
                series = newest(world, versions)
                places = find_changes(series).places
                changed += any(abs(place - versions + age) <= 1 for place in places)
                change, sure, _ = judge_newest(series, max(places, default=0))
                slower += bool((sure & (change > 0)).any())
            print(f"| {versions} | {age} | {changed} | {slower} |", flush=True)


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100, help="of each world")
    parser.add_argument("--worlds", default="", help="only those whose name has this text")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--versions", type=int, default=VERSIONS, help="only the newest; of worlds without a change"
    )
    parser.add_argument("--method", choices=METHODS, default="agreport", help="what looks for them")
    parser.add_argument("--young", action="store_true", help="of changes a few versions old")
    given = parser.parse_args()
    library = given.method.split()[0]
    if find_spec(library) is None:
        package = {"otava": "apache-otava"}.get(library, library)
        parser.error(f"--method: {given.method!r} needs {package}: pip install {package}")
    if given.histories < 1:
        parser.error(f"--histories: {given.histories} is not legal; legal: 1 and more")
    if not 2 <= given.versions <= VERSIONS:
        parser.error(f"--versions: {given.versions} is not legal; legal: 2 to {VERSIONS}")
    if not any(given.worlds in name for name in WORLDS):
        parser.error(f"--worlds: no world has {given.worlds!r}; worlds: {', '.join(WORLDS)}")
    if given.young:
        print_young(given.histories, given.seed)
        return 0
    print("| world | histories | with a false finding | found | away | bad night named | s |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, make in WORLDS.items():
        if given.worlds not in name:
            continue
        if given.versions < VERSIONS and "+" in name:
            continue
        one = count(make, given.histories, given.seed, given.method, given.versions)
        of = f"{len(one.away)} of {one.there}" if one.there else "-"
        away = f"{np.mean(one.away):.2f}" if one.away else "-"
        bad = f"{one.named}" if "bad night" in name and given.method == "agreport" else "-"
        print(
            f"| {name} | {given.histories} | {one.false} | {of} | {away} | {bad} "
            f"| {one.seconds:.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
