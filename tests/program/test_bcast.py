# SPDX-License-Identifier: BSD-3-Clause
"""bcast_bench: every algorithm moves every byte from any root; what it prints and writes."""

import re
from pathlib import Path

import pytest

from agreport.schedules import schedule

from .support.algorithms import BCASTS
from .support.launch import Build
from .support.results import Results, read_results, read_tables

BENCH = "bcast_bench"
FEW = ("-i", "2", "-x", "0")
TREES = [name for name in BCASTS if name.startswith("topology_")]  # they need a switch tree
CHAIN = "SwitchName=s0 Nodes=h[0-2] Switches=s1\nSwitchName=s1 Nodes=h[3-7]\n"


def run(build: Build, folder: Path, ranks: int, *arguments: str) -> Results:
    ended = build.run(BENCH, *FEW, "--output", "out.csv", *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return read_results(folder / "out.csv")


def test_list(build: Build) -> None:
    ended = build.run(BENCH, "--list")
    assert ended.exit_code == 0
    names = ended.stdout.split("\n\n")[0]
    listed = [name for name in re.findall(r"^  ([\w:]+)", names, re.M)[1:] if ":" not in name]
    assert listed == [*BCASTS, "native"]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_every_algorithm_is_right(build: Build, tmp_path: Path, ranks: int) -> None:
    for root in {0, ranks // 2, ranks - 1}:
        folder = tmp_path / str(root)
        folder.mkdir()
        results = run(
            build, folder, ranks, "--algorithms", "all,binary:segment=16,linear_pipeline:segment=7",
            "--sizes", "1,100,20K", "-c", "--root", str(root),
        )  # fmt: skip
        assert results.metadata["root"] == str(root)
        assert results.metadata["in_place"] == "yes"
        for row in results.rows:
            expected = "skipped" if row["algorithm"] in TREES else "ok"
            assert row["status"] == expected, row
            assert row["total_bytes"] == row["bytes"]
            assert row["collective"] == "bcast"


def test_columns_are_those_of_osu_bcast(build: Build) -> None:
    ended = build.run(BENCH, "-m", "1:8", "--algorithms", "flat", "-i", "3", "-x", "1", "-f", "-c")
    assert ended.exit_code == 0, ended.stderr
    (table,) = read_tables(ended.stdout)
    assert table.title.startswith("# OSU-style MPI Bcast Latency Test, gatherbench ")
    assert table.header == (
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"
        "        Validation"
    )
    assert [int(row.split()[0]) for row in table.rows] == [1, 2, 4, 8]


def test_what_has_no_root_or_two_buffers_is_refused(build: Build) -> None:
    for program, option, word in [
        ("allgather_bench", ("--root", "1"), "--root"),
        (BENCH, ("--in-place",), "--in-place"),
        (BENCH, ("--root", "2"), "'2' is not between 0 and 1"),
        (BENCH, ("--root", "-1"), "--root"),
        (BENCH, ("--algorithms", "ring"), "'ring'"),
    ]:
        ended = build.run(program, *option, ranks=2)
        assert ended.exit_code == 2, option
        assert word in ended.stderr


@pytest.mark.quick
def test_the_schedule_of_any_root(build: Build, tmp_path: Path) -> None:
    (tmp_path / "tree.conf").write_text(CHAIN)
    shown = build.run(
        "allgather_schedule", "show", "--collective", "bcast", "--algorithm", "topology_binary",
        "--ranks", "8", "--topology", "tree.conf", "--root", "3", ranks=1, cwd=tmp_path,
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert "\n  3 -> 4: 0\n" in shown.stdout
    refused = build.run(
        "allgather_schedule", "show", "--algorithm", "ring", "--ranks", "8", "--root", "3", ranks=1
    )
    assert refused.exit_code == 2
    assert "--root: '3' has no effect: ring has no root" in refused.stderr
    proven = build.run(
        "allgather_schedule", "prove", "--collective", "bcast", "--ranks", "1:12",
        "--algorithms", "all", ranks=1,
    )  # fmt: skip
    assert proven.exit_code == 0, proven.stdout + proven.stderr
    assert len(proven.stdout.splitlines()) == 1 + len(BCASTS)


def test_the_root_has_the_block_in_what_is_drawn(build: Build) -> None:
    shown = build.run(
        "allgather_schedule", "show", "--collective", "bcast", "--algorithm", "linear_pipeline",
        "--ranks", "4", "--root", "3", "--format", "json", ranks=1,
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.owners == [3]
    assert drawn.rounds[0].held_before == [frozenset(), frozenset(), frozenset(), frozenset({0})]
