# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the build costs: it once compiled a third of the sources twice."""

import functools
import json
import re
from collections import Counter
from pathlib import Path

from .support.folders import ROOT
from .support.launch import Build


@functools.cache
def ours() -> list[Path]:
    """C++ sources of the product."""
    rooms = [path for path in ROOT.iterdir() if path.is_dir()]
    left_out = ("build", ".", "docs", "tests", "results")
    return [
        path
        for room in rooms
        if not room.name.startswith(left_out)
        for path in room.rglob("*")
        if path.suffix in (".h", ".cpp", ".inc")
    ]


def test_each_source_is_compiled_once(build: Build) -> None:
    commands = json.loads((build.folder / "compile_commands.json").read_text())
    files = [Path(entry["file"]) for entry in commands]
    often = Counter(path for path in files if path.name != "cmake_pch.hxx.cxx")
    assert ROOT / "runtime" / "mpi" / "plans" / "plan.cpp" in often  # they were found
    assert [str(path) for path, count in often.items() if count > 1] == []


def test_few_sources_see_the_parser() -> None:
    """CLI11's header costs a source three seconds."""
    seen = [path for path in ours() if re.search(r"#include [<\"]CLI/", path.read_text())]
    text = ROOT / "formats" / "text"
    assert sorted(seen) == [text / "option_table.cpp"]


def test_nothing_is_formatted_into_an_iterator() -> None:
    """It instantiates all of {fmt}, in three seconds; `text += fmt::format()` takes 0.4."""
    assert [str(path) for path in ours() if "fmt::format_to(" in path.read_text()] == []
