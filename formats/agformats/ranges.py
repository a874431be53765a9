# SPDX-License-Identifier: BSD-3-Clause
"""Whole numbers as a user spells them: 8, MIN:MAX, MIN:MAX:STEP, and lists of these with commas."""

import re

from agformats.errors import Illegal
from agformats.notes import note

FORMS = "8, 8:256 (MIN:MAX), 8:256:8 (MIN:MAX:STEP), or a list: 2,4,8:256:8"
LEGAL = f"whole numbers from 1: {FORMS}"
NUMBER = "([0-9]{1,9})"
RANGE = re.compile(f"{NUMBER}(?::{NUMBER}(?::{NUMBER})?)?")
MOST = 1_000_000  # numbers of a range; more are a slip, and fill the memory
# Version 0.1.0 spelled a range so.
DOTTED = re.compile(rf"{NUMBER}\s*\.\.\s*{NUMBER}(?:\s*step\s*{NUMBER})?")


def numbers(text: str, least: int = 1) -> tuple[int, ...]:
    """Returns the numbers in the order given, each once; at least one."""
    found: dict[int, None] = {}
    for part in text.split(","):
        if len(some := one_range(part.strip(), least)) > MOST:
            raise Illegal(f"whole numbers from {least}: {FORMS}; at most {MOST} of them")
        found.update(dict.fromkeys(some))
    return tuple(found)


def one_range(text: str, least: int) -> range:
    legal = f"whole numbers from {least}: {FORMS}"
    dotted = DOTTED.fullmatch(text)
    match = dotted or RANGE.fullmatch(text)
    if match is None:
        raise Illegal(legal)
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if not least <= first <= last or step < 1:
        raise Illegal(f"{legal}; a range goes up, from {least} at least, by a step of 1 at least")
    if dotted:
        now = ":".join(number for number in dotted.groups() if number)
        note(f"the range '{text}' is written '{now}' now")
    return range(first, last + 1, step)
