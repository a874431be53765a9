# SPDX-License-Identifier: BSD-3-Clause
"""The rows of one result file, and what no honest one has: each fault with its place."""

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.csv_text import Kind, numbered_rows
from agformats.files.result_file import (
    ELAPSED,
    PAIR,
    RESULT_FILE,
    TIMES,
    Finished,
    Launch,
    read_finished,
)

Array = npt.NDArray[Any]

STATUSES = tuple(status.name for status in catalogue().statuses)
ROUNDING_US = 0.0015  # times are written with three decimals
OTHER_TIMES = [column for column in TIMES.values() if column not in ELAPSED.values()]


def read(path: Path, kind: Kind = RESULT_FILE, keep_going: bool = False) -> tuple[Launch, pa.Table]:
    """Reads the launch of a result file, and a table of the rows of its finished cases. kind: says
    which of the columns are read; keep_going: leave out altered cases. Raises BadInput if the file
    or a row of it is bad."""
    found = read_finished(kind, path, keep_going)
    table = found.kind.table(path, found.header, found.body).unify_dictionaries()
    check(
        table,
        lambda row: f"{path}:{line_of(found, row)}",
        lambda row: f"line {line_of(found, row)}",
    )
    return found.launch, table


def check(
    table: pa.Table,
    place_of: Callable[[int], str],
    name_of: Callable[[int], str],
    of_launch: Sequence[str] = (),
) -> None:
    """Refuses a row that no honest launch has. place_of, name_of: what a row is called at the start
    of a message, and in it; of_launch: the column that tells launches apart, if there are several.
    """
    if not table.num_rows:
        return
    found = unknown_status(table) or untrue_times(table)
    if found:
        row, what = found
        raise BadInput(f"{place_of(row)}: {what}")
    if pair := repeated(table, of_launch):
        first, second = pair
        raise BadInput(
            f"{place_of(second)}: {words_of(table, second)} stands in {name_of(first)} already"
        )


def unknown_status(table: pa.Table) -> tuple[int, str] | None:
    """Returns the number of the first row with a status that the catalogue lacks, and what is wrong
    with it, or None."""
    status, legal = codes(table, "status"), labels(table, "status")
    unknown = np.array([name not in STATUSES for name in legal])[status]
    if not unknown.any():
        return None
    row = int(np.argmax(unknown))
    return row, f"status '{legal[status[row]]}' is not one of {', '.join(STATUSES)}"


def untrue_times(table: pa.Table) -> tuple[int, str] | None:
    """Returns the number of a row with status ok that has no times, or times that cannot be, and
    what is wrong with it; the first such row of one kind. None: there is no such row."""
    status, legal = codes(table, "status"), labels(table, "status")
    ok = status == legal.index("ok") if "ok" in legal else np.zeros(len(status), bool)
    low, mean, high = (numbers(table, column) for column in ELAPSED.values())
    times = [low, mean, high]
    exist = np.logical_and.reduce([(time >= 0) & (time < np.inf) for time in times])
    if len(rows := np.flatnonzero(ok & ~exist)):
        return int(rows[0]), "a row with status ok has no time, or a negative one"
    ordered = (low <= mean + ROUNDING_US) & (mean <= high + ROUNDING_US)
    if len(rows := np.flatnonzero(ok & ~ordered)):
        row = int(rows[0])
        shown = ", ".join(
            f"{column} = {time[row]:g}"
            for column, time in zip(ELAPSED.values(), times, strict=True)
        )
        return row, f"{shown} are not in this order; are they in one unit?"
    for column in OTHER_TIMES:
        if column not in table.column_names:
            continue
        time = numbers(table, column)
        if len(rows := np.flatnonzero(ok & ((time < 0) | (time == np.inf)))):
            return int(rows[0]), f"{column} = {time[rows[0]]:g} is no time; legal: 0 and more"
    return None


def words_of(table: pa.Table, row: int) -> str:
    """Returns the words for a row: its iteration, case and algorithm, without what is ordinary."""
    cell = {column: table[column][row].as_py() for column in (*PAIR, "iteration")}
    number = cell.pop("iteration")
    what = "skipped or wrong" if number is None else f"iteration {number:g}"
    ordinary = catalogue().ordinary
    told = [str(value) for name, value in cell.items() if value != ordinary.get(name)]
    return f"{what} of {', '.join(told)}"


def repeated(table: pa.Table, of_launch: Sequence[str]) -> tuple[int, int] | None:
    """Returns the numbers of two rows, the earlier one first, that are the same iteration of the
    same algorithm and case, in one launch. None: there are no such rows."""
    if is_in_order(table, [*of_launch, *PAIR]):
        return None
    rows = table.select([*of_launch, *PAIR, "iteration"]).to_pandas()
    again = rows.duplicated().to_numpy()
    if not again.any():
        return None
    second = int(np.argmax(again))
    alike = rows.iloc[: second + 1].duplicated(keep=False).to_numpy()
    same = [place for place in np.flatnonzero(alike) if rows.iloc[place].equals(rows.iloc[second])]
    return int(same[0]), second


def is_in_order(table: pa.Table, keys: Sequence[str]) -> bool:
    """Returns whether rows that are alike stand together, with rising iterations, as launches write
    them: then one of each run is to be looked at, where there are few."""
    first, found = find_runs(table, keys)
    iteration = numbers(table, "iteration")
    rises = iteration[1:] > iteration[:-1]
    rises[first[1:] - 1] = True
    return bool(rises.all()) and len(set(found)) == len(found)


def find_runs(table: pa.Table, keys: Sequence[str]) -> tuple[Array, list[tuple[float, ...]]]:
    """Returns the first row of each run of rows that agree in the keys, and the keys of each run:
    values, but for texts their numbers in the dictionary of this table. All pieces of a text column
    have one dictionary."""
    columns = [
        codes(table, name) if pa.types.is_dictionary(table[name].type) else numbers(table, name)
        for name in keys
    ]
    starts = np.zeros(table.num_rows, bool)
    starts[0] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    first = np.flatnonzero(starts)
    return first, list(zip(*(column[first].tolist() for column in columns), strict=True))


def codes(table: pa.Table, name: str) -> Array:
    found: Array = in_one(table[name]).indices.to_numpy(zero_copy_only=False)
    return found


def labels(table: pa.Table, name: str) -> list[str]:
    found: list[str] = table[name].chunk(0).dictionary.to_pylist()
    return found


def numbers(table: pa.Table, name: str) -> Array:
    """Returns a column as an array of numbers, with NaN where a cell is empty."""
    found: Array = in_one(table[name]).to_numpy(zero_copy_only=False)
    return found


def in_one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def line_of(found: Finished, row: int) -> int:
    return next(islice(numbered_rows(found.header, found.body), row, None))[0]
