# SPDX-License-Identifier: BSD-3-Clause
"""TOML tables -> dataclasses. A field made by `key` says how its value is read and what is legal;
what is not gets one line with the file, the key, the value and the legal ones."""

import dataclasses
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from agformats import durations, ranges
from agformats.errors import BadInput, Illegal

T = TypeVar("T")


# Reads a value; raises Illegal.
Reader = Callable[[object], object]


def key(reader: Reader, text: str, default: object = MISSING) -> Any:
    """Returns a field of a dataclass for a key of a table. reader: reads its value; text: says what
    the key is. Without a default the file has to give the key."""
    made = {"reader": reader, "text": text}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=made)
    return dataclasses.field(default=default, metadata=made)


@dataclass(frozen=True)
class Where:
    """A place in a file, for errors."""

    file: Path
    table: str = ""

    def below(self, name: str) -> "Where":
        return Where(self.file, f"{self.table}.{name}" if self.table else name)

    def bad(self, name: str, value: object, legal: str) -> BadInput:
        return BadInput(
            f"{self.file}: {self.below(name).table}: {shown(value)} is not legal; {legal}"
        )

    def wrong(self, text: str) -> BadInput:
        return BadInput(
            f"{self.file}: {self.table}: {text}" if self.table else f"{self.file}: {text}"
        )


def shown(value: object) -> str:
    """Returns the value as the file has it, nearly."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def read_table(kind: type[T], table: object, where: Where) -> T:
    if not isinstance(table, Mapping):
        raise where.wrong(f"{shown(table)} is no table; legal: keys {', '.join(names(kind))}")
    check_keys(table, names(kind), where)
    values: dict[str, object] = {}
    for each in dataclasses.fields(kind):  # type: ignore[arg-type]
        if each.name in table:
            try:
                values[each.name] = each.metadata["reader"](table[each.name])
            except Illegal as error:
                raise where.bad(each.name, table[each.name], f"legal: {error}") from None
        elif each.default is MISSING and each.default_factory is MISSING:
            raise where.wrong(f"the key {each.name} is missing: {each.metadata['text']}")
    return kind(**values)


def names(kind: type) -> list[str]:
    return [each.name for each in dataclasses.fields(kind)]


def check_keys(table: Mapping[str, object], legal: Sequence[str], where: Where) -> None:
    for name in table:
        if name not in legal:
            nearest = get_close_matches(name, legal, n=1)
            hint = f" (nearest: {nearest[0]})" if nearest else ""
            raise where.wrong(f"'{name}' is no key; legal: {', '.join(legal)}{hint}")


# ---- readers ----------------------------------------------------------------------------------


# A command, a variable, and a line of a job script may have none of these.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Linux passes no longer word to a program.
MOST_BYTES = (1 << 17) - 1
# The time that shlex takes for a word grows with the square of its length: for one of 4 MiB it
# takes more than an hour.
MOST_LETTERS = 1 << 14


def text(value: object) -> str:
    if not isinstance(value, str) or not value or CONTROL.search(value):
        raise Illegal("a text of one line, without control characters")
    if len(value) > MOST_LETTERS:
        raise Illegal(f"a text of at most {MOST_LETTERS} letters")
    return value


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Illegal('a list of texts such as ["a", "b"]')
    return tuple(text(each) for each in value)


QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")


def directives(value: object) -> tuple[str, ...]:
    """Returns the lines for #SBATCH. To Slurm an unquoted # begins a comment, also within a word,
    which would lose its end."""
    lines = texts(value)
    for line in lines:
        before, mark, _ = QUOTED.sub("x", line).partition("#")
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise Illegal(f"quotes in pairs ({error})") from None
        if not words or (mark and not before[-1].isspace()):
            raise Illegal("options of sbatch, with a # in quotes, or before a comment and a blank")
    return lines


def flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise Illegal("true or false")
    return value


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def name(value: object) -> str:
    """Returns the value, a text that may stand in file names. Raises Illegal if it is none."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise Illegal("letters, digits and . _ + - (it becomes part of file names)")
    return value


