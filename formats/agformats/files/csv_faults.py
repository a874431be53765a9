# SPDX-License-Identifier: BSD-3-Clause
"""Why rows cannot be read: slowly, once a fast reader has failed and said too little."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence

# For each type of a column: what reads a cell of it, and what the cell has to be.
NUMBERS: dict[str, tuple[Callable[[str], object], str]] = {
    "int64": (int, "a whole number"),
    "float64": (float, "a number"),
}
SHOWN = 60


def first_fault(
    names: Sequence[str],
    types: Mapping[str, str],
    may_lack: Sequence[str],
    rows: Iterable[tuple[int, str]],
) -> tuple[int, str] | None:
    """Returns the number of the first line that is no row, and why it is none; None: all are
    rows."""
    for number, line in rows:
        if line.split(",") == list(names):
            return number, "the line of column names again; are these two files in one?"
        try:
            cells = next(csv.reader([line], strict=True))
        except csv.Error as error:
            return number, f"'{shown(line)}': {error}"
        if len(cells) != len(names):
            return number, f"{len(cells)} cells for {len(names)} columns: '{shown(line)}'"
        for name, cell in zip(names, cells, strict=True):
            if fault := cell_fault(name, cell, types.get(name, ""), name in may_lack):
                return number, fault
    return None


def cell_fault(name: str, cell: str, kind: str, may_lack: bool) -> str:
    if kind not in NUMBERS or (may_lack and not cell):
        return ""
    if not cell:
        return f"{name} is empty"
    parse, what = NUMBERS[kind]
    try:
        parse(cell)
    except ValueError:
        return f"{name} is '{shown(cell)}', not {what}"
    return ""


def shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
