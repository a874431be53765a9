# SPDX-License-Identifier: BSD-3-Clause
"""Includes and imports go down only (docs/development/design.md)."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from shared.rooms import DESIGN, ROOT, Order, order_of

# Parts that a part uses. A part is a path from the root without its suffix.
Uses = dict[str, set[str]]

PACKAGES = {"agformats": "formats", "agreport": "reports", "agsweep": "jobs"}


@pytest.fixture(scope="module")
def order() -> Order:
    return order_of(DESIGN.read_text(encoding="utf-8"))


def sources(folders: Iterable[str], *suffixes: str) -> list[Path]:
    """Yields the sources in these folders of the root, and in those below them."""
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes
    )


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


def included(text: str) -> set[str]:
    headers = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)
    # The build writes what stands in no folder: gatherbench_version.h.
    return {str(Path(header).with_suffix("")) for header in headers if "/" in header}


def imported(text: str, part: str) -> Iterator[str]:
    """Modules of ours, as parts; of a package, its __init__."""
    module = part.split("/")[1:]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (found for each in node.names for found in module_named(each.name))
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module[: len(module) - node.level]) if node.level else ""
            start = ".".join(filter(None, [base, node.module or ""]))
            for each in node.names:
                # from folder import module, or from module import function
                yield from list(module_named(f"{start}.{each.name}")) or module_named(start)


def module_named(name: str) -> Iterator[str]:
    package, *rest = name.split(".")
    if package in PACKAGES:
        path = ROOT.joinpath(PACKAGES[package], package, *rest)
        for found in (path.with_suffix(".py"), path / "__init__.py"):
            if found.exists():
                yield part_of(found)


@pytest.fixture(scope="module")
def uses(order: Order) -> Uses:
    found: Uses = defaultdict(set)
    for path in sources(order.floors, ".h", ".cpp", ".inc"):
        found[part_of(path)] |= included(path.read_text(encoding="utf-8")) - {part_of(path)}
    for path in sources(order.floors, ".py"):
        if set(path.relative_to(ROOT).parts) & PACKAGES.keys():
            found[part_of(path)] |= set(imported(path.read_text(encoding="utf-8"), part_of(path)))
    assert len(found) > 500 and sum(map(len, found.values())) > 2000  # they were found
    return found


def faults(order: Order, uses: Uses) -> list[str]:
    return sorted(filter(None, (order.fault(part, used) for part in uses for used in uses[part])))


def test_rooms_use_lower_floors(order: Order) -> None:
    for room, used in order.may_use.items():
        assert all(order.floors[other] < order.floors[room] for other in used)


def test_rooms_are_the_folders_at_the_top(order: Order) -> None:
    beside = ("build", ".", "docs", "results", "tests")
    folders = [each for each in ROOT.iterdir() if each.is_dir()]
    with_sources = {
        folder.name
        for folder in folders
        if not folder.name.startswith(beside)
        and any(path.suffix in (".cpp", ".h", ".py", ".sh") for path in folder.rglob("*"))
    }
    assert with_sources - {"cmake"} == set(order.floors)


def test_every_part_has_its_place(order: Order, uses: Uses) -> None:
    assert [part for part in uses if order.place(part) is None] == []


def test_every_folder_of_the_table_is_there(order: Order) -> None:
    named = {
        f"{room}/{folder}"
        for room, layers in order.layers.items()
        for layer in layers
        for folder in layer
    }
    there = {one for one in named if (ROOT / one).is_dir() or (ROOT / f"{one}.py").exists()}
    assert named == there


def test_everything_goes_down(order: Order, uses: Uses) -> None:
    assert faults(order, uses) == []


def test_no_part_uses_itself_by_way_of_others(uses: Uses) -> None:
    TopologicalSorter(uses).prepare()  # or raises a CycleError that names them


def test_a_circle_is_found() -> None:
    texts = {
        "jobs/agsweep/states": "from . import queue",
        "jobs/agsweep/queue": "def f():\n    from agsweep.states import progress",
    }
    with pytest.raises(CycleError):
        TopologicalSorter({part: set(imported(texts[part], part)) for part in texts}).prepare()


@pytest.mark.parametrize(
    ("part", "used", "why"),
    [
        ("bench/plan/setup", "bench/conditions/traffic", ""),
        ("bench/benchmark", "runtime/mpi/plans/plan", ""),
        ("bench/plan/cases", "bench/measure/calls", "which is not below it"),
        ("bench/duet/link", "bench/conditions/traffic", "which is not below it"),  # in one layer
        ("runtime/mpi/handles", "runtime/mpi/plans/plan", "which is not below it"),
        ("algorithms/rings/ring", "bench/plan/cases", "which is not below it"),
        ("algorithms/rings/ring", "distributions/block_sizes", "which is not below it"),
        ("distributions/block_sizes", "formats/text/parse", ""),
        ("bench/new/a", "bench/plan/cases", "bench/new/a has no place"),
        ("new/a", "formats/text/parse", "new/a has no place"),
        ("formats/agformats/units", "formats/agformats/files/outputs", "which is not below it"),
        ("jobs/agsweep/main", "reports/agreport/main", "which is not below it"),
        ("reports/agreport/compare/sides", "reports/agreport/page/command", "not below"),
        ("reports/agreport/data/load", "reports/agreport/__init__", "which is not below it"),
        ("reports/agreport/compare/command", "reports/agreport/cli/render", ""),
    ],
)
def test_faults_are_found(order: Order, part: str, used: str, why: str) -> None:
    found = order.fault(part, used)
    assert why in found if why else found == ""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import agformats.units", ["formats/agformats/units"]),
        (
            "from agformats import units, paths",
            ["formats/agformats/units", "formats/agformats/paths"],
        ),
        ("from agformats.units import seconds", ["formats/agformats/units"]),
        ("def f():\n    from agreport.cli import render", ["reports/agreport/cli/render"]),
        ("from . import trace", ["reports/agreport/times/__init__"]),
        ("from .series import x", ["reports/agreport/times/series"]),
        ("from ..cli import render", ["reports/agreport/cli/render"]),
        ("from .. import load", ["reports/agreport/__init__"]),
        ("import numpy", []),
    ],
)
def test_imports_are_found(line: str, found: list[str]) -> None:
    assert list(imported(line, "reports/agreport/times/scaling")) == found
