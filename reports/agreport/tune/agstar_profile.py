# SPDX-License-Identifier: BSD-3-Clause
"""Benchmark results as the profile that libagstar.so reads by AGSTAR_PROFILE.

What the profile is: runtime/policies/profile.h.

It has a row for each algorithm that libagstar could run, in each case: `native`, and the suite's
own with the parameters that they have by default or in STAR-MPI, by messages or via=window. Left
out are those that predict arrivals or call the library's broadcast, and native:NAME. Left out are
cases of one rank or without bytes, which libagstar leaves to the MPI library, and those that have
nothing but `native`: libagstar tries nothing that a case does not name.

A profile knows a call by its collective, its ranks and where they are, and the bytes of its result.
Mappings and numbers of nodes it can tell apart, where ranks share nodes in another way. What it
cannot tell apart is refused: blocks that differ in size, which would be taken for equal ones of the
same total; several roots, operators or arrival patterns, and a pattern that was not asked for.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, timezone
from pathlib import Path

import numpy as np
import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.result_file import CALL, CYCLE
from agformats.files.result_file import METRICS as COLUMN_OF
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.arrival_labels import NONE
from agreport.data.load import SETTING, Launch, Results
from agreport.data.total_sizes import require_ranks_times_block, with_blocks

OPTION = "--agstar"
METRICS = CALL, CYCLE  # libagstar measures both, too: means over the ranks, but see is_of_slowest
SLOWEST = "max"

KEY = ["collective", "ranks", "nodes", "placement", "switches", "bytes"]
COLUMNS = [*KEY, "algorithm", "values", "median_ns", "date"]
MOST_BYTES = 1 << 20  # libagstar reads no longer profile
# All blocks of this algorithm go by the library's broadcast: runtime/policies/choices.h leaves it
# out.
BY_BROADCAST = "linear_gather_bcast"
COPIES = "via=window"

PLACE = "profile_key_"  # what the metadata keys of the mappings begin with
PLACED = re.compile(r"(.+): ([0-9a-f]{16}) ([0-9a-f]{16})")
SEVERAL_KINDS = re.compile(r"\d+ kinds: ")  # how machine.cpu begins if nodes differ


def settings(file: Path) -> dict[str, str]:
    """Returns the environment variable with which libagstar reads this profile: name -> value."""
    return {"AGSTAR_PROFILE": str(file.resolve())}


def runnable(collective: str) -> list[str]:
    """Returns every name that libagstar may try for this collective; libagstar finds out which can
    run where."""
    names = catalogue().algorithm_set("regular").algorithms
    known = (catalogue().algorithm(name, collective) for name in names)
    own = [each.name for each in known if each and each.has_schedule and each.name != BY_BROADCAST]
    own += [each.name for each in catalogue().star_variants if each.kind == kind_of(collective)]
    return [LIBRARY, *own, *(f"{name}:{COPIES}" for name in own)]


def kind_of(collective: str) -> str | None:
    kinds = {each.name: each.kind for each in catalogue().collectives}
    return kinds.get(collective)


def is_of_slowest(collective: str) -> bool:
    """Returns whether a call takes as long as on its slowest rank, which is what libagstar compares
    of collectives with a root (is_of_slowest in runtime/selection/agreement.h)."""
    return any(each.name == collective and each.has_root for each in catalogue().collectives)


def only_runnable(results: Results) -> Results:
    """Returns the results of the algorithms that libagstar may try. Raises BadInput if that leaves
    nothing to choose from."""
    rows = results.rows
    parts = [group[group["algorithm"].isin(runnable(str(collective)))]
             for collective, group in rows.groupby("collective", observed=True)]  # fmt: skip
    found = results.keep(pd.concat(parts).sort_index())
    if found.timed()["algorithm"].isin([LIBRARY]).all():
        there = ", ".join(results.timed_algorithms())
        raise BadInput(
            f"{OPTION}: no times of an algorithm that libagstar could try beside {LIBRARY}: own "
            f"ones that predict no arrivals, without parameters but {COPIES} and those that "
            f"STAR-MPI has; found: {there}"
        )
    return found


def profile_file(results: Results, arrival_asked: bool, metric: str) -> str:
    """Returns the text of a profile. arrival_asked: whether the user chose the arrival pattern.
    metric: one of METRICS. Raises BadInput if the results cannot make a profile."""
    for launch in results.launches:
        require_usable(launch)
    mpi = same_of_all(results.launches, "mpi")
    hosts = same_of_all(results.launches, "machine.cpu")
    results = only_runnable(results)
    require_ranks_times_block(results, OPTION)
    require_arrival(results, arrival_asked)
    column = results.column_of(metric)
    rows = keyed_rows(results)
    require_told_apart(rows)
    lines = ["#@agstar_profile=1", f"#@suite={catalogue().suite}", f"#@mpi={mpi}",
             f"#@hosts={hosts}", ",".join(COLUMNS),
             *row_lines(rows, column, results.launches)]  # fmt: skip
    text = "\n".join(lines) + "\n"
    if (size := len(text.encode())) > MOST_BYTES:
        raise BadInput(
            f"{OPTION}: the profile would have {size} bytes, and libagstar reads at most "
            f"{MOST_BYTES}; legal: fewer cases, chosen with --ranks and --bytes"
        )
    return text


def require_usable(launch: Launch) -> None:
    about = launch.metadata
    if about.get("simulated") == "yes":
        raise BadInput(f"{OPTION}: {launch.path} is of a simulation, which no program runs on")
    if (pretended := about.get("pretended_ranks_per_node", NONE)) != NONE:
        raise BadInput(
            f"{OPTION}: {launch.path} was told --ranks-per-node {pretended}: a profile of nodes "
            "that are pretended fits no program; measure without it"
        )
    if about.get("device", NONE) != NONE:
        raise BadInput(
            f"{OPTION}: {launch.path} is of buffers in a device, which libagstar leaves to the "
            "library; measure with --buffers-in private"
        )
    if not any(key.startswith(PLACE) for key in about):
        raise BadInput(
            f"{OPTION}: {launch.path} does not say where its ranks were ({PLACE}1), as files "
            f"of earlier versions; measure again with {catalogue().suite}"
        )
    if SEVERAL_KINDS.match(cpu := about.get("machine.cpu", "")):
        raise BadInput(
            f"{OPTION}: {launch.path} is of unlike nodes, and a profile of one kind: {cpu}"
        )


def same_of_all(launches: Sequence[Launch], key: str) -> str:
    """Returns the value that all launches have for this key of their metadata; empty if none has
    one. Raises BadInput if they differ."""
    first = launches[0]
    value = first.metadata.get(key, "")
    for other in launches[1:]:
        if (differing := other.metadata.get(key, "")) != value:
            raise BadInput(
                f"{OPTION}: launches differ in {key}, and a profile is of one: {first.path} has "
                f"'{value}', {other.path} '{differing}'"
            )
    return value


def require_arrival(results: Results, asked: bool) -> None:
    found = sorted(results.timed()["arrival"].astype(str).unique())
    if len(found) > 1 or (found != [NONE] and not asked):
        raise BadInput(
            f"{OPTION}: a profile does not tell how ranks arrive: choose one with --arrival: "
            f"{', '.join(found)}"
        )


def keyed_rows(results: Results) -> pd.DataFrame:
    """Returns the rows of the cases in which there is something to choose, with the columns of KEY;
    bytes are of a rank's result. Raises BadInput if no case has several ranks and bytes."""
    rows = results.timed()
    placed = {
        (launch, mapping): hashes(results.launches[launch], str(mapping))
        for launch, mapping in rows[["launch", "mapping"]].drop_duplicates().to_numpy().tolist()
    }
    place = pd.DataFrame(placed.values(), pd.MultiIndex.from_tuples(placed), KEY[3:5])
    rows = rows.astype(dict.fromkeys((SETTING, "collective", "mapping", "algorithm"), "str"))
    rows = rows.join(place, on=["launch", "mapping"])
    in_blocks = rows["collective"].isin(with_blocks())
    rows["bytes"] *= rows["ranks"].where(in_blocks, 1)
    others = rows.loc[rows["algorithm"] != LIBRARY, KEY].drop_duplicates()
    others = others[(others["ranks"] > 1) & (others["bytes"] > 0)]
    if others.empty:
        raise BadInput(
            f"{OPTION}: all cases are of one rank or without bytes: libagstar leaves such calls to "
            "the MPI library"
        )
    return rows.merge(others, on=KEY)


