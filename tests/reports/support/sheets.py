# SPDX-License-Identifier: BSD-3-Clause
"""Reads what is on a drawn figure, and how a file of one begins."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

from matplotlib.text import Text

from agreport.figure.medium import ENDINGS
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import SMALL_PT
from agreport.main import main

MAGIC = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


def texts(sheet: Sheet) -> list[str]:
    found = [artist for artist in sheet.figure.findobj(Text) if isinstance(artist, Text)]
    assert all(float(text.get_fontsize()) >= SMALL_PT for text in found if text.get_text())
    return [" ".join(text.get_text().split()) for text in found if text.get_visible()]


def check_files(
    folder: Path,
    command: str,
    *more: object,
    kinds: Sequence[str] = ENDINGS,
    twice: Sequence[str] = (".svg",),
) -> str:
    """Runs a command that draws, and writes its sheet as a file of each kind; once more for those
    kinds of which the same input has to give the same file. Returns the SVG."""
    write = Sheet.write
    for name, wanted in (("figure.pdf", kinds), ("again.svg", twice)):
        path = folder / name

        def write_all(sheet: Sheet, path: Path, wanted: Sequence[str] = wanted) -> None:
            for kind in wanted:
                write(sheet, path.with_suffix(kind))

        with patch.object(Sheet, "write", write_all):
            assert main([*command.split(), *map(str, more), "-o", str(path)]) == 0
        for kind in wanted:
            data = path.with_suffix(kind).read_bytes()
            assert data.startswith(MAGIC[kind])
            assert data == (folder / f"figure{kind}").read_bytes()
    drawn = (folder / "figure.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn.encode()).tag.endswith("svg")
    return drawn
