# SPDX-License-Identifier: BSD-3-Clause
"""Tables as aligned text, Markdown, CSV or LaTeX, and as records of JSON."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from agformats.errors import in_one_line
from agformats.files.outputs import write_text
from agreport.cli.options import CSV, LATEX, MARKDOWN, TEXT
from agreport.data.load import CASE
from agreport.data.settings import without_empty
from agreport.figure.words import in_case, in_print

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a formula of a spreadsheet begins with
Format = Callable[[pd.DataFrame], str]


def write(frame: pd.DataFrame, options: Namespace) -> None:
    """Writes the frame, with its index as first columns, to the file of -o or to standard
    output."""
    text = FORMATS[options.format](frame.reset_index())
    if options.output:
        write_text(options.output, text)
    else:
        sys.stdout.write(text)


def drop_output() -> None:
    """Sends standard output to nowhere after a BrokenPipeError, when the reader (head, less) has
    seen enough. This keeps the interpreter's last flush quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """Returns the rows as texts for reading: floats with two decimals, a dash for what does not
    exist, yes and no."""
    columns = [[cell(value) for value in frame[column]] for column in frame.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{round(value, 2) + 0:.2f}"  # 0.00 in place of -0.00
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return str(value)


def text(frame: pd.DataFrame) -> str:
    """Returns the table as text, with columns as wide as they must be and numbers to the right."""
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
    """Returns the table as CSV with every digit, for other programs.

    A text that a spreadsheet would run as a formula gets an apostrophe as its first character, as
    OWASP (CSV Injection) recommends: a spreadsheet shows the text, and does not run it.
    """
    return with_texts(frame, no_formula).to_csv(index=False)


def no_formula(text: str) -> str:
    """Puts an apostrophe before a text that is a formula. A number is none, and a sign alone, such
    as the dash for what does not exist, is none either."""
    is_one = len(text) > 1 and text.startswith(FORMULA) and not is_number(text)
    return f"'{text}" if is_one else text


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def with_texts(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """Changes each cell and each column's name that is a text."""

    def of_cell(value: object) -> object:
        return change(value) if isinstance(value, str) else value

    columns = [
        column if pd.api.types.is_numeric_dtype(column.dtype) else column.map(of_cell)
        for _, column in frame.items()
    ]
    changed = pd.concat(columns, axis=1) if columns else frame
    return changed.set_axis([of_cell(name) for name in frame.columns], axis=1)


def latex(frame: pd.DataFrame) -> str:
    """Uses the rules of the package booktabs, and names as people write them."""
    printed = in_print(frame).rename(columns=in_words)
    return printed.to_latex(index=False, escape=True, float_format="%.2f", na_rep="--")


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Returns a dictionary a row, for JSON."""
    return [
        {str(name): plain(value) for name, value in record.items()}
        for record in table.to_dict("records")
    ]


def plain(value: Any) -> Any:
    """Returns a number or text as Python's own type, for JSON; None for NaN, which stands for what
    does not exist, and for infinity."""
    value = getattr(value, "item", lambda: value)()
    return None if isinstance(value, float) and not isfinite(value) else value


def in_words(name: object) -> str:
    """Returns a column's name as people write it: change_percent -> change %."""
    return str(name).replace("_percent", " %").replace("_", " ")


def without_constant(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Returns the frame without the parts of a case that are the same in all rows, and a sentence
    that says what these are. The sentence is empty if there are none, or fewer than two rows."""
    there = [
        name for name in CASE if name in frame and len(frame) > 1 and is_of_a_case(frame, name)
    ]
    same = [name for name in there if frame[name].nunique(dropna=False) == 1]
    words = in_case(frame[same].iloc[0]) if same else ""
    return frame.drop(columns=same), words and f"All rows: {words}."


def is_of_a_case(frame: pd.DataFrame, name: str) -> bool:
    """Returns whether the column has in each row the value of one case. Ranks or sizes that are
    texts are lists of several values."""
    return name not in ("ranks", "bytes") or pd.api.types.is_integer_dtype(frame[name].dtype)


def with_head(format: Format, head: str) -> Format:
    """Makes a format that leaves out what all rows have in common, and puts it above the table.
    head: has {} for the sentence that says it."""

    def of_frame(frame: pd.DataFrame) -> str:
        rest, constant = without_constant(frame)
        return (head.format(constant) if constant else "") + format(rest)

    return of_frame


def of_printable(format: Format) -> Format:
    """Leaves out the column of settings where no launch has one. Control characters of names from
    files are escaped, in files as on a terminal."""
    return lambda frame: format(with_texts(without_empty(frame), in_one_line))


FORMATS: dict[str, Format] = {
    TEXT: of_printable(text),
    CSV: of_printable(csv),
    MARKDOWN: of_printable(with_head(markdown, "{}\n\n")),
    LATEX: of_printable(with_head(latex, "% {}\n")),
}
