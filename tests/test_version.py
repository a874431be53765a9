# SPDX-License-Identifier: BSD-3-Clause
"""VERSION is the one place of the version; the changelog begins with it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import agreport.main
import agsweep.main
from agformats.catalogue import catalogue

ROOT = Path(__file__).parents[1]
VERSION = (ROOT / "VERSION").read_text().strip()


def test_the_catalogue_is_of_this_version() -> None:
    assert catalogue().suite == f"gatherbench {VERSION}"


@pytest.mark.parametrize("program", [agreport.main.main, agsweep.main.main])
def test_programs_say_it(
    program: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        program(["--version"])
    name = program.__module__.partition(".")[0]
    assert (ended.value.code, capsys.readouterr().out) == (0, f"{name} {VERSION}\n")


def test_the_changelog_begins_with_it() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == VERSION
