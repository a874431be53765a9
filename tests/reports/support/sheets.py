# SPDX-License-Identifier: BSD-3-Clause
"""Reads what is on a drawn figure, and how a file of one begins."""

from matplotlib.text import Text

from agreport.figure.sheet import Sheet
from agreport.figure.text_size import SMALL_PT

MAGIC = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


def texts(sheet: Sheet) -> list[str]:
    found = [artist for artist in sheet.figure.findobj(Text) if isinstance(artist, Text)]
    assert all(float(text.get_fontsize()) >= SMALL_PT for text in found if text.get_text())
    return [" ".join(text.get_text().split()) for text in found if text.get_visible()]
