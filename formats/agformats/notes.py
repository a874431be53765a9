# SPDX-License-Identifier: BSD-3-Clause
"""Tells a user what to know although nothing is wrong, such as a spelling's new name."""

import sys
from functools import cache

from agformats.errors import in_one_line


def tell(text: str) -> None:
    """Prints one line on standard error, with escapes for what is not printable. So names from
    files of others cannot change a terminal, also where a Python program called this and no main
    has taken care of the streams."""
    print(in_one_line(text), file=sys.stderr)


@cache
def note(text: str) -> None:
    """Prints one line on standard error, the same text once in a process."""
    tell(f"note: {text}")
