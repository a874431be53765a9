# SPDX-License-Identifier: BSD-3-Clause
"""One number for each case and pair, or case and launch: what the test is about."""

from math import exp

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import METRICS, PAIR
from agreport.stats.inference import Floats

from .dealing import Units
from .pairing import DUETS, LAUNCHES, Pairing
from .sides import Sides


def units(sides: Sides, pairing: Pairing, metric: str) -> tuple[Units, pd.MultiIndex]:
    """The units, and the cases that are their columns."""
    if pairing.kind == LAUNCHES:
        return of_launches(sides, metric)
    found = of_rounds if pairing.kind == DUETS else of_pairs
    ratios = found(sides, pairing, METRICS[metric]).unstack("unit").sort_index()
    ratios = ratios.reindex(columns=range(len(pairing.pairs)))
    return Units(ratios.to_numpy().T), case_index(ratios)


def case_index(frame: pd.DataFrame) -> pd.MultiIndex:
    assert isinstance(frame.index, pd.MultiIndex)
    return frame.index


def of_launches(sides: Sides, metric: str) -> tuple[Units, pd.MultiIndex]:
    """Logarithms of medians, of the cases that both sides have."""
    wide = medians(sides, METRICS[metric]).unstack("launch").sort_index()
    wide = wide.reindex(columns=range(len(sides.new)))
    there = wide.notna()
    both = there.loc[:, sides.new].any(axis=1) & there.loc[:, ~sides.new].any(axis=1)
    kept = wide[both]
    return Units(kept.to_numpy().T, sides.new), case_index(kept)


def of_pairs(sides: Sides, pairing: Pairing, column: str) -> "pd.Series[float]":
    """Logarithm of the ratio of the two launches' medians."""
    found = medians(sides, column).unstack("launch").reindex(columns=range(len(sides.new)))
    base = found[[base for base, _ in pairing.pairs]].to_numpy()
    new = found[[new for _, new in pairing.pairs]].to_numpy()
    return stacked(pd.DataFrame(new - base, found.index))


def of_rounds(sides: Sides, pairing: Pairing, column: str) -> "pd.Series[float]":
    """The median of the rounds' log ratios."""
    ratios = rounds(sides, pairing, column)
    return finite(ratios.groupby([*PAIR, "unit"], observed=True)["ratio"].median())


def rounds(sides: Sides, pairing: Pairing, column: str) -> pd.DataFrame:
    """Log ratios of duets: iteration i of both was the same round. `unit` is the duet."""
    rows = sides.results.timed()
    unit = {number: place for place, pair in enumerate(pairing.pairs) for number in pair}
    rows = rows[rows["launch"].isin(list(unit))]
    rows = rows.assign(unit=rows["launch"].map(unit), time=logarithms(rows[column]))
    is_new = sides.new[rows["launch"].to_numpy()]
    keys = ["unit", *PAIR, "iteration"]
    both = rows.loc[~is_new, [*keys, "time"]].merge(rows.loc[is_new, [*keys, "time"]], on=keys)
    return both.assign(ratio=both["time_y"] - both["time_x"])


def medians(sides: Sides, column: str) -> "pd.Series[float]":
    """Logarithm of the median time, by case and launch."""
    rows = sides.results.timed()
    found = rows.groupby([*PAIR, "launch"], observed=True)[column].median()
    return finite(logarithms(found))


def logarithms(times: "pd.Series[float]") -> "pd.Series[float]":
    with np.errstate(divide="ignore"):
        return pd.Series(np.log(times.to_numpy(dtype=float)), times.index)


def finite(values: "pd.Series[float]") -> "pd.Series[float]":
    odd = values[~np.isfinite(values)]
    if len(odd):
        named = dict(zip(values.index.names, odd.index[0], strict=True))
        where = ", ".join(f"{key}={value}" for key, value in named.items())
        raise BadInput(f"a median time is 0, so there is no ratio: {where}")
    return values


def stacked(wide: pd.DataFrame) -> "pd.Series[float]":
    long = wide.rename_axis(columns="unit").stack()
    assert isinstance(long, pd.Series)
    return long.dropna()


def typical_us(sides: Sides, cases: pd.MultiIndex, new: bool, metric: str) -> Floats:
    """Median over a side's launches of their medians, for people to read."""
    by_launch = medians(sides, METRICS[metric]).map(exp)
    of_side = by_launch[sides.new[by_launch.index.get_level_values("launch")] == new]
    found = of_side.groupby(level=PAIR, observed=True).median().reindex(cases)
    return np.asarray(found, float)
