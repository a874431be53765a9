# SPDX-License-Identifier: BSD-3-Clause
"""Result files -> one table of rows, and what each launch says about itself."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from agformats.errors import BadInput
from agformats.result_file import (
    CASE,
    METRICS,
    OPTIONAL,
    PAIR,
    PANEL,
    TEXTS,
    Finished,
    Launch,
)
from agformats.result_rows import read
from agreport.data.arrival_labels import pattern_name

__all__ = ["CASE", "METRICS", "PAIR", "PANEL", "Launch", "Results", "load"]

PER_RANK_SUFFIX = ".ranks.csv"
# Parsing leaves Python's lock, and waiting for a file system of a cluster does; so many files at
# a time are in memory as text.
THREADS = 4
AT_A_TIME = 32


@dataclass(frozen=True)
class Results:
    """The rows of all launches; `catalogue` orders the algorithms, whatever is filtered later.

    left_out: what is wrong with the files that are not in it.
    """

    rows: pd.DataFrame
    launches: list[Launch]
    catalogue: list[str]
    left_out: list[str] = field(default_factory=list)

    def with_status(self, status: str) -> pd.DataFrame:
        return self.rows[self.rows["status"] == status]

    def timed(self) -> pd.DataFrame:
        """The ok rows, without those of an algorithm that was wrong in the same case."""
        return self._timed

    @cached_property
    def _timed(self) -> pd.DataFrame:
        known = (self.rows["status"] == "ok").to_numpy()
        wrong = self.with_status("wrong")
        if len(wrong):
            failed = wrong[PAIR].drop_duplicates()
            marked = self.rows[PAIR].merge(failed, how="left", indicator=True)
            known &= (marked["_merge"] == "left_only").to_numpy()
        return self.rows if known.all() else self.rows[known]

    def keep(self, rows: pd.DataFrame) -> "Results":
        return replace(self, rows=rows)


def load(names: Sequence[str], keep_going: bool = False) -> Results:
    """Read every result file that the names, globs and directories stand for.

    A file that is no good ends it; or with keep_going the others are read, if there is one.
    """
    paths = result_files(names)
    launches: list[Launch] = []
    left_out: list[str] = []
    known: dict[bytes, Path] = {}
    tables: list[pa.Table] = []
    for path, found in read_all(paths):
        try:
            finished, rows = found.result()
            require_new(finished, known)
        except (BadInput, OSError) as error:
            if not keep_going or len(paths) == 1:
                raise
            left_out.append(str(error))
            print(f"agreport: warning: left out: {error}", file=sys.stderr)
            continue
        known[finished.identity] = path
        tables.append(rows)
        launches.append(finished.launch)
        if finished.launch.cut_rows:
            print(f"agreport: warning: {cut_note(finished.launch)}", file=sys.stderr)
    if not launches:
        raise BadInput(f"{', '.join(names)}: none of {len(paths)} files can be read")
    rows = joined(tables)
    counts = rows["status"].value_counts()
    if wrong := counts.get("wrong", 0):
        print(f"agreport: warning: {wrong} wrong results; they have no time", file=sys.stderr)
    if late := counts.get("late", 0):
        print(f"agreport: warning: {late} iterations were late and do not count", file=sys.stderr)
    order = catalogue(launches, rows["algorithm"].cat.categories)
    return Results(rows, launches, order, left_out)


def joined(tables: list[pa.Table]) -> pd.DataFrame:
    """The rows of all; what a table lacks is NaN in its rows. Gives the tables away.

    launch: the number of the table; pattern: the name of the arrival pattern.
    """
    launch = np.repeat(np.arange(len(tables), dtype=np.int32), [len(table) for table in tables])
    whole = pa.concat_tables(tables, promote_options="default")
    tables.clear()
    columns: dict[str, Any] = {}
    # One column after the other is given away, so that none is in memory twice for long.
    while whole.num_columns:
        name, column = whole.column_names[0], whole.column(0)
        whole = whole.remove_column(0)
        if name in TEXTS:
            column = column.unify_dictionaries().to_pandas()
            if name == "arrival":
                columns["pattern"] = renamed(column, pattern_name)
            columns[name] = renamed(column)
        else:
            columns[name] = column.to_numpy()
        del column
        pa.default_memory_pool().release_unused()
    lacking = dict.fromkeys({*OPTIONAL} - {*columns}, np.nan)
    order = [*TEXTS, *(name for name in columns if name not in TEXTS)]
    frame = {**{name: columns[name] for name in order}, **lacking, "launch": launch}
    return pd.DataFrame(frame, copy=False)


def renamed(texts: "pd.Series[str]", name_of: Callable[[str], str] = str) -> pd.Categorical:
    """What each text is called; the categories are sorted."""
    to, names = pd.factorize(texts.cat.categories.map(name_of), sort=True)
    smallest = np.min_scalar_type(-max(len(names), 1))
    codes: Any = to.astype(smallest)[texts.cat.codes]
    return pd.Categorical.from_codes(codes, categories=pd.Index(names))


def read_all(paths: Sequence[Path]) -> Iterator[tuple[Path, Future[tuple[Finished, pa.Table]]]]:
    """In their order, a few at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(paths), AT_A_TIME):
            some = paths[start : start + AT_A_TIME]
            yield from zip(some, [pool.submit(read, path) for path in some], strict=True)


def require_new(found: Finished, known: Mapping[bytes, Path]) -> None:
    """A launch must not be pooled with itself; one that says no start cannot be told from others"""
    if "start" in found.launch.metadata and (before := known.get(found.identity)):
        raise BadInput(f"{found.launch.path}: the same launch as {before}; give one of them")


def cut_note(launch: Launch) -> str:
    return f"{launch.path}: cut off; {launch.cut_rows} rows of an unfinished case dropped"


def result_files(names: Sequence[str]) -> list[Path]:
    """Each file once, however often it is named: a launch must not be pooled with itself."""
    found: dict[Path, Path] = {}
    for name in names:
        paths = expand(Path(name))
        # A shell's *.csv also matches the per-rank files beside the results.
        results = [path for path in paths if not path.name.endswith(PER_RANK_SUFFIX)]
        found.update({path.resolve(): path for path in results})
    if not found:
        raise BadInput(f"{', '.join(names)}: only per-rank times (*{PER_RANK_SUFFIX}), no results")
    return list(found.values())


def expand(name: Path) -> list[Path]:
    """The file itself, what a glob matches, and for a directory every *.csv below; at least one."""
    if name.exists():
        matches = [name]
    else:
        root = Path(name.anchor or ".")
        try:
            matches = sorted(root.glob(str(name.relative_to(name.anchor))))
        except ValueError as error:  # of a pattern such as a**b
            raise BadInput(f"{name}: no such file; as a glob: {error}") from None
    paths = [
        path
        for match in matches
        for path in (sorted(match.rglob("*.csv")) if match.is_dir() else [match])
    ]
    if not paths:
        raise BadInput(f"{name}: no {'*.csv below it' if name.is_dir() else 'such file'}")
    return paths


def catalogue(launches: Iterable[Launch], found: Iterable[str]) -> list[str]:
    """The suites' own order; then, sorted, the names no launch's registry knows."""
    registries = [launch.metadata.get("registry", "") for launch in launches]
    known = [name.strip() for registry in registries for name in registry.split(",")]
    return [name for name in dict.fromkeys([*known, *sorted(found)]) if name]
