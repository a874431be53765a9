# SPDX-License-Identifier: BSD-3-Clause
"""The medians of each launch, instead of its rows; a file keeps them, so that only new launches
have to be read."""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.outputs import replacing
from agformats.files.result_file import CYCLE, METRICS, PAIR, TEXTS, TIMES, Launch
from agformats.files.result_rows import codes, find_runs, labels, numbers
from agformats.notes import tell
from agformats.regular_file import read_whole
from agreport.data.load import read_one
from agreport.data.peer_launches import Loaded, LogRules
from agreport.data.rows import without_empty
from agreport.stats.arrays import Floats, Ints
from agreport.stats.states import AFTER, BEFORE

KEYS = [*dict.fromkeys([*TEXTS, *PAIR]), "nodes"]
BEGIN = b"agreport history cache\n"  # of a file of any version
FORM = 3  # is raised when summaries mean something else
LENGTH_BYTES, HASH_BYTES = 8, 32  # before each block of launches
LAUNCHES, DIGEST = b"launches", "digest"
OF_LAUNCH = ("metadata", "cut_rows", "identity", "checked", "lacking")


def summarise(table: pa.Table) -> pa.Table:
    """Makes one row of those that are ok and have the same KEYS, with their median of each metric,
    and of what tells the machine's state.

    A median is NaN if one of its times is missing, but for the cycle, which is timed once a turn.
    Rows that are not ok stay as they are.
    """
    medians_of_all = (*METRICS.values(), BEFORE, AFTER)
    times = [name for name in medians_of_all if name in table.column_names]
    table = table.select([*KEYS, "iteration", *times]).combine_chunks()
    ok = np.array([name == "ok" for name in labels(table, "status")])[codes(table, "status")]
    others = table.filter(pa.array(~ok))
    table = table.filter(pa.array(ok)).combine_chunks()
    if not table.num_rows:
        return others
    first, of_row = number_cases(table)
    found = table.take(pa.array(first))
    for name in times:
        medians = medians_of(numbers(table, name), of_row, may_lack=name == TIMES[CYCLE])
        found = found.set_column(found.column_names.index(name), name, pa.array(medians))
    return pa.concat_tables([found, others.cast(found.schema)]) if len(others) else found


def number_cases(table: pa.Table) -> tuple[Ints, Ints]:
    """Returns the first row of each case, and the number of the case of each row."""
    runs, keys = find_runs(table, KEYS)
    known: dict[tuple[float, ...], int] = {}
    of_run = np.array([known.setdefault(key, len(known)) for key in keys])
    first = runs[np.unique(of_run, return_index=True)[1]]
    return first, np.repeat(of_run, np.diff(np.append(runs, table.num_rows)))


def medians_of(values: Floats, of_row: Ints, may_lack: bool) -> Floats:
    """Returns the median of each case; NaN if it has no value, or may_lack none."""
    order = np.lexsort((values, of_row))  # NaN are the last ones of a case
    count = np.bincount(of_row)
    known = np.bincount(of_row, ~np.isnan(values)).astype(np.int64)
    begin = np.cumsum(count) - count
    values = values[order]
    low, high = begin + np.maximum(known - 1, 0) // 2, begin + known // 2
    middle: Floats = (values[low] + values[np.minimum(high, len(values) - 1)]) / 2
    return np.where((known == count) | ((known > 0) & may_lack), middle, np.nan)


@dataclass(frozen=True)
class Kept:
    """What the file of summaries has of one launch. launch: the fields of its Launch, without the
    path. rows: its summary."""

    launch: dict[str, Any]
    rows: pa.Table


class Summaries:
    """Reads the launches of files as their summaries, and keeps these in a file. path: the file
    that keeps the summaries; None: they are not kept."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.written, self.kept = read_kept(path) if path and path.exists() else (begin(), {})
        self.new: dict[bytes, Kept] = {}

    def read(self, path: Path, keep_going: bool, rules: LogRules) -> list[Loaded]:
        """Reads as load.read_one does. A launch is known by all bytes of its file."""
        digest = b""
        if self.path and path.is_file():
            digest = hash_of(read_whole(path))
            if known := self.kept.get(digest):
                return [(Launch(path, **known.launch), known.rows)]
        read = [
            (launch, without_empty(summarise(table)))
            for launch, table in read_one(path, keep_going, rules)
        ]
        if digest and len(read) == 1:
            launch, rows = read[0]
            # Logs, and files with altered cases, are read by options, too.
            if not launch.program and not launch.left_out:
                self.new[digest] = Kept({name: getattr(launch, name) for name in OF_LAUNCH}, rows)
        return read

    def keep(self) -> None:
        """Writes the file with what is new behind what it has, if there is something new."""
        if self.path and self.new:
            with replacing(self.path, "wb") as file:
                file.write(self.written + make_block(self.new))


def make_block(launches: Mapping[bytes, Kept]) -> bytes:
    """Returns the launches as bytes: how many these are, their hash, and a table of all rows in
    Arrow's format, whose metadata say what Kept.launch has."""
    about = [
        {**kept.launch, "identity": kept.launch["identity"].hex(), "rows": len(kept.rows),
         DIGEST: digest.hex()}
        for digest, kept in launches.items()
    ]  # fmt: skip
    tables = [kept.rows for kept in launches.values()]
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    told = zlib.compress(json.dumps(about).encode(), zlib.Z_BEST_SPEED)
    sink = pa.BufferOutputStream()
    schema = table.schema.with_metadata({LAUNCHES: told})
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_table(table.combine_chunks().cast(schema))
    data: bytes = sink.getvalue().to_pybytes()
    return len(data).to_bytes(LENGTH_BYTES, "little") + hash_of(data) + data


def hash_of(data: bytes) -> bytes:
    return sha256(data).digest()


def begin() -> bytes:
    """Returns what the file begins with, for this version alone."""
    return BEGIN + f"{FORM} {catalogue().suite}\n".encode()


def read_kept(path: Path) -> tuple[bytes, dict[bytes, Kept]]:
    """Returns the bytes of the file, and the launches by the hashes of their files. A cache of
    another version, or one that is not as it was written, has none, and is written anew."""
    whole = read_whole(path)
    if not whole.startswith(BEGIN):
        raise BadInput(f"--cache '{path}' is there, and is no cache; legal: a new name, or a cache")
    if not whole.startswith(begin()):
        tell(f"agreport: note: --cache {path} is of another version, and is written anew")
        return begin(), {}
    found: dict[bytes, Kept] = {}
    place = len(begin())
    while place < len(whole):
        first = place + LENGTH_BYTES + HASH_BYTES
        end = first + int.from_bytes(whole[place : place + LENGTH_BYTES], "little")
        data = whole[first:end]
        if hash_of(data) != whole[first - HASH_BYTES : first]:
            tell(f"agreport: warning: --cache {path} was altered, and is written anew")
            return begin(), {}
        found.update(read_block(data))
        place = end
    return whole, found


def read_block(data: bytes) -> Iterator[tuple[bytes, Kept]]:
    table = without_empty(pa.ipc.open_file(pa.py_buffer(data)).read_all())
    first = 0
    for about in json.loads(zlib.decompress(table.schema.metadata[LAUNCHES])):
        key, rows = bytes.fromhex(about.pop(DIGEST)), about.pop("rows")
        about["identity"] = bytes.fromhex(about["identity"])
        yield key, Kept(about, table.slice(first, rows))
        first += rows
