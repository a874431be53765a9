# SPDX-License-Identifier: BSD-3-Clause
"""Result files -> one table of rows, and what each launch says about itself."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from agformats.errors import BadInput, in_words
from agformats.files import data_set, result_file
from agformats.files.data_set_schema import BrokenDataSet
from agformats.files.result_file import CYCLE, ELAPSED, METRICS, TEXTS, TIMES, Launch
from agformats.notes import tell
from agreport.data.arrival_labels import NONE
from agreport.data.peer_launches import Loaded, LogRules, note_on, read_launches
from agreport.data.result_paths import result_files
from agreport.data.rows import FIRST, ROWS, compact, join_tables, runs_of, without_empty
from agreport.data.settings import SETTING, find_settings, with_numbers

__all__ = ["CASE", "ELAPSED", "METRICS", "PAIR", "PANEL", "SETTING", "Launch", "Results"]

# Rows are apart by the setting of their launch, too, which is no column of the files.
PANEL = [SETTING, *result_file.PANEL]
CASE = [SETTING, *result_file.CASE]
PAIR = [SETTING, *result_file.PAIR]

# The rows of a run agree in these columns.
ALIKE = [*dict.fromkeys([*TEXTS, *PAIR]), "nodes", "launch", "pattern"]

# Files are read in threads, as parsing releases Python's lock, and so does waiting for the file
# system of a cluster. At most AT_A_TIME files are read at a time, with at most MOST_BYTES together,
# or one file that is larger; a file in gzip counts as GZIPPED times as long.
THREADS = min(4, os.cpu_count() or 1)  # more would wait for each other
AT_A_TIME = 32
MOST_BYTES = 1 << 28
GZIPPED = 8
NO_RULES = LogRules()
Read = Callable[[Path, bool, LogRules], list[Loaded]]  # reads a file, as read_one does
Found = TypeVar("Found")


@dataclass(frozen=True)
class Results:
    """The rows of all launches.

    catalogue: the algorithms in their order, whatever is filtered later. left_out: what is wrong
    with the files and cases that are not in the rows. pooled: the facts in which launches differ
    that are one sample all the same, as the user wants it. keep_going: whether altered cases are
    left out, also of files beside these.
    """

    rows: pd.DataFrame
    launches: list[Launch]
    catalogue: list[str]
    left_out: list[str] = field(default_factory=list)
    pooled: list[str] = field(default_factory=list)
    keep_going: bool = False
    # This keeps what was computed of these rows, and is asked for again.
    memory: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, what: Hashable, make: Callable[[], Found]) -> Found:
        """Returns what `make` gives, and remembers it by the key `what`: every figure of a page
        asks for the same tables."""
        if what not in self.memory:
            self.memory[what] = make()
        found: Found = self.memory[what]
        return found

    def leave_out(self, sentences: Iterable[str]) -> None:
        """Notes what is left out of files beside the results, once each. Results that were made of
        each other have one list, by which main gives the exit code."""
        self.left_out.extend(text for text in dict.fromkeys(sentences) if text not in self.left_out)

    def with_status(self, status: str) -> pd.DataFrame:
        return self.rows[self.rows["status"] == status]

    def timed(self) -> pd.DataFrame:
        """Returns the ok rows, without those of an algorithm that was wrong in the same case."""
        return self._timed

    @cached_property
    def _timed(self) -> pd.DataFrame:
        known = self.runs.index.isin(self.timed_runs.index)
        return self.rows if known.all() else self.rows[np.repeat(known, self.runs[ROWS])]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Returns one row for each run: rows that follow each other and differ in nothing but what
        is measured."""
        return runs_of(self.rows, ALIKE)

    @cached_property
    def timed_runs(self) -> pd.DataFrame:
        """Returns the runs of ok rows, without those of an algorithm that was wrong in the same
        case."""
        ok = self.runs[self.runs["status"] == "ok"]
        wrong = self.runs[self.runs["status"] == "wrong"]
        if wrong.empty:
            return ok
        marked = ok[PAIR].merge(wrong[PAIR].drop_duplicates(), how="left", indicator=True)
        return ok[(marked["_merge"] == "left_only").to_numpy()]

    def column_of(self, metric: str) -> str:
        """Returns the column of a metric, or of another one of TIMES. Raises BadInput if a file
        lacks its times: run in old files; min and max in logs that have only averages; cycles in
        samples that have none."""
        column = TIMES[metric]
        if metric == CYCLE:
            self.require_cycles()
            return column
        of_logs = any(launch.program for launch in self.launches)
        if metric not in ELAPSED or of_logs:
            rows = self.timed()
            if len(lacking := rows["launch"][rows[column].isna()]):
                launch = self.launches[lacking.iloc[0]]
                legal = "avg" if launch.program else ", ".join(ELAPSED)
                raise BadInput(f"--metric {metric}: {launch.path} has no {column}; legal: {legal}")
        return column

    def require_cycles(self) -> None:
        """Raises BadInput if a sample has no cycle, and names the first such sample."""
        if (lacking := self.without_cycles).empty:
            return
        first = lacking.iloc[0]
        case = ", ".join(f"{name} {first[name]}" for name in ("algorithm", "arrival", "bytes"))
        raise BadInput(
            f"--metric {CYCLE}: {self.launches[first['launch']].path} has no {TIMES[CYCLE]} of "
            f"{case}, as of {len(lacking)} of {len(self.timed_samples)} samples; legal: "
            f"{', '.join(ELAPSED)}"
        )

    @cached_property
    def timed_samples(self) -> pd.DataFrame:
        """Returns a row for what each launch timed of a PAIR, with the column cycles: whether it
        has any."""
        known = np.flatnonzero(self.rows[TIMES[CYCLE]].notna())
        first, rows = (self.timed_runs[name].to_numpy() for name in (FIRST, ROWS))
        upto, before = (np.searchsorted(known, places) for places in (first + rows, first))
        keys = [*PAIR, "launch"]
        cycles = self.timed_runs[keys].assign(cycles=upto > before)
        return cycles.groupby(keys, observed=True)["cycles"].any().reset_index()

    @property
    def without_cycles(self) -> pd.DataFrame:
        return self.timed_samples[~self.timed_samples["cycles"]]

    def keep(self, rows: pd.DataFrame) -> "Results":
        return replace(self, rows=rows)

    def only_launches(self, numbers: Sequence[int]) -> "Results":
        """Returns the results as if no other launch had been given; launches are numbered anew,
        in this order."""
        if [*numbers] == [*range(len(self.launches))]:
            return self
        rows = self.rows[self.rows["launch"].isin(numbers)]
        anew = pd.Index(numbers).get_indexer(pd.Index(rows["launch"])).astype(np.int32)
        return replace(
            self,
            rows=rows.assign(launch=anew),
            launches=[self.launches[number] for number in numbers],
        )

    def apart(self, by: Sequence[str] | None, pooled: Sequence[str] | None = ()) -> "Results":
        """Returns these results with the setting of its launch in each row, and with the facts in
        which pooled launches differ; see find_settings."""
        settings, differing = find_settings(self.runs, self.launches, by, pooled)
        of_launch = pd.Categorical(settings, sorted({*settings}, key=with_numbers))
        column = of_launch.take(self.rows["launch"].to_numpy())
        return replace(self, rows=self.rows.assign(**{SETTING: column}), pooled=differing)

    def timed_algorithms(self) -> list[str]:
        """Returns the algorithms that have times, in the order of the catalogue."""
        timed = set(self.timed_runs["algorithm"].unique())
        return [name for name in self.catalogue if name in timed]

    @property
    def has_patterns(self) -> bool:
        return bool((self.runs["arrival"] != NONE).any())

    def in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Makes categories of the columns that name panels, in the order of the rows."""
        return frame.astype({name: self.rows[name].dtype for name in PANEL if name in frame})


def read_files(
    names: Sequence[str],
    skip_bad_files: bool = False,
    keep_going: bool = False,
    rules: LogRules = NO_RULES,
    read: Read | None = None,
) -> Results:
    """Reads every row of the files, without the settings of the launches.

    A file that is no good raises BadInput or OSError. With skip_bad_files it is left out and the
    others are read, if there is one that can be read; only a broken data set raises all the same.
    keep_going: cases that were altered are left out, and their file is good without them. rules:
    how logs of other programs are read. read: reads one file; without it, every row is read.
    """
    paths = result_files(names)
    launches: list[Launch] = []
    left_out: list[str] = []
    known: dict[bytes, Path] = {}
    tables: list[pa.Table] = []
    repeats: dict[tuple[Path, Path], list[SameLaunch]] = {}  # by the folders
    may_skip = skip_bad_files and len(paths) > 1
    for path, found in read_all(paths, keep_going, rules, read or read_one):
        try:
            in_file = found.result()
            own = [launch for launch, _ in in_file]
            require_new(own, known)
        except SameLaunch as error:
            if not may_skip:
                raise
            repeats.setdefault((path.parent, error.before.parent), []).append(error)
            continue
        except (BadInput, OSError) as error:
            if not may_skip or isinstance(error, BrokenDataSet):
                raise
            left_out.append(in_words(error))
            tell(f"agreport: warning: left out: {left_out[-1]}")
            continue
        known.update(dict.fromkeys((launch.identity for launch in own), path))
        launches += own
        tables += [rows for _, rows in in_file]
        in_file.clear()  # join_tables gives the tables away, and nothing else is to hold them
        left_out += tell_of(own)
    for folders, some in repeats.items():
        left_out.append(of_folders(*folders, some))
        tell(f"agreport: warning: left out: {left_out[-1]}")
    if not launches:
        raise BadInput(f"{', '.join(names)}: none of {len(paths)} files can be read")
    for text in filter(None, (unchecked_note(launches), note_on(launches))):
        tell(f"agreport: note: {text}")
    rows = join_tables(tables)
    tell_untimed(rows)
    order = list_algorithms(launches, rows["algorithm"].cat.categories)
    return Results(rows, launches, order, left_out, keep_going=keep_going)


def tell_untimed(rows: pd.DataFrame) -> None:
    counts = rows["status"].value_counts()
    if wrong := counts.get("wrong", 0):
        tell(f"agreport: warning: {wrong} wrong results; they have no time")
    if late := counts.get("late", 0):
        tell(f"agreport: warning: {late} iterations were late and do not count")


def read_all(
    paths: Sequence[Path], keep_going: bool, rules: LogRules, read: Read
) -> Iterator[tuple[Path, Future[list[Loaded]]]]:
    """Reads the files a few at a time, and yields them in their order."""
    with ThreadPoolExecutor(THREADS) as pool:
        for some in batches(paths):
            reading = [pool.submit(read, path, keep_going, rules) for path in some]
            yield from zip(some, reading, strict=True)
            pa.default_memory_pool().release_unused()


def batches(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yields the files that are read at a time."""
    some: list[Path] = []
    total = 0
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0  # a launch of a data set is no file
        size *= GZIPPED if path.suffix == ".gz" else 1
        if some and (len(some) == AT_A_TIME or total + size > MOST_BYTES):
            yield some
            some, total = [], 0
        some.append(path)
        total += size
    if some:
        yield some


