# SPDX-License-Identifier: BSD-3-Clause
"""What medians do not see: tails of a launch's iterations, and how ranks came to them.

P90 and P99 of each launch are tested as medians are, as one family of their own. `imbalance_us` is
tested by itself: where it changed, part of a change may be that of the synchronisation before.
"""

import numpy as np
import pandas as pd

from agreport.data.load import PAIR, SETTING
from agreport.stats.inference import Ints

from ..launches.sides import LAUNCHES, Pairing, Sides
from .log_ratios import keep_shared, split_pairs, units_of_pairs
from .p_values import assess
from .permutations import Units
from .verdicts import judge_cases

P90, P99, IMBALANCE = "P90", "P99", "imbalance"
MEASURES = (P90, P99)
PERCENTILES = {P90: 0.9, P99: 0.99, IMBALANCE: 0.5}
FEWEST = {P90: 30, P99: 100, IMBALANCE: 1}  # iterations, below which it says little
MEASURE = "measure"
KEYS = [*PAIR, MEASURE]


def judge_tails(sides: Sides, pairing: Pairing, metric: str, threshold: float) -> pd.DataFrame:
    """A row a case and measure, as judge_cases has it, with times of both sides; may be empty."""
    column = sides.results.column_of(metric)
    return judge(sides, pairing, [measure(sides, column, each) for each in MEASURES], threshold)


def judge_imbalance(sides: Sides, pairing: Pairing, threshold: float) -> pd.DataFrame:
    """The same of imbalance_us, without cases that have none or 0."""
    if "imbalance_us" not in sides.results.rows:
        return judge(sides, pairing, [], threshold)
    return judge(sides, pairing, [measure(sides, "imbalance_us", IMBALANCE)], threshold)


def judge(
    sides: Sides, pairing: Pairing, measured: list[pd.DataFrame], threshold: float
) -> pd.DataFrame:
    """measured: logarithms, cases and measures down, launches across."""
    wide = pd.concat([each for each in measured if len(each)] or [pd.DataFrame()])
    if len(wide):
        wide = keep_shared(wide.reindex(columns=range(len(sides.new))), sides.new)
    if len(wide) and pairing.kind != LAUNCHES:
        base, new = split_pairs(wide, pairing)
        wide = wide.iloc[np.flatnonzero(~np.isnan(new - base).all(axis=1))]
    if wide.empty:
        return pd.DataFrame({"verdict": pd.Series(dtype=object), "change": pd.Series(dtype=float)})
    if pairing.kind == LAUNCHES:
        units = Units(wide.to_numpy().T, sides.new)
    else:
        base, new = split_pairs(wide, pairing)
        units = units_of_pairs((new - base).T, sides, pairing)
    found = judge_cases(assess(units, number_groups(wide)), threshold).set_axis(wide.index)
    for side, is_new in (("base", False), ("new", True)):
        found[f"{side}_us"] = np.exp(wide.loc[:, sides.new == is_new].median(axis=1))
    return found


def number_groups(wide: pd.DataFrame) -> Ints:
    """Cases shift together where launch and measure are the same."""
    keys = wide.index.to_frame(index=False)[[SETTING, "collective", "ranks", MEASURE]]
    return np.asarray(keys.groupby([*keys], observed=True, sort=False).ngroup(), np.int64)


def measure(sides: Sides, column: str, name: str) -> pd.DataFrame:
    rows = sides.results.timed()
    times = rows[rows[column].notna()].groupby([*PAIR, "launch"], observed=True)[column]
    values = times.quantile(PERCENTILES[name])
    found = np.log(values[(times.size() >= FEWEST[name]) & (values > 0)])
    if found.empty:
        return pd.DataFrame()
    wide: pd.DataFrame = found.unstack("launch").sort_index()
    wide.index = pd.MultiIndex.from_tuples([(*each, name) for each in wide.index], names=KEYS)
    return wide
