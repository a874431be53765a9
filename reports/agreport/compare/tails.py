# SPDX-License-Identifier: BSD-3-Clause
"""Tests what medians do not see: tails of a launch's iterations, and how ranks came to them.

P90 and P99 of each launch are tested as medians are, as one family of their own. `imbalance_us` is
tested by itself: where it changed, part of a change may be that of the synchronisation before.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from agreport.data.load import PAIR, SETTING
from agreport.stats.multiple_tests import assess

from .log_ratios import (
    compare_pairs,
    keep_shared,
    number_groups,
    split_pairs,
    units_of_launches,
    units_of_pairs,
)
from .percentiles import find_percentiles
from .sides import LAUNCHES, Pairing, Sides
from .verdicts import TOO_FEW, find_few, judge_cases

P90, P99, IMBALANCE = "P90", "P99", "imbalance"
MEASURES = (P90, P99)
PERCENTILES = {P90: 0.9, P99: 0.99, IMBALANCE: 0.5}
FEWEST = {P90: 30, P99: 100, IMBALANCE: 1}  # iterations; of fewer, the measure says little
MEASURE = "measure"
KEYS = [*PAIR, MEASURE]
EMPTY = pd.DataFrame()


class Measured(NamedTuple):
    """Tables with cases and measures down and launches across. logs: the logarithms of times.
    unsure: the variances that ticks leave these logarithms."""

    logs: pd.DataFrame
    unsure: pd.DataFrame


def judge_tails(sides: Sides, pairing: Pairing, metric: str, threshold: float) -> pd.DataFrame:
    """Returns a row for each case and measure (P90, P99) with the columns of judge_cases and the
    times of both sides (base_us, new_us). What has too few launches is not tested: its verdict is
    TOO_FEW. If nothing can be tested, the table is empty and has only the columns verdict and
    change."""
    column = sides.results.column_of(metric)
    return judge(sides, pairing, [measure(sides, column, each) for each in MEASURES], threshold)


def judge_imbalance(sides: Sides, pairing: Pairing, threshold: float) -> pd.DataFrame:
    """Returns what judge_tails does, of the medians of imbalance_us instead of P90 and P99 of the
    times, without cases that have no imbalance or 0."""
    if "imbalance_us" not in sides.results.rows:
        return judge(sides, pairing, [], threshold)
    return judge(sides, pairing, [measure(sides, "imbalance_us", IMBALANCE)], threshold)


def judge(
    sides: Sides, pairing: Pairing, measured: list[Measured], threshold: float
) -> pd.DataFrame:
    logs, unsure = (pd.concat([each[part] for each in measured] or [EMPTY]) for part in (0, 1))
    wide = keep_shared(logs, sides.new) if len(logs) else logs
    if len(wide) and pairing.kind != LAUNCHES:
        base, new = split_pairs(wide, pairing)
        wide = wide.iloc[np.flatnonzero(~np.isnan(new - base).all(axis=1))]
    if wide.empty:
        return pd.DataFrame({"verdict": pd.Series(dtype=object), "change": pd.Series(dtype=float)})
    if pairing.kind == LAUNCHES:
        units = units_of_launches(wide, unsure, sides)
    else:
        units = units_of_pairs(compare_pairs(wide, pairing), unsure, sides, pairing)
    group = number_groups(wide.index, [SETTING, "collective", "ranks", MEASURE])
    found = judge_cases(assess(units, group), threshold).set_axis(wide.index)
    found.loc[find_few(units), "verdict"] = TOO_FEW
    for side, is_new in (("base", False), ("new", True)):
        found[f"{side}_us"] = np.exp(wide.loc[:, sides.new == is_new].median(axis=1))
    return found


def measure(sides: Sides, column: str, name: str) -> Measured:
    found = find_percentiles(sides, column, PERCENTILES[name])
    known = (found.calls >= FEWEST[name]) & (found.us > 0)
    logs = found.us.where(known).map(np.log).dropna(how="all")
    index = pd.MultiIndex.from_tuples([(*each, name) for each in logs.index], names=KEYS)
    return Measured(logs.set_axis(index), found.unsure.loc[logs.index].set_axis(index))
