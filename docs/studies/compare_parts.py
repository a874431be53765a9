# SPDX-License-Identifier: BSD-3-Clause
"""What each part of the procedure of `agreport compare` is worth: level and power without it.

The same made-up comparisons (the worlds of compare_worlds.py) are judged with all parts, and again
without each one. Where nothing changed, what is called is a false alarm: the level. Where one case
or all cases of the new side are slower by 10 %, the share of them that is called is the power. With
--calls the worlds are of the times of single calls; more of these take long in some, though medians
stay. Prints a Markdown table; docs/background/compare_statistics.md has what was measured.
"""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

import compare_worlds
import worlds.pairs
from agreport.cli import render
from agreport.compare import percentiles, verdicts
from agreport.compare.comparison import compare
from agreport.compare.sides import find_pairing
from agreport.compare.verdicts import CALLED, REGRESSION
from agreport.stats import crossover, moderated_t, multiple_tests, trimmed_mean
from agreport.stats.arrays import Floats, Ints
from agreport.stats.moderated_t import Statistics, estimate
from agreport.stats.multiple_tests import PValues
from worlds.noise import Random
from worlds.table import FAR_CALLS, WORLDS, WORLDS_OF_CALLS

CASES, CASES_OF_CALLS = 20, 12
BY = float(np.log1p(0.1))
CHANGED = ("none", "one", "all")


class Change(NamedTuple):
    """What is left out: owner.name is replaced."""

    owner: Any
    name: str
    instead: Any


def estimate_without(*names: str) -> Change:
    def made(*given: Any) -> Statistics:
        found = estimate(*given)
        for name in names:
            getattr(found, name).error[:] = np.nan
        return found

    return Change(compare_worlds, "estimate", made)


def cut_nothing(count: Ints) -> Ints:
    return np.zeros_like(count)


def holm(self: PValues) -> Floats:
    """p-values by Holm 1979, times so much that those up to ALPHA are called."""
    adjusted = np.full(len(self.cases), np.nan)
    known = np.flatnonzero(~np.isnan(self.cases))
    order = known[np.argsort(self.cases[known])]
    steps = self.cases[order] * np.arange(len(order), 0, -1)
    scale = multiple_tests.FALSE_DISCOVERY_RATE / multiple_tests.ALPHA
    adjusted[order] = np.minimum(1.0, scale * np.maximum.accumulate(steps))
    return adjusted


def without_interval(
    found: pd.DataFrame, threshold: float, call: Callable[..., Any] = verdicts.call_verdicts
) -> Any:
    return call(found.assign(low=found["change"], high=found["change"]), threshold)


UNSHRUNKEN = Change(moderated_t, "shrink", lambda variances, degrees: (variances, degrees))
UNTRIMMED = [Change(owner, "count_cut", cut_nothing) for owner in (trimmed_mean, crossover)]
HOLM = Change(PValues, "adjusted", holm)
PARTS: dict[str, list[Change]] = {
    "nothing": [],
    "moderated variances": [UNSHRUNKEN],
    "few launches gain no degrees of freedom": [Change(moderated_t, "FEWEST_TO_LEAN", 0)],
    "variances of another kind stay": [Change(moderated_t, "FAR", np.inf)],
    "trimmed means": UNTRIMMED,
    "*own*": [estimate_without("own")],
    "family-wise test": [Change(PValues, "gate", lambda _, p: p)],
    "false discovery rate (Holm instead)": [HOLM],
    "the interval excludes no change": [Change(verdicts, "call_verdicts", without_interval)],
    "unlike spreads": [Change(compare_worlds, "find_unlike", lambda *_: np.nan)],
    "unlike spreads, but for cases beyond all noise": [
        Change(compare_worlds, "find_beyond", lambda units: np.zeros(units.values.shape[1], bool))
    ],
    "effect of the order": [
        Change(worlds.pairs, "estimate_effects", lambda values, _: np.zeros(values.shape[1]))
    ],
    "all of these but spreads and order (Welch's t, Holm)": [
        UNSHRUNKEN, *UNTRIMMED, estimate_without("own"), HOLM,
    ],
}  # fmt: skip
TICKS = "ticks"
PARTS_OF_CALLS: dict[str, list[Change]] = {
    "nothing": [],
    TICKS: [Change(percentiles, "find_tick", lambda _: 0.0)],
    "tails": [],
    "stalls": [],
}


