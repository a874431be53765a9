# SPDX-License-Identifier: BSD-3-Clause
"""What `agreport compare` says of made-up launches that are not what a test likes best.

A world makes the launches of two sides: noise with bad launches, heavy tails, modes, unequal
sides, few launches, sides in turn on a machine that drifts, stalls in some calls. With --slower
none nothing changed in them, so what is called is a false alarm; with `one` or `all`, one case or
all cases of the new side are slower by --by. With --calls the worlds are of the times of single
calls, and are judged by all that `compare` has: also of tails, stalls and the
order of the launches. Prints a Markdown table; docs/background/compare_statistics.md has what was
measured.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pandas as pd

from agformats.student import CONFIDENCE
from agreport.cli import render
from agreport.compare.comparison import EXIT_UNDECIDED, Rules, compare
from agreport.compare.sides import Sides, find_pairing
from agreport.compare.verdicts import (
    IMPROVEMENT,
    REGRESSION,
    TOO_FEW,
    find_few,
    judge_cases,
    void_calls,
)
from agreport.stats.arrays import Floats
from agreport.stats.moderated_t import estimate
from agreport.stats.multiple_tests import find_significance
from agreport.stats.spreads import find_beyond, find_unlike
from agreport.stats.units import Units
from worlds.table import WORLDS, WORLDS_OF_CALLS

RULES = Rules(threshold=0.05, goal=0.1)
THRESHOLD = np.log1p(RULES.threshold)
DETECTABLE = "detectable"
MOST_SHOWN = 1000  # percent: nothing is known where more would be detectable


def judge(units: Units, cases: int) -> tuple[pd.DataFrame, bool]:
    """Judges as `compare` does, and tells whether there is no verdict. Of several measures of the
    cases, each is a group."""
    group = np.arange(units.values.shape[1]) // cases
    found = judge_cases(find_significance(estimate(units, group)), THRESHOLD)
    found.loc[find_few(units), "verdict"] = TOO_FEW
    before = found["verdict"]
    if np.isfinite(find_unlike(units, group)):
        found = void_calls(found, find_beyond(units))
    return found, not before.equals(found["verdict"]) or bool(before.eq(TOO_FEW).all())


def judge_calls(sides: Sides) -> tuple[pd.DataFrame, bool]:
    """The same, of all that `compare` judges; a row for each case, and then one for each of the
    rest."""
    found = compare(sides, find_pairing(sides), "avg", RULES)
    others = (found.tails, found.stalls)
    rest = pd.concat([each["verdict"] for each in others], ignore_index=True)
    cases = found.cases[["verdict", "detectable"]].reset_index(drop=True)
    whole = pd.concat([cases, pd.DataFrame({"verdict": rest})], ignore_index=True)
    return whole, found.exit_code == EXIT_UNDECIDED


def judge_world(seed: int | list[int], name: str, change: Floats) -> tuple[pd.DataFrame, bool]:
    random = np.random.default_rng(seed)
    if name in WORLDS_OF_CALLS:
        return judge_calls(WORLDS_OF_CALLS[name](random, change))
    return judge(WORLDS[name](random, change), len(change))


def slow_down(seed: int, name: str, cases: int, slower: str, by: float | None) -> Floats:
    """Returns each case's change, a logarithm; by None: what another comparison could detect."""
    change = np.zeros(cases)
    if slower == "none":
        return change
    if by is None:
        # The same seed would make the same noise.
        found = judge_world([seed, 1], name, change)[0]["detectable"].to_numpy()[:cases]
    else:
        found = np.full(cases, np.log1p(by))
    slowed = slice(1 if slower == "one" else cases)
    change[slowed] = found[slowed]
    return change


def outcome(
    seed: int, name: str, cases: int, slower: str, by: float | None
) -> tuple[bool, bool, bool, float, float]:
    """Whether a regression is called, an improvement; whether there is no verdict; the share
    of the slower cases that are called; the detectable change in half of the cases."""
    change = slow_down(seed, name, cases, slower, by)
    found, none = judge_world(seed, name, change)
    called = (found["verdict"] == REGRESSION).to_numpy()
    of_cases = called[:cases] if name in WORLDS_OF_CALLS else called
    slowed = of_cases[np.resize(change > 0, len(of_cases))].mean() if change.any() else np.nan
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
        for row, names in find_rows(options).items():
            make = partial(
                outcome,
                cases=options.cases,
                slower=options.slower,
                by=options.by,
            )
            each = [(seed, name) for name in names for seed in seeds]
            found = np.array(list(pool.map(make, *zip(*each, strict=True), chunksize=5)))
            detectable = float(np.median(found[:, 4]))
            regression, improvement, none = (to_percent(each) for each in found[:, :3].T)
            yield {
                "world": row,
                "sets": len(found),
                "called a regression, %": regression,
                "called an improvement, %": improvement,
                "no verdict, %": none,
                "slower cases called, %": 100 * float(found[:, 3].mean()),
                "detectable, %": detectable if detectable < MOST_SHOWN else np.nan,
            }


def find_rows(options: argparse.Namespace) -> dict[str, list[str]]:
    """The worlds of each row."""
    found: dict[str, list[str]] = {}
    for name in WORLDS_OF_CALLS if options.calls else WORLDS:
        if any(is_meant(only, name) for only in options.only or [""]):
            world, _, count = name.rpartition(", ")
            kind = "pairs" if count.endswith("pairs") else "launches"
            row = {"world": f"{world}, {kind}", "count": count}.get(options.rows, name)
            found.setdefault(row, []).append(name)
    return found


def is_meant(only: str, name: str) -> bool:
    return only == name if only in {*WORLDS, *WORLDS_OF_CALLS} else only in name


def slowdown(text: str) -> float | None:
    return None if text == DETECTABLE else float(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="comparisons (%(default)s)")
    parser.add_argument("--cases", type=int, default=20, help="in each (%(default)s)")
    parser.add_argument("--calls", action="store_true", help="the worlds of single calls")
    parser.add_argument(
        "--rows",
        choices=("world", "count"),
        help="with --calls: a row for each world, of all numbers of launches together; or for each "
        "number of launches, of all worlds together (else one for each of both)",
    )
    parser.add_argument("--slower", choices=("none", "one", "all"), default="none")
    parser.add_argument(
        "--by",
        type=slowdown,
        default=0.1,
        help=f"how much slower; {DETECTABLE}: by what another comparison of the world says that it "
        "would have called (%(default)s)",
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
