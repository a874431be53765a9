# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI Benchmarks (and Pallas', which they were): IMB-MPI1 and IMB-NBC.

#bytes is what a rank sends to all in an all-gather, to each rank in an all-to-all; of a broadcast,
a reduction and an all-reduce it is the message. t_min, t_max and t_avg are over the ranks, of means
over the repetitions. Of the benchmarks with a computation beside the call, t_pure is the time of
one rank without it, the one that is the slowest with it (IMB_output.c): so they are a program of
their own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agformats.catalogue import catalogue
from agformats.peers.log_text import LogText, Section, is_cut, sections
from agformats.peers.tables import (
    NATIVE,
    NON_BLOCKING,
    NOT_TOLD,
    Found,
    PeerTable,
    Time,
    number,
    of_ranks,
    size,
)

# Some people who copied a log left out the `#`.
TITLE = re.compile(
    r"(?:#|(?=Benchmarking I?(?:all|bcast|red)))\s*Benchmarking\s+(?P<name>[\w-]+)\s*$", re.I
)
VERSIONS = {
    "IMB": re.compile(r"#\s*Intel ?\(R\) MPI Benchmark(?:s| Suite)?\s+V?(?P<version>[^,]+),"),
    "PMB": re.compile(r"#\s*PALLAS MPI Benchmark Suite\s+V?(?P<version>[^,\s]+)", re.IGNORECASE),
}
RANKS = re.compile(r"#.*#processes\s*=\s*(\d{1,9})\b")
COLLECTIVES = frozenset(row.name for row in catalogue().collectives)
PURE = "_pure"
TIMES = {"avg_us": "t_avg[usec]", "min_us": "t_min[usec]", "max_us": "t_max[usec]"}
ONE_RANK = "t_pure[usec]"
# A row says this where it has no times.
FAILED = re.compile(r"(?P<size>\d{1,18})\s+(?P<why>(?:time-out|out-of-mem|int-overflow)\b.*)")
MOST_DEFECTS = 0.0


def read(log: LogText) -> Found:
    found, program = Found(), ""
    for section in sections(log, TITLE, columns_of, FAILED):
        program = program_in(section.before) or program
        benchmark = benchmark_of(section)
        if benchmark is None:
            found.others.append(f"{section.title['name']} (line {section.line})")
            continue
        found.add(read_section(log, section, program or "IMB (no version)", *benchmark))
    return found


def columns_of(line: str) -> list[str]:
    """Returns the columns of a table with sizes; none with a column twice, as edited ones have."""
    words = line.split()
    return words if words[:1] == ["#bytes"] and len(set(words)) == len(words) else []


def program_in(lines: Sequence[str]) -> str:
    for line in reversed(lines):
        for name, pattern in VERSIONS.items():
            if found := pattern.match(line):
                return f"{name} {found['version'].strip()}"
    return ""


def benchmark_of(section: Section) -> tuple[str, str] | None:
    """Returns the collective, and the algorithm by how the benchmark calls it: NATIVE or
    NON_BLOCKING. None: the suite lacks this collective, or the section has no table."""
    name = section.title["name"].lower()
    columns = set(section.columns)
    if name in COLLECTIVES and TIMES["avg_us"] in columns:
        return name, NATIVE
    stem = name.removesuffix(PURE)
    wanted = TIMES["avg_us"] if name.endswith(PURE) else ONE_RANK
    if stem[:1] == "i" and stem[1:] in COLLECTIVES and wanted in columns:
        return stem[1:], NON_BLOCKING
    return None


def read_section(
    log: LogText, section: Section, program: str, collective: str, algorithm: str
) -> Found:
    found = Found(cut=is_cut(log, section))
    one_rank = ONE_RANK in section.columns
    times = []
    for line, text in section.rows[: -1 if found.cut else None]:
        time = time_of(section.columns, text, one_rank)
        if time is None:
            found.damaged.append(f"line {line}: '{text}'")
        else:
            times.append(time)
    told = [int(said[1]) for said in map(RANKS.match, section.head) if said]
    found.tables.append(
        PeerTable(
            f"{program} (one rank's time)" if one_rank else program,
            collective,
            algorithm,
            told[0] if len(told) == 1 else NOT_TOLD,
            section.line,
            times,
        )
    )
    return found


def time_of(columns: Sequence[str], text: str, one_rank: bool) -> Time | None:
    """Returns the time of a row; None: the text is no row."""
    if failed := FAILED.fullmatch(text):
        return Time(int(failed["size"]), float("nan"), status="skipped", reason=failed["why"])
    cells = dict(zip(columns, words := text.split(), strict=False))
    if len(words) != len(columns) or (bytes_ := size(cells["#bytes"])) is None:
        return None
    names: Mapping[str, str] = {"avg_us": ONE_RANK} if one_rank else TIMES
    known = {what: number(cells[name]) for what, name in names.items() if name in cells}
    if any(time != time for time in known.values()):
        return None
    found = of_ranks(bytes_, known)
    if number(cells.get("defects", "0")) != MOST_DEFECTS:
        return replace(found, status="wrong", reason="IMB counted defects")
    return found
