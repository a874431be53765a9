# SPDX-License-Identifier: BSD-3-Clause
"""The gallery has every kind of figure, and a picture of it that its own command drew.

That its commands run is tested with the other documents' (test_blocks.py). If figures are meant to
change: GATHERBENCH_STORE_FIGURES=1 pytest, with the name of this file, makes the pictures anew.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from agreport.commands import reports
from program.support.folders import ROOT
from program.support.launch import Build

from .blocks import blocks
from .test_blocks import run

PAGE = ROOT / "docs" / "reference" / "gallery.md"
PICTURES = ROOT / "docs" / "figures" / "gallery"
WIDTH = 480
KINDS = {report.name for report in reports() if report.draw}
DRAWN = re.compile(r"agreport (\S+) .*?-o (\S+)\.png")


def drawn() -> list[tuple[str, str]]:
    """(command, picture) of each block that draws."""
    return [found for block in blocks(PAGE) for found in DRAWN.findall(block.text)]


def test_each_kind_of_figure_has_a_command() -> None:
    assert len(KINDS) > 20  # they were found
    assert sorted(name for name, _ in drawn()) == sorted(KINDS)


def test_each_command_has_its_picture_behind_it() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(\.\./figures/gallery/(\S+)\.png\)", PAGE.read_text())
    assert shown == [picture for _, picture in drawn()] == [name for name, _ in drawn()]
    assert {path.stem for path in PICTURES.iterdir()} == KINDS


@pytest.mark.skipif(
    not os.environ.get("GATHERBENCH_STORE_FIGURES"), reason="GATHERBENCH_STORE_FIGURES is not set"
)
def test_pictures_are_stored(build: Build, tmp_path: Path) -> None:
    """The programs draw them anew; where one cannot run here, the picture stays as it was."""
    for path in ROOT.iterdir():
        if not path.name.startswith((".git", "build", "results")):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "build").symlink_to(build.folder)
    for block in blocks(PAGE):
        if block.runs or ("namespaces" in block.info and shutil.which("unshare")):
            run(block, tmp_path)
    for _, picture in drawn():
        with Image.open(tmp_path / f"{picture}.png") as whole:
            high = round(whole.height * WIDTH / whole.width)
            small = whole.convert("RGB").resize((WIDTH, high), Image.Resampling.LANCZOS)
            small.quantize(64).save(PICTURES / f"{picture}.png", optimize=True)
