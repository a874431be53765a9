# SPDX-License-Identifier: BSD-3-Clause
"""Options as rows: of each its name, what stands for its value, and its text; and types of values.

A row adds its option to a parser, or to a group of options.
"""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from agformats.cli.one_line_parser import needs_figure
from agformats.errors import Illegal
from agformats.files.outputs import OutputFile

T = TypeVar("T")
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
    """Takes one of these options at most."""

    def add(parser: Any) -> None:
        together(*rows)(parser.add_mutually_exclusive_group())

    return add


def legal(read: Callable[[str], T]) -> Callable[[str], T]:
    """Makes a type for argparse of a function that raises Illegal."""

    def parse(text: str) -> T:
        try:
            return read(text)
        except Illegal as error:
            raise ArgumentTypeError(f"'{text}' is not legal; legal: {error}") from None

    return parse


def percent(text: str, least: float = 0) -> float:
    """5%, 5 or 2.5 %."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1
    if not least <= value < 1000:
        raise ArgumentTypeError(f"'{text}' is no percentage such as 5%, from {least:g}% to 1000%")
    return value


def count(text: str, least: int = 1) -> int:
    """1, 2, ..."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise ArgumentTypeError(f"'{text}' is no whole number of {least} or more")
    return int(text)
