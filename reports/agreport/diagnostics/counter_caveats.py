# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt times by what counters of the hosts did meanwhile, as sentences."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agformats.files import result_file
from agformats.units import exactly, three_digits
from agreport.data.companions import beside
from agreport.data.counters import load_files
from agreport.data.load import SETTING, Launch, Results
from agreport.data.suffixes import COUNTERS_SUFFIX
from agreport.diagnostics.answers import Answers, Caveat, logs

HIGHEST_STEAL = 0.01  # of the time between the readings
# A median hardly sees events that hit fewer calls: if they hit one call in 20, it is at most the
# 53rd percentile of the other calls.
LEAST_HIT = 0.05
IN_CASE = ["launch", *result_file.PAIR, "host"]


def hits_many(rows: pd.DataFrame) -> "pd.Series[float]":
    """Returns infinity for readings in which one call in 20 or more may have been hit, whatever
    that costs; 0 for the others."""
    many = (rows["difference"] > 0) & (rows["difference"] >= LEAST_HIT * rows["calls"])
    return many.astype(float).replace(1.0, np.inf)


def lasts(rows: pd.DataFrame) -> "pd.Series[float]":
    """Returns infinity for readings with an event, as one such event slows down many calls that
    follow, whatever it costs; 0 for the others."""
    return rows["difference"].gt(0).astype(float).replace(1.0, np.inf)


def takes_time(rows: pd.DataFrame) -> "pd.Series[float]":
    """Returns by how much the milliseconds that were taken change the logarithm of a time; 0 if
    they are at most HIGHEST_STEAL of the time between the readings."""
    share = 1000 * rows["difference"] / rows["between_us"]
    return logs(1 + share.where(share > HIGHEST_STEAL, 0.0))


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt that counters give. what and advice are parts of its sentence; counters is
    a pattern of the names of the counters; unit is the unit of what they count; effect returns by
    how much each reading may have changed the logarithm of a time, 0 if it could not."""

    what: str
    counters: str
    advice: str
    unit: str = ""
    effect: Callable[[pd.DataFrame], "pd.Series[float]"] = hits_many


DOUBTS = (
    Doubt(
        "Processors were throttled for their temperature or power",
        r"throttle/",
        "The clock rate fell: cool the host, fix the clock rate lower, or leave the host out",
        effect=lasts,
    ),
    Doubt(
        "The cgroup's quota stopped processes",
        r"cgroup/throttled$",
        "Ranks stood still: ask for more processors, or lift the quota",
        " periods",
        lasts,
    ),
    Doubt(
        f"The hypervisor took over {100 * HIGHEST_STEAL:g} % of the time (steal, of all processors "
        "together)",
        r"cpu/steal$",
        "Others run on the same processors: measure on a machine of your own",
        " ms",
        takes_time,
    ),
    Doubt(
        "TCP sent segments again",
        r"tcp/RetransSegs$",
        "Packets were lost or late, and each costs milliseconds: look for the card or link that "
        "drops them (ethtool -S), and compare medians",
        " segments",
    ),
    Doubt(
        "Network cards had errors or dropped packets",
        r"net/.*_(?:errors|dropped)$",
        "Look for full queues and bad cables (ethtool -S); dropped on receipt are also packets "
        "that no program of the host wants",
    ),
    Doubt(
        "InfiniBand ports had errors, discarded or sent again",
        r"infiniband/.*(?:error|_err|discard|dropped|downed|retrans|out_of_sequence|timeout)",
        "Look at the cable and the switch's port (perfquery)",
    ),
)


def counter_caveats(results: Results, answers: Answers) -> Iterator[Caveat]:
    """Yields the reasons to doubt the cases that are left, of launches with counters beside them. A
    reason is left out if what its readings may have cost could turn no called comparison round."""
    found: list[pd.DataFrame] = []
    for number, launch in enumerate(results.launches):
        try:
            rows = rows_of(launch)
        except BadInput as error:
            yield Caveat(f"Counters are not looked at: {error}")
            continue
        if rows is not None:
            found.append(rows.assign(launch=number))
    if not found:
        return
    rows = in_cases_of(results, pd.concat(found, ignore_index=True))
    for doubt in DOUBTS:
        yield from sentence(doubt, rows, answers)


def rows_of(launch: Launch) -> pd.DataFrame | None:
    path = beside(launch.path, COUNTERS_SUFFIX)
    if not path.exists():
        return None
    texts = dict.fromkeys([*result_file.PANEL, "algorithm", "host", "counter"], "object")
    return load_files([path]).rows.astype(texts)


def in_cases_of(results: Results, rows: pd.DataFrame) -> pd.DataFrame:
    keys = ["launch", *result_file.CASE]
    cases = results.runs[keys].astype(dict.fromkeys(result_file.PANEL, "object")).drop_duplicates()
    return rows.merge(cases, on=keys)


def sentence(doubt: Doubt, rows: pd.DataFrame, answers: Answers) -> Iterator[Caveat]:
    own = rows[rows["counter"].str.match(doubt.counters)]
    effects = doubt.effect(own)
    given = own[effects > 0]
    if given.empty:
        return
    # The files with counters do not tell the setting of a launch.
    of_case = effects.groupby([own[name] for name in result_file.CASE]).max()
    cases = answers.cases.index.droplevel(SETTING)
    of_cases = of_case.reindex(cases).fillna(0.0).to_numpy(float)
    reach = answers.count(np.asarray(of_cases, np.float64))
    if not reach:
        return
    counted = given.groupby(IN_CASE, observed=True)["difference"].sum()
    worst = counted.idxmax()
    assert isinstance(worst, tuple)
    named: dict[str, Any] = dict(zip(IN_CASE, worst, strict=True))
    total = own.groupby(IN_CASE, observed=True).ngroups
    counters = given.loc[given["host"] == named["host"], "counter"].unique()
    yield answers.caveat(
        f"{doubt.what}: {len(counted)} of {total} readings (a host in a case), most on "
        f"{named['host']} with blocks of {exactly(named['bytes'])} on {named['ranks']} ranks "
        f"({named['collective']}, {named['distribution']}, {named['mapping']}, "
        f"{named['algorithm']}): {three_digits(counted[worst])}{doubt.unit} "
        f"({', '.join(counters)}). {doubt.advice}.",
        reach,
    )
