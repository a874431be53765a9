# SPDX-License-Identifier: BSD-3-Clause
"""Chooses which of the library's own algorithms to use where, and where that is not known well
enough."""

from itertools import pairwise
from math import isqrt
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agreport.data.algorithm_sets import LIBRARY, is_arrival_aware
from agreport.data.load import Results
from agreport.reports.algorithms import TIE, TIE_BETWEEN_LAUNCHES
from agreport.tune.native_algorithms import PREFIX

# The end of names of calls on copies in the host's memory, which no setting of the library names.
STAGED = ":stage=host"
LEVELS = ["collective", "ranks", "bytes"]
CLOSE = 1.05  # sizes this near need nothing between them


def median_times(results: Results, metric: str, own: bool = False) -> pd.DataFrame:
    """Returns the median times of `native` and of each native:NAME that is not staged: cases down,
    in order of size, and algorithms across. A time that does not exist is NaN; cases that have none
    but of `native` are left out.

    own: whether to take the suite's own algorithms, too, but for those that predict arrivals.
    Raises BadInput if nothing is left but `native`.
    """
    rows = results.timed()
    names = rows["algorithm"].astype(str)
    is_named = names.str.startswith(PREFIX) & ~names.str.endswith(STAGED)
    of_library = (names == LIBRARY) | is_named
    rows = rows[~names.map(is_arrival_aware) if own else of_library]
    medians = rows.groupby([*LEVELS, "algorithm"], observed=True)[
        results.column_of(metric)
    ].median()
    wide: pd.DataFrame = medians.unstack("algorithm").sort_index()
    named = [name for name in wide if name != LIBRARY]
    if not named:
        there = ", ".join(sorted(names.unique()))
        wanted = "an algorithm" if own else f"an algorithm of the MPI library ({PREFIX}NAME)"
        raise BadInput(f"nothing to choose from: no times of {wanted}; found: {there}")
    return wide.dropna(how="all", subset=named)


def ties(results: Results, wide: pd.DataFrame) -> "pd.Series[float]":
    """Returns TIE for each case of `wide`, or TIE_BETWEEN_LAUNCHES where no launch had all
    algorithms."""
    rows = results.timed()
    launches = rows.groupby([*LEVELS, "launch"], observed=True)["algorithm"].agg(frozenset)
    found = [
        TIE
        if any(set(case.dropna().index) <= had for had in launches.xs(place))
        else TIE_BETWEEN_LAUNCHES
        for place, case in wide.iterrows()
    ]
    return pd.Series(found, wide.index)


def choose(wide: pd.DataFrame, tie_percent: "pd.Series[float]") -> pd.DataFrame:
    """Returns the algorithm of each case, its time and that of `native` (us: microseconds), and
    what the algorithm gains in percent over `native`, the library's own choice.

    tie_percent: of each case, by how much another has to be faster. A change has to pay: of nearly
    equal ones `native` is taken, or else the algorithm of the next smaller size.
    """
    chosen: list[str] = []
    before: tuple[object, str] = (None, LIBRARY)
    cases = zip(wide.index, wide.to_dict("records"), tie_percent, strict=True)
    for (*place, _), row, tie in cases:
        measured = {str(name): time for name, time in row.items() if time == time}
        best = min(measured, key=lambda name: measured[name])
        near = [name for name, t in measured.items() if t <= measured[best] * (1 + tie / 100)]
        last = before[1] if before[0] == place else LIBRARY
        chosen.append(next((name for name in (LIBRARY, last) if name in near), best))
        before = place, chosen[-1]
    found = pd.DataFrame({"algorithm": chosen}, wide.index)
    found["time_us"] = [row[name] for name, (_, row) in zip(chosen, wide.iterrows(), strict=True)]
    found["native_us"] = wide[LIBRARY] if LIBRARY in wide else float("nan")
    found["gain_percent"] = 100 * (1 - found["time_us"] / found["native_us"])
    return found


def next_sizes(found: pd.DataFrame) -> "pd.Series[Any]":
    """Returns the sizes in the middle, by ratio, between two sizes with different algorithms;
    and the algorithms of the two."""
    middle: dict[tuple[object, ...], tuple[str, str]] = {}
    for place, group in found.groupby(level=LEVELS[:2], observed=True):
        sizes = group.index.get_level_values("bytes")
        steps = zip(pairwise(sizes), pairwise(group["algorithm"]), strict=True)
        for (small, large), (one, other) in steps:
            between = isqrt(int(small) * int(large))
            if one != other and large > small * CLOSE and small < between < large:
                middle[(*place, between)] = one, other
    index = pd.MultiIndex.from_tuples(list(middle), names=LEVELS)
    return pd.Series(list(middle.values()), index, dtype=object)


def why_none(found: pd.DataFrame) -> str:
    """Returns why next_sizes has none."""
    names = found.groupby(level=LEVELS[:2], observed=True)["algorithm"].unique()
    if names.map(len).max() == 1:
        chosen = dict.fromkeys(name for each in names for name in each)
        return f"at each number of ranks all sizes have one choice ({', '.join(chosen)})"
    return (
        "wherever the choice changes between two sizes, they are at most a factor of "
        f"{CLOSE:g} apart, or no whole number lies between them"
    )
