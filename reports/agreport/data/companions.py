# SPDX-License-Identifier: BSD-3-Clause
"""Files beside result files (--record): where they are, and their rows as one table."""

from collections.abc import Hashable, Sequence
from pathlib import Path

import pyarrow as pa

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files import data_set
from agformats.files.csv_text import Kind
from agformats.files.gzip_text import endings, without_ending
from agformats.files.result_file import CASE, PANEL, Launch, read_finished
from agformats.notes import tell
from agreport.data.load import (
    Results,
    list_algorithms,
    require_new,
    tell_of,
    unchecked_note,
)
from agreport.data.result_paths import BESIDE_RESULTS, expand
from agreport.data.rows import join_tables
from agreport.data.suffixes import SUFFIXES

IDENTITY = ("start", "command")  # what a launch writes at the head of each of its files


def kind_of(
    what: str,
    texts: Sequence[str] = (),
    whole: Sequence[str] = (),
    numbers: Sequence[str] = (),
    may_lack: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
) -> Kind:
    """Returns the Kind of a file beside results, which has the columns of cases and algorithms and
    these: texts, whole (integers) and numbers (floats). may_lack, optional: as of Kind."""
    columns: dict[Hashable, str] = {
        **dict.fromkeys([*PANEL, "algorithm", *texts], "category"),
        **dict.fromkeys([*CASE[len(PANEL) :], "nodes", *whole], "int64"),
        **dict.fromkeys(numbers, "float64"),
    }
    return Kind(what, columns, may_lack, optional, when_absent=catalogue().ordinary)


def files_beside(names: Sequence[str], suffix: str, what: str) -> list[Path]:
    """Returns each file of this suffix once; for a result file the one beside it. Result files that
    have none are named in a note. Raises BadInput if no file has one. what: what is in such files,
    for the messages."""
    found: dict[Path, Path] = {}
    results: dict[Path, Path] = {}
    lacking: list[Path] = []
    for name in names:
        for path in expand(Path(name)):
            wanted = path if path.name.endswith(endings(suffix)) else beside(path, suffix)
            is_result = not path.name.endswith(BESIDE_RESULTS)
            if is_result and results.setdefault(path.resolve(), path) is path:
                lacking += [] if wanted.exists() else [path]
            if wanted.exists():  # what is no file is refused
                found[wanted.resolve()] = wanted
    if not found:
        raise BadInput(
            f"{', '.join(names)}: no {what} (*{suffix}); the benchmark writes them with --record "
            f"{suffix.split('.')[1]}"
        )
    tell_lacking(lacking, len(results), what)
    return [*found.values()]


def tell_lacking(lacking: Sequence[Path], results: int, what: str) -> None:
    """Names the result files beside which nothing of the kind is, if there are any. results: the
    number of all result files; what: what the others have beside them."""
    if lacking:
        tell(
            f"agreport: note: {len(lacking)} of {results} result files have no {what} beside them, "
            f"and are left out (the first is {lacking[0]})"
        )


def beside(result: Path, suffix: str) -> Path:
    name, compressed = without_ending(result.name, ".csv")
    return result.with_name(f"{name}{suffix}{compressed}")


def result_of(companion: Path) -> Path:
    """Returns the path of the result file that the companion is beside; that file need not
    exist."""
    for suffix in SUFFIXES:
        name, compressed = without_ending(companion.name, suffix)
        if name != companion.name:
            return companion.with_name(f"{name}.csv{compressed}")
    raise AssertionError(companion)


def require_same_launch(launch: Launch) -> None:
    """Raises BadInput if a file is of another launch than the result file that it is beside: their
    names say that they belong together, but only their heads know."""
    result = result_of(launch.path)
    own, head = launch.metadata, data_set.head_of(result)
    for key in IDENTITY:
        if key in own and key in head and own[key] != head[key]:
            raise BadInput(
                f"{launch.path}: is of another launch than {result.name}: its {key} is "
                f"'{own[key]}', not '{head[key]}'; legal: the file that the launch wrote"
            )


def read_companion(kind: Kind, path: Path, keep_going: bool) -> tuple[Launch, pa.Table]:
    """Reads the launch of a file beside results, and the rows of finished cases. Raises BadInput if
    the file is altered, or is of another launch than the result file beside it. keep_going: altered
    cases are left out instead."""
    data_set.refuse_altered_beside(path)
    found = read_finished(kind, path, keep_going)
    require_same_launch(found.launch)
    return found.launch, found.kind.table(path, found.header, found.body)


def load_companions(
    kind: Kind,
    paths: Sequence[Path],
    numbers: Sequence[str],
    keep_going: bool,
    lacking: str = "no rows of finished cases",
) -> Results:
    """Reads all rows of these files, one file a launch. Raises BadInput if two files are of the
    same launch, or if there are no rows, and then says what is lacking. numbers: the columns that
    are NaN in the rows of a file that lacks them. Only what ran has rows in such a file, so every
    row has the status ok."""
    read: list[tuple[Launch, pa.Table]] = []
    known: dict[bytes, Path] = {}
    for path in paths:
        launch, table = read_companion(kind, path, keep_going)
        require_new([launch], known)
        known[launch.identity] = path
        read.append((launch, table))
    launches, tables = map(list, zip(*read, strict=True))
    left_out = tell_of(launches)
    rows = join_tables(tables, numbers)
    if rows.empty:
        raise BadInput(f"{', '.join(map(str, paths))}: {lacking}")
    if text := unchecked_note(launches):
        tell(f"agreport: note: {text}")
    order = list_algorithms(launches, rows["algorithm"].cat.categories)
    return Results(rows.assign(status="ok"), launches, order, left_out)
