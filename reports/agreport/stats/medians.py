# SPDX-License-Identifier: BSD-3-Clause
"""Medians with their intervals as points of lines: over block sizes or ranks, and as a speed-up."""

from collections.abc import Sequence

import pandas as pd

from agformats.errors import check_known
from agreport.data.arrival_labels import parse
from agreport.data.load import CASE, Results
from agreport.stats.times import times_of

# What is on the horizontal axis: the columns that a panel has one value of.
AGAINST = {
    "bytes": [column for column in CASE if column != "bytes"],
    "ranks": [column for column in CASE if column not in ("ranks", "nodes")],
}
POINT = ["value", "low", "high"]


def points(results: Results, metric: str) -> pd.DataFrame:
    """A row each case and algorithm: median, interval, and status (ok, or why there is none)."""
    times = times_of(results, metric, "median")
    columns = [times.us.stack(), times.low_us.stack(), times.high_us.stack()]
    found = pd.concat(columns, axis=1, keys=POINT)
    names = pd.CategoricalIndex(times.us.columns).astype(str)
    every = pd.MultiIndex.from_product([range(len(times.us)), names])
    cases = times.us.index.to_frame(index=False)
    frame = cases.loc[every.get_level_values(0)].reset_index(drop=True)
    frame = frame.assign(algorithm=every.get_level_values(1))
    kinds = results.rows[[*CASE, "algorithm", "status"]].drop_duplicates()
    kinds = kinds.assign(algorithm=kinds["algorithm"].astype(str))
    worst = {"wrong": 0, "ok": 1, "late": 2, "skipped": 3}
    kinds = kinds.sort_values("status", key=lambda status: status.astype(str).map(worst))
    kinds = kinds.drop_duplicates([*CASE, "algorithm"])
    frame = frame.merge(kinds, how="left", on=[*CASE, "algorithm"])
    frame["status"] = frame["status"].astype(object).fillna("not measured")
    found.index = found.index.set_names([*CASE, "algorithm"])
    timed = found.reset_index().astype({"algorithm": str})
    return frame.merge(timed, how="left", on=[*CASE, "algorithm"])


def speed_up(found: pd.DataFrame, over: str) -> pd.DataFrame:
    """How many times as fast as that algorithm each other one is.

    The interval is of the intervals' quotients, from the lowest to the highest: it is wider than
    a test of the two would have it, never narrower.
    """
    check_known(
        "--baseline", [over], sorted(found["algorithm"].unique()), "an algorithm with times"
    )
    base = found[found["algorithm"] == over].set_index(CASE)[POINT]
    others = found[found["algorithm"] != over]
    joined = others.join(base, on=CASE, rsuffix="_base")
    faster = others.assign(
        value=joined["value_base"] / joined["value"],
        low=joined["low_base"] / joined["high"],
        high=joined["high_base"] / joined["low"],
    )
    # A case without the baseline has no speed-up, though it has a time.
    lacks = faster["status"].eq("ok") & faster["value"].isna()
    return faster.assign(status=faster["status"].mask(lacks, "no baseline"))


def panels(
    found: pd.DataFrame, against: str
) -> tuple[list[str], list[tuple[tuple[object, ...], pd.DataFrame]]]:
    """The columns that tell panels apart, and the panels in the order of the patterns' delays."""
    keys: list[str] = AGAINST[against]
    if against == "ranks" and found.duplicated([*keys, "ranks", "algorithm"]).any():
        keys = [*keys, "nodes"]
    groups = list(found.groupby(keys, observed=True))
    place = keys.index("arrival")
    groups.sort(key=lambda one: parse(str(one[0][place])).order)
    return keys, groups


def without_values(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The points that a line should have and has not."""
    return rows[rows["value"].isna() & rows["algorithm"].isin(list(names))]
