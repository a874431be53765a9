# SPDX-License-Identifier: BSD-3-Clause
"""Both sides, paired and tested: all that the outputs say."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import SETTING
from agreport.reports.builds import BLOCKS, ORDER
from agreport.stats.arrays import Floats, Ints
from agreport.stats.multiple_tests import assess
from agreport.stats.power import Power, estimate_power
from agreport.stats.spreads import find_beyond, find_unlike
from agreport.stats.units import Units

from .diagnostics import find_diagnostics, find_imbalance
from .log_ratios import (
    assess_iterations,
    find_units,
    find_zero,
    median_us,
    number_groups,
)
from .sides import Pairing, Sides, find_missing, find_newly_wrong, find_varied, keep_paired
from .stalls import judge_stalls
from .tails import judge_imbalance, judge_tails
from .turns import find_blocks, find_one_order, find_strict_turns
from .verdicts import (
    FAILURES,
    TOO_FEW,
    UNDECIDED,
    WRONG,
    are_single,
    conclude,
    find_few,
    find_lost,
    judge_cases,
    mark_open,
    void_calls,
)

LAUNCH = [SETTING, "collective", "ranks"]  # a launch has one of each; its cases shift together
EXIT_REGRESSION, EXIT_UNDECIDED = 1, 2


@dataclass(frozen=True)
class Rules:
    """The rules by which verdicts are given. Changes are parts of 1.

    threshold: the least change that is called. goal: the change that would have to be called, or
    else a case is open. every: whether such a change would have to be called in every case for "no
    regression"; else in some. single: whether there are verdicts by one launch a side. missing:
    whether cases may be missing on one side. blocks: whether all launches of one side may come
    before the other's. order: whether one side may always be the first of the two, or every second
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
    """Both sides, compared. Changes in the tables are logarithms of ratios.

    cases, missing: tables by PAIR. obstacles: why there is no verdict unless it is a failure.
    tails: of percentiles, by PAIR and measure. stalls: of calls that take long, by PAIR.
    """

    sides: Sides
    pairing: Pairing
    metric: str
    cases: pd.DataFrame
    missing: pd.DataFrame
    power: Power
    diagnostics: list[str]
    rules: Rules
    obstacles: list[str]
    tails: pd.DataFrame
    stalls: pd.DataFrame

    @property
    def varied(self) -> list[str]:
        """Returns the parts of a case that its name needs to tell it from all others."""
        return find_varied(self.cases, self.missing)

    @property
    def verdict(self) -> str:
        goal = float(np.log1p(self.rules.goal))
        others = pd.concat([self.tails["verdict"], self.stalls["verdict"]])
        return conclude(self.cases, others, goal, self.rules.every, bool(self.obstacles))

    @property
    def exit_code(self) -> int:
        if self.verdict in FAILURES:
            return EXIT_REGRESSION
        return EXIT_UNDECIDED if self.verdict in UNDECIDED else 0


def compare(sides: Sides, pairing: Pairing, metric: str, rules: Rules) -> Comparison:
    every = sides
    sides, pairing = keep_paired(sides, pairing)
    units, index = find_units(sides, pairing, metric)
    wrong = find_newly_wrong(sides)
    if not len(index) and not len(wrong):
        raise BadInput("no case has median times over 0 on both sides: there is nothing to compare")
    group = number_groups(index, LAUNCH)
    least, goal = float(np.log1p(rules.threshold)), float(np.log1p(rules.goal))
    found, few = assess(units, group), find_few(units)
    alone = len(index) > 0 and are_single(units)
    if alone and rules.single:
        found = assess_iterations(sides, pairing, metric, index, found)
        few = np.zeros_like(few)
    cases = judge_cases(found, least).set_axis(index)
    cases.loc[few, "verdict"] = TOO_FEW
    tails = judge_tails(sides, pairing, metric, least)
    stalls = judge_stalls(sides, pairing, metric, least)
    obstacles, turns = find_turns(sides, pairing, rules)
    if obstacles:
        cases = void_calls(cases)
    else:
        cases, obstacles = void_unlike(cases, units, group)
    if obstacles:
        tails, stalls = void_calls(tails), void_calls(stalls)
    cases = mark_open(cases, goal).assign(**describe_sides(sides, units, index, metric))
    # A case that only launches without a partner have is not compared, and is named.
    missing = find_missing(every, index.append(wrong) if len(wrong) else index)
    missing.loc[missing.index.isin(find_zero(sides, metric)), "why"] = "a median time is 0"
    lost = [] if rules.missing else find_lost(missing, few, find_varied(cases, missing))
    diagnostics = [
        *turns,
        *find_diagnostics(sides, pairing, units, metric, alone, rules.single),
        *find_imbalance(cases, judge_imbalance(sides, pairing, least)),
    ]
    left_out = pd.DataFrame({"verdict": WRONG}, index=wrong)
    return Comparison(
        sides=sides,
        pairing=pairing,
        metric=metric,
        rules=rules,
        cases=pd.concat([cases, left_out]) if len(wrong) else cases,
        missing=missing,
        power=estimate_power(cases, least, goal, len(index)),
        diagnostics=diagnostics,
        obstacles=[*obstacles, *lost],
        tails=tails,
        stalls=stalls,
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


def void_unlike(cases: pd.DataFrame, units: Units, group: Ints) -> tuple[pd.DataFrame, list[str]]:
    """Voids calls where the noise of the sides differs so much that no test holds; a case that
    differs by more than the whole range of its noise keeps its call. Returns the cases, and why
    calls were voided: an empty list if none was."""
    unlike = name_unlike(units, group)
    if not unlike:
        return cases, []
    left = void_calls(cases, find_beyond(units))
    return left, [] if left["verdict"].equals(cases["verdict"]) else [unlike]


def describe_sides(
    sides: Sides, units: Units, cases: pd.MultiIndex, metric: str
) -> dict[str, Ints | Floats]:
    """Returns columns: of how many launches each side has a case, and how long it takes there.
    spread: by how much the pairs differ, or the launches of a side; as a logarithm."""
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
