# SPDX-License-Identifier: BSD-3-Clause
"""The rows of one result file, and what no honest one has: each fault with its line."""

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from agformats.catalogue import catalogue
from agformats.csv_text import numbered_rows
from agformats.errors import BadInput
from agformats.result_file import METRICS, PAIR, RESULT_FILE, Finished, read_finished

Array = npt.NDArray[Any]

STATUSES = tuple(status.name for status in catalogue().statuses)
ROUNDING_US = 0.0015  # times are written with three decimals
MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing


def read(path: Path) -> tuple[Finished, pa.Table]:
    found = read_finished(RESULT_FILE, path)
    table = RESULT_FILE.table(path, found.header, found.body).unify_dictionaries().combine_chunks()
    if table.num_rows:
        check(found, table)
    return found, table


def check(found: Finished, table: pa.Table) -> None:
    status, legal = codes(table, "status"), labels(table, "status")
    known = np.array([name in STATUSES for name in legal])
    if not known.all():
        row = int(np.argmin(known[status]))
        raise fault(found, row, f"status '{legal[status[row]]}' is not one of {said(STATUSES)}")
    ok = status == legal.index("ok") if "ok" in legal else np.zeros(len(status), bool)
    low, mean, high = (numbers(table, column) for column in METRICS.values())
    times = [low, mean, high]
    exist = np.logical_and.reduce([(time >= 0) & (time < np.inf) for time in times])
    if len(rows := np.flatnonzero(ok & ~exist)):
        raise fault(found, int(rows[0]), "a row with status ok has no time, or a negative one")
    ordered = (low <= mean + ROUNDING_US) & (mean <= high + ROUNDING_US)
    if len(rows := np.flatnonzero(ok & ~ordered)):
        row = int(rows[0])
        shown = ", ".join(
            f"{column} = {time[row]:g}"
            for column, time in zip(METRICS.values(), times, strict=True)
        )
        raise fault(found, row, f"{shown} are not in this order; are they in one unit?")
    if pair := repeated(table):
        first, second = pair
        cell = {column: table[column][second].as_py() for column in (*PAIR, "iteration")}
        number = cell.pop("iteration")
        what = "skipped or wrong" if number is None else f"iteration {number:g}"
        raise fault(
            found,
            second,
            f"{what} of {', '.join(map(str, cell.values()))} stands in line "
            f"{line_of(found, first)} already",
        )


def repeated(table: pa.Table) -> tuple[int, int] | None:
    """Two rows that are the same iteration of the same algorithm and case."""
    columns = [whole_numbers(table, name) for name in (*PAIR, "iteration")]
    mixed = np.zeros(table.num_rows, np.uint64)
    for column in columns:
        mixed = (mixed ^ column) * MIXER
        mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")
    alike = np.flatnonzero(mixed[order[1:]] == mixed[order[:-1]])
    pairs = [(int(order[i]), int(order[i + 1])) for i in alike]
    # Different rows that were mixed to the same number are no pair.
    real = [pair for pair in pairs if all(c[pair[0]] == c[pair[1]] for c in columns)]
    return min(real, key=lambda pair: pair[1], default=None)


def whole_numbers(table: pa.Table, name: str) -> npt.NDArray[np.uint64]:
    column = table[name]
    if pa.types.is_dictionary(column.type):
        return codes(table, name).astype(np.uint64)
    values = numbers(table, name)
    return np.nan_to_num(values, nan=-1).astype(np.int64).astype(np.uint64)


def codes(table: pa.Table, name: str) -> Array:
    found: Array = table[name].chunk(0).indices.to_numpy(zero_copy_only=False)
    return found


def labels(table: pa.Table, name: str) -> list[str]:
    found: list[str] = table[name].chunk(0).dictionary.to_pylist()
    return found


def numbers(table: pa.Table, name: str) -> Array:
    """NaN where there is none."""
    found: Array = table[name].chunk(0).to_numpy(zero_copy_only=False)
    return found


def fault(found: Finished, row: int, what: str) -> BadInput:
    return BadInput(f"{found.launch.path}:{line_of(found, row)}: {what}")


def line_of(found: Finished, row: int) -> int:
    return next(islice(numbered_rows(found.header, found.body), row, None))[0]


def said(names: tuple[str, ...]) -> str:
    return ", ".join(names)
