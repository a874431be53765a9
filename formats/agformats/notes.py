# SPDX-License-Identifier: BSD-3-Clause
"""What a user should know although nothing is wrong, such as a spelling's new name."""

import sys
from functools import cache


@cache
def note(text: str) -> None:
    """One line on standard error, once in a process."""
    print(f"note: {text}", file=sys.stderr)
