# SPDX-License-Identifier: BSD-3-Clause
"""Whole numbers as a user spells them: 8, MIN:MAX, MIN:MAX:STEP, and lists of these with commas."""

import re

from agformats.errors import Illegal
from agformats.notes import note

LEGAL = "whole numbers from 1: 8, 8:256 (MIN:MAX), 8:256:8 (MIN:MAX:STEP), or a list: 2,4,8:256:8"
NUMBER = "([0-9]{1,9})"
RANGE = re.compile(f"{NUMBER}(?::{NUMBER}(?::{NUMBER})?)?")
# How 0.1.0 spelled a range.
DOTTED = re.compile(rf"{NUMBER}\s*\.\.\s*{NUMBER}(?:\s*step\s*{NUMBER})?")


def numbers(text: str) -> tuple[int, ...]:
    """In the order given, each once; at least one."""
    found: dict[int, None] = {}
    for part in text.split(","):
        found.update(dict.fromkeys(one_range(part.strip())))
    return tuple(found)


def one_range(text: str) -> range:
    dotted = DOTTED.fullmatch(text)
    match = dotted or RANGE.fullmatch(text)
    if match is None:
        raise Illegal(LEGAL)
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if not 1 <= first <= last or step < 1:
        raise Illegal(f"{LEGAL}; a range goes up, from 1 at least, by a step of 1 at least")
    if dotted:
        now = ":".join(number for number in dotted.groups() if number)
        note(f"the range '{text}' is written '{now}' now")
    return range(first, last + 1, step)
