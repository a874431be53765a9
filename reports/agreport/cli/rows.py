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
Row = Callable[[Any], object]  # adds its option to a parser, or to a group of options


def option(*names: str, figure: bool = False, **described: Any) -> Row:
    """Returns a row that adds one option.

    described: the arguments of argparse's add_argument. figure: only the figure reads the option,
    so it is refused where no -o asks for a figure.
    """

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
    """Returns a row of an option that may be given several times; its value is a list of texts."""
    return option(name, action="append", default=[], metavar=metavar, help=text)


def choice(name: str, legal: Iterable[str], text: str, **more: Any) -> Row:
    """Returns a row of an option whose value is one of the legal names. Its default is the first of
    them if `more` has none."""
    names = list(legal)
    described = {"choices": names, "default": names[0], **more}
    return option(name, help=f"{text} (default: %(default)s)", **described)


def output(name: str, text: str, *endings: str, metavar: str = "FILE") -> Row:
    return option(name, type=OutputFile(endings), metavar=metavar, help=text)


def together(*rows: Row) -> Row:
    """Returns a row that adds the options of all these rows."""

    def add(parser: Any) -> None:
        for row in rows:
            row(parser)

    return add


def one_of(*rows: Row) -> Row:
    """Returns a row of options of which a user may give one at most."""

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
    """Returns the number of a percentage that is spelled 5%, 5 or 2.5 %. Raises ArgumentTypeError
    unless it is a number from `least` to under 1000."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1
    if not least <= value < 1000:
        raise ArgumentTypeError(f"'{text}' is no percentage such as 5%, from {least:g}% to 1000%")
    return value


def count(text: str, least: int = 1) -> int:
    """Returns a whole number (1, 2, ...) of `least` or more; raises ArgumentTypeError for any other
    text, and for more than 9 digits."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise ArgumentTypeError(f"'{text}' is no whole number of {least} or more")
    return int(text)
