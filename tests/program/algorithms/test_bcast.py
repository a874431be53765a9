# SPDX-License-Identifier: BSD-3-Clause
"""Tests what only the broadcast has: one buffer, and a root that schedules, times and costs are
told."""

from pathlib import Path

import pytest

from agreport.schedules import schedule

from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import read_results

CHAIN = "SwitchName=s0 Nodes=h[0-2] Switches=s1\nSwitchName=s1 Nodes=h[3-7]\n"


@pytest.mark.slow
def test_a_root_beyond_the_ranks_is_refused(build: Build) -> None:
    message = refused(build.run("bcast_bench", "--root", "2", ranks=2))
    assert message == "--root: '2' is not between 0 and 1"


@pytest.mark.quick
def test_the_schedule_of_any_root(build: Build, tmp_path: Path) -> None:
    (tmp_path / "tree.conf").write_text(CHAIN)
    shown = build.schedule(
        "show", "--collective", "bcast", "--algorithm", "topology_binary", "--ranks", "8",
        "--topology", "tree.conf", "--root", "3", cwd=tmp_path,
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert "\n  3 -> 4: 0\n" in shown.stdout
    no_root = build.schedule("show", "--algorithm", "ring", "--ranks", "8", "--root", "3")
    assert "--root: '3' has no effect: ring has no root" in refused(no_root)


def test_the_root_has_the_block_in_what_is_drawn(build: Build) -> None:
    shown = build.schedule(
        "show", "--collective", "bcast", "--algorithm", "linear_pipeline", "--ranks", "4",
        "--root", "3", "--format", "json",
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.owners == [3]
    assert drawn.rounds[0].held == [frozenset({0}), frozenset(), frozenset(), frozenset({0})]


HOCKNEY = ("--model", "hockney:alpha=1e-5,beta=1e-9")


@pytest.mark.parametrize(("root", "stages"), [("0", 7), ("3", 5)])
def test_time_of_any_root(build: Build, tmp_path: Path, root: str, stages: int) -> None:
    """A chain of four switches with two hosts each. From its end 0 > 2 > 4 > 6 are second children,
    which wait for the first ones, and 7 is a first one; from within the tree is lower by one."""
    (tmp_path / "chain.conf").write_text(
        "SwitchName=s0 Nodes=h[0-1] Switches=s1\nSwitchName=s1 Nodes=h[2-3] Switches=s2\n"
        "SwitchName=s2 Nodes=h[4-5] Switches=s3\nSwitchName=s3 Nodes=h[6-7]\n"
    )
    ended = build.schedule(
        "time", "--algorithms", "topology_binary", "--collective", "bcast",
        "--ranks", "8", "--root", root, "--topology", "chain.conf",
        *HOCKNEY, "--sizes", "4K", "-i", "1", "--output", "out.csv", cwd=tmp_path,
    )  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (0, "")
    results = read_results(tmp_path / "out.csv")
    assert results.metadata["root"] == root
    (row,) = results.rows
    assert float(row["run_us"]) == pytest.approx(stages * (10 + 4.096), abs=0.01)


def cost_of(build: Build, collective: str, *arguments: str, cwd: Path | None = None) -> float:
    """In microseconds, or in the model's unit."""
    ended = build.schedule("cost", "--collective", collective, *arguments, cwd=cwd)
    assert (ended.exit_code, ended.stderr) == (0, "")
    if "--root" in arguments:
        assert f"#@root={arguments[arguments.index('--root') + 1]}\n" in ended.stdout
    *_, head, row = ended.stdout.splitlines()
    return float(dict(zip(head.split(","), row.split(","), strict=True))["cost"])


def test_cost_of_any_root(build: Build, tmp_path: Path) -> None:
    """The trunk has half the speed; behind it are five of eight ranks, or three."""
    (tmp_path / "tree.conf").write_text(CHAIN.rstrip() + " LinkSpeed=0.5\n")
    given = ("--algorithms", "flat", "--topology", "tree.conf", "--bytes", "1000")
    for root, most in [("0", 2 * 5), ("2", 2 * 5), ("3", 7), ("7", 7)]:
        found = cost_of(build, "bcast", *given, "--ranks", "8", "--root", root, "--model",
                        "contention:alpha=1e-6,bandwidth=1e9", cwd=tmp_path)  # fmt: skip
        assert found == pytest.approx(7 * 1 + most * 1)
    for root, hops in [("0", 1 + 2 + 3), ("1", 1 + 1 + 2)]:
        found = cost_of(build, "bcast", "--algorithms", "flat", "--nodes", "4",
                        "--ranks-per-node", "1", "--model", "hop-bytes", "--mapping",
                        "sequential", "--bytes", "1", "--root", root)  # fmt: skip
        assert found == hops


@pytest.mark.parametrize(
    ("command", "sizes"), [("cost", ("--bytes", "1K")), ("time", ("--sizes", "1K"))]
)
def test_roots_that_are_none(build: Build, command: str, sizes: tuple[str, str]) -> None:
    given = (*sizes, *HOCKNEY)
    bcast = ("--collective", "bcast", "--algorithms", "flat", "--ranks", "8")
    for root in ("8", "-1", "x", ""):
        message = refused(build.schedule(command, *bcast, "--root", root, *given))
        assert f"--root: '{root}'" in message
        assert "between 0 and 7" in message or not root.isdigit()
    ring = ("--algorithms", "ring", "--ranks", "8", "--root", "0")
    assert "--root: '0' has no effect: ring has no root" in refused(
        build.schedule(command, *ring, *given)
    )


def test_a_root_is_a_rank_of_all_numbers_of_ranks(build: Build) -> None:
    message = refused(build.schedule("cost", "--collective", "bcast", "--algorithms", "flat",
                                     "--ranks", "4,8", "--root", "5", *HOCKNEY))  # fmt: skip
    assert "--root: '5' is not between 0 and 3" in message
