# SPDX-License-Identifier: BSD-3-Clause
"""CSV text with `#` comment lines -> a frame of the columns that it has to have."""

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pandas as pd

from agreport.errors import BadInput

COMMENT = re.compile(rb"^#.*$", re.MULTILINE)
HEADER = re.compile(rb"^[^#\s].*$", re.MULTILINE)


@dataclass(frozen=True)
class Kind:
    """What a file should be, for messages, and the types of its columns by pandas' names.

    may_lack: columns whose cells may be empty; optional: numbers that may be, or that the whole
    file may lack, because it is older than they are.
    """

    name: str
    columns: dict[Hashable, str]
    may_lack: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def split(self, source: object, data: bytes) -> tuple[bytes, bytes]:
        """The line of column names, and what follows it."""
        if not data.strip():
            raise BadInput(f"{source}: the file is empty")
        header = HEADER.search(data)
        if header is None:
            raise BadInput(f"{source}: not {self.name}; it has no line of column names")
        found = header.group().decode(errors="replace").strip().split(",")
        if missing := [str(column) for column in self.columns if column not in found]:
            raise BadInput(f"{source}: not {self.name}; missing columns: {', '.join(missing)}")
        return header.group(), data[header.end() :]

    def frame(self, source: object, header: bytes, body: bytes) -> pd.DataFrame:
        # Comments become empty lines, so that the line numbers of read_csv's errors stay near.
        lines = header + COMMENT.sub(b"", body)
        names = header.decode(errors="replace").strip().split(",")
        there = [column for column in self.optional if column in names]
        types: dict[Hashable, str] = {**self.columns, **dict.fromkeys(there, "float64")}
        try:
            frame = pd.read_csv(
                BytesIO(lines),
                usecols=list(types),
                dtype=types,
                keep_default_na=False,
                na_values={column: [""] for column in (*self.may_lack, *there)},
                encoding_errors="replace",
            )
        except ValueError as error:  # pandas' ParserError is one
            raise BadInput(f"{source}: not {self.name}; {' '.join(str(error).split())}") from None
        return frame.assign(**dict.fromkeys(set(self.optional) - set(there), np.nan))

    def read(self, source: object, data: bytes) -> pd.DataFrame:
        return self.frame(source, *self.split(source, data))


def comments(data: bytes) -> Iterable[bytes]:
    return COMMENT.findall(data)