def hashes(launch: Launch, mapping: str) -> tuple[str, str]:
    """Returns the hashes of the mapping's placement and switches, as the launch has them. Raises
    BadInput if the launch has none of this mapping, or text that is no hash."""
    texts = {key: text for key, text in launch.metadata.items() if key.startswith(PLACE)}
    for key, text in texts.items():
        if (found := PLACED.fullmatch(text)) is None:
            raise BadInput(
                f"{launch.path}: {key}: '{text}'; legal: MAPPING: and two times 16 hexadecimal "
                "digits"
            )
        if found[1] == mapping:
            return found[2], found[3]
    raise BadInput(f"{launch.path}: no {PLACE}N is of the mapping '{mapping}' of its rows")


def require_told_apart(rows: pd.DataFrame) -> None:
    """Refuses rows that a profile would mix up: those of one key have to be of one mapping, and of
    launches that may be pooled. Raises BadInput."""
    choices = {"mapping": "choose one with --mapping", SETTING: "give the files of one"}
    for column, choice in choices.items():
        found = rows.groupby(KEY)[column].unique()
        for several in found[found.map(len) > 1]:
            raise BadInput(
                f"{OPTION}: cases of several {column}s, and a profile cannot tell them apart: "
                f"{' | '.join(sorted(several))}; {choice}"
            )


