# SPDX-License-Identifier: BSD-3-Clause
"""Reads what nccl-tests write with -J; what the numbers mean is in nccl.py."""

import json
import re
from typing import Any

from agformats.errors import Illegal
from agformats.peers.log_text import LogText
from agformats.peers.nccl import PLACES, PROGRAM, Record, Run, read_run
from agformats.peers.tables import Found

MARK = re.compile(r'\s*\{(?=[\s\S]*"results"\s*:)(?=[\s\S]*"(?:out_of|in)_place"\s*:)')


def is_in(log: LogText) -> bool:
    return bool(MARK.match(log.text))


def read(log: LogText) -> Found:
    """Returns what a log in JSON has. Raises Illegal if the JSON is not whole."""
    try:
        document = json.loads(log.text)
        results = list(document["results"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Illegal("the whole JSON that nccl-tests wrote") from None
    read_ones = [(place, record_of(entry)) for place, entry in enumerate(results, 1)]
    found = Found(damaged=[f"result {place}" for place, one in read_ones if one is None])
    records = [one for _, one in read_ones if one is not None]
    if records:
        found.add(read_run(run_of(document, records)))
    return found


def run_of(document: dict[str, Any], records: list[Record]) -> Run:
    version = document.get("version")
    told = version if isinstance(version, str) else f"(JSON {version})"
    arguments = document.get("args") or [""]
    named = PROGRAM.findall(str(arguments[0])) if isinstance(arguments, list) else []
    config = document.get("config")
    devices, hosts = devices_of(config if isinstance(config, dict) else {})
    facts = {"hosts": ",".join(hosts)} if hosts else {}
    if library := document.get("nccl_version"):
        facts["mpi"] = f"NCCL {library}"
    name = named[-1] if named else ""
    return Run(f"nccl-tests {told}", name, 1, records, facts, devices, len(hosts))


def devices_of(config: dict[str, Any]) -> tuple[int, list[str]]:
    """Returns the number of devices, 0 if it is not told, and their hosts; of each process the
    first one is listed."""
    listed = config.get("devices")
    if not isinstance(listed, list) or not listed:
        return 0, []
    each = config.get("nthreads", 1), config.get("ngpus", 1)
    hosts = [str(one["hostname"]) for one in listed if isinstance(one, dict) and "hostname" in one]
    of_process = each[0] * each[1] if all(isinstance(one, int) for one in each) else 0
    return len(listed) * of_process, list(dict.fromkeys(hosts))


def record_of(entry: Any) -> Record | None:
    """Returns the record of an entry; None: it is none."""
    try:
        return checked(entry)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def checked(entry: dict[str, Any]) -> Record:
    there = {place: entry[place] for place in PLACES if entry.get(place) is not None}
    wrong = {place: one.get("nwrong") for place, one in there.items()}
    found = Record(
        whole(entry["size"]),
        whole(entry["count"]),
        str(entry["type"]),
        str(entry.get("redop", "")),
        str(entry.get("root", "")).strip(),
        {place: float(one["time"]) for place, one in there.items()},
        {place: float("nan" if number is None else number) for place, number in wrong.items()},
    )
    if not there or not all(0 <= time < float("inf") for time in found.times.values()):
        raise ValueError
    return found


def whole(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 60:
        raise ValueError
    return value
