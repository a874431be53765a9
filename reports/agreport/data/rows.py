# SPDX-License-Identifier: BSD-3-Clause
"""The rows of several files as one table, and its runs.

Rows that are alike stand together in result files, a thousand iterations behind each other, so what
is asked of cases is asked of one row of each such run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from agformats.catalogue import catalogue
from agformats.files.csv_text import has_values
from agformats.files.result_file import OPTIONAL, TEXTS
from agreport.data.arrival_labels import parse, pattern_name

Ints = npt.NDArray[np.int64]
ALIKE_ROWS = 1 << 16  # rows that share memory, of a column with one value in all rows
FIRST, ROWS = "first_row", "rows"  # where a run begins, and how many rows it has


def without_empty(table: pa.Table) -> pa.Table:
    """Leaves out optional columns in which no row has a value: the table of all files has them, and
    most files lack most."""
    kept = [name for name in table.column_names if name not in OPTIONAL or has_values(table[name])]
    return table.select(kept)


def compact(table: pa.Table) -> pa.Table:
    """Returns the table in less memory."""
    return pa.table({name: compact_column(table[name]) for name in table.column_names})


def compact_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns texts with the narrowest codes, and of equal numbers one chunk, many times."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        most = max((len(chunk.dictionary) for chunk in column.chunks), default=0)
        codes = pa.from_numpy_dtype(np.min_scalar_type(-max(most, 1)))
        return column.cast(pa.dictionary(codes, kind.value_type))
    if len(column) <= ALIKE_ROWS or column.null_count or not is_same(column):
        return column
    chunk = pa.repeat(column[0], ALIKE_ROWS)
    times, rest = divmod(len(column), ALIKE_ROWS)
    return pa.chunked_array([chunk] * times + [chunk[:rest]], kind)


def is_same(column: pa.ChunkedArray) -> bool:
    """Returns whether all numbers are the same to the bit; 0 and -0 are not."""
    first = column[:1].to_numpy()
    if not len(first) or first.dtype == object:
        return False
    bits = f"i{first.itemsize}"
    chunks = (chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks)
    return all((chunk.view(bits) == first.view(bits)).all() for chunk in chunks)


def join_tables(tables: list[pa.Table], optional: Sequence[str] = OPTIONAL) -> pd.DataFrame:
    """Returns the rows of all tables as one table; of the optional columns, what a table lacks is
    NaN in its rows. Gives the tables away: the list is empty afterwards.

    New columns are launch, the number of the table, and pattern, the name of the arrival pattern.
    """
    launch = np.repeat(np.arange(len(tables), dtype=np.int32), [len(table) for table in tables])
    whole = pa.concat_tables(tables, promote_options="permissive")
    tables.clear()
    columns: dict[str, Any] = {}
    # One column after the other is given away, so that none is in memory twice for long.
    while whole.num_columns:
        name, column = whole.column_names[0], whole.column(0)
        whole = whole.remove_column(0)
        if name in TEXTS:
            column = column.unify_dictionaries().to_pandas()
            if name == "arrival":
                columns["pattern"] = order_categories(column, "pattern", pattern_name)
            columns[name] = order_categories(column, name)
        elif is_same(column):
            columns[name] = np.broadcast_to(column[:1].to_numpy()[0], len(column))
        else:
            columns[name] = column.to_numpy()
        del column
        pa.default_memory_pool().release_unused()
    # A column that no file has, or that has one value in all rows, is one number in memory.
    none = np.broadcast_to(np.nan, len(launch))
    lacking = {name: none for name in optional if name not in columns}
    order = sorted(columns, key=lambda name: TEXTS.index(name) if name in TEXTS else len(TEXTS))
    frame = {**{name: columns[name] for name in order}, **lacking, "launch": launch}
    return pd.DataFrame(frame, copy=False)


def order_categories(
    texts: "pd.Series[str]", column: str, name_of: Callable[[str], str] = str
) -> pd.Categorical:
    """Returns what each text is called, as categories in the order of tables and panels."""
    found = texts.cat.categories.map(name_of)
    names = sorted(set(found), key=lambda name: place_in_order(column, name))
    smallest = np.min_scalar_type(-max(len(names), 1))
    codes: Any = texts.cat.codes.to_numpy()
    if names != list(found):
        codes = pd.Index(names).get_indexer(found).astype(smallest)[codes]
    codes = codes.astype(smallest, copy=False)
    return pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype=object))


def place_in_order(column: str, name: str) -> tuple[object, ...]:
    """Returns a key to sort names of a column by: as the catalogue lists them, then others, sorted;
    arrival patterns by their delays. No two names have the same key."""
    if column == "arrival":
        return *parse(name).order, name
    known = catalogue().names_of(column)
    base = name.partition(":")[0].partition("@")[0]  # without parameters and order
    return known.index(base) if base in known else len(known), name


@dataclass(frozen=True)
class Grouped:
    """The groups of rows, in the order of rows.groupby(keys, observed=True). number: of each row,
    the number of its group. index: the keys of the groups."""

    number: Ints
    index: "pd.Index[Any]"


def grouped(rows: pd.DataFrame, keys: Sequence[str]) -> Grouped:
    runs = runs_of(rows, keys)
    groups = runs.groupby(list(keys), observed=True)
    index = groups.size().index
    number = groups.ngroup().to_numpy().astype(np.min_scalar_type(-max(len(index), 1)))
    return Grouped(np.repeat(number, runs[ROWS]), index)


def runs_of(rows: pd.DataFrame, keys: Iterable[str]) -> pd.DataFrame:
    """Returns the keys of the first row of each run, with FIRST and ROWS. Keys that the rows lack
    do not tell runs apart."""
    names = [key for key in keys if key in rows]
    first = run_starts(rows, names)
    found = rows[names].iloc[first].reset_index(drop=True)
    return found.assign(**{FIRST: first, ROWS: np.diff(np.append(first, len(rows)))})


def run_starts(rows: pd.DataFrame, keys: Sequence[str]) -> Ints:
    """Returns the places of the first row and of the rows that differ in a key from the row
    before."""
    starts = np.zeros(len(rows), bool)
    starts[:1] = True
    for key in keys:
        column = rows[key]
        categorical = isinstance(column.dtype, pd.CategoricalDtype)
        values = column.cat.codes.to_numpy() if categorical else column.to_numpy()
        starts[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(starts)
