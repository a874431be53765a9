# SPDX-License-Identifier: BSD-3-Clause
"""Which of the library's own algorithms to use where, and where that is not known well enough."""

from itertools import pairwise
from math import isqrt
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.tune.native_algorithms import PREFIX

LEVELS = ["collective", "ranks", "bytes"]
CLOSE = 1.05  # sizes this near need nothing between them


def median_times(results: Results, metric: str) -> pd.DataFrame:
    """Median times of `native` and of each native:NAME; cases down, in order of size."""
    rows = results.timed()
    names = rows["algorithm"].astype(str)
    rows = rows[(names == LIBRARY) | names.str.startswith(PREFIX)]
    medians = rows.groupby([*LEVELS, "algorithm"], observed=True)[
        results.column_of(metric)
    ].median()
    wide: pd.DataFrame = medians.unstack("algorithm").sort_index()
    named = [name for name in wide if name != LIBRARY]
    if not named:
        there = ", ".join(sorted(names.unique()))
        raise BadInput(f"no algorithm of the MPI library ({PREFIX}NAME) has times; found: {there}")
    return wide.dropna(how="all", subset=named)


def choose(wide: pd.DataFrame, tie_percent: float) -> pd.DataFrame:
    """The algorithm of each case, and what it gains over the library's own choice.

    A change has to pay: of nearly equal ones the library's choice, `native`, is taken, or else that
    of the next smaller size.
    """
    chosen: list[str] = []
    before: tuple[object, str] = (None, LIBRARY)
    for (*place, _), row in zip(wide.index, wide.to_dict("records"), strict=True):
        measured = {str(name): time for name, time in row.items() if time == time}
        best = min(measured, key=lambda name: measured[name])
        near = [
            name for name, t in measured.items() if t <= measured[best] * (1 + tie_percent / 100)
        ]
        last = before[1] if before[0] == place else LIBRARY
        chosen.append(next((name for name in (LIBRARY, last) if name in near), best))
        before = place, chosen[-1]
    found = pd.DataFrame({"algorithm": chosen}, wide.index)
    found["time_us"] = [row[name] for name, (_, row) in zip(chosen, wide.iterrows(), strict=True)]
    found["native_us"] = wide[LIBRARY] if LIBRARY in wide else float("nan")
    found["gain_percent"] = 100 * (1 - found["time_us"] / found["native_us"])
    return found


def next_sizes(found: pd.DataFrame) -> "pd.Series[Any]":
    """Between two sizes with different algorithms the middle one, by ratio; and the two."""
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
