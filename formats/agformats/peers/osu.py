# SPDX-License-Identifier: BSD-3-Clause
"""OSU micro-benchmarks, 3 to 7: of each size the mean over the iterations, of that the mean, least
and most over the ranks.

Sizes are bytes that a rank sends: to all in an all-gather, to each rank in an all-to-all; of a
broadcast, a reduction and an all-reduce they are the message (osu_allgather.c, osu_alltoall.c). The
time of a non-blocking call is `Pure Comm.`, without a computation beside it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from agformats.peers.commands import ranks_told
from agformats.peers.log_text import LogText, Section, is_cut, sections
from agformats.peers.tables import (
    NATIVE,
    NON_BLOCKING,
    PERSISTENT,
    Found,
    PeerTable,
    Time,
    number,
    of_ranks,
    size,
)

# Some people who copied a log left out the `#`.
TITLE = re.compile(
    r"(?:(?P<mark>#)\s*|(?=OSU MPI))OSU (?P<test>\S.*? Test)(?:\s+v(?P<version>\S+))?\s*$"
)
TEST = re.compile(
    r"(?P<library>MPI|NCCL|RCCL|HCCL|MSCCL|ONECCL)(?:-(?P<place>[A-Z]+(?: MANAGED)?))? "
    r"(?P<start>Non-blocking )?(?P<name>\S.*?)(?P<persistent> Persistent)?(?: Latency)? Test",
    re.IGNORECASE,
)
COLLECTIVES = {
    "allgather": "allgather",
    "allgatherv": "allgatherv",
    "all-to-all personalized exchange": "alltoall",
    "all-to-all": "alltoall",
    "broadcast": "bcast",
    "reduce": "reduce",
    "allreduce": "allreduce",
}
COLUMN = re.compile(
    r"P[\d.]+ Tail Lat\s?\([^()]*\)|[A-Z][\w.-]*(?: [A-Z][a-z]*\.?)?\s?\([^()]*\)|"
    r"[A-Z]\w*(?: Size)?"
)
DATATYPE = re.compile(r"# Datatype: (\w+)")
TIMES = {  # the columns that are read, by their names without blanks and dots
    "avg_us": ("avglatency(us)", "latency(us)", "purecomm(us)"),
    "min_us": ("minlatency(us)", "mincomm(us)"),
    "max_us": ("maxlatency(us)", "maxcomm(us)"),
}
PASSED = "Pass"


def read(log: LogText) -> Found:
    found = Found()
    for section in sections(log, TITLE, columns_of):
        test = TEST.fullmatch(section.title["test"])
        collective = COLLECTIVES.get(test["name"].lower()) if test else None
        if not test or not collective or not section.columns:
            why = "" if not collective else ", without a table"
            if section.title["mark"] or section.columns:
                found.others.append(f"OSU {section.title['test']} (line {section.line}{why})")
            continue
        found.add(read_section(log, section, test, collective))
    return found


def columns_of(line: str) -> list[str]:
    if not re.match(r"#?\s*Size\s", line):
        return []
    names = COLUMN.findall(line.lstrip("# "))
    return [name.replace(" ", "").replace(".(", "(").lower() for name in names]


def read_section(log: LogText, section: Section, test: re.Match[str], collective: str) -> Found:
    found = Found(cut=is_cut(log, section))
    times = []
    for line, text in section.rows[: -1 if found.cut else None]:
        cells = dict(zip(section.columns, words := text.split(), strict=False))
        time = time_of(cells) if len(words) == len(section.columns) else None
        if time is None:
            found.damaged.append(f"line {line}: '{text}'")
            continue
        if cells.get("transmitsize", cells["size"]) != cells["size"]:
            found.others.append(f"OSU derived datatypes (line {section.line})")
            return found
        times.append(time)
    prefix = "i" if test["start"] else ""
    datatype = next((said[1] for said in map(DATATYPE.match, section.head) if said), "")
    found.tables.append(
        PeerTable(
            program_of(section.title, test),
            collective,
            algorithm_of(test),
            ranks_told(section.before, f"osu_{prefix}{collective}"),
            section.line,
            times,
            {"datatype": datatype} if datatype else {},
        )
    )
    return found


def algorithm_of(test: re.Match[str]) -> str:
    """Returns the name of the library's own algorithm, by the way that the test calls it."""
    if test["persistent"]:
        return PERSISTENT
    return NON_BLOCKING if test["start"] else NATIVE


def program_of(title: re.Match[str], test: re.Match[str]) -> str:
    """Returns the name and version of the program: OSU 7.4; OSU 7.4 (CUDA), whose buffers are
    elsewhere; OSU NCCL 7.4, which is no MPI."""
    library = "" if test["library"] == "MPI" else f" {test['library']}"
    place = f" ({test['place']})" if test["place"] else ""
    return f"OSU{library} {title['version'] or '(no version)'}{place}"


def time_of(cells: Mapping[str, str]) -> Time | None:
    """Returns the time of a row; None: the cells are no row."""
    known = {
        what: number(cells[name])
        for what, names in TIMES.items()
        for name in names
        if name in cells
    }
    bytes_ = size(cells["size"])
    if bytes_ is None or "avg_us" not in known or any(time != time for time in known.values()):
        return None
    found = of_ranks(bytes_, known)
    if cells.get("validation", PASSED) != PASSED:
        return replace(found, status="wrong", reason="OSU's validation failed")
    return found
