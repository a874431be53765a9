# SPDX-License-Identifier: BSD-3-Clause
"""Letters that the font of figures does not have, as of names of files in Chinese: matplotlib warns
of each with the path of its sources, and draws a box."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agformats.notes import tell

# This is what matplotlib says of a missing letter, by its number in Unicode.
GLYPH = re.compile(r"Glyph (\d+) ")


@contextmanager
def missing_letters_named() -> Iterator[None]:
    """Says in one line which they are, when all is drawn. Other warnings stay as they are."""
    missing: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("always", "Glyph ")
        show = warnings.showwarning

        def collect(message: Warning | str, *where: Any, **place: Any) -> None:
            if found := GLYPH.match(str(message)):
                missing[chr(int(found[1]))] = None
            else:
                show(message, *where, **place)

        warnings.showwarning = collect
        yield
    if missing:
        letters = " ".join(missing)
        tell(f"agreport: note: the font of figures lacks {letters}; PNG and PDF have boxes instead")