def whole(least: int, most: int = 10**9) -> Callable[[object], int]:
    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise Illegal(f"a whole number from {least} to {most}")
        return value

    return read


PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def percent(value: object) -> float:
    """Returns the percentage as a fraction."""
    found = PERCENT.fullmatch(value) if isinstance(value, str) else None
    if not found or not 0 < float(found[1]) <= 100:
        raise Illegal('a text such as "5%", above 0 and up to 100')
    return float(found[1]) / 100


def one_of(*legal: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in legal:
            nearest = get_close_matches(str(value), legal, n=1)
            raise Illegal(", ".join(legal) + (f" (nearest: {nearest[0]})" if nearest else ""))
        return str(value)

    return read


def some_of(*legal: str) -> Callable[[object], tuple[str, ...]]:
    def read(value: object) -> tuple[str, ...]:
        each = [value] if isinstance(value, str) else value
        if not isinstance(each, list) or not each or len({str(one) for one in each}) < len(each):
            raise Illegal(f"a list without repetition, of {', '.join(legal)}")
        return tuple(one_of(*legal)(one) for one in each)

    return read


def numbers(value: object) -> tuple[int, ...]:
    """Returns the numbers in the order given, each once."""
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(each, int | str) for each in listed):
        raise Illegal(f"{ranges.LEGAL}; or a TOML list of these, of at least one")
    return ranges.numbers(",".join(map(str, listed)))


def seconds(value: object) -> int:
    """Returns the whole seconds of a job or launch; schedulers count no parts of one."""
    try:
        found = durations.seconds(str(value))
    except Illegal:
        found = 0.0
    if found < 1 or not found.is_integer():
        raise Illegal("whole seconds, such as 90s, 15m, 2h30m, 1d")
    return int(found)


SIZE = re.compile(r"([1-9][0-9]{0,12})([KMG]?)")
SIZES = 'sizes such as 1000, "64K", or a list of at least one, each once'
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(value: object) -> str:
    if not isinstance(value, str) or not SIZE.fullmatch(value):
        raise Illegal("a size such as 512M, 2G")
    return value


def sizes(value: object) -> tuple[int, ...]:
    """Returns the sizes in bytes, each once."""
    found: dict[int, None] = {}
    for each in value if isinstance(value, list) else [value]:
        match = SIZE.fullmatch(str(each))
        number = int(match[1]) * UNITS[match[2]] if match else 0
        if not number or number in found:
            raise Illegal(SIZES)
        found[number] = None
    if not found:
        raise Illegal(SIZES)
    return tuple(found)


def settings(value: object) -> dict[str, str]:
    """Returns the names and values of the options of a program, as texts. Raises Illegal if a name
    or a value is not legal."""
    return named_values(value, r"[A-Za-z][\w-]*")


def variables(value: object) -> dict[str, str]:
    """Returns the names and values of environment variables, as settings does of options. Bash
    exports no variables with other names than these."""
    return named_values(value, r"[A-Za-z_][A-Za-z0-9_]*")


def simgrid_settings(value: object) -> dict[str, str]:
    """Returns the names and values of SimGrid's options, as settings does of other programs. Names
    of SimGrid have parts: network/crosstraffic."""
    return named_values(value, r"[A-Za-z][\w/-]*")


def named_values(value: object, legal_name: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Illegal("a table of names and values")
    found: dict[str, str] = {}
    for each, given in value.items():
        parts = given if isinstance(given, list) else [given]
        plain = (str, int, float) if isinstance(given, list) else (str, int, float, bool)
        named = re.fullmatch(legal_name, each)
        if not named or not parts or not all(type(part) in plain for part in parts):
            raise Illegal(f"names with texts, numbers, lists of them, or true; '{each}' is none")
        given = str(given).lower() if isinstance(given, bool) else ",".join(map(str, parts))
        if len(given.encode(errors="surrogateescape")) > MOST_BYTES:
            raise Illegal(f"values of up to {MOST_BYTES} bytes; that of '{each}' is longer")
        if CONTROL.search(given):
            raise Illegal(f"values of one line, no control characters; that of '{each}' is none")
        found[each] = given
    return found
