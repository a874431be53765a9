# SPDX-License-Identifier: BSD-3-Clause
"""Both sides, paired and tested: all that the outputs say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.data.algorithm_sets import LIBRARY, base
from agreport.data.load import PAIR, SETTING
from agreport.stats.arrays import Floats, Ints
from agreport.stats.multiple_tests import assess
from agreport.stats.power import Power, estimate_power
from agreport.stats.spreads import find_beyond, find_unlike
from agreport.stats.units import Units

from .diagnostics import find_diagnostics, find_imbalance
from .log_ratios import assess_iterations, find_units, find_zero, median_us
from .orders import find_one_order
from .sides import Pairing, Sides, find_missing, find_newly_wrong
from .stalls import judge_stalls
from .tails import judge_imbalance, judge_tails
from .turns import find_blocks, find_strict_turns
from .verdicts import (
    FAILURES,
    TOO_FEW,
    UNDECIDED,
    WRONG,
    conclude,
    find_few,
    find_lost,
    judge_cases,
    judge_groups,
    mark_open,
    void_calls,
)

LAUNCH = [SETTING, "collective", "ranks"]  # what a launch has one of
GROUP = ["algorithm", *LAUNCH]  # the cases that are judged together
BLOCKS, ORDER = "blocks", "order"  # values of --allow
EXIT_REGRESSION, EXIT_UNDECIDED = 1, 2


@dataclass(frozen=True)
class Rules:
    """What it takes for which verdict; changes as parts of 1.

    threshold: the least change that is called. goal: the change that would have to be called, or
    else a case is open; every: in every case for "no regression", else in some. single: verdicts by
    one launch a side. missing: cases may be missing on one side. blocks: launches of one side may
    all come before the other's. order: one side may always be the first of the two, or every second
    launch.
    """

    threshold: float
    goal: float
    every: bool = False
    single: bool = False
    missing: bool = False
    blocks: bool = False
    order: bool = False


@dataclass(frozen=True)
class Comparison:
    """cases and missing are by PAIR, groups by GROUP; changes in them are logarithms of ratios.

    obstacles: why there is no verdict unless it is a failure. tails: of percentiles, by PAIR and
    measure. stalls: of calls that take long, by PAIR.
    """

    sides: Sides
    pairing: Pairing
    metric: str
    cases: pd.DataFrame
    groups: pd.DataFrame
    missing: pd.DataFrame
    power: Power
    diagnostics: list[str]
    rules: Rules
    obstacles: list[str]
    tails: pd.DataFrame
    stalls: pd.DataFrame

    @property
    def verdict(self) -> str:
        goal = float(np.log1p(self.rules.goal))
        others = [each["verdict"] for each in (self.groups, self.tails)]
        # That stalls were not tested, for want of launches, is said, and decides nothing.
        others.append(self.stalls["verdict"].replace(TOO_FEW, ""))
        return conclude(self.cases, pd.concat(others), goal, self.rules.every, bool(self.obstacles))

    @property
    def exit_code(self) -> int:
        if self.verdict in FAILURES:
            return EXIT_REGRESSION
        return EXIT_UNDECIDED if self.verdict in UNDECIDED else 0

    @property
    def known_groups(self) -> pd.DataFrame:
        """The groups with cases enough for a verdict; the library's own algorithms first, as a
        comparison of two builds is about these."""
        known = self.groups[self.groups["verdict"] != ""]
        names = known.index.get_level_values("algorithm")
        place = [0 if name == LIBRARY else 1 if base(name) == LIBRARY else 2 for name in names]
        return known.iloc[np.argsort(place, kind="stable")]


def compare(sides: Sides, pairing: Pairing, metric: str, rules: Rules) -> Comparison:
    units, index = find_units(sides, pairing, metric)
    wrong = find_newly_wrong(sides)
    if not len(index) and not len(wrong):
        raise BadInput("no case has median times over 0 on both sides: there is nothing to compare")
    group, _ = number_groups(index, LAUNCH)
    together, groups = number_groups(index, GROUP)
    least, goal = float(np.log1p(rules.threshold)), float(np.log1p(rules.goal))
    found = assess(units, group, together)
    few = find_few(units)
    alone = len(index) > 0 and bool(np.isnan(found.observed.total.error).all())
    if alone and rules.single:
        found, few = assess_iterations(sides, pairing, metric, index, found), few & False
    cases = judge_cases(found, least).set_axis(index)
    cases.loc[few, "verdict"] = TOO_FEW
    judged = judge_groups(found, least).set_axis(groups)
    obstacles, turns = find_turns(sides, pairing, rules)
    if obstacles:
        cases, judged = void_calls(cases), void_calls(judged)
    else:
        cases, judged, obstacles = void_unlike(cases, judged, units, group)
    tails = judge_tails(sides, pairing, metric, least)
    imbalance = judge_imbalance(sides, pairing, least)
    stalls = judge_stalls(sides, pairing, metric, least)
    if obstacles:
        tails, stalls = void_calls(tails), void_calls(stalls)
    cases = mark_open(cases, goal).assign(**describe_sides(sides, units, index, metric))
    missing = find_missing(sides, index.append(wrong) if len(wrong) else index)
    missing.loc[missing.index.isin(find_zero(sides, metric)), "why"] = "a median time is 0"
    lost = [] if rules.missing else find_lost(missing, few)
    left_out = pd.DataFrame({"verdict": WRONG}, index=wrong)
    return Comparison(
        sides,
        pairing,
        metric,
        pd.concat([cases, left_out]) if len(wrong) else cases,
        judged,
        missing,
        estimate_power(cases, least, goal, len(index)),
        [
            *turns,
            *find_diagnostics(sides, pairing, units, metric, alone, rules.single),
            *find_imbalance(cases, imbalance),
        ],
        rules,
        [*obstacles, *lost],
        tails,
        stalls,
    )


def find_turns(sides: Sides, pairing: Pairing, rules: Rules) -> tuple[list[str], list[str]]:
    """Returns what is wrong with the order of the launches: obstacles, and what is allowed."""
    turns = [
        (BLOCKS, rules.blocks, find_blocks(sides, pairing)),
        (ORDER, rules.order, find_one_order(sides, pairing) or find_strict_turns(sides, pairing)),
    ]
    found = [each for each in turns if each[2]]
    return (
        [
            f"{what}; --allow {key} judges them all the same"
            for key, allowed, what in found
            if not allowed
        ],
        [f"{what[0].upper()}{what[1:]}." for _, allowed, what in found if allowed],
    )


def void_unlike(
    cases: pd.DataFrame, judged: pd.DataFrame, units: Units, group: Ints
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Without what no test of sides that spread so differently may call, and why, if that was
    anything."""
    unlike = name_unlike(units, group)
    if not unlike:
        return cases, judged, []
    kept = find_beyond(units)
    left = void_calls(cases, kept), void_calls(judged, bool(kept.all()))
    same = [
        new["verdict"].equals(old["verdict"])
        for new, old in zip(left, (cases, judged), strict=True)
    ]
    return *left, [] if all(same) else [unlike]


