# SPDX-License-Identifier: BSD-3-Clause
"""Tables as aligned text, Markdown or CSV."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

import pandas as pd

from agreport.cli import options as opt


def add_output(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="of the table (default: %(default)s)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=opt.path_ending(),
        metavar="FILE",
        help="instead of standard output; an existing file is overwritten",
    )


def write(frame: pd.DataFrame, options: Namespace) -> None:
    """The frame with its index as first columns, to the file or standard output."""
    text = FORMATS[options.format](frame.reset_index())
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def drop_output() -> None:
    """After a BrokenPipeError: the reader (head, less) has seen enough; keeps the interpreter's
    last flush quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """The rows for reading: two decimals, a dash for what does not exist."""
    columns = [[cell(value) for value in frame[column]] for column in frame.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{value:.2f}"
    return str(value)


def text(frame: pd.DataFrame) -> str:
    """Columns as wide as they must be, numbers to the right."""
    rows = [list(frame.columns), *cells(frame)]
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            value.rjust(width) if right else value.ljust(width)
            for value, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def markdown(frame: pd.DataFrame) -> str:
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    rule = ["---:" if right else "---" for right in numeric]
    rows = [[value.replace("|", "\\|") for value in row] for row in cells(frame)]
    lines = [f"| {' | '.join(row)} |" for row in [list(frame.columns), rule, *rows]]
    return "\n".join(lines) + "\n"


def csv(frame: pd.DataFrame) -> str:
    """Every digit, for other programs."""
    return frame.to_csv(index=False)


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    format.__name__: format for format in (text, csv, markdown)
}