def read_one(path: Path, keep_going: bool, rules: LogRules) -> list[Loaded]:
    """Reads the launch of a result file, or the launches in a log of another program. Raises
    BadInput if the file is neither."""
    try:
        launch, table = data_set.read_launch(path, keep_going)
        return [(launch, compact(without_empty(table)))]
    except BrokenDataSet:
        raise
    except BadInput:
        found = read_launches(path, rules) if path.is_file() else None
        if found is None:
            raise
        return found


def tell_of(launches: Sequence[Launch]) -> list[str]:
    """Warns of what is left out of files, and of what they lack; returns what is left out."""
    for launch in launches:
        for text in (*launch.left_out, *incomplete_notes(launch)):
            tell(f"agreport: warning: {text}")
    return [text for launch in launches for text in launch.left_out]


class SameLaunch(BadInput):
    """The error of a launch that was given before, in the file `before`."""

    def __init__(self, path: Path, before: Path) -> None:
        super().__init__(f"{path}: the same launch as {before}; give one of them")
        self.path, self.before = path, before


def of_folders(folder: Path, other: Path, some: Sequence[SameLaunch]) -> str:
    """Returns the files in one folder that are the same as files in the other one."""
    first = some[0]
    if len(some) == 1:
        return str(first)
    return (
        f"{folder}: {len(some)} launches are the same as in {other} (the first: {first.path.name} "
        f"and {first.before.name}); give one of the folders"
    )


