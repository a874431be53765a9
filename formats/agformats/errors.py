# SPDX-License-Identifier: BSD-3-Clause
"""Says what a user did wrong, in one line: the option or file, the value and the legal ones."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")

# What a message has at most, so that it stays one that people read: a value, a path or a list that
# is longer keeps its ends. The longest list of legal names is shorter.
LONGEST_WORD, LONGEST_MESSAGE = 300, 6000
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
INTERRUPTED = 130  # the exit code that a shell gives a program that Ctrl-C ended


def in_one_line(text: str) -> str:
    """Escapes what is not printable, such as a line's end in a value, as \x1b."""
    return text if text.isprintable() else "".join(map(escaped, text))


def escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def printable(text: str) -> str:
    """Returns the text as in_one_line does, but line ends, tabs and spaces that do not break
    stay."""
    kept = {letter: letter for letter in "\t\N{NO-BREAK SPACE}"}
    return "\n".join(
        line
        if line.isprintable()
        else "".join(kept.get(letter) or escaped(letter) for letter in line)
        for line in text.split("\n")
    )


def message(text: str) -> str:
    """Returns the message in one line, of a length that can be read."""
    words = LONG_WORD.sub(lambda found: with_ends(found[0], LONGEST_WORD), in_one_line(text))
    return with_ends(words, LONGEST_MESSAGE)


def with_ends(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}[...{len(text) - 2 * half} characters...]{text[-half:]}"


class BadInput(Exception):
    """The error of bad input, which main prints as one line; the exit code is 2."""

    def __init__(self, text: str) -> None:
        super().__init__(message(text))


def in_words(error: Exception) -> str:
    """Returns what is wrong, in one line: for an OSError with its paths, and without its number."""
    if not isinstance(error, OSError) or not error.strerror:
        return message(str(error))
    paths = [str(each) for each in (error.filename, error.filename2) if each is not None]
    return message(": ".join([*([" to ".join(paths)] if paths else []), error.strerror]))


def ended_badly(program: str, error: Exception) -> int:
    """Prints in one line why the program ended, on standard error; returns the exit code, 2."""
    why = in_words(error)
    if isinstance(error, MemoryError):
        why = "there is not enough memory for these files; legal: fewer of them, or more memory"
    print(f"{program}: error: {why}", file=sys.stderr)
    drop_unwritable()
    return 2


def drop_unwritable() -> None:
    """Sends to nowhere what standard output still holds and cannot write, as on a full disk. This
    keeps the interpreter's last flush quiet."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Illegal(ValueError):
    """The error of a value that is not legal, raised by what reads the value and cannot know where
    it stands. The error's text says what is legal."""


def read_option(option: str, text: str, read: Callable[[str], T]) -> T:
    """Returns what `read` makes of the text that an option was given."""
    try:
        return read(text)
    except Illegal as error:
        raise BadInput(f"{option}: '{text}' is not legal; legal: {error}") from None


def check_known(option: str, values: Iterable[str], legal: Sequence[str], what: str) -> None:
    """Refuses with BadInput the first of `values` that is not legal; the message names the nearest
    one that is."""
    for value in values:
        if value not in legal:
            nearest = get_close_matches(value, legal, n=1)
            hint = f" (nearest: {nearest[0]})" if nearest else ""
            raise BadInput(f"{option}: '{value}' is not {what}; legal: {', '.join(legal)}{hint}")
