# SPDX-License-Identifier: BSD-3-Clause
"""What nccl-tests print; what the numbers mean is in nccl.py."""

import re
from collections.abc import Sequence

from agformats.peers.log_text import LogText, Section, is_cut, sections
from agformats.peers.nccl import PLACES, PROGRAM, Record, Run, read_run
from agformats.peers.tables import Found, number, size

TITLE = re.compile(r"#\s*size\s+count\s+type\b.*\btime\b")
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
    return line.lstrip("# ").split() if TITLE.match(line) else []


def read_section(log: LogText, section: Section, about: Sequence[str]) -> Found:
    found = Found(cut=is_cut(log, section))
    records = []
    for line, text in section.rows[: -1 if found.cut else None]:
        record = record_of(section.columns, text.split())
        if record is None:
            found.damaged.append(f"line {line}: '{text}'")
        else:
            records.append(record)
    hosts = {said[1]: said[2] for said in map(RANK.match, about) if said}
    names = dict.fromkeys(hosts.values())
    facts = {"hosts": ",".join(names)} if names else {}
    if library := next((said for said in map(LIBRARY.match, about) if said), None):
        facts["mpi"] = f"{library[1] or 'NCCL'} {library[2] or library[4]}"
    version = next((said for said in map(VERSION.match, about) if said), None)
    program = f"{version[1]}-tests {version[2]}" if version else "nccl-tests (no version)"
    whole = len(hosts) == 1 + max(map(int, hosts), default=-1)
    found.add(
        read_run(
            Run(program, name_in(about), section.line, records, facts,
                len(hosts) if whole else 0, len(names))
        )
    )  # fmt: skip
    return found


def name_in(lines: Sequence[str]) -> str:
    """Of the program that was named last."""
    named = [found for line in lines for found in PROGRAM.findall(line)]
    return named[-1] if named else ""


def record_of(columns: Sequence[str], words: Sequence[str]) -> Record | None:
    """None: it is no row."""
    if len(words) != len(columns) + (STAMP in columns):
        return None
    before = columns.index("time")
    first = dict(zip(columns[:before], words, strict=False))
    bytes_, count = size(first["size"]), size(first["count"])
    times: dict[str, float] = {}
    wrong: dict[str, float] = {}
    starts = [place for place, name in enumerate(columns) if name == "time"]
    for place, start in zip(PLACES, starts, strict=False):
        times[place] = number(words[start])
        checks = [
            at for at, name in enumerate(columns) if name in ("#wrong", "error") and at > start
        ]
        wrong[place] = number(words[checks[0]]) if checks else float("nan")
    if bytes_ is None or count is None or any(time != time for time in times.values()):
        return None
    op = first.get("redop", "")
    if op not in ("none", "") and "#wrong" not in columns:
        wrong = {}  # the largest difference, which a sum of floating point numbers may have
    return Record(bytes_, count, first["type"], op, first.get("root", ""), times, wrong)
