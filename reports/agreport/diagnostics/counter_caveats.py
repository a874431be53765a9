# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt times by what counters of the hosts did meanwhile, as sentences."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agformats.files import result_file
from agformats.units import in_units, three_digits
from agreport.data.companions import beside
from agreport.data.counters import load_files
from agreport.data.load import SETTING, Launch, Results
from agreport.data.result_paths import COUNTERS_SUFFIX
from agreport.diagnostics.answers import Answers, Caveat

HIGHEST_STEAL = 0.01  # of the time between the readings
# Events of fewer calls are hardly seen by a median: with one call in 20 hit, it is the 53rd
# percentile of the others at most.
LEAST_HIT = 0.05
IN_CASE = ["launch", *result_file.PAIR, "host"]


def hits_many(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Whether a call in 20 may have been hit."""
    return (rows["difference"] > 0) & (rows["difference"] >= LEAST_HIT * rows["calls"])


def is_much_steal(rows: pd.DataFrame) -> "pd.Series[bool]":
    return 1000 * rows["difference"] > HIGHEST_STEAL * rows["between_us"]


def is_any(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Of what lasts: one change of the clock rate is of all calls that follow."""
    return rows["difference"] > 0


@dataclass(frozen=True)
class Doubt:
    """counters: a pattern of the names of those that give it; unit: of what they count; given:
    which readings could change a time."""

    what: str
    counters: str
    advice: str
    unit: str = ""
    given: Callable[[pd.DataFrame], "pd.Series[bool]"] = hits_many


DOUBTS = (
    Doubt(
        "Processors were throttled for their temperature or power",
        r"throttle/",
        "The clock rate fell: cool the host, fix the clock rate lower, or leave the host out",
        given=is_any,
    ),
    Doubt(
        "The cgroup's quota stopped processes",
        r"cgroup/throttled$",
        "Ranks stood still: ask for more processors, or lift the quota",
        " periods",
        is_any,
    ),
    Doubt(
        f"The hypervisor took over {100 * HIGHEST_STEAL:g} % of the time (steal, of all processors "
        "together)",
        r"cpu/steal$",
        "Others run on the same processors: measure on a machine of your own",
        " ms",
        is_much_steal,
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
    """Of the cases that are left, of launches with counters beside them. Each is silent where
    nothing is called in the cases that have such a reading."""
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
    given = own[doubt.given(own)]
    if given.empty:
        return
    # Of the columns of CASE, the setting of a launch is none of these files.
    hit = pd.MultiIndex.from_frame(given[result_file.CASE].drop_duplicates())
    reach = answers.in_cases(answers.cases.index.droplevel(SETTING).isin(hit))
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
        f"{named['host']} with blocks of {in_units(named['bytes'])} on {named['ranks']} ranks "
        f"({named['collective']}, {named['distribution']}, {named['mapping']}, "
        f"{named['algorithm']}): {three_digits(counted[worst])}{doubt.unit} "
        f"({', '.join(counters)}). {doubt.advice}.",
        reach,
    )