def row_lines(rows: pd.DataFrame, column: str, launches: Sequence[Launch]) -> list[str]:
    """Returns the rows of a profile as lines, sorted. A time is made of medians over what all
    launches of a case have.

    It is what libagstar compares: the time of the call, and of cycles also by how much longer the
    program's own part of the cycle takes than with the algorithm with which it is shortest.
    """
    dates = {int(number): date_of(launches[number]) for number in rows["launch"].unique()}
    columns = [*dict.fromkeys((column, COLUMN_OF[CALL], COLUMN_OF[SLOWEST]))]
    medians = rows.groupby([*KEY, "algorithm"])[columns].median()
    own_part = medians[column] - medians[COLUMN_OF[CALL]]
    later = own_part - own_part.groupby(KEY).transform("min")
    of_slowest = np.array([*map(is_of_slowest, medians.index.get_level_values("collective"))])
    calls = medians[COLUMN_OF[CALL]].mask(of_slowest, medians[COLUMN_OF[SLOWEST]])
    times = (calls + later).tolist()  # times are in the order of the groups
    lines = []
    for us, (key, group) in zip(times, rows.groupby([*KEY, "algorithm"]), strict=True):
        median_ns = max(1, round(us * 1000))
        last = max(dates[int(number)] for number in group["launch"].unique())
        lines.append(",".join(map(str, [*key, group[column].count(), median_ns, last])))
    return lines


def date_of(launch: Launch) -> date:
    """Returns the date on which a launch began, in UTC, since libagstar's dates are in UTC. Raises
    BadInput if the launch has none."""
    text = launch.metadata.get("start", "")
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").astimezone(timezone.utc).date()
    except ValueError:
        raise BadInput(
            f"{OPTION}: {launch.path} began at '{text}', which is no date; legal: "
            "2026-01-31T12:00:00+0000"
        ) from None
