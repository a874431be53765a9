#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often `agreport history` finds what is there, and what is not, in histories made for it.

A history has 60 versions of 5 launches and 64 cases. A launch shifts all of its cases by a normal
logarithm of 3 % and each case by 4 %, so that launches of a case differ by 5 %. Of each world it
prints in how many histories there was a false finding (a change at a version more than one away
from one that is there), and in how many each change was found, within one version.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agreport.stats.arrays import Floats
from agreport.stats.change_points import Series, find_changes, find_single

VERSIONS, CASES, LAUNCHES = 60, 64, 5
COMMON, OWN = 0.03, 0.04
Random = np.random.Generator


@dataclass
class World:
    """values: launches down, cases across; at: the versions at which something changes."""

    values: Floats
    version: "np.typing.NDArray[np.int64]"
    at: tuple[int, ...] = ()
    bad: tuple[int, ...] = ()


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
    "one bad night, +30 %": bad_night,
    "+10 % in 6 of 64 cases": stepped(10, 6),
    "+5 % in 6 of 64 cases": stepped(5, 6),
    "+10 % in 1 of 64 cases": stepped(10, 1),
    "+10 % in all cases": stepped(10, CASES),
    "+10 %, and again 5 versions later": two_changes,
}


def count(make: Callable[[Random], World], histories: int, seed: int) -> tuple[int, int, int, int]:
    """Returns histories with a false finding, changes found and there, and single nights named."""
    false = found = there = named = 0
    for number in range(histories):
        world = make(np.random.default_rng([seed, number]))
        series = Series(world.values, world.version)
        changes = find_changes(series)
        false += any(min((abs(p - a) for a in world.at), default=99) > 1 for p in changes.places)
        found += sum(any(abs(p - at) <= 1 for p in changes.places) for at in world.at)
        there += len(world.at)
        alone = find_single(series, changes.level)
        named += any(bool(alone[bad].any()) for bad in world.bad)
    return false, found, there, named


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100, help="of each world")
    parser.add_argument("--worlds", default="", help="only those whose name has this text")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| world | histories | with a false finding | changes found | bad night named |")
    print("|---|--:|--:|--:|--:|")
    for name, make in WORLDS.items():
        if given.worlds not in name:
            continue
        false, found, there, named = count(make, given.histories, given.seed)
        of = f"{found} of {there}" if there else "-"
        bad = f"{named}" if "bad night" in name else "-"
        print(f"| {name} | {given.histories} | {false} | {of} | {bad} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
