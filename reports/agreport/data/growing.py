# SPDX-License-Identifier: BSD-3-Clause
"""A frame that grows table by table, so that no row of many files is in memory twice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from agreport.data.arrival_labels import pattern_name

Array = npt.NDArray[Any]


class Growing:
    """An array with room at its end; room that is not used yet takes no memory."""

    def __init__(self, kind: npt.DTypeLike) -> None:
        self.room = np.empty(1 << 16, kind)
        self.size = 0

    def extend(self, values: Array) -> None:
        end = self.size + len(values)
        if end > len(self.room):
            larger = np.empty(max(end, 2 * len(self.room)), self.room.dtype)
            larger[: self.size] = self.room[: self.size]
            self.room = larger
        self.room[self.size : end] = values
        self.size = end

    @property
    def values(self) -> Array:
        return self.room[: self.size]


class Labels:
    """A column of texts: every text once, and its number in each row."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.rows = Growing(np.int32)

    def extend(self, column: pa.DictionaryArray) -> None:
        texts = column.dictionary.to_pylist()
        to = [self.numbers.setdefault(text, len(self.numbers)) for text in texts]
        self.rows.extend(np.array(to, np.int32)[column.indices.to_numpy(zero_copy_only=False)])

    def categories(self, name_of: Callable[[str], str] = str) -> pd.Categorical:
        """Of the texts, or of what they are called; sorted."""
        names = sorted({name_of(text) for text in self.numbers})
        place = {name: number for number, name in enumerate(names)}
        to = np.array([place[name_of(text)] for text in self.numbers], np.int32)
        smallest = np.min_scalar_type(-max(len(names), 1))
        codes: Any = to.astype(smallest)[self.rows.values]
        return pd.Categorical.from_codes(codes, categories=pd.Index(names))


class GrowingFrame:
    """Columns of texts and of numbers, and `launch`; what a table lacks is NaN in its rows."""

    def __init__(self, texts: Sequence[str], numbers: Mapping[str, npt.DTypeLike]) -> None:
        self.texts = {name: Labels() for name in texts}
        self.numbers = {name: Growing(kind) for name, kind in numbers.items()}
        self.launch = Growing(np.int32)

    def append(self, table: pa.Table, launch: int) -> None:
        for batch in table.to_batches():
            for name, labels in self.texts.items():
                labels.extend(batch.column(name))
            for name, growing in self.numbers.items():
                if name in batch.schema.names:
                    growing.extend(batch.column(name).to_numpy(zero_copy_only=False))
                else:
                    growing.extend(np.full(batch.num_rows, np.nan))
            self.launch.extend(np.full(batch.num_rows, launch))

    def frame(self) -> pd.DataFrame:
        """And `pattern`, the name of the arrival pattern. Gives the columns away."""
        pattern = self.texts["arrival"].categories(pattern_name)
        # One after the other, so that each is in memory twice for a moment only.
        texts = {name: self.texts.pop(name).categories() for name in list(self.texts)}
        numbers = {name: growing.values for name, growing in self.numbers.items()}
        columns = {**texts, **numbers, "launch": self.launch.values, "pattern": pattern}
        return pd.DataFrame(columns, copy=False)
