# SPDX-License-Identifier: BSD-3-Clause
"""How large text is on paper, in the one size that figures have."""

import re
from functools import cache
from textwrap import fill

import numpy as np
from matplotlib.path import Path
from matplotlib.textpath import TextPath

CM = 1 / 2.54  # in inches
POINTS_A_CM = 72 * CM
SMALL_PT = 7.0
DIGIT_PT = 0.64 * SMALL_PT  # the width of the font's digits
LINE_CM = 0.36
CHARACTERS_A_CM = 6.82  # of a line, on average
# Between a number and its unit or percent sign.
UNIT = re.compile(r"(?<=\d) (?=(?:%|[mnµ]?s|[KMG]iB|B|t)(?![\w]))")
TITLE_A_CM = 6  # of a panel's title, which is a point larger


def unbroken(text: str) -> str:
    """With spaces between numbers and units that no line ends at."""
    return UNIT.sub("\N{NO-BREAK SPACE}", text)


def wrapped(text: str, width_cm: float, characters_a_cm: float = CHARACTERS_A_CM) -> str:
    """In lines of that width, about; words with a hyphen stay whole."""
    return fill(unbroken(text), max(8, int(width_cm * characters_a_cm)), break_on_hyphens=False)


@cache
def text_cm(text: str) -> float:
    """The width of one line."""
    if not text:
        return 0.0
    # Glyphs have points where they are widest, so their curves need not be searched for these.
    outline = TextPath((0, 0), text, size=SMALL_PT)
    across = outline.vertices[outline.codes != Path.CLOSEPOLY, 0]
    return float(np.ptp(across)) / POINTS_A_CM if len(across) else 0.0
