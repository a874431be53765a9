# SPDX-License-Identifier: BSD-3-Clause
"""How often `agreport compare` alarms where nothing changed, and finds what did.

A made-up data set is 200 cases in some pairs or launches. The noise of a case in a launch is in
part its own and in part the launch's, which all its cases share; it is normal, skewed, or has two
modes in one case of five. A case's standard deviation of the logarithm is drawn from --pair-spread
(of ratios) or --launch-spread; docs/compare.md says what was measured. Prints a Markdown table.
"""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from agreport.cli import render
from agreport.compare.p_values import assess
from agreport.compare.permutations import Units
from agreport.compare.verdicts import ALPHA, IMPROVEMENT, REGRESSION, judge_cases
from agreport.stats.inference import Floats

THRESHOLD = np.log(1.05)
SLOWDOWN = np.log(1.1)
MODES_APART, SLOW_MODE, CASES_WITH_MODES = 8.0, 0.15, 0.2  # in standard deviations; shares


@dataclass(frozen=True)
class World:
    """shared: the share of a case's variance that is its launch's; slowed: 0, 1 or all cases."""

    noise: str
    shared: float
    paired: bool
    launches: int
    slowed: str
    cases: int = 200
    spread: tuple[float, float] = (0.05, 0.08)


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return random.standard_normal(shape)


def skewed(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return random.exponential(size=shape) - 1


def two_modes(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    slow = (random.random(shape) < SLOW_MODE) & (random.random(shape[-1]) < CASES_WITH_MODES)
    return random.standard_normal(shape) + MODES_APART * slow


NOISE: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Floats]] = {
    "normal": normal,
    "skewed": skewed,
    "two modes": two_modes,
}


def data(world: World, random: np.random.Generator) -> Units:
    make, shape = NOISE[world.noise], (2, world.launches, world.cases)
    own = make(random, shape)
    launch = (normal if make is two_modes else make)(random, (*shape[:2], 1))
    spread = random.uniform(*world.spread, world.cases)
    noise = spread * (np.sqrt(world.shared) * launch + np.sqrt(1 - world.shared) * own)
    slowdown = np.zeros(world.cases)
    slowdown[: {"none": 0, "one": 1, "all": world.cases}[world.slowed]] = SLOWDOWN
    if world.paired:
        # The spread is that of a ratio, in which there is the noise of two launches.
        return Units((noise[0] - noise[1]) / np.sqrt(2) + slowdown)
    return Units(
        np.concatenate([noise[0] + slowdown, noise[1]]), np.repeat([True, False], world.launches)
    )


def verdicts(seed: int, world: World) -> "pd.Series[str]":
    units, group = data(world, np.random.default_rng(seed)), np.zeros(world.cases, int)
    return judge_cases(assess(units, group, ALPHA), THRESHOLD)["verdict"]


def outcome(seed: int, world: World) -> tuple[bool, bool, float]:
    """Whether it calls a regression, whether an improvement, and the share of slowed cases called;
    of one slowed case, whether that one is called."""
    found = verdicts(seed, world)
    called = found == REGRESSION
    slowed = called.iloc[:1] if world.slowed == "one" else called
    return bool(called.any()), bool((found == IMPROVEMENT).any()), float(slowed.mean())


def study(worlds: list[World], sets: int, workers: int) -> Iterator[dict[str, object]]:
    with ProcessPoolExecutor(workers) as pool:
        for number, world in enumerate(worlds):
            seeds = range(number * sets, (number + 1) * sets)
            found = np.array(list(pool.map(partial(outcome, world=world), seeds, chunksize=20)))
            regression, improvement, called = 100 * found.mean(axis=0)
            yield {
                "compared": "pairs" if world.paired else "launches, a side",
                "number": world.launches,
                "noise": world.noise,
                "shared": f"{world.shared:.0%}",
                "slower by 10 %": world.slowed,
                "sets": sets,
                "called a regression, %": regression,
                "called an improvement, %": improvement,
                "slowed cases called, %": called if world.slowed != "none" else np.nan,
            }


def worlds(options: argparse.Namespace) -> Iterator[World]:
    pairs = World("normal", 0.5, True, 10, "none", options.cases, options.pair_spread)
    for slowed in ("none", "one", "all"):
        for shared in (0.5, 0.0, 0.9):
            for noise in NOISE:
                yield replace(pairs, noise=noise, shared=shared, slowed=slowed)
    alone = replace(pairs, paired=False, spread=options.launch_spread)
    for noise in NOISE:
        yield replace(alone, noise=noise)
    for slowed in ("one", "all"):
        for launches in (10, 40, 160, 320):
            yield replace(alone, slowed=slowed, launches=launches)


def spread(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    return float(low), float(high or low)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets a row (%(default)s)")
    parser.add_argument("--cases", type=int, default=200, help="in each (%(default)s)")
    parser.add_argument("--pair-spread", type=spread, default="0.05:0.08", help="(%(default)s)")
    parser.add_argument("--launch-spread", type=spread, default="0.3", help="(%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--only", default="", help="none, one or all: which slowdowns")
    options = parser.parse_args()
    chosen = [world for world in worlds(options) if options.only in ("", world.slowed)]
    for number, row in enumerate(study(chosen, options.sets, options.workers)):
        lines = render.markdown(pd.DataFrame([row])).splitlines()
        print(*lines[-1 if number else 0 :], sep="\n", flush=True)


if __name__ == "__main__":
    main()
