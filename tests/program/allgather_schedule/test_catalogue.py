# SPDX-License-Identifier: BSD-3-Clause
"""`allgather_schedule catalogue`: what there is, for people and for programs."""

import json
import re
import subprocess
import sys
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ..support.algorithms import (
    ALGORITHMS,
    ALLREDUCES,
    ALLTOALLS,
    ARRIVAL_AWARE,
    BCASTS,
    LIBRARY_CALLS,
    LOCH2021,
    NAMES,
    PARAMETERS,
    PROFICZ2021,
    REDUCTIONS,
    SETS,
)
from ..support.folders import ROOT
from ..support.inputs import STEADY
from ..support.launch import Build

pytestmark = pytest.mark.slow

# C++ has these defaults, and the command line takes them so.
DEFAULTS = {
    "bruck": [("list", "2")],
    "pipelined_ring": [("bytes", "32K")],
    "bdr": [("time", "measured")],
    "leader": [("algorithm", "bruck_in_place")],
}
TITLES = {
    "bdr": "BDR",
    "half_full": "Half-full",
    "recursive_doubling": "Recursive doubling",
    "sparbit": "Sparbit",
    "as launched": "As launched",
}


@pytest.fixture(scope="module")
def text(build: Build) -> str:
    ended = build.schedule("catalogue", "--json")
    assert (ended.exit_code, ended.stderr) == (0, "")
    return ended.stdout


