# SPDX-License-Identifier: BSD-3-Clause
"""Both sides, paired, judged: everything that the outputs tell."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agreport.load import PAIR

from .chance import Judgement, judge
from .changes import typical_us, units
from .dealing import Units
from .pairing import Pairing, pairing
from .sides import Sides
from .verdicts import ALARMS, Rules, case_verdicts, overall

GROUP = ["collective", "ranks", "nodes"]  # what a launch has one of


@dataclass(frozen=True)
class Comparison:
    sides: Sides
    pairing: Pairing
    metric: str
    threshold: float
    units: Units
    judgement: Judgement
    cases: pd.DataFrame  # by PAIR
    missing: pd.DataFrame  # by PAIR: cases that cannot be compared, and why

    @property
    def verdict(self) -> str:
        return overall(self.cases["verdict"])


def compare(sides: Sides, metric: str, threshold: float) -> Comparison:
    how = pairing(sides)
    found, index = units(sides, how, metric)
    keys = index.droplevel([name for name in PAIR if name not in GROUP])
    group = np.asarray(pd.factorize(keys)[0], np.int64)
    judgement = judge(found, group, ALARMS)
    cases = case_verdicts(judgement, Rules.of(threshold)).set_axis(index)
    there = ~np.isnan(found.values)
    if found.new is None:
        cases["base_n"] = cases["new_n"] = there.sum(axis=0)
    else:
        cases["base_n"] = there[~found.new].sum(axis=0)
        cases["new_n"] = there[found.new].sum(axis=0)
    cases["base_us"] = typical_us(sides, index, False, metric)
    cases["new_us"] = typical_us(sides, index, True, metric)
    return Comparison(sides, how, metric, threshold, found, judgement, cases, missing(sides, index))


def missing(sides: Sides, compared: pd.MultiIndex) -> pd.DataFrame:
    """Cases with times that are not compared."""
    base, new = (sides.cases(side, "ok") for side in (False, True))
    apart = base.union(new).difference(compared)
    why = np.where(
        apart.isin(base) & apart.isin(new),
        "on both sides, but in no pair",
        np.where(apart.isin(base), "only in base", "only in new"),
    )
    return pd.DataFrame({"why": why}, index=apart)
