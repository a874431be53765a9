# SPDX-License-Identifier: BSD-3-Clause
"""Notes that a user gives to all launches of a sweep."""

import re
from argparse import ArgumentTypeError
from collections.abc import Iterable

from agformats.errors import BadInput
from agformats.total_sizes import ASKED

# agsweep itself writes these of each launch (Launch.notes).
OWN = ("cluster", "sweep", "build", "point", "launch", "pair", "turn", ASKED)
KEY = re.compile(r"[a-z0-9_.-]+")  # as the benchmarks have it


def read(text: str) -> tuple[str, str]:
    """Returns the key and the value of a note, which is given as KEY=VALUE. Raises
    ArgumentTypeError if the text is no note."""
    key, equals, value = text.partition("=")
    if not equals or not KEY.fullmatch(key) or not value.strip() or not value.isprintable():
        raise ArgumentTypeError(
            f"'{text}' is no note; legal: KEY=VALUE, a-z, 0-9, '_', '.' and '-' in KEY, and "
            "a printable VALUE"
        )
    return key, value.strip()


def check(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in given:
        if key in OWN:
            raise BadInput(
                f"--note {key}={value}: agsweep writes this note itself; legal: other keys than "
                f"{', '.join(OWN)}"
            )
        if key in found:
            raise BadInput(f"--note {key}={value}: {key} is given twice; legal: once")
        found[key] = value
    return found