@contextmanager
def leave_out(changes: list[Change]) -> Iterator[None]:
    with ExitStack() as stack:
        for each in changes:
            stack.enter_context(patch.object(each.owner, each.name, each.instead))
        yield


def slow_down(cases: int, changed: str) -> Floats:
    return np.where(np.arange(cases) < {"none": 0, "one": 1, "all": cases}[changed], BY, 0.0)


def judge_units(seed: int, name: str, part: str, changed: str) -> float:
    change = slow_down(CASES, changed)
    with leave_out(PARTS[part]):
        units = WORLDS[name](np.random.default_rng(seed), change)
        found = compare_worlds.judge(units, CASES)[0]["verdict"]
    if changed == "none":
        return float(found.isin(CALLED).any())
    return float((found == REGRESSION)[np.resize(change > 0, len(found))].mean())


def judge_calls(seed: int, name: str, part: str, changed: str) -> float:
    """Where more calls take long, the power is that of any of the tests."""
    make: Callable[[Random, Floats], Any] = {**WORLDS_OF_CALLS, **FAR_CALLS}[name]
    sides = make(np.random.default_rng(seed), slow_down(CASES_OF_CALLS, changed))
    with leave_out(PARTS_OF_CALLS[part]):
        found = compare(sides, find_pairing(sides), "avg", compare_worlds.RULES)
    each = {"cases": found.cases, "tails": found.tails}
    each["stalls"] = found.stalls
    verdict = pd.concat([frame["verdict"] for kind, frame in each.items() if kind != part])
    if changed == "none":
        return float(verdict.isin(CALLED).any())
    if name in FAR_CALLS:
        return float((verdict == REGRESSION).any())
    slowed = slow_down(CASES_OF_CALLS, changed) > 0
    return float((found.cases["verdict"] == REGRESSION).to_numpy()[slowed].mean())


def outcome(each: tuple[int, str], calls: bool) -> list[tuple[str, str, str, float]]:
    """Returns world, part, what changed, and the share that was called."""
    seed, name = each
    parts, judge = (PARTS_OF_CALLS, judge_calls) if calls else (PARTS, judge_units)
    asked = [key for key in product(parts, CHANGED) if not calls or is_worth(name, *key)]
    return [(name, *key, judge(seed, name, *key)) for key in asked]


def is_worth(name: str, part: str, changed: str) -> bool:
    """Returns whether a world of calls can tell something of the part."""
    if name in FAR_CALLS:
        return changed == "one" and part != TICKS
    return part in ("nothing", TICKS) if "ticks" in name else changed == "none" and part != TICKS


def tabulate(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    """A row a part: pooled over the worlds; and of the world that loses the most."""
    found = pd.DataFrame(rows, columns=["world", "part", "changed", "called"])
    means = 100 * found.groupby(["part", "changed", "world"], sort=False)["called"].mean()
    table = []
    for part in found["part"].unique():
        row: dict[str, object] = {"without": part}
        for changed in CHANGED:
            if (part, changed) not in means.index.droplevel("world"):
                continue
            here = means[part, changed]
            whole = means["nothing", changed].reindex(here.index)
            more = here - whole if changed == "none" else whole - here
            row[f"{changed}: called, %"] = here.mean()
            row[f"{changed}: the same with it, %"] = whole.mean()
            row[f"{changed}: worst world"] = (
                f"{more.idxmax()} ({whole[more.idxmax()]:.3g} -> {here[more.idxmax()]:.3g})"
            )
        table.append(row)
    return pd.DataFrame(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40, help="comparisons a world (%(default)s)")
    parser.add_argument("--calls", action="store_true", help="the worlds of single calls")
    parser.add_argument("--only", help="worlds with these words in their names")
    parser.add_argument("--first-seed", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    options = parser.parse_args()
    every = [*WORLDS_OF_CALLS, *FAR_CALLS] if options.calls else [*WORLDS]
    names = [name for name in every if (options.only or "") in name]
    seeds = range(options.first_seed, options.first_seed + options.sets)
    rows: list[tuple[str, str, str, float]] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for found in pool.map(
            partial(outcome, calls=options.calls), product(seeds, names), chunksize=5
        ):
            rows += found
    print(render.markdown(tabulate(rows)))


if __name__ == "__main__":
    main()
