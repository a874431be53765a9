# SPDX-License-Identifier: BSD-3-Clause
"""What a user did wrong, in one line: the option or file, the value and the legal ones."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")


def in_one_line(text: str) -> str:
    """With escapes such as \\x1b for what is not printable, such as a line's end in a value."""
    return text if text.isprintable() else "".join(map(escaped, text))


def escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def printable(text: str) -> str:
    """As in_one_line, but line ends, tabs and spaces that do not break stay."""
    kept = {letter: letter for letter in "\t\N{NO-BREAK SPACE}"}
    return "\n".join(
        line
        if line.isprintable()
        else "".join(kept.get(letter) or escaped(letter) for letter in line)
        for line in text.split("\n")
    )


class BadInput(Exception):
    """Printed by main as one line; the exit code is 2."""

    def __init__(self, text: str) -> None:
        super().__init__(in_one_line(text))


class Illegal(ValueError):
    """Raised by what reads a value and cannot know where it stands; says what is legal."""


def read_option(option: str, text: str, read: Callable[[str], T]) -> T:
    """What `read` makes of the text that an option was given."""
    try:
        return read(text)
    except Illegal as error:
        raise BadInput(f"{option}: '{text}' is not legal; legal: {error}") from None


def check_known(option: str, values: Iterable[str], legal: Sequence[str], what: str) -> None:
    """Refuse the first of `values` that is not legal, with the nearest one that is."""
    for value in values:
        if value not in legal:
            nearest = get_close_matches(value, legal, n=1)
            hint = f" (nearest: {nearest[0]})" if nearest else ""
            raise BadInput(f"{option}: '{value}' is not {what}; legal: {', '.join(legal)}{hint}")
