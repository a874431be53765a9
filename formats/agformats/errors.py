# SPDX-License-Identifier: BSD-3-Clause
"""What a user did wrong, in one line: the option or file, the value and the legal ones."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class BadInput(Exception):
    """Printed by main as one line; the exit code is 2."""


def check_known(option: str, values: Iterable[str], legal: Sequence[str], what: str) -> None:
    """Refuse the first of `values` that is not legal, with the nearest one that is."""
    for value in values:
        if value not in legal:
            nearest = get_close_matches(value, legal, n=1)
            hint = f" (nearest: {nearest[0]})" if nearest else ""
            raise BadInput(f"{option}: '{value}' is not {what}; legal: {', '.join(legal)}{hint}")
