# SPDX-License-Identifier: BSD-3-Clause
"""A data set: many launches in two Parquet files of a folder.

results.parquet has one row an iteration, with every column of a result file and the number of its
launch; launches.parquet one row a launch, with everything that it says about itself. A launch has
the path of a file below the folder, `FOLDER/BUILD/NAME.csv.gz`, although there is none: by it
launches are named, and beside it their per-rank files lie.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath
from threading import Lock

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from agformats.errors import BadInput
from agformats.files.csv_text import arrow_types
from agformats.files.data_set_schema import (
    LAUNCHES,
    MOST_LAUNCHES,
    MOST_ROWS,
    NUMBER,
    ORIGIN,
    RESULTS,
    BrokenDataSet,
    columns_of,
    launches_of,
    may_lack,
    read_types,
    refuse_large,
)
from agformats.files.data_set_sums import FILES, MANIFEST, SUMS, find_altered
from agformats.files.gzip_text import first_comments
from agformats.files.result_file import (
    PLACES,
    RESULT_FILE,
    Launch,
    implied,
    metadata,
    require_ours,
)
from agformats.files.result_rows import check, read
from agformats.regular_file import require_regular

ERROR_NUMBER = re.compile(r"\[[Ee]rrno \d+\] ")
GROUPS_KEPT = 2  # so many row groups stay in memory: those that were read last


class DataSet:
    def __init__(self, folder: Path) -> None:
        self.results, of_launches = folder / RESULTS, folder / LAUNCHES
        if not of_launches.exists():
            raise BrokenDataSet(f"{self.results}: {LAUNCHES} is not beside it")
        require_regular(of_launches)
        refuse_altered(folder, (*FILES, MANIFEST))
        with readable(of_launches):
            refuse_large(of_launches, parquet.read_metadata(of_launches), MOST_LAUNCHES)
            # pyarrow is not to read in threads of its own (pre_buffer): on a busy machine they may
            # abort when Python ends.
            table = parquet.read_table(
                of_launches, page_checksum_verification=True, pre_buffer=False
            )
            table.validate(full=True)  # texts may be no UTF-8
        self.launches = launches_of(of_launches, table, (folder / SUMS).is_file())
        # Each launch has its build and point here.
        self.origins = table.select(ORIGIN).to_pylist()
        self.numbers = {each.path: number for number, each in enumerate(self.launches)}
        with readable(self.results):
            self.columns = columns_of(self.results, parquet.read_schema(self.results))
            self.file = parquet.ParquetFile(
                self.results,
                read_dictionary=[name for name in self.columns if read_types()[name] == "category"],
                page_checksum_verification=True,
            )
            about = self.file.metadata
            refuse_large(self.results, about, MOST_ROWS)
            if not about.num_rows:
                raise BrokenDataSet(f"{self.results}: it has no rows")
            counts = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
            self.ends = np.cumsum([0, *counts])  # of the row groups
            self.rows = self.rows_of_launches()
        self.groups: dict[tuple[int, bool], tuple[pa.Table, bool]] = {}
        self.lock = Lock()

    @property
    def paths(self) -> list[Path]:
        return list(self.numbers)

    def named(self, name: Path) -> list[Path]:
        """Returns the paths of the launches that `name` stands for: the path of one, a folder with
        all launches below it, or a glob. Empty if there are none."""
        if name in self.numbers:
            return [name]
        pattern = name.relative_to(self.results.parent)
        return [
            path
            for path in self.numbers
            if name in path.parents or matches(path.relative_to(self.results.parent), pattern)
        ]

    def read(self, path: Path) -> tuple[Launch, pa.Table]:
        """Reads a launch as result_rows.read reads the file that it was."""
        launch = self.launches[self.numbers[path]]
        require_ours(path, launch.metadata.get("suite"))
        parts = self.parts(path)
        table = in_one([part for part, _ in parts])
        if len(parts) > 1 or not parts[0][1]:
            check(table, lambda row: f"{path}: row {row + 1}", lambda row: f"row {row + 1}")
        return launch, table

    def read_whole(self, path: Path) -> tuple[Launch, pa.Table]:
        """Reads also the columns that reports do not read."""
        return self.launches[self.numbers[path]], in_one([t for t, _ in self.parts(path, True)])

    def parts(self, path: Path, whole: bool = False) -> list[tuple[pa.Table, bool]]:
        """Returns a table of the launch's rows from each row group that has some of them, each with
        whether all rows of that row group are sound. For a launch without rows it is one empty
        table. whole: read all columns, and do not look whether rows are sound."""
        first, end = self.rows.get(self.numbers[path], (0, 0))
        group = int(np.searchsorted(self.ends[1:-1], first, side="right"))
        found: list[tuple[pa.Table, bool]] = []
        with self.lock, readable(self.results):
            while first < end or not found:
                table, sound = self.group(group, whole)
                after = min(end, int(self.ends[group + 1]))
                found.append((table.slice(first - int(self.ends[group]), after - first), sound))
                first, group = after, group + 1
        return [(self.placed(table.drop_columns([NUMBER]), path), sound) for table, sound in found]

    def placed(self, table: pa.Table, path: Path) -> pa.Table:
        """Returns the table with the column of where buffers began in this launch, which a data set
        that is older than that column lacks."""
        if PLACES in self.columns:
            return table
        launch = self.launches[self.numbers[path]]
        own = {PLACES: implied(RESULT_FILE.when_absent, launch.metadata)[PLACES]}
        return replace(RESULT_FILE, when_absent=own).with_implied(table.drop_columns([PLACES]))

    def group(self, number: int, whole: bool) -> tuple[pa.Table, bool]:
        key = number, whole
        if key not in self.groups:
            if len(self.groups) >= GROUPS_KEPT:
                del self.groups[next(iter(self.groups))]
            columns = None if whole else [NUMBER, *self.columns]
            table = RESULT_FILE.with_implied(self.file.read_row_group(number, columns=columns))
            table.validate(full=True)
            if not whole:
                table = self.typed(table)
            self.groups[key] = table, whole or is_sound(table)
        return self.groups[key]

    def typed(self, table: pa.Table) -> pa.Table:
        """Makes one piece of the table, with the types that a result file is read with."""
        types = read_types()
        for place, name in enumerate(table.column_names):
            column, kind = table[name], arrow_types().get(types.get(name, ""), pa.int32())
            if column.null_count and name not in may_lack():
                raise BrokenDataSet(f"{self.results}: {name} is empty in some row")
            if column.type != kind:
                is_text = pa.types.is_dictionary(kind)
                column = (
                    column.cast(pa.string()).dictionary_encode() if is_text else column.cast(kind)
                )
                table = table.set_column(place, name, column)
        return in_one([table])

    def rows_of_launches(self) -> dict[int, tuple[int, int]]:
        """Returns the first row of each launch, and the one behind its last, by the number of the
        launch. Raises BrokenDataSet if the number of a row is not whole or of no known launch, or
        if the rows of a launch are apart."""
        column = self.file.read(columns=[NUMBER])[NUMBER]
        if column.null_count or not pa.types.is_integer(column.type):
            raise BrokenDataSet(f"{self.results}: '{NUMBER}' is no whole number in every row")
        numbers = column.to_numpy()
        firsts = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
        ends = [*firsts[1:].tolist(), len(numbers)]
        found: dict[int, tuple[int, int]] = {}
        for number, first, end in zip(numbers[firsts].tolist(), firsts.tolist(), ends, strict=True):
            if not 0 <= number < len(self.launches):
                raise BrokenDataSet(f"{self.results}: {LAUNCHES} lacks launch {number}")
            if number in found:
                raise BrokenDataSet(f"{self.results}: the rows of launch {number} are apart")
            found[number] = first, end
        return found


def refuse_altered(folder: Path, names: Iterable[str]) -> None:
    if altered := find_altered(folder, names):
        raise BrokenDataSet(
            f"{altered}: was altered: it has not the checksum in {SUMS}; legal: the file as it "
            f"was written; without {SUMS} it is taken as it is"
        )


def in_one(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def is_sound(table: pa.Table) -> bool:
    """Returns whether no row of the table is bad, for all of its launches in one go. Where one is,
    each launch is checked alone when it is read, so that the message says which row."""
    try:
        check(table, str, str, [NUMBER])
    except BadInput:
        return False
    return True


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        text = ERROR_NUMBER.sub("", " ".join(str(error).split()))
        raise BrokenDataSet(f"{path}: not to be read as Parquet: {text}") from None


def matches(path: PurePath, pattern: PurePath) -> bool:
    return len(path.parts) == len(pattern.parts) and path.match(str(pattern))


def opened(path: Path) -> DataSet:
    """Returns the data set of this results.parquet; while the file is the same, it is read once.
    Raises BrokenDataSet if the file has another name, or is no good."""
    if path.name != RESULTS:
        raise BrokenDataSet(f"{path}: of a data set, {RESULTS} or its folder is to be given")
    require_regular(path)
    status = path.stat()
    return opened_once(path, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def opened_once(path: Path, *_: int) -> DataSet:
    return DataSet(path.parent)


def around(path: Path) -> tuple[DataSet, Path] | None:
    """Returns the data set in the nearest folder above this path that has one, and the path as the
    data set names it; None if there is no data set. Where the current folder is within a data set,
    that is the absolute path."""
    for named in (path, path.absolute()):
        for folder in named.parents:
            if (folder / RESULTS).is_file():
                return opened(folder / RESULTS), named
    return None


def launch_at(path: Path) -> tuple[DataSet, Path] | None:
    """Returns the data set that has a launch of this path, which is no file, and the path as the
    data set names it; else None."""
    found = None if path.exists() else around(path)
    return found if found and found[1] in found[0].numbers else None


def refuse_altered_beside(path: Path) -> None:
    """Refuses an altered file beside the launches of a data set."""
    if found := around(path):
        folder = found[0].results.parent
        refuse_altered(folder, [found[1].relative_to(folder).as_posix()])


def head_of(path: Path) -> dict[str, str]:
    """Returns what the launch of a file, or of a data set, says before its rows; empty: there
    is none."""
    if path.exists():
        return metadata(first_comments(path))
    if found := launch_at(path):
        stored, named = found
        return stored.launches[stored.numbers[named]].metadata
    return {}


def read_launch(path: Path, keep_going: bool = False) -> tuple[Launch, pa.Table]:
    """Reads a launch from the file, or from the data set that has it. keep_going: leave out altered
    cases."""
    if found := launch_at(path):
        stored, named = found
        return stored.read(named)
    return read(path, keep_going=keep_going)