def describe_sides(
    sides: Sides, units: Units, cases: pd.MultiIndex, metric: str
) -> dict[str, Ints | Floats]:
    """Columns: of how many launches each side has a case, and how long it takes there. spread: by
    how much the pairs differ, or the launches of a side; as a logarithm."""
    known = ~np.isnan(units.values)
    found: dict[str, Ints | Floats] = {}
    for side, new in (("base", False), ("new", True)):
        rows = slice(None) if units.new is None else units.new == new
        found[f"{side}_n"] = known[rows].sum(axis=0)
        found[f"{side}_us"] = median_us(sides, cases, new, metric)
    alike = (
        [units.values] if units.new is None else [units.values[units.new], units.values[~units.new]]
    )
    ranges = [pd.DataFrame(each).max() - pd.DataFrame(each).min() for each in alike]
    found["spread"] = np.asarray(np.maximum.reduce(ranges), float)
    return found


def name_unlike(units: Units, group: Ints) -> str:
    ratio = find_unlike(units, group)
    if not np.isfinite(ratio):
        return ""
    noisier, other = ("new", "base") if ratio > 1 else ("base", "new")
    return (
        f"the times of {noisier} spread {max(ratio, 1 / ratio):.1f} times as much as those of "
        f"{other}, and no test of so few launches holds for that: find out why one is noisier"
    )


def number_groups(index: pd.MultiIndex, by: Sequence[str]) -> tuple[Ints, pd.MultiIndex]:
    """The number of each case's group, and the groups. by: what a group has one of."""
    keys = index.droplevel([name for name in PAIR if name not in by])
    assert isinstance(keys, pd.MultiIndex)
    keys = keys.reorder_levels([*by])
    groups = keys.unique()
    return np.asarray(groups.get_indexer(keys), np.int64), groups
