# SPDX-License-Identifier: BSD-3-Clause
"""Says what a site's file costs: what it makes the library choose in each measured case, and how
much longer that takes than the best that was measured."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from agformats import regular_file
from agformats.errors import BadInput
from agformats.notes import tell
from agreport.data.load import Launch, Results
from agreport.data.total_sizes import require_ranks_times_block
from agreport.figure.words import plural, size_label
from agreport.tune import mpich_file, openmpi_file
from agreport.tune.native_algorithms import MPICH, OPEN_MPI, Library
from agreport.tune.site_files import Case, SiteFile

OPTION = "--check"
FACTOR, VERDICT = "factor", "verdict"
BEST, NEAR, SLOWER, NOT_MEASURED = "best", "near-tie", "slower", "not measured"
NAN = float("nan")
NONE = "none"  # the file makes no choice, or none that is known
MOST_NAMED = 10  # cases whose choice was not measured
LIBRARIES = {
    openmpi_file.KIND: OPEN_MPI,
    openmpi_file.JSON_KIND: OPEN_MPI,
    mpich_file.KIND: MPICH,
}


def read(path: Path) -> SiteFile:
    """Reads a file of whichever library it is, by what is in it."""
    text = regular_file.read_text(path, errors="replace")
    if not text.lstrip().startswith("{"):
        return openmpi_file.read_text(path, text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{OPTION} {path}: is no JSON: {error}; legal: {legal()}") from None
    if mpich_file.is_one(document):
        return mpich_file.read_json(path, document)
    if "collectives" in document:
        return openmpi_file.read_json(path, document)
    raise BadInput(f"{OPTION} {path}: has rules of no library; legal: {legal()}")


def legal() -> str:
    return f"a file of {' or '.join(LIBRARIES)}"


def require_fitting(results: Results, path: Path, file: SiteFile) -> None:
    """Refuses launches of a library that does not read such a file, blocks that differ in size, and
    results of no collective that the file has rules for. Names the collectives without rules if
    others have some, and a launch of a version that does not read the file. Raises BadInput."""
    library: Library = LIBRARIES[file.kind]
    unread: Launch | None = None
    for launch in results.launches:
        mpi = launch.metadata.get("mpi", "unknown")
        if not mpi.startswith(library.name):  # of any version
            raise BadInput(
                f"{OPTION}: {launch.path} is from '{mpi[:40]}', and the file is {file.kind}"
            )
        if mpi.startswith(file.unread_by):
            unread = launch
    require_ranks_times_block(results, OPTION)
    measured = results.timed_runs["collective"].astype(str).unique()
    if without := [file.title(name) for name in measured if name not in file.collectives]:
        has = ", ".join(map(file.title, file.collectives)) or "no collective"
        text = f"{path} has no rules for {', '.join(without)}; it has rules for {has}"
        if len(without) == len(measured):
            raise BadInput(f"{OPTION}: {text}")
        tell(f"agreport: note: {text}")
    if unread:
        tell(
            f"agreport: note: {path} is as later versions of {library.name} read it; the one of "
            f"{unread.path} ignores such a file, and chooses as without it"
        )


def table(
    results: Results, times: pd.DataFrame, file: SiteFile, tie: "pd.Series[float]"
) -> pd.DataFrame:
    """Returns a table with a row a case, what costs most first and what was not measured last: what
    the file makes the library choose, the best, and the quotient of their times (us: microseconds).
    times: of choices.median_times; tie: percent by which something has to be slower to be worse
    than the best."""
    rows: list[dict[str, object]] = []
    measured = zip(cases(results, times), times.to_dict("records"), tie, strict=True)
    for case, record, percent in measured:
        known = {str(name): float(time) for name, time in record.items() if time == time}
        choice = file.choose(case)
        best = min(known, key=lambda name: known[name])
        time = known.get(choice.algorithm, NAN)
        rows.append(
            {
                "chosen": choice.algorithm or NONE,
                "rule": choice.place,
                "time_us": time,
                "best": best,
                "best_us": known[best],
                FACTOR: time / known[best] if known[best] else NAN,
                VERDICT: verdict(time, known[best], percent),
            }
        )
    found = pd.DataFrame(rows, times.index)
    return found.sort_values(FACTOR, ascending=False, kind="stable")


def verdict(time: float, best: float, percent: float) -> str:
    if time != time:
        return NOT_MEASURED
    if time == best:
        return BEST
    return NEAR if time <= best * (1 + percent / 100) else SLOWER


def cases(results: Results, times: pd.DataFrame) -> Iterator[Case]:
    rows = results.timed()
    nodes: Any = rows.groupby(["collective", "ranks"], observed=True)["nodes"].unique()
    in_place = {each.metadata.get("in_place") == "yes" for each in results.launches} == {True}
    for collective, ranks, size in times.index.to_list():
        found = nodes[(collective, ranks)]
        one = int(found[0]) if len(found) == 1 else 0
        yield Case(str(collective), int(ranks), int(size), one, in_place)


def summary(path: Path, file: SiteFile, found: pd.DataFrame) -> Iterator[str]:
    known = found[found[VERDICT] != NOT_MEASURED]
    costly = known[known[VERDICT] == SLOWER]
    text = (
        f"{path}, {file.kind}: for {len(known)} of the {plural(len(found), 'case')} there is a "
        "time of the algorithm that the file chooses"
    )
    if len(known):
        good = f"{len(known) - len(costly)} of {len(known)}"
        text += f"; in {good} that is the best, or a near-tie with it"
    if len(costly):
        row = costly.iloc[0]
        text += (
            f", in the others it takes {costly[FACTOR].median():.3g} times as long in the median "
            f"and {row[FACTOR]:.3g} times at most ({case_text(costly.index[0])}: {row['chosen']} "
            f"instead of {row['best']})"
        )
    yield text
    if len(lacking := found[found[VERDICT] == NOT_MEASURED]):
        names = [
            f"{case_text(place)}: {row['chosen']}, {row['rule']}"
            for place, row in lacking.head(MOST_NAMED).iterrows()
        ]
        more = f"; and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
        yield f"not measured what it chooses: {'; '.join(names)}{more}"


def case_text(place: Any) -> str:
    """Names a case, which is a tuple of LEVELS of choices."""
    collective, ranks, size = place
    return f"{collective}, {plural(int(ranks), 'rank')}, {size_label(int(size))} B"