def require_new(found: Sequence[Launch], known: Mapping[bytes, Path]) -> None:
    """Raises SameLaunch if a launch is known already: a launch must not be pooled with itself. A
    launch that says no start cannot be told from others, so it is not refused."""
    for launch in found:
        if "start" in launch.metadata and (before := known.get(launch.identity)):
            raise SameLaunch(launch.path, before)


def incomplete_notes(launch: Launch) -> Iterator[str]:
    if launch.cut_rows:
        yield f"{launch.path}: cut off; {launch.cut_rows} rows of an unfinished case dropped"
    if launch.lacking:
        yield (
            f"{launch.path}: lacks {launch.lacking} of {launch.metadata['cases']} cases; "
            "the launch was not finished, or the file was cut"
        )


def unchecked_note(launches: Sequence[Launch]) -> str:
    """Returns the note on files that an earlier version wrote, or another program; empty if
    there are none."""
    ours = [launch for launch in launches if not launch.program]
    unchecked = [launch.path for launch in ours if not launch.checked]
    if not unchecked:
        return ""
    return (
        f"{len(unchecked)} of {len(ours)} files have no checksums, so nothing tells whether "
        f"they were altered (the first is {unchecked[0]})"
    )


def list_algorithms(launches: Iterable[Launch], found: Iterable[str]) -> list[str]:
    """Returns the algorithms in the suites' own order; then, sorted, the names that no launch's
    registry knows."""
    registries = [launch.metadata.get("registry", "") for launch in launches]
    known = [name.strip() for registry in registries for name in registry.split(",")]
    return [name for name in dict.fromkeys([*known, *sorted(found)]) if name]
