# SPDX-License-Identifier: BSD-3-Clause
"""Escapes what is printed: it may hold names from files of others, whose control characters would
change the title of a terminal, its colours, or what stands on it already."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from agformats.errors import printable


class PrintableStream:
    """A text stream that escapes what is not printable."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def printable_only() -> Iterator[None]:
    """Has standard output and standard error escape what is not printable, but for ends of lines,
    tabs and spaces that do not break."""
    out, error = (cast(TextIO, PrintableStream(each)) for each in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(error):
        yield
