# SPDX-License-Identifier: BSD-3-Clause
"""Groups of rows. Rows that are alike stand together in result files, a thousand iterations behind
each other, so it takes one row of each such run to find the groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agreport.stats.inference import Ints


@dataclass(frozen=True)
class Grouped:
    """number: of each row that of its group; index: the groups' keys. Both in the order of
    rows.groupby(keys, observed=True)."""

    number: Ints
    index: "pd.Index[Any]"

    @property
    def count(self) -> Ints:
        """How many rows each has."""
        return np.bincount(self.number, minlength=len(self.index))


def grouped(rows: pd.DataFrame, keys: Sequence[str]) -> Grouped:
    first = run_starts(rows, keys)
    groups = rows.iloc[first].groupby(list(keys), observed=True)
    length = np.diff(np.append(first, len(rows)))
    return Grouped(np.repeat(groups.ngroup().to_numpy(), length), groups.size().index)


def distinct(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """rows[keys].drop_duplicates()"""
    return rows.iloc[run_starts(rows, keys)][list(keys)].drop_duplicates()


def run_starts(rows: pd.DataFrame, keys: Sequence[str]) -> Ints:
    """The places of rows that differ in a key from the row before."""
    starts = np.zeros(len(rows), bool)
    starts[:1] = True
    for key in keys:
        column = rows[key]
        categorical = isinstance(column.dtype, pd.CategoricalDtype)
        values = column.cat.codes.to_numpy() if categorical else column.to_numpy()
        starts[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(starts)
