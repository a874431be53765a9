# SPDX-License-Identifier: BSD-3-Clause
"""Both sides, paired and judged: everything that the outputs tell."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import PAIR
from agreport.stats.inference import Ints

from .chance import Judgement, counted, judge
from .changes import typical_us, units
from .dealing import Units
from .doubts import doubts
from .evidence import parts
from .missing import missing, newly_wrong
from .pairing import Pairing
from .power import Power, power
from .sides import Sides
from .single import judge_single
from .verdicts import (
    ALARMS,
    FAILURES,
    ONE_LAUNCH,
    WRONG,
    Rules,
    case_verdicts,
    overall,
    together,
)

GROUP = ["collective", "ranks", "nodes"]  # what a launch has one of
EXIT_REGRESSION, EXIT_UNDECIDED = 1, 2


@dataclass(frozen=True)
class Comparison:
    """cases and missing are by PAIR, groups by GROUP; changes in them are logarithms of ratios."""

    sides: Sides
    pairing: Pairing
    metric: str
    threshold: float
    cases: pd.DataFrame
    groups: pd.DataFrame
    missing: pd.DataFrame
    power: Power
    warnings: list[str]

    @property
    def verdict(self) -> str:
        return overall(pd.concat([self.cases["verdict"], self.groups["verdict"]]))

    @property
    def exit_code(self) -> int:
        if self.verdict in FAILURES:
            return EXIT_REGRESSION
        return EXIT_UNDECIDED if self.verdict == ONE_LAUNCH else 0


def compare(
    sides: Sides, how: Pairing, metric: str, threshold: float, single: bool = False
) -> Comparison:
    """single: call verdicts by one launch a side."""
    found, index = units(sides, how, metric)
    wrong = newly_wrong(sides)
    if not len(index) and not len(wrong):
        raise BadInput("no case has times on both sides, so there is nothing to compare")
    group, groups = grouped(index)
    rules = Rules.of(threshold)
    judgement = judge(found, group, ALARMS)
    alone = bool((judgement.degrees < 1).all())
    if alone and single:
        means = judgement.evidence.total.mean[0]
        judgement = judge_single(sides, how, metric, index, means, ALARMS)
    cases = case_verdicts(judgement, rules).set_axis(index)
    there = ~np.isnan(found.values)
    for side, new in (("base", False), ("new", True)):
        rows = slice(None) if found.new is None else found.new == new
        cases[f"{side}_n"] = there[rows].sum(axis=0)
        cases[f"{side}_us"] = typical_us(sides, index, new, metric)
    left_out = pd.DataFrame({"verdict": WRONG}, index=wrong)
    return Comparison(
        sides,
        how,
        metric,
        threshold,
        pd.concat([cases, left_out]) if len(wrong) else cases,
        shared(judgement, found, group, rules).set_axis(groups),
        missing(sides, index.append(wrong) if len(wrong) else index),
        power(cases, rules, len(index)),
        doubts(sides, how, found, alone, single),
    )


def grouped(index: pd.MultiIndex) -> tuple[Ints, pd.MultiIndex]:
    """Of each case the number of its group, and the groups."""
    keys = index.droplevel([name for name in PAIR if name not in GROUP])
    numbers, groups = pd.factorize(keys)
    return np.asarray(numbers, np.int64), pd.MultiIndex.from_tuples(list(groups), names=keys.names)


def shared(judgement: Judgement, found: Units, group: Ints, rules: Rules) -> pd.DataFrame:
    return together(judgement, counted(found, parts(found, group).shift), rules)
