# SPDX-License-Identifier: BSD-3-Clause
"""Tells a user what to know although nothing is wrong, such as a spelling's new name."""

import sys
from functools import cache

from agformats.errors import in_one_line


def tell(text: str) -> None:
    """One line on standard error. Names from files of others cannot change a terminal by it, also
    where a Python program called us and no main has taken care of the streams."""
    print(in_one_line(text), file=sys.stderr)


@cache
def note(text: str) -> None:
    """One line on standard error, once in a process."""
    tell(f"note: {text}")
