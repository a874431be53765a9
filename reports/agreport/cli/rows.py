# SPDX-License-Identifier: BSD-3-Clause
"""Options as rows: of each its name, what stands for its value, and its text.

A row adds its option to a parser, or to a group of options.
"""

from collections.abc import Callable, Iterable
from typing import Any

from agformats.cli.one_line_parser import needs_figure
from agformats.files.outputs import OutputFile

Row = Callable[[Any], object]  # what it is added to


def option(*names: str, figure: bool = False, **described: Any) -> Row:
    """described: as argparse has it; figure: only the figure reads it, so it is refused where no -o
    asks for one."""

    def add(parser: Any) -> None:
        action = parser.add_argument(*names, **described)
        if figure:
            needs_figure(action)

    return add


def flag(name: str, text: str, **more: Any) -> Row:
    return option(name, action="store_true", help=text, **more)


def value(name: str, metavar: str, text: str, **more: Any) -> Row:
    return option(name, metavar=metavar, help=text, **more)


def several(name: str, metavar: str, text: str) -> Row:
    """A list of texts; the option may be given several times."""
    return option(name, action="append", default=[], metavar=metavar, help=text)


def choice(name: str, legal: Iterable[str], text: str, **more: Any) -> Row:
    """One of the legal names, the first if `more` has no default."""
    names = list(legal)
    described = {"choices": names, "default": names[0], **more}
    return option(name, help=f"{text} (default: %(default)s)", **described)


def output(name: str, text: str, *endings: str, metavar: str = "FILE") -> Row:
    return option(name, type=OutputFile(endings), metavar=metavar, help=text)


def together(*rows: Row) -> Row:
    """All of these."""

    def add(parser: Any) -> None:
        for row in rows:
            row(parser)

    return add


def one_of(*rows: Row) -> Row:
    """Of these one at most."""

    def add(parser: Any) -> None:
        together(*rows)(parser.add_mutually_exclusive_group())

    return add
