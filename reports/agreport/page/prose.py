# SPDX-License-Identifier: BSD-3-Clause
"""Sentences as HTML: commands, which stand between backticks, and options in code face."""

import re
from html import escape
from itertools import count

from markupsafe import Markup

from agreport.figure.text_size import unbroken

OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)(?![\w-]*[\w-])")
# An option in a command stays whole: browsers would break a line between the two dashes.
WORD, WHOLE = re.compile(r"(?<!\S)--\S+"), r'<span class="whole">\g<0></span>'


def prose(text: str) -> Markup:
    """Returns a text as HTML, with its commands and options in code face. No line breaks between a
    number and its unit."""
    parts = escape(unbroken(text), quote=False).split("`")
    return Markup("".join(map(part_of, count(), parts)))


def part_of(place: int, part: str) -> str:
    """Returns the HTML of a part of a text: at odd places of a command, at even places of the words
    between two commands."""
    if place % 2:
        return f"<code>{WORD.sub(WHOLE, part)}</code>"
    return OPTION.sub(r"<code>\1</code>", part)
