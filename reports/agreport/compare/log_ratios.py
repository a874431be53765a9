# SPDX-License-Identifier: BSD-3-Clause
"""One number for each unit and case: the log ratio of a pair, or the log time of a launch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.stats.arrays import Flags, Floats, Ints
from agreport.stats.bootstrap import resampled_medians
from agreport.stats.crossover import estimate_effects, take_out
from agreport.stats.moderated_t import Estimate, Statistics
from agreport.stats.multiple_tests import Significance, find_significance
from agreport.stats.units import Units

from .percentiles import find_percentiles
from .sides import DUETS, LAUNCHES, Pairing, Sides
from .turns import base_first

FEWEST_ITERATIONS = 6
MEDIAN = 0.5


def find_units(sides: Sides, pairing: Pairing, metric: str) -> tuple[Units, pd.MultiIndex]:
    """Returns the units of the comparison, and the index by PAIR of the cases that are their
    columns."""
    times = time_launches(sides, metric)
    unsure = find_percentiles(sides, sides.results.column_of(metric), MEDIAN).unsure
    if pairing.kind == LAUNCHES:
        wide = keep_shared(times, sides.new)
        units = units_of_launches(wide, unsure, sides)
    else:
        duets = pairing.kind == DUETS
        wide = compare_duets(sides, pairing, metric) if duets else compare_pairs(times, pairing)
        base, new = split_pairs(times.reindex(wide.index), pairing)
        units = units_of_pairs(wide, unsure, sides, pairing, levels=(base + new).T / 2)
    assert isinstance(wide.index, pd.MultiIndex)
    return units, wide.index


def number_groups(index: "pd.Index[Any]", by: Sequence[str]) -> Ints:
    """Returns the number of each case's group. by: the levels of the index in which the cases of a
    group agree."""
    keys = index.to_frame(index=False)[[*by]]
    return np.asarray(keys.groupby([*by], observed=True, sort=False).ngroup(), np.int64)


def time_launches(sides: Sides, metric: str) -> pd.DataFrame:
    """Returns the logarithms of the median times: cases down, launches across; without the cases of
    find_zero."""
    found = median_times(sides, metric)
    return found[~(found == 0).any(axis=1)].map(np.log)


def find_zero(sides: Sides, metric: str) -> pd.MultiIndex:
    """Returns the cases in which a launch has a median time of 0, as of a clock with coarse ticks:
    they have no ratios."""
    found = median_times(sides, metric)
    cases = found.index[(found == 0).any(axis=1)]
    assert isinstance(cases, pd.MultiIndex)
    return cases


def median_times(sides: Sides, metric: str) -> pd.DataFrame:
    return find_percentiles(sides, sides.results.column_of(metric), MEDIAN).us


def keep_shared(wide: pd.DataFrame, new: Flags) -> pd.DataFrame:
    """Keeps the cases that both sides have. wide: cases down, launches across; new: of each launch
    whether it is on the new side."""
    known = wide.notna()
    return wide[known.loc[:, new].any(axis=1) & known.loc[:, ~new].any(axis=1)]


def compare_pairs(wide: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    base, new = split_pairs(wide, pairing)
    return pd.DataFrame(new - base, wide.index).dropna(how="all")


def units_of_launches(wide: pd.DataFrame, unsure: pd.DataFrame, sides: Sides) -> Units:
    """Makes each launch a unit. wide: log times; unsure: the variances that ticks leave them; both
    with cases down, launches across."""
    return Units(wide.to_numpy().T, sides.new, unsure=unsure.reindex(wide.index).to_numpy().T)


def units_of_pairs(
    wide: pd.DataFrame,
    unsure: pd.DataFrame,
    sides: Sides,
    pairing: Pairing,
    levels: Floats | None = None,
) -> Units:
    """Makes each pair a unit; the effect of the order within pairs is taken out. wide: log ratios,
    cases down, pairs across. unsure: the variances that ticks leave the log times, cases down,
    launches across. levels: the means of the two log times of each pair."""
    values = wide.to_numpy().T
    base, new = split_pairs(unsure.reindex(wide.index), pairing)
    units = Units(values, levels=levels, unsure=(base + new).T)
    first = base_first(sides, pairing)
    if first is None:
        return units
    effects = estimate_effects(values, first)
    return replace(units, values=take_out(values, first, effects), of_order=effects)


def split_pairs(wide: pd.DataFrame, pairing: Pairing) -> tuple[Floats, Floats]:
    """Returns the columns of base and those of new: cases down, pairs across."""
    base, new = (wide[[pair[side] for pair in pairing.pairs]].to_numpy() for side in (0, 1))
    return base, new


def compare_duets(sides: Sides, pairing: Pairing, metric: str) -> pd.DataFrame:
    """Returns the medians of the log ratios of the rounds: cases down, duets across; without the
    cases of find_zero."""
    ratios = compare_rounds(sides, pairing, metric)
    medians = ratios.groupby([*PAIR, "unit"], observed=True)["ratio"].median()
    found = medians.unstack("unit").sort_index()
    found = found[~found.index.isin(find_zero(sides, metric))]
    return found.reindex(columns=range(len(pairing.pairs)))


def compare_rounds(sides: Sides, pairing: Pairing, metric: str) -> pd.DataFrame:
    """Returns a row for each round of a duet in a case, with its log ratio (ratio): iteration i of
    both launches was the same round. `unit` is the number of the duet."""
    rows = sides.results.timed()
    unit = {number: place for place, pair in enumerate(pairing.pairs) for number in pair}
    rows = rows[rows["launch"].isin(list(unit))]
    rows = rows.assign(
        unit=rows["launch"].map(unit), time=take_logs(rows[sides.results.column_of(metric)])
    )
    is_new = sides.new[rows["launch"].to_numpy()]
    keys = ["unit", *PAIR, "iteration"]
    both = rows.loc[~is_new, [*keys, "time"]].merge(rows.loc[is_new, [*keys, "time"]], on=keys)
    return both.assign(ratio=both["time_y"] - both["time_x"])


def take_logs(times: "pd.Series[float]") -> "pd.Series[float]":
    with np.errstate(divide="ignore"):
        return pd.Series(np.log(times.to_numpy(dtype=float)), times.index)


def median_us(sides: Sides, cases: pd.MultiIndex, new: bool, metric: str) -> Floats:
    """Returns for each case the median over a side's launches of their median times, in us, for
    people to read. new: whether it is the new side."""
    launches = np.exp(time_launches(sides, metric).loc[:, sides.new == new])
    return np.asarray(launches.median(axis=1).reindex(cases), float)


def assess_iterations(
    sides: Sides,
    pairing: Pairing,
    metric: str,
    cases: pd.MultiIndex,
    found: Significance,
) -> Significance:
    """Tests one launch a side by its iterations, which do not say what another launch would.

    The standard error is that of the log ratio of medians over the iterations, by bootstrap; of
    duets that of the median log ratio of rounds. Launches differ by more than that, so a user has
    to ask for verdicts by it. found: the test by launches; of a single launch a side it has the log
    ratios, and nothing else.
    """
    known = found.observed
    error = np.asarray(estimate_errors(sides, pairing, metric).reindex(cases), np.float64)
    total = Estimate(known.total.change, error, np.full(error.shape, np.inf))
    return find_significance(Statistics(total, known.own))


def estimate_errors(sides: Sides, pairing: Pairing, metric: str) -> "pd.Series[float]":
    if pairing.kind == DUETS:
        return bootstrap_errors(compare_rounds(sides, pairing, metric), "ratio")
    base, new = (
        bootstrap_errors(rows.assign(log=take_logs(rows[sides.results.column_of(metric)])), "log")
        for rows in (sides.rows(False), sides.rows(True))
    )
    both = pd.concat([base, new], axis=1, join="inner")
    return (both**2).sum(axis=1, skipna=False) ** 0.5


def bootstrap_errors(rows: pd.DataFrame, column: str) -> "pd.Series[float]":
    """Returns the standard error of the median of each case, a Series by PAIR; NaN with fewer than
    FEWEST_ITERATIONS iterations, or if the median of a resample is of times of 0."""

    def error(values: "pd.Series[float]") -> float:
        if len(values) < FEWEST_ITERATIONS:
            return float("nan")
        with np.errstate(invalid="ignore"):
            return float(resampled_medians(np.asarray(values, np.float64)).std(ddof=1))

    found: pd.Series[float] = rows.groupby(PAIR, observed=True)[column].agg(error)
    return found
