# SPDX-License-Identifier: BSD-3-Clause
"""No include and no import goes up a floor, or to another room on the same one."""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

import pytest

ROOT = Path(__file__).parents[1]

# From the ground up. Rooms on one floor do not know each other. A room of several folders is a
# tuple.
Room = str | tuple[str, ...]
Floors = Sequence[Sequence[Room]]
BENCH = tuple(
    f"bench{part}"
    for part in ("", "/duet", "/measure", "/native", "/options", "/process", "/results", "/setup")
)
CPP: Floors = [
    ["."],  # what the build writes
    ["text"],
    ["topology"],
    ["algorithms", "distributions", "arrivals"],
    ["analysis", "mpi"],
    ["inspect", "trace", BENCH],
]
PYTHON: Floors = [["agformats"], ["agreport", "agsweep"]]
ON_TOP = ("docs/examples/", "tests/")  # may know everything


def faults(floors: Floors, arrows: Iterable[tuple[str, str, str]]) -> list[str]:
    """arrows: what is said of each, the folder that it starts from, the folder that it goes to."""
    place = {
        folder: (floor, room)
        for floor, rooms in enumerate(floors)
        for room in rooms
        for folder in ([room] if isinstance(room, str) else room)
    }
    found = []
    for text, start, end in arrows:
        if unknown := [folder for folder in (start, end) if folder not in place]:
            found.append(f"{text}: {unknown[0]} is on no floor")
        elif place[start] != place[end] and place[start][0] <= place[end][0]:
            found.append(f"{text}: {end} is not below {start}")
    return found


def tracked(*patterns: str) -> Iterator[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"the sources are in no git repository: {done.stderr.strip()}")
    return (file for file in done.stdout.splitlines() if (ROOT / file).exists())


def includes() -> Iterator[tuple[str, str, str]]:
    for file in tracked("*.h", "*.inc", "*.cpp"):
        if file.startswith(ON_TOP):
            continue
        for header in re.findall(r'^\s*#\s*include "([^"]+)"', (ROOT / file).read_text(), re.M):
            yield f"{file} includes {header}", folder_of(file), folder_of(header)


def folder_of(file: str) -> str:
    return str(PurePath(file).parent)


def imports() -> Iterator[tuple[str, str, str]]:
    """Of our packages, whole packages alone."""
    packages = [package for rooms in PYTHON for package in rooms]
    for file in tracked("formats/*.py", "jobs/agsweep/*.py", "reports/*.py"):
        start = PurePath(file).parts[1]
        for node in ast.walk(ast.parse((ROOT / file).read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                if name.partition(".")[0] in packages:
                    yield f"{file} imports {name}", start, name.partition(".")[0]


def test_includes_go_down() -> None:
    arrows = list(includes())
    assert len(arrows) > 300
    assert faults(CPP, arrows) == []


def test_imports_go_down() -> None:
    arrows = list(imports())
    assert len(arrows) > 50
    assert faults(PYTHON, arrows) == []


@pytest.mark.parametrize(
    ("start", "end", "fault"),
    [
        ("low", "low", None),
        ("high", "low", None),
        ("high", "high/part", None),
        ("low", "high/part", "a: high/part is not below low"),
        ("other", "high", "a: high is not below other"),
        ("high/new", "low", "a: high/new is on no floor"),
        ("high", "new", "a: new is on no floor"),
    ],
)
def test_faults_are_found(start: str, end: str, fault: str | None) -> None:
    floors: Floors = [["low"], ["other", ("high", "high/part")]]
    assert faults(floors, [("a", start, end)]) == ([fault] if fault else [])
