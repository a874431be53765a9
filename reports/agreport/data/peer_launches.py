# SPDX-License-Identifier: BSD-3-Clause
"""Logs of other programs as launches: rows that have a time each, and no iteration.

A row is a mean over iterations that the log does not have, so its iteration is NaN. What is written
in a log twice is of two launches.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from agformats.case_words import AS_LAUNCHED, EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agformats.errors import BadInput, Illegal
from agformats.files.csv_text import arrow_types
from agformats.files.gzip_text import read_bytes
from agformats.files.result_file import ELAPSED, RESULT_FILE, Launch
from agformats.notes import tell
from agformats.peers.formats import PeerLog, read_log
from agformats.peers.tables import NOT_TOLD, PeerTable, Time
from agreport.data.arrival_labels import NONE

COUNTS = ("ranks", "nodes")  # columns of the rows
MOST_NAMED = 5  # lines that are no rows
Loaded = tuple[Launch, pa.Table]
# These are the tables of a launch: its rows are of one program and have the same facts, and none of
# them is there twice.
Parts = list[tuple[PeerTable, Sequence[Time]]]


@dataclass(frozen=True)
class LogRules:
    """What the user says of logs that do not say it themselves; 0 or empty: nothing. refused: the
    command that needs iterations, and so takes no logs."""

    ranks: int = NOT_TOLD
    collective: str = ""
    refused: str = ""


def read_launches(path: Path, rules: LogRules) -> list[Loaded] | None:
    """Reads launches; None: the file is of no program that is known."""
    try:
        log = read_log(read_bytes(path))
    except Illegal as error:
        raise BadInput(f"{path}: cannot be read; legal: {error}") from None
    if log is None:
        return None
    if rules.refused:
        raise BadInput(
            f"{path}: is of {' and '.join(log.names)}, whose log has no iterations, and "
            f"'{rules.refused}' is of these; legal: result files of this suite's benchmarks"
        )
    require_tables(path, log)
    tables = [settled(path, table, log.told, rules) for table in log.found.tables if table.times]
    require_known(path, log.told, tables)
    warnings = told_damage(path, log)
    return [
        (launch_of(path, place, each, () if place else warnings), rows_of(each))
        for place, each in enumerate(in_launches(tables))
    ]


def require_tables(path: Path, log: PeerLog) -> None:
    legal = ", ".join(each.name for each in catalogue().collectives)
    if any(table.times for table in log.found.tables):
        if log.found.others:
            tell(f"agreport: note: {path}: not read: {once_each(log.found.others)}; legal: {legal}")
        return
    what = once_each(log.found.others) or some_of(log.found.damaged) or "no row"
    raise BadInput(
        f"{path}: is of {' and '.join(log.names)}, and has {what}; legal: a whole table of times "
        f"of {legal}"
    )


def told_damage(path: Path, log: PeerLog) -> tuple[str, ...]:
    """Returns in words what is left out."""
    if log.found.cut:
        tell(f"agreport: warning: {path}: cut off; its last row may be half of one and is dropped")
    if not (damaged := log.found.damaged):
        return ()
    lines = "a line" if len(damaged) == 1 else f"{len(damaged)} lines"
    return (f"{path}: {lines} of its tables, left out for being no row: {some_of(damaged)}",)


def once_each(others: Sequence[str]) -> str:
    """Names once what is named several times, with the line of the first."""
    first: dict[str, str] = {}
    for other in others:
        first.setdefault(other.partition(" (line")[0], other)
    return "; ".join(first.values())


def some_of(lines: Sequence[str]) -> str:
    more = f"; and {len(lines) - MOST_NAMED} more" if len(lines) > MOST_NAMED else ""
    return "; ".join(lines[:MOST_NAMED]) + more


def settled(path: Path, table: PeerTable, told: Mapping[str, str], rules: LogRules) -> PeerTable:
    """Adds the ranks and the collective, which the log may leave to the user."""
    collective = table.collective or collective_of(path, table, told, rules)
    ranks = table.ranks or count_in(path, told, "ranks") or rules.ranks
    if not ranks:
        raise BadInput(
            f"{path}:{table.line}: does not say on how many ranks {table.program} ran; legal: "
            "--ranks NUMBER for all such logs, or a line '#@ranks=NUMBER' in this one"
        )
    facts = {**table.facts, **{key: text for key, text in told.items() if key not in COUNTS}}
    nodes = table.nodes or count_in(path, told, "nodes")
    return replace(table, collective=collective, ranks=ranks, nodes=nodes, facts=facts)


def collective_of(path: Path, table: PeerTable, told: Mapping[str, str], rules: LogRules) -> str:
    """Returns the collective, as the user says."""
    collective = told.get("collective") or rules.collective
    if collective not in table.maybe:
        raise BadInput(
            f"{path}:{table.line}: does not say which collective it is of; legal: --collective "
            f"{' or '.join(table.maybe)}"
        )
    return collective


def count_in(path: Path, told: Mapping[str, str], key: str) -> int:
    if not (text := told.get(key, "")):
        return NOT_TOLD
    if not (text.isdecimal() and len(text) < 10 and int(text)):
        raise BadInput(f"{path}: #@{key}='{text}' is no number of {key}; legal: 1 and more")
    return int(text)


def require_known(path: Path, told: Mapping[str, str], tables: Sequence[PeerTable]) -> None:
    """Raises BadInput if the user has added ranks, nodes or a collective that no table has since
    the log itself says another: neither of the two is dropped without a word."""
    values: dict[str, tuple[int | str, set[Any]]] = {
        "ranks": (count_in(path, told, "ranks"), {table.ranks for table in tables}),
        "nodes": (count_in(path, told, "nodes"), {table.nodes for table in tables}),
        "collective": (told.get("collective", ""), {table.collective for table in tables}),
    }
    for key, (value, known) in values.items():
        if value and value not in known:
            raise BadInput(
                f"{path}: '#@{key}={value}' is of no table in it, as they say their {key}: "
                f"{', '.join(map(str, sorted(known)))}; legal: one of these, or no such line"
            )


def in_launches(tables: Iterable[PeerTable]) -> list[Parts]:
    found: list[Parts] = []
    for table in tables:
        for times in without_repeats(table.times):
            parts = next((each for each in found if fits(table, each)), None)
            if parts is None:
                found.append(parts := [])
            parts.append((table, times))
    return found


def fits(table: PeerTable, parts: Parts) -> bool:
    first, _ = parts[0]
    case = table.collective, table.algorithm, table.ranks
    taken = [(part.collective, part.algorithm, part.ranks) for part, _ in parts]
    alike = (first.program, first.facts, first.nodes) == (table.program, table.facts, table.nodes)
    return alike and case not in taken


def without_repeats(times: Sequence[Time]) -> Iterator[list[Time]]:
    """Returns as few lists as have no size twice."""
    lists: list[dict[int, Time]] = []
    for time in times:
        place = next((each for each in lists if time.bytes not in each), None)
        if place is None:
            lists.append(place := {})
        place[time.bytes] = time
    yield from (list(each.values()) for each in lists)


def launch_of(path: Path, place: int, parts: Parts, left_out: tuple[str, ...]) -> Launch:
    table, _ = parts[0]
    identity = b"%b %d" % (os.fsencode(path.resolve()), place)
    return Launch(path, {**table.facts}, 0, identity, left_out=left_out, program=table.program)


def rows_of(parts: Parts) -> pa.Table:
    """Makes rows with the columns and types of a result file; one that was wrong or skipped has no
    time."""
    rows = [row_of(table, time) for table, times in parts for time in times]
    columns: dict[str, Any] = {}
    for name, kind in RESULT_FILE.columns.items():
        values = pa.array(
            [row[str(name)] for row in rows],
            pa.string() if kind == "category" else arrow_types()[kind],
        )
        columns[str(name)] = values.dictionary_encode() if kind == "category" else values
    return pa.table(columns)


def row_of(table: PeerTable, time: Time) -> dict[str, object]:
    ok = time.status == "ok"
    of_ranks = {"min": time.min_us, "avg": time.avg_us, "max": time.max_us}
    known = {ELAPSED[name]: us if ok and us == us else None for name, us in of_ranks.items()}
    return {
        **catalogue().ordinary,
        "collective": table.collective,
        "mapping": AS_LAUNCHED,
        "distribution": EQUAL_BLOCKS,
        "arrival": NONE,
        "ranks": table.ranks,
        "nodes": table.nodes,
        "bytes": time.bytes,
        "algorithm": table.algorithm,
        "status": time.status,
        "reason": time.reason,
        "iteration": None,
        **known,
    }


def note_on(launches: Sequence[Launch]) -> str:
    """Returns the note on what logs do not say; empty if there are none."""
    logs = [launch for launch in launches if launch.program]
    if not logs:
        return ""
    files = len({launch.path for launch in logs})
    what, do = ("log", "it does") if files == 1 else ("logs", "they do")
    programs = ", ".join(dict.fromkeys(launch.program for launch in logs))
    said = set[str]().union(*(launch.metadata for launch in logs))
    lacks = [words for key, words in UNTOLD.items() if key not in said]
    return (
        f"{files} {what} of other programs ({programs}): a time is a mean over iterations that are "
        f"not in it, so no spread of them is known; {do} not say {', '.join(lacks)}; a line "
        "#@KEY=VALUE in a log says it (docs/how-to/reading.md)"
    )


# Launches of ours say this, and most logs do not.
UNTOLD = {
    "mpi": "the MPI library (mpi)",
    "hosts": "the hosts (hosts)",
    "start": "when it ran (start)",
    "buffers": "the state of the buffers (buffers)",
}
