# SPDX-License-Identifier: BSD-3-Clause
"""Finds which of the numbers that files have an option means: 4, 1K, 128:, 1K:256K, odd,
power-of-two."""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from agformats.errors import BadInput

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
NUMBER = r"([0-9]{1,15})([KMGTkmgt]?)(?:i?B)?"  # as --sizes of the benchmarks takes it
RANGE = re.compile(rf"(?:{NUMBER})?:(?:{NUMBER})?(?::([0-9]{{1,9}}))?")
KINDS: Mapping[str, Callable[[int], bool]] = {
    "odd": lambda number: number % 2 == 1,
    "even": lambda number: number % 2 == 0,
    "power-of-two": lambda number: number > 0 and number & (number - 1) == 0,
}
FORMS = f"numbers, ranges (128:, 1K:256K, 8:256:8), {', '.join(KINDS)}"


def chosen(option: str, texts: Iterable[str], found: Sequence[int]) -> list[int]:
    """Returns those of the found numbers that some part of the comma lists names. Raises BadInput
    if a part is not legal or names none of them."""
    parts = [part.strip() for text in texts for part in text.split(",")]
    named = {number for part in parts for number in named_by(option, part, found)}
    return [number for number in found if number in named]


def named_by(option: str, part: str, found: Sequence[int]) -> list[int]:
    means = KINDS.get(part) or meaning(part)
    if means is None:
        raise BadInput(f"{option}: '{part}' is none of {FORMS}; legal: {in_short(found)}")
    named = [number for number in found if means(number)]
    if not named:
        raise BadInput(f"{option}: '{part}' is not in these files; legal: {in_short(found)}")
    return named


def meaning(part: str) -> Callable[[int], bool] | None:
    """Returns a function that says whether a number is the one, or in the range, that the part
    spells; None if the part is neither a number nor a range."""
    if match := re.fullmatch(NUMBER, part):
        return partial(operator.eq, value(match[1], match[2]))
    if part == ":" or not (match := RANGE.fullmatch(part)):
        return None
    first = value(match[1], match[2]) if match[1] else 0
    last = value(match[3], match[4]) if match[3] else math.inf
    step = int(match[5] or 1)
    return lambda number: step > 0 and first <= number <= last and (number - first) % step == 0


def value(digits: str, unit: str) -> int:
    return int(digits) * UNITS[unit.upper()]


def in_short(found: Sequence[int], most: int = 12) -> str:
    """Returns the numbers as text; of more than `most` the first ones and the last."""
    if len(found) <= most:
        return ", ".join(map(str, found))
    return f"{', '.join(map(str, found[: most - 1]))}, ..., {found[-1]}"
