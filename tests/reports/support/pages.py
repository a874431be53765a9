# SPDX-License-Identifier: BSD-3-Clause
"""Pages with few figures, for tests of what is said around them."""

import pytest

from agreport.page import command
from agreport.page.chapters import CHAPTERS


def draw_only(patch: pytest.MonkeyPatch, *reports: str) -> None:
    """Draws those figures of a page that the test looks at; none: only what is said around them."""
    chosen = {
        fold: [one for one in chapter if one.name in reports] for fold, chapter in CHAPTERS.items()
    }
    patch.setattr(command, "CHAPTERS", chosen)
