# SPDX-License-Identifier: BSD-3-Clause
"""Changes files as disks, networks, editors and scripts do."""

import random
import re
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, bytes], bytes]
SECTOR = 512


def flip_a_bit(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def change_a_digit(draw: random.Random, data: bytes) -> bytes:
    places = [at for at, byte in enumerate(data) if byte in b"0123456789"]
    if not places:
        return data
    at = draw.choice(places)
    return data[:at] + draw.choice("0123456789").encode() + data[at + 1 :]


def cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data))]


def cut_after_a_line(draw: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: draw.randrange(len(lines))])


def zero_a_sector(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(max(1, len(data) - SECTOR))
    return data[:at] + b"\0" * min(SECTOR, len(data) - at) + data[at + SECTOR :]


def put_in(text: bytes) -> Mutation:
    def mutate(draw: random.Random, data: bytes) -> bytes:
        at = draw.randrange(len(data))
        return data[:at] + text + data[at:]

    return mutate


def of_lines(change: Callable[[random.Random, list[bytes]], Sequence[bytes]]) -> Mutation:
    def mutate(draw: random.Random, data: bytes) -> bytes:
        return b"".join(change(draw, data.splitlines(keepends=True)))

    return mutate


def delete_lines(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at, count = draw.randrange(len(lines)), draw.choice([1, 1, 2, 5, 16])
    return [*lines[:at], *lines[at + count :]]


def double_lines(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at, count = draw.randrange(len(lines)), draw.choice([1, 1, 2, 5, 16])
    return [*lines[: at + count], *lines[at:]]


def move_lines(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at, count = draw.randrange(len(lines)), draw.choice([1, 1, 2, 5, 16])
    rest = [*lines[:at], *lines[at + count :]]
    to = draw.randrange(len(rest) + 1)
    return [*rest[:to], *lines[at : at + count], *rest[to:]]


def comment_out(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at = draw.randrange(len(lines))
    return [*lines[:at], b"#" + lines[at], *lines[at + 1 :]]


def empty_a_cell(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at = draw.randrange(len(lines))
    cells = lines[at].split(b",")
    cells[draw.randrange(len(cells))] = b""
    return [*lines[:at], b",".join(cells), *lines[at + 1 :]]


# No program writes these where a number or a word is expected.
ODD_VALUES = (
    *(
        "",
        ",,,",
        "x",
        "-1",
        "0",
        "1e999",
        "nan",
        "inf",
        "1_0",
        "0x10",
        "\N{ARABIC-INDIC DIGIT TWO}",
    ),
    *("9" * 19, "9" * 400, "9" * 5000, "'", "a=b=c", "1;2", "\\", "%s{0}"),
)


def odd_value(draw: random.Random) -> bytes:
    return draw.choice(ODD_VALUES).encode()


def change_a_number(draw: random.Random, data: bytes) -> bytes:
    found = list(re.finditer(rb"\d+(?:\.\d+)?", data))
    if not found:
        return data
    one = draw.choice(found)
    return data[: one.start()] + odd_value(draw) + data[one.end() :]


def change_a_value(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    """Changes a value of metadata, or of the options of an algorithm, a pattern or a command."""
    places = [at for at, line in enumerate(lines) if b"=" in line]
    if not places:
        return lines
    at = draw.choice(places)
    key, equals, value = lines[at].partition(b"=")
    end = b"\n" if value.endswith(b"\n") else b""
    return [*lines[:at], key + equals + odd_value(draw) + end, *lines[at + 1 :]]


MUTATIONS: dict[str, Mutation] = {
    "a bit flipped": flip_a_bit,
    "a digit changed": change_a_digit,
    "a number changed": change_a_number,
    "a value changed": of_lines(change_a_value),
    "cut": cut,
    "cut after a line": cut_after_a_line,
    "a sector of zeros": zero_a_sector,
    "a return": put_in(b"\r"),
    "an end of line": put_in(b"\n"),
    "a quote": put_in(b'"'),
    "a comma": put_in(b","),
    "bytes that are no UTF-8": put_in(b"\xff\xfe\x80"),
    "a huge field": put_in(b"9" * 100_000),
    "lines deleted": of_lines(delete_lines),
    "lines doubled": of_lines(double_lines),
    "lines moved": of_lines(move_lines),
    "a line commented out": of_lines(comment_out),
    "a cell emptied": of_lines(empty_a_cell),
}


# People and scripts do this to lines of `key = value`.
VALUES = (
    *(
        "0",
        "-1",
        "1",
        "99999",
        "1000001",
        "1e999",
        "nan",
        "true",
        '""',
        "[]",
        "{}",
        "[[]]",
        "[1, 1]",
    ),
    *(
        '"1:99999"',
        '"1:1000000"',
        '"0"',
        '"1G"',
        '"99999G"',
        '"2h"',
        '"99999d"',
        '"%"',
        '"5%"',
        '"a b"',
    ),
    *(
        '"{"',
        '"{ranks} {program}"',
        '"\\u0000"',
        '"\\n"',
        '"\\u00e9"',
        "1979-05-27",
        '"/"',
        '"none"',
    ),
)


def exchange_values(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    """Exchanges the values of two keys."""
    at = draw.sample(range(len(lines)), 2)
    (a, is_a, before), (b, is_b, after) = (lines[each].partition(b"=") for each in at)
    changed = [*lines]
    if is_a and is_b:
        changed[at[0]], changed[at[1]] = a + is_a + after, b + is_b + before
    return changed


def another_value(draw: random.Random, lines: list[bytes]) -> Sequence[bytes]:
    at = draw.randrange(len(lines))
    key, equals, _ = lines[at].partition(b"=")
    value = draw.choice(VALUES).encode() + b"\n"
    return [*lines[:at], key + equals + value, *lines[at + 1 :]] if equals else lines


# Several times each, since most of the others leave no file that can be read at all.
OF_SETTINGS: dict[str, Mutation] = {
    f"{name} {number}": of_lines(change)
    for name, change in (("values exchanged", exchange_values), ("another value", another_value))
    for number in range(8)
}