@pytest.fixture(scope="module")
def catalogue(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def test_a_row_has_a_line(text: str, catalogue: dict[str, Any]) -> None:
    """A change of one row then changes one line of formats/agformats/catalogue.json."""
    lines = [line.removesuffix(",") for line in text.splitlines() if line.startswith('{"')]
    tables = [value for value in catalogue.values() if isinstance(value, list)]
    assert [json.loads(line) for line in lines] == [
        row for table in tables for row in table if isinstance(row, dict)
    ]


def gathers(catalogue: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in catalogue["algorithms"] if "allgather" in row["collectives"]]


def test_suite(catalogue: dict[str, Any]) -> None:
    """The release, without the commit, which would change with each."""
    assert catalogue["suite"].split()[0] == "gatherbench"
    assert catalogue["suite"].split()[1].replace(".", "").isdigit()
    assert names(catalogue["collectives"]) == [
        "allgather",
        "allgatherv",
        "alltoall",
        "bcast",
        "reduce",
        "allreduce",
    ]
    kinds = [row["kind"] for row in catalogue["collectives"]]
    assert kinds == ["allgather", "allgather", "alltoall", "bcast", "reduce", "allreduce"]


def test_sets(catalogue: dict[str, Any]) -> None:
    sets = {row["name"]: row["algorithms"] for row in catalogue["algorithm_sets"]}
    assert list(sets) == SETS
    assert sets["loch2021"] == LOCH2021
    assert sets["proficz2021"] == PROFICZ2021
    of_others = dict.fromkeys([*ALLTOALLS, *BCASTS, *REDUCTIONS, *ALLREDUCES])
    others = [name for name in of_others if name not in ALGORITHMS]
    assert sets["all"] == [*ALGORITHMS[:-1], *others, "native"]
    assert sets["arrival_aware"] == ARRIVAL_AWARE
    assert sets["regular"] == [name for name in sets["all"] if name not in ARRIVAL_AWARE]
    growing = {row["name"]: row["step_growth"] for row in catalogue["algorithms"]}
    for growth in ("linear", "logarithmic"):
        grow_so = [name for name in sets["all"] if growing[name] == growth]
        assert sets[f"{growth}-steps"] == grow_so
    assert {*growing.values()} == {"linear", "logarithmic", "other"}


def test_algorithms(catalogue: dict[str, Any]) -> None:
    exchanges = [row for row in catalogue["algorithms"] if "alltoall" in row["collectives"]]
    assert sorted(names(exchanges)) == sorted([*ALLTOALLS, "adaptive", *LIBRARY_CALLS])
    broadcasts = [row for row in catalogue["algorithms"] if "bcast" in row["collectives"]]
    assert sorted(names(broadcasts)) == sorted([*BCASTS, "adaptive", *LIBRARY_CALLS])
    reductions = [row for row in catalogue["algorithms"] if "reduce" in row["collectives"]]
    assert sorted(names(reductions)) == sorted([*REDUCTIONS, "adaptive", *LIBRARY_CALLS])
    of_allreduce = [row for row in catalogue["algorithms"] if "allreduce" in row["collectives"]]
    assert sorted(names(of_allreduce)) == sorted([*ALLREDUCES, "adaptive", *LIBRARY_CALLS])
    without = [row["name"] for row in reductions if not row["has_schedule"]]
    assert without == ["adaptive", "local_redirect", *LIBRARY_CALLS]
    rows = {row["name"]: row for row in gathers(catalogue)}
    assert list(rows) == NAMES
    assert [name for name in rows if rows[name]["arrival_aware"]] == ARRIVAL_AWARE
    others = [name for name in rows if not rows[name]["has_schedule"]]
    assert others == ["library_gather_bcast", "adaptive", *LIBRARY_CALLS]
    parameters = {name: row["parameters"] for name, row in rows.items() if row["parameters"]}
    assert {name: names(of_row) for name, of_row in parameters.items()} == PARAMETERS
    found = {name: [(one["kind"], one["default"]) for one in parameters[name]] for name in DEFAULTS}
    assert found == DEFAULTS


def test_star_variants(catalogue: dict[str, Any]) -> None:
    """STAR-MPI has 20 all-reduces, and four stand in; three of these have no parameters."""
    rows = catalogue["star_variants"]
    assert {row["kind"] for row in rows} == {"allreduce"} and len(rows) == 21
    assert all(name.partition(":")[0] in ALLREDUCES and "inner=" in name for name in names(rows))


def test_titles(catalogue: dict[str, Any]) -> None:
    """Names in print: a row's own, or made of its name."""
    found = {
        row["name"]: row["title"]
        for key in ("algorithms", "distributions", "mappings")
        for row in catalogue[key]
    }
    assert {name: found[name] for name in TITLES} == TITLES


def test_arrival_patterns(catalogue: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in catalogue["arrival_patterns"]}
    assert [name for name in rows if rows[name]["steady"]] == STEADY
    assert rows["none"]["parameters"] == []
    assert rows["uniform"]["size_meaning"] == "maximum delay"
    assert rows["delayed"]["parameters"] == [
        {"name": "rank", "kind": "rank", "default": -1},
        {"name": "delay", "kind": "time", "default": None},
    ]
    for name, row in rows.items():
        assert bool(row["size_meaning"]) == (name != "none")


def test_people_read_the_same(build: Build, catalogue: dict[str, Any]) -> None:
    ended = build.schedule("catalogue")
    assert (ended.exit_code, ended.stderr) == (0, "")
    for key in ("collectives", "algorithm_sets", "algorithms", "distributions", "arrival_patterns"):
        for name in names(catalogue[key]):
            assert f"  {name}" in ended.stdout


def test_each_kind_of_names_that_the_help_promises_has_some(build: Build) -> None:
    help_text = " ".join(build.schedule("catalogue", "--help").stdout.split())
    (promised,) = re.findall(r"completion in shells wants them: ([a-z_, ]+?) Example", help_text)
    assert "orders" in promised and "alltoall_bench" in promised
    for kind in promised.split(", "):
        ended = build.schedule("catalogue", "--names", kind)
        assert (ended.exit_code, ended.stderr) == (0, "") and ended.stdout.split()
    refused = build.schedule("catalogue", "--names", "output")
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    assert f"legal: {promised}" in refused.stderr


def test_the_committed_copy_is_what_is_printed(text: str) -> None:
    """`make catalogue` writes it."""
    assert files("agformats").joinpath("catalogue.json").read_text(encoding="utf-8") == text


def test_the_reference_in_the_docs_is_what_is_printed(build: Build) -> None:
    """`make catalogue` writes it."""
    ended = build.schedule("catalogue", "--markdown")
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert (ROOT / "docs" / "reference" / "names.md").read_text(encoding="utf-8") == ended.stdout
    both = build.schedule("catalogue", "--markdown", "--json")
    assert both.exit_code == 2 and both.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = ROOT / "tools" / "algorithms_page.py"
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_the_table_of_algorithms_is_what_is_printed(tool: ModuleType, build: Build) -> None:
    """`make catalogue` writes it."""
    page = (ROOT / "docs" / "reference" / "algorithms.md").read_text(encoding="utf-8")
    assert tool.with_table(build.folder, page) == page


def test_every_algorithm_is_in_the_table_and_drawn(
    tool: ModuleType, build: Build, catalogue: dict[str, Any]
) -> None:
    """A name in the table leads to the drawing on the site."""
    page = (ROOT / "docs" / "reference" / "algorithms.md").read_text(encoding="utf-8")
    drawn = tool.schedules(build.folder)
    on_site = tool.with_table(build.folder, page, with_links=True)
    for row in catalogue["algorithms"]:
        name = row["name"]
        other = "" if "allgather" in row["collectives"] else row["collectives"][0]
        heading = f"{other} {name}".strip()
        is_drawn = f"\n## {heading}\n" in drawn
        assert is_drawn == (row["has_schedule"] and name != "file")
        of = f" of {other} |" if other else " |"
        link = f"[`{name}`](schedules.md#{heading.replace(' ', '-')})"
        for text, cell in ((page, f"`{name}`"), (on_site, link if is_drawn else f"`{name}`")):
            (line,) = (each for each in text.splitlines() if each.startswith(f"| {cell}{of}"))
            assert [row[fact] for fact in ("needs", "default_of") if row[fact] not in line] == []


@pytest.mark.parametrize("words", [(), ("none",), ("a", "b")])
def test_the_tool_without_a_build_says_so(words: tuple[str, ...], tmp_path: Path) -> None:
    tool = ROOT / "tools" / "algorithms_page.py"
    done = subprocess.run([sys.executable, str(tool), *words], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    assert "BUILD" in done.stderr
