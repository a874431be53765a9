# SPDX-License-Identifier: BSD-3-Clause
"""Which of the numbers that files have an option means: 4, 1K, 128:, 1K:256K, odd, power-of-two."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from agformats.errors import BadInput

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
NUMBER = r"([0-9]{1,15})([KMG]?)"
RANGE = re.compile(rf"(?:{NUMBER})?:(?:{NUMBER})?(?::([0-9]{{1,9}}))?")
KINDS: Mapping[str, Callable[[int], bool]] = {
    "odd": lambda number: number % 2 == 1,
    "even": lambda number: number % 2 == 0,
    "power-of-two": lambda number: number > 0 and number & (number - 1) == 0,
}
FORMS = f"numbers, ranges (128:, 1K:256K, 8:256:8), {', '.join(KINDS)}"


def chosen(option: str, texts: Iterable[str], found: Sequence[int]) -> list[int]:
    """Of the numbers found, those that one part of a list names; each part must name one."""
    parts = [part.strip() for text in texts for part in text.split(",")]
    named = {number for part in parts for number in named_by(option, part, found)}
    return [number for number in found if number in named]


def named_by(option: str, part: str, found: Sequence[int]) -> list[int]:
    if part in KINDS:
        named = [number for number in found if KINDS[part](number)]
    elif match := re.fullmatch(NUMBER, part):
        named = [number for number in found if number == value(match[1], match[2])]
    elif (match := RANGE.fullmatch(part)) and part != ":":
        first = value(match[1], match[2]) if match[1] else 0
        last = value(match[3], match[4]) if match[3] else max(found, default=0)
        step = int(match[5] or 1)
        named = [n for n in found if step and first <= n <= last and (n - first) % step == 0]
    else:
        raise BadInput(f"{option}: '{part}' is none of {FORMS}; legal: {in_short(found)}")
    if not named:
        raise BadInput(f"{option}: '{part}' is not in these files; legal: {in_short(found)}")
    return named


def value(digits: str, unit: str) -> int:
    return int(digits) * UNITS[unit]


def in_short(found: Sequence[int], most: int = 12) -> str:
    """The numbers, or the first and last of many."""
    if len(found) <= most:
        return ", ".join(map(str, found))
    return f"{', '.join(map(str, found[: most - 1]))}, ..., {found[-1]}"
