# SPDX-License-Identifier: BSD-3-Clause
"""Reads what nccl-tests print; what the numbers mean is in nccl.py."""

import math
import re
from collections.abc import Sequence

from agformats.peers.log_text import LogText, Section, is_cut, sections
from agformats.peers.nccl import PLACES, PROGRAM, Record, Run, read_run
from agformats.peers.tables import Found, number, size

TITLE = re.compile(r"#\s*size\s+count\s+type\b.*\btime\b")
NEEDED = {"size", "count", "type", "time"}
CPU_TIME = "cputime"
VERSION = re.compile(r"#?\s*(nccl|rccl)-tests(?: version|: Version) (\S+)")
LIBRARY = re.compile(r".*?\b([NR]CCL) version (\S+)|.*?\b(nccl)-library=(\d+)")
RANK = re.compile(r"#\s*Rank\s+(\d{1,9})\s.*?\bon\s+(\S+)\s+device\b")
NEW_TEST = re.compile(r"#\s*(?:Collective test starting|nThread )")
# A timestamp is two words.
STAMP = "timestamp"


def read(log: LogText) -> Found:
    found = Found()
    about: list[str] = []
    for section in sections(log, TITLE, columns_of):
        about = (
            section.before if any(map(NEW_TEST.match, section.before)) else about + section.before
        )
        if CPU_TIME in section.columns:
            found.others.append(f"CPU times of nccl-tests (line {section.line})")
            continue
        found.add(read_section(log, section, about))
    return found


def columns_of(line: str) -> list[str]:
    """Returns the columns; None where a name that is needed is another word, as in edited logs."""
    words = line.lstrip("# ").split() if TITLE.match(line) else []
    return words if NEEDED.issubset(words) else []


def read_section(log: LogText, section: Section, about: Sequence[str]) -> Found:
    found = Found(cut=is_cut(log, section))
    records = []
    for line, text in section.rows[: -1 if found.cut else None]:
        record = record_of(section.columns, text.split())
        if record is None:
            found.damaged.append(f"line {line}: '{text}'")
        else:
            records.append(record)
    found.add(read_run(run_of(section, records, about)))
    return found


def run_of(section: Section, records: Sequence[Record], about: Sequence[str]) -> Run:
    """Returns the run that the lines before the table describe."""
    hosts = {int(said[1]): said[2] for said in map(RANK.match, about) if said}
    names = dict.fromkeys(hosts.values())
    facts = {"hosts": ",".join(names)} if names else {}
    if library := first_match(LIBRARY, about):
        facts["mpi"] = f"{library[1] or 'NCCL'} {library[2] or library[4]}"
    version = first_match(VERSION, about)
    program = f"{version[1]}-tests {version[2]}" if version else "nccl-tests (no version)"
    devices = len(hosts) if set(hosts) == set(range(len(hosts))) else 0
    return Run(program, name_in(about), section.line, records, facts, devices, len(names))


def first_match(pattern: re.Pattern[str], lines: Sequence[str]) -> re.Match[str] | None:
    return next((found for found in map(pattern.match, lines) if found), None)


def name_in(lines: Sequence[str]) -> str:
    """Returns the name of the program that was named last."""
    named = [found for line in lines for found in PROGRAM.findall(line)]
    return named[-1] if named else ""


def record_of(columns: Sequence[str], words: Sequence[str]) -> Record | None:
    """Returns the record of a row; None: the words are no row."""
    if len(words) != len(columns) + (STAMP in columns):
        return None
    first = dict(zip(columns[: columns.index("time")], words, strict=False))
    bytes_, count = size(first["size"]), size(first["count"])
    starts = [at for at, name in enumerate(columns) if name == "time"]
    times = {place: number(words[at]) for place, at in zip(PLACES, starts, strict=False)}
    if bytes_ is None or count is None or any(map(math.isnan, times.values())):
        return None
    op = first.get("redop", "")
    checks = [wrong_behind(at, columns, words) for at in starts]
    if op not in ("none", "") and "#wrong" not in columns:
        checks = []  # the largest difference, which a sum of floating point numbers may have
    wrong = dict(zip(PLACES, checks, strict=False))
    return Record(bytes_, count, first["type"], op, first.get("root", ""), times, wrong)


def wrong_behind(start: int, columns: Sequence[str], words: Sequence[str]) -> float:
    """Returns what the check says of the time in column start."""
    for name, word in zip(columns[start:], words[start:], strict=False):
        if name in ("#wrong", "error"):
            return number(word)
    return math.nan
