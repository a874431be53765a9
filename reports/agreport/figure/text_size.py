# SPDX-License-Identifier: BSD-3-Clause
"""Computes how large text is on paper, and where its lines end."""

import re
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

CM = 1 / 2.54  # in inches
POINTS_A_CM = 72 * CM
SMALL_PT = 7.0  # all text but for titles
TITLE_PT, HEAD_PT = SMALL_PT + 1, SMALL_PT + 2  # titles of a panel and of the figure
DIGIT_PT = 0.64 * SMALL_PT  # the width of the font's digits
LINE_CM = 0.36
# The space between a number and its unit or percent sign.
UNIT = re.compile(r"(?<=\d) (?=(?:%|[mnµ]?s|[KMG]iB|B|t)(?![\w]))")
BREAKS = re.compile(r"[ \t]+")  # not the no-break space between a number and its unit


def unbroken(text: str) -> str:
    """Replaces spaces between numbers and units by such at which no line ends."""
    return UNIT.sub("\N{NO-BREAK SPACE}", text)


def wrapped(text: str, width_cm: float, size_pt: float = SMALL_PT) -> str:
    """Breaks text into lines that are no wider than width_cm. Lines end at spaces; only a word that
    is wider is cut. Line ends of the text stay."""
    room_cm = width_cm * SMALL_PT / size_pt
    return "\n".join(line for part in text.split("\n") for line in wrapped_line(part, room_cm))


def wrapped_line(text: str, room_cm: float) -> list[str]:
    lines: list[str] = []
    left_cm = 0.0
    for word in BREAKS.split(unbroken(text)):
        word_cm = text_cm(f" {word}")
        if not lines or word_cm > left_cm:
            *full, rest = cut(word, room_cm)
            lines += [*full, rest]
            left_cm = room_cm - text_cm(rest)
        else:
            lines[-1] += f" {word}"
            left_cm -= word_cm
    return lines


def cut(word: str, room_cm: float) -> list[str]:
    """Cuts a word into pieces that are no wider than room_cm; each has a letter at least."""
    pieces = [""]
    for letter in word if text_cm(word) > room_cm else [word]:
        if pieces[-1] and text_cm(pieces[-1] + letter) > room_cm:
            pieces.append("")
        pieces[-1] += letter
    return pieces


@cache
def text_cm(text: str) -> float:
    """Returns the width in cm of one line of text at SMALL_PT."""
    font = FontProperties(size=SMALL_PT)
    width_pt, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width_pt) / POINTS_A_CM
