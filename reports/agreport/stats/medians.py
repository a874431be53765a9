# SPDX-License-Identifier: BSD-3-Clause
"""Medians with their intervals as points of lines: times, and what is made of times."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from agformats.case_words import SLOWEST
from agformats.catalogue import catalogue
from agformats.errors import check_known
from agreport.data.load import CASE, PAIR, Results
from agreport.data.total_sizes import ALL_BUT_OWN
from agreport.stats.times import times_of

# A panel has one value of each of these columns, but for the one on the horizontal axis.
BALANCED_CASE = [column for column in CASE if column != "arrival"]
AGAINST = {
    "bytes": [column for column in CASE if column != "bytes"],
    "ranks": [column for column in CASE if column != "ranks"],
    "delay": [*BALANCED_CASE, "family"],  # of arrival patterns
}
NOT_MEASURED = "not measured"  # the status of what is in no file
POINT = ["value", "low", "high"]
# The catalogue's bandwidth factor of a collective -> what nccl-tests divide by the time, of sizes
# (those of a block where each rank has one) and numbers of ranks.
BUS_BYTES: "dict[str, Callable[[pd.Series[float], pd.Series[float]], pd.Series[float]]]" = {
    "1": lambda size, _: size,
    ALL_BUT_OWN: lambda size, ranks: size * (ranks - 1),
    "2(p-1)/p": lambda size, ranks: 2 * size * (ranks - 1) / ranks,
}


def points(results: Results, metric: str) -> pd.DataFrame:
    """Returns a row for each case and algorithm: the columns of CASE, algorithm, the median time
    with its interval (POINT, in us; NaN: there is none), and status (ok, or why there is no
    median)."""
    times = times_of(results, metric, "median")
    frames = (times.us, times.low_us, times.high_us)
    found = pd.concat([frame.stack(future_stack=True) for frame in frames], axis=1, keys=POINT)
    found.index = found.index.set_names([*CASE, "algorithm"])
    kinds = results.runs[[*PAIR, "status"]].drop_duplicates()
    worst_first = {"wrong": 0, "ok": 1, "late": 2, "skipped": 3}
    kinds = kinds.sort_values("status", key=lambda status: status.astype(str).map(worst_first))
    status = kinds.drop_duplicates(PAIR).set_index(PAIR)["status"].astype(object)
    found = found.assign(status=status.reindex(found.index).fillna(NOT_MEASURED))
    return found.reset_index().astype({"algorithm": str})


def over_best(found: pd.DataFrame) -> pd.DataFrame:
    """Returns the points with all times divided by the lowest median of their case."""
    best = found.groupby(CASE, observed=True)["value"].transform("min")
    return found.assign(**quotients(found, pd.DataFrame(dict.fromkeys(POINT, best))))


def bus_kilobytes(cases: pd.DataFrame) -> "pd.Series[float]":
    """Returns what bus bandwidth, as in nccl-tests, is over the time, of blocks of one size: the
    bytes of a rank's result times the collective's factor. Over microseconds they are GB/s."""
    sizes, ranks = cases["bytes"].astype(float), cases["ranks"].astype(float)
    found = pd.Series(np.nan, cases.index)
    for one in catalogue().collectives:
        moved = BUS_BYTES[one.bandwidth_factor](sizes, ranks)
        found = found.mask(cases["collective"].eq(one.name), moved)
    return found / 1000


def bus_bandwidth(found: pd.DataFrame) -> pd.DataFrame:
    """Returns the points with bus bandwidths instead of times, in GB/s, of blocks of one size."""
    kilobytes = pd.DataFrame(dict.fromkeys(POINT, bus_kilobytes(found)))
    return found.assign(**quotients(kilobytes, found))


def nearest_to_best(found: pd.DataFrame, count: int, always: str) -> list[str]:
    """Returns so many algorithms, those with the lowest times over the best of the case, in the
    median of their cases; among them this one if it has times."""
    median = over_best(found).groupby("algorithm")["value"].median().dropna()
    order = median.sort_values(kind="stable").index.tolist()
    return sorted(order, key=lambda name: name != always)[:count]


def speed_up(found: pd.DataFrame, over: str) -> pd.DataFrame:
    """Returns how many times as fast as that algorithm each other one is.

    The interval is of the intervals' quotients, from the lowest to the highest: it is wider than
    a test of the two would have it, never narrower.
    """
    check_known(
        "--baseline", [over], sorted(found["algorithm"].unique()), "an algorithm with times"
    )
    base = found[found["algorithm"] == over].set_index(CASE)[POINT]
    others = found[found["algorithm"] != over]
    faster = quotients(others[CASE].join(base, on=CASE), others)
    # A case without the baseline has no speed-up, though it has a time.
    return lacking(others.assign(**faster), "no baseline")


def impact(found: pd.DataFrame) -> pd.DataFrame:
    """Returns the time of what was measured with something beside it, over the time with nothing
    beside it. Where the latter was not measured, the value is NaN and the status "not alone".

    The interval is of the intervals' quotients, as that of a speed-up. There is no row of the
    slowest group: alone no group is the slowest.
    """
    nothing = catalogue().ordinary["beside"]
    keys = [*(column for column in CASE if column != "beside"), "algorithm"]
    alone = found[found["beside"] == nothing].set_index(keys)[POINT]
    beside = found[(found["beside"] != nothing) & (found["group"] != SLOWEST)]
    dearer = quotients(beside, beside[keys].join(alone, on=keys))
    return lacking(beside.assign(**dearer), "not alone")


def quotients(over: pd.DataFrame, under: pd.DataFrame) -> dict[str, "pd.Series[float]"]:
    """Returns the columns of POINT of the quotients: low is the lowest quotient of the two
    intervals, high the highest. A quotient is NaN where the time below is 0, which a simulation may
    have: nothing is a multiple of it. The frames have the same index."""
    found = {
        "value": over["value"] / under["value"],
        "low": over["low"] / under["high"],
        "high": over["high"] / under["low"],
    }
    return {name: values.where(np.isfinite(values)) for name, values in found.items()}


def lacking(found: pd.DataFrame, why: str) -> pd.DataFrame:
    """Returns the points, with the status `why` where it was ok and there is no value."""
    lacks = found["status"].eq("ok") & found["value"].isna()
    return found.assign(status=found["status"].mask(lacks, why))
