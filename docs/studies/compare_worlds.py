# SPDX-License-Identifier: BSD-3-Clause
"""What `agreport compare` says of made-up launches that are not what a test likes best.

A world makes the launches of two sides: noise with bad launches, heavy tails, modes, unequal
sides, few launches, sides in turn on a machine that drifts, stalls in some calls. With --slower
none nothing changed in them, so what is called is a false alarm; with `one` or `all`, one case or
all cases of the new side are slower by --by. Prints a Markdown table; docs/compare.md has what was
measured.
"""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from agformats.student import CONFIDENCE
from agreport.cli import render
from agreport.compare.judgement.completeness import find_few
from agreport.compare.judgement.moderated_t import estimate
from agreport.compare.judgement.p_values import find_significance
from agreport.compare.judgement.permutations import Units
from agreport.compare.judgement.spreads import find_beyond, find_unlike
from agreport.compare.judgement.tails import MEASURES, PERCENTILES
from agreport.compare.judgement.verdicts import (
    ALPHA,
    IMPROVEMENT,
    REGRESSION,
    TOO_FEW,
    judge_cases,
    void_calls,
)
from agreport.compare.launches.orders import estimate_effects, take_out
from agreport.stats.inference import Floats
from agreport.stats.median_interval import SortedGroups

Random = np.random.Generator
World = Callable[[Random, Floats], Units]  # of the log slowdown of each case of the new side
THRESHOLD = np.log(1.05)
BAD_SHARE = 0.05  # of a side's launches, so a tenth of the pairs have one
DETECTABLE = "detectable"
MOST_SHOWN = 1000  # percent: nothing is known where more would be detectable


