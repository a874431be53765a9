# SPDX-License-Identifier: BSD-3-Clause
"""Imports of the Python packages go down only, and never in a circle."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SOURCES = {"agformats": "formats", "agreport": "reports", "agsweep": "jobs"}
# From the bottom up. A folder may import what is below it in its own column, and itself; folders
# in one row do not import each other. `agreport` alone is its __init__.py, the Python API, which
# Python runs first; so it imports ours only in its functions, and nothing else imports names of it.
ORDERS = (
    (("agformats",), ("agsweep",)),
    (
        ("agformats",),
        ("agreport.data",),
        ("agreport.stats",),
        ("agreport.figure",),
        ("agreport.cli",),
        ("agreport.diagnostics",),
        (
            "agreport.winners",
            "agreport.times",
            "agreport.arrivals",
            "agreport.schedules",
            "agreport.trace",
            "agreport.tune",
            "agreport.compare",
        ),
        ("agreport.page",),
        ("agreport.commands",),
        ("agreport.main",),
        ("agreport",),
    ),
)

Imports = dict[str, set[str]]


def sources() -> dict[str, str]:
    """Every module -> its text; a package is the module that its __init__.py is."""
    found: dict[str, str] = {}
    for package, folder in SOURCES.items():
        for path in (ROOT / folder / package).rglob("*.py"):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            found[name] = path.read_text(encoding="utf-8")
    return found


def imports_of(texts: dict[str, str]) -> Imports:
    """Every module -> the modules of ours that it imports, anywhere in it."""
    packages = {name.rpartition(".")[0] for name in texts} | SOURCES.keys()
    return {
        name: {
            # from folder import module, or from module import function
            imported if imported in texts else imported.rpartition(".")[0]
            for imported in imported_names(ast.parse(text), name, name in packages)
            if imported.partition(".")[0] in SOURCES
        }
        for name, text in texts.items()
    }


def imported_names(tree: ast.Module, module: str, is_package: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            up = node.level - is_package  # so many parts of its name a relative import leaves out
            base = parts[: len(parts) - up] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def folder_of(module: str) -> str:
    """agreport.data.load -> agreport.data; the others are one folder a package."""
    package, *rest = module.split(".")
    return f"agreport.{rest[0]}" if package == "agreport" and rest else package


def allowed() -> Imports:
    """Every folder -> the folders that it may import."""
    found: Imports = {}
    for order in ORDERS:
        below: set[str] = set()
        for row in order:
            found |= {folder: below | {folder} for folder in row}
            below = below | set(row)
    return found


def upward(imports: Imports) -> list[str]:
    """The imports that do not go down."""
    may = allowed()
    return [
        f"{module} imports {imported}"
        for module, found in sorted(imports.items())
        for imported in sorted(found)
        if folder_of(imported) not in may.get(folder_of(module), set())
    ]


def test_every_folder_has_its_place() -> None:
    assert {folder_of(module) for module in sources()} == set(allowed())


def test_imports_go_down() -> None:
    imports = imports_of(sources())
    assert sum(map(len, imports.values())) > 300  # they were found
    assert upward(imports) == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(imports_of(sources())).prepare()  # or raises a CycleError that names them


@pytest.mark.parametrize(
    ("module", "line", "imported"),
    [
        ("agformats.units", "from agreport import main", "agreport.main"),
        ("agformats.units", "import agsweep.sweep.sweep_file", "agsweep.sweep.sweep_file"),
        ("agsweep.sweep.sweep_file", "from agreport.data.load import load", "agreport.data.load"),
        ("agreport.data.load", "from agreport.cli import render", "agreport.cli.render"),
        ("agreport.data.load", "from ..cli.render import text", "agreport.cli.render"),
        ("agreport.times.series", "def f():\n from agreport.trace import calls", "agreport.trace"),
        ("agreport.compare", "from ..page import command", "agreport.page.command"),
        ("agreport.stats.times", "from agsweep import main", "agsweep.main"),
    ],
)
def test_an_import_that_goes_up_is_found(module: str, line: str, imported: str) -> None:
    (found,) = upward(imports_of({**sources(), module: line}))
    assert found.startswith(f"{module} imports {imported}")


def test_a_circle_is_found() -> None:
    texts = {
        "agsweep.states": "from . import plan",
        "agsweep.plan": "from agsweep.states import read",
    }
    with pytest.raises(CycleError):
        TopologicalSorter(imports_of(texts)).prepare()