def normal(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_normal(shape)


def cauchy(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_cauchy(shape)


def student(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_t(2, shape)


def laplace(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.laplace(size=shape)


def exponential(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.exponential(size=shape) - 1


def pareto(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.pareto(1.5, shape)


def bad_cases(random: Random, shape: tuple[int, ...]) -> Floats:
    """Normal, but that a case in a launch is sometimes slower by 5 to 40 standard deviations."""
    bad = random.random(shape) < BAD_SHARE
    return random.standard_normal(shape) + bad * random.uniform(5, 40, shape)


def two_modes(random: Random, shape: tuple[int, ...]) -> Floats:
    """In one case of five, 15 % of a side's launches are slower by 8 standard deviations."""
    slow = (random.random(shape) < 0.15) & (random.random(shape[-1]) < 0.2)
    return random.standard_normal(shape) + 8 * slow


Noise = Callable[[Random, tuple[int, ...]], Floats]


def noise_of(
    random: Random, make: Noise, spread: float, shared: float, shape: tuple[int, int]
) -> Floats:
    """Launches down, cases across; shared: the part of the variance that a launch's cases share."""
    launch = make(random, (shape[0], 1)) if shared else 0.0
    both: Floats = np.sqrt(shared) * launch + np.sqrt(1 - shared) * make(random, shape)
    return spread * both


def pairs(
    random: Random,
    slower: Floats,
    *,
    make: Noise = normal,
    count: int = 10,
    spread: float = 0.025,
    shared: float = 0.0,
) -> Units:
    """spread: of the log ratio of a pair, in which there is the noise of two launches."""
    shape = (count, len(slower))
    base, new = (noise_of(random, make, spread / np.sqrt(2), shared, shape) for _ in range(2))
    return Units(new - base + slower, levels=(new + base + slower) / 2)


def pairs_of_bad_cases(random: Random, slower: Floats, count: int = 10) -> Units:
    return pairs(random, slower, make=bad_cases, count=count, spread=0.025)


def pairs_of_bad_launches(random: Random, slower: Floats) -> Units:
    """A launch is sometimes 1.3 to 4 times as slow as a whole."""
    found = pairs(random, slower).values
    shape = (2, len(found), 1)
    bad = (random.random(shape) < BAD_SHARE) * np.log(random.uniform(1.3, 4, shape))
    return Units(found + bad[0] - bad[1])


def pairs_of_cauchy(random: Random, slower: Floats, count: int = 10) -> Units:
    """The log ratio itself has a Cauchy distribution of the scale 0.025."""
    return Units(0.025 * random.standard_cauchy((count, len(slower))) + slower)


def pairs_of_uneven_cases(random: Random, slower: Floats) -> Units:
    """The spreads of the cases differ, by factors of e."""
    spread = 0.02 * np.exp(random.standard_normal(len(slower)))
    return Units(spread * random.standard_normal((10, len(slower))) + slower)


def pairs_with_gaps(random: Random, slower: Floats) -> Units:
    """A third of the cases is missing here and there."""
    found = pairs(random, slower).values
    return Units(np.where(random.random(found.shape) < 1 / 3, np.nan, found))


def pairs_in_modes(random: Random, slower: Floats, count: int = 10) -> Units:
    """A fifth of the launches is 1.5 times as slow as a whole."""
    found = pairs(random, slower, count=count).values
    slow = np.log(1.5) * (random.random((2, len(found), 1)) < 0.2)
    return Units(found + slow[0] - slow[1])


def pairs_of_noisy_cases(random: Random, slower: Floats) -> Units:
    """Of three cases of five, which come last, the noise is twelve times that of the others."""
    spread = np.where(np.arange(len(slower)) < 0.4 * len(slower), 0.025, 0.3)
    return Units(spread * random.standard_normal((10, len(slower))) + slower)


def pairs_of_half_launches(random: Random, slower: Floats) -> Units:
    """In 15 % of the launches one half of the cases, those behind each other, is 1.5 times slow."""
    found = pairs(random, slower).values
    half = len(slower) // 2
    for sign in (1, -1):
        for row in np.flatnonzero(random.random(len(found)) < 0.15):
            first = random.integers(len(slower) - half + 1)
            found[row, first : first + half] += sign * np.log(1.5)
    return Units(found)


def pairs_in_orders(random: Random, slower: Floats, by: float = 0.06) -> Units:
    """In the order a b b a; the launch that is first of a pair is faster, in each case by as much
    or up to twice as much."""
    first = np.arange(10) % 2 == 0
    effect = np.log1p(by) * random.uniform(1, 2, len(slower))
    values = pairs(random, slower).values + np.where(first, 1, -1)[:, np.newaxis] * effect
    return Units(take_out(values, first, estimate_effects(values, first)))


def pairs_in_a_wave(random: Random, slower: Floats, *, drawn: bool, period: float) -> Units:
    """On a machine that is slower and faster by 5 %, by turns, with a period in launches.

    The orders are a b b a, or drawn as agsweep.sweep.points.turns does: five each, in any order.
    """
    first = np.arange(10) % 2 == 0
    if drawn:
        first = random.permutation(first)
    wave = 0.05 * np.sin(2 * np.pi * (np.arange(20) / period + random.random()))
    of_new = np.where(first, 1, -1) * (wave[1::2] - wave[::2])
    values = pairs(random, slower).values + of_new[:, np.newaxis]
    return Units(take_out(values, first, estimate_effects(values, first)))


def noisier_pairs(random: Random, slower: Floats, *, make: Noise, spread: float) -> Units:
    shape = (10, len(slower))
    base, new = 0.02 * random.standard_normal(shape), spread * make(random, shape)
    return Units(new - base + slower, levels=(new + base) / 2)


def launches(
    random: Random,
    slower: Floats,
    *,
    base: int = 10,
    new: int = 10,
    spread: tuple[float, float] = (0.05, 0.05),
    shared: float = 0.0,
    make: Noise = normal,
) -> Units:
    sides = [
        noise_of(random, make, spread[side], shared, (count, len(slower)))
        for side, count in enumerate((base, new))
    ]
    return Units(
        np.concatenate([sides[0], sides[1] + slower]), np.repeat([False, True], [base, new])
    )


def launches_in_modes(random: Random, slower: Floats, count: int = 10) -> Units:
    found = launches(random, slower, base=count, new=count, spread=(0.02, 0.02))
    slow = np.log(1.5) * (random.random((2 * count, 1)) < 0.2)
    return Units(found.values + slow, found.new)


def in_turn(
    random: Random,
    slower: Floats,
    *,
    wander: Callable[[Random, int], Floats],
    paired: bool = True,
    count: int = 10,
) -> Units:
    """Launches of base and new by turns, base first, on a machine whose log times wander."""
    launches = wander(random, 2 * count)[:, np.newaxis]
    times = launches + 0.02 * random.standard_normal((2 * count, len(slower)))
    times[1::2] += slower
    if not paired:
        return Units(times, np.arange(2 * count) % 2 == 1)
    return Units(times[1::2] - times[::2], levels=(times[1::2] + times[::2]) / 2)


def drift(_: Random, launches: int, by: float) -> Floats:
    """Slower all the time, by so much from the first launch to the last."""
    return np.asarray(np.log(np.linspace(1, 1 + by, launches)))


def autoregress(random: Random, launches: int, keeps: float = 0.9, spread: float = 0.05) -> Floats:
    """AR(1): each launch keeps so much of how far off the one before was."""
    found = spread * random.standard_normal(launches)
    for place in range(1, launches):
        found[place] = keeps * found[place - 1] + np.sqrt(1 - keeps**2) * found[place]
    return found


def tails(
    random: Random,
    slower: Floats,
    *,
    stalls: float,
    paired: bool = True,
    count: int = 10,
    iterations: int = 200,
) -> Units:
    """P90 and P99 of iterations, of which a share stalls for some five times as long as they
    take; as rarely on both sides."""
    shape = (2, count, len(slower), iterations)
    times = np.exp(
        0.05 * random.standard_normal(shape)
        + 0.02 * random.standard_normal(shape[:2])[..., np.newaxis, np.newaxis]
    )
    times += (random.random(shape) < stalls) * random.exponential(5, shape)
    ordered = np.sort(times, axis=-1).ravel()
    groups = np.full(len(ordered) // iterations, iterations)
    measured = SortedGroups(ordered, np.cumsum(groups) - groups, groups)
    each = [np.log(measured.percentile(PERCENTILES[name])).reshape(shape[:3]) for name in MEASURES]
    base, new = np.concatenate(each, axis=2)
    new += np.tile(slower, len(MEASURES))
    if paired:
        return Units(new - base)
    return Units(np.concatenate([base, new]), np.repeat([False, True], count))


WORLDS: dict[str, World] = {
    "pairs, normal": pairs,
    "pairs, normal, 90 % shared": partial(pairs, shared=0.9),
    "8 pairs, normal": partial(pairs, count=8),
    "20 pairs, normal": partial(pairs, count=20),
    "5 pairs, normal": partial(pairs, count=5),
    "pairs, a tenth bad in some cases": pairs_of_bad_cases,
    "20 pairs, a tenth bad in some cases": partial(pairs_of_bad_cases, count=20),
    "pairs, a tenth bad in all cases": pairs_of_bad_launches,
    "pairs, Cauchy": pairs_of_cauchy,
    "20 pairs, Cauchy": partial(pairs_of_cauchy, count=20),
    "pairs, Cauchy, 90 % shared": partial(pairs, make=cauchy, shared=0.9, spread=0.02),
    "pairs, Pareto 1.5": partial(pairs, make=pareto),
    "pairs, skewed": partial(pairs, make=exponential),
    "pairs, skewed, 90 % shared": partial(pairs, make=exponential, shared=0.9),
    "pairs, two modes in one case of five": partial(pairs, make=two_modes),
    "pairs, launches in two modes": pairs_in_modes,
    "2 pairs, launches in two modes": partial(pairs_in_modes, count=2),
    "3 pairs, launches in two modes": partial(pairs_in_modes, count=3),
    "in turn, machine drifts by 10 %": partial(in_turn, wander=partial(drift, by=0.1)),
    "in turn, machine drifts by 30 %": partial(in_turn, wander=partial(drift, by=0.3)),
    "in turn, AR(1) 0.9": partial(in_turn, wander=autoregress),
    "launches in turn, machine drifts by 30 %": partial(
        in_turn, wander=partial(drift, by=0.3), paired=False
    ),
    "launches in turn, AR(1) 0.9": partial(in_turn, wander=autoregress, paired=False),
    "pairs, spreads of cases differ": pairs_of_uneven_cases,
    "pairs, a third of the cases missing": pairs_with_gaps,
    "pairs, new noisier (0.02, 0.2)": partial(noisier_pairs, make=normal, spread=0.2),
    "pairs, new noisier, skewed (0.02, 0.1)": partial(noisier_pairs, make=exponential, spread=0.1),
    "launches, normal": launches,
    "launches, normal, 90 % shared": partial(launches, shared=0.9),
    "launches, two modes": launches_in_modes,
    "5 launches against 20": partial(launches, base=5, new=20),
    "3 launches against 20": partial(launches, base=3, new=20),
    "2 launches against 2, two modes": partial(launches_in_modes, count=2),
    "3 launches against 3, two modes": partial(launches_in_modes, count=3),
    "5 launches against 5, two modes": partial(launches_in_modes, count=5),
    "20 launches against 5, 0.02 and 0.2": partial(launches, base=20, new=5, spread=(0.02, 0.2)),
    "the same, 90 % shared": partial(launches, base=20, new=5, spread=(0.02, 0.2), shared=0.9),
    "20 launches against 5, 0.05 and 0.1": partial(launches, base=20, new=5, spread=(0.05, 0.1)),
    "10 launches against 10, 0.02 and 0.2, 90 % shared": partial(
        launches, spread=(0.02, 0.2), shared=0.9
    ),
    "pairs, t with 2 degrees of freedom": partial(pairs, make=student),
    "pairs, Laplace, 70 % shared": partial(pairs, make=laplace, shared=0.7),
    "12 pairs, t with 2 degrees of freedom, 50 % shared": partial(
        pairs, make=student, count=12, shared=0.5
    ),
    "pairs, most cases 12 times noisier": pairs_of_noisy_cases,
    "pairs, half of a launch 1.5 times slow": pairs_of_half_launches,
    "pairs in the order a b b a, the first faster": pairs_in_orders,
    **{
        f"pairs in a wave of {period} launches, {order}": partial(
            pairs_in_a_wave, drawn=order == "drawn", period=period
        )
        for period in (3.7, 4)
        for order in ("a b b a", "drawn")
    },
    "pairs, P90 and P99, 0.2 % stall": partial(tails, stalls=0.002),
    "pairs, P90 and P99, 1 % stall": partial(tails, stalls=0.01),
    "pairs, P90 and P99, 5 % stall": partial(tails, stalls=0.05),
    "launches, P90 and P99, 1 % stall": partial(tails, stalls=0.01, paired=False),
}


def judge(units: Units, cases: int, without: str = "") -> tuple[pd.DataFrame, bool]:
    """As `compare` judges; and whether there is no verdict. Of several measures of the cases, each
    is a group. without: a statistic that is dropped."""
    group = np.arange(units.values.shape[1]) // cases
    observed = estimate(units, group)
    if without:
        dropped = getattr(observed, without)
        unknown = np.full_like(dropped.error, np.nan)
        observed = replace(observed, **{without: replace(dropped, error=unknown)})
    found = judge_cases(find_significance(observed, ALPHA), THRESHOLD)
    found.loc[find_few(units), "verdict"] = TOO_FEW
    before = found["verdict"]
    if np.isfinite(find_unlike(units, group)):
        found = void_calls(found, find_beyond(units))
    return found, not before.equals(found["verdict"]) or bool(before.eq(TOO_FEW).all())


def slow_down(seed: int, name: str, cases: int, slower: str, by: float | None) -> Floats:
    """Of each case the logarithm; by None: what another comparison of this world could detect."""
    change = np.zeros(cases)
    if slower == "none":
        return change
    if by is None:
        # The same seed would make the same noise.
        units = WORLDS[name](np.random.default_rng([seed, 1]), change)
        found = judge(units, cases)[0]["detectable"].to_numpy()[:cases]
    else:
        found = np.full(cases, np.log1p(by))
    slowed = slice(1 if slower == "one" else cases)
    change[slowed] = found[slowed]
    return change


def outcome(
    seed: int, name: str, cases: int, slower: str, by: float | None, without: str = ""
) -> tuple[bool, bool, bool, float, float]:
    """Whether a regression is called, an improvement; whether there is no verdict; the share
    of the slower cases that are called; the detectable change in half of the cases."""
    change = slow_down(seed, name, cases, slower, by)
    units = WORLDS[name](np.random.default_rng(seed), change)
    found, none = judge(units, cases, without)
    called = (found["verdict"] == REGRESSION).to_numpy()
    slowed = called[np.resize(change > 0, len(called))].mean() if change.any() else np.nan
    improved = bool((found["verdict"] == IMPROVEMENT).any())
    detectable = float(100 * np.expm1(min(found["detectable"].median(), 10)))
    return bool(called.any()), improved, none, float(slowed), detectable


def to_percent(found: Floats) -> str:
    """The share that is true; of none, how many it may be all the same (Clopper and Pearson)."""
    count, all_ = int(found.sum()), len(found)
    if count:
        return f"{100 * count / all_:.3g}"
    return f"0 (to {100 * (1 - ((1 - CONFIDENCE) / 2) ** (1 / all_)):.2g})"


def study(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    seeds = range(options.first_seed, options.first_seed + options.sets)
    with ProcessPoolExecutor(options.workers) as pool:
        for name in WORLDS:
            if not any(is_meant(only, name) for only in options.only or [""]):
                continue
            make = partial(
                outcome,
                name=name,
                cases=options.cases,
                slower=options.slower,
                by=options.by,
                without=options.without,
            )
            found = np.array(list(pool.map(make, seeds, chunksize=5)))
            detectable = float(np.median(found[:, 4]))
            regression, improvement, none = (to_percent(each) for each in found[:, :3].T)
            yield {
                "world": name,
                "sets": options.sets,
                "called a regression, %": regression,
                "called an improvement, %": improvement,
                "no verdict, %": none,
                "slower cases called, %": 100 * float(found[:, 3].mean()),
                "detectable, %": detectable if detectable < MOST_SHOWN else np.nan,
            }


def is_meant(only: str, name: str) -> bool:
    return only == name if only in WORLDS else only in name


def slowdown(text: str) -> float | None:
    return None if text == DETECTABLE else float(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="comparisons (%(default)s)")
    parser.add_argument("--cases", type=int, default=20, help="in each (%(default)s)")
    parser.add_argument("--slower", choices=("none", "one", "all"), default="none")
    parser.add_argument(
        "--by",
        type=slowdown,
        default=0.1,
        help=f"how much slower; {DETECTABLE}: by what another comparison of the world says that it "
        "would have called (%(default)s)",
    )
    parser.add_argument(
        "--without", choices=("own", "common"), default="", help="a statistic that is dropped"
    )
    parser.add_argument(
        "--first-seed",
        type=int,
        default=0,
        help="of the comparisons, whose seeds follow each other (%(default)s; the test was made "
        "looking at those from 0 on)",
    )
    parser.add_argument(
        "--only", nargs="+", help="worlds of these names, or with these words in their names"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    for number, row in enumerate(study(parser.parse_args())):
        lines = render.markdown(pd.DataFrame([row])).splitlines()
        print(*lines[-1 if number else 0 :], sep="\n", flush=True)


if __name__ == "__main__":
    main()
