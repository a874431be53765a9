# SPDX-License-Identifier: BSD-3-Clause
"""--algorithms adaptive:policy=...: another algorithm in each call, and always the right bytes."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import Results, read_results
from ..support.switch_trees import FORK

pytestmark = pytest.mark.slow

EACH_CALL = ("--sizes", "1,1000", "-x", "0", "--validation", "--output", "out.csv")


def run(build: Build, folder: Path, bench: str, ranks: int, *arguments: str) -> Results:
    ended = build.run(bench, *EACH_CALL, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    assert ended.messages == []
    return read_results(folder / "out.csv")


def chosen(results: Results, contender: str) -> set[str]:
    return {row["chosen"] for row in results.of(contender)}


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_every_distribution(build: Build, tmp_path: Path, ranks: int) -> None:
    """Whatever is taken in a call, its bytes are checked there."""
    distributions = ("--distributions", "broadcast,half_full,linear", "-i", "200")
    contender = "adaptive:policy=random:3"
    results = run(build, tmp_path, GATHERV, ranks, "--algorithms", contender, *distributions)
    assert {row["status"] for row in results.rows} == {"ok"}
    if ranks > 1:
        assert chosen(results, contender) >= {"native", "ring", "bruck", "sparbit", "linear"}


@pytest.mark.parametrize(
    "policy", ["agstar", "star", "star:iterations=1:grouping=no", "fixed:ring"]
)
@pytest.mark.parametrize("in_place", [(), ("--in-place",)])
def test_every_policy(build: Build, tmp_path: Path, policy: str, in_place: tuple[str, ...]) -> None:
    contender = f"adaptive:policy={policy}"
    asked = ("--algorithms", f"native,{contender}", "-i", "150", *in_place)
    results = run(build, tmp_path, GATHER, 3, *asked)
    assert set(results.counts().values()) == {150}
    assert chosen(results, "native") == {""}
    if policy == "fixed:ring":
        assert chosen(results, contender) == {"ring"}
    else:  # which others are tried may hang on the times
        assert len(chosen(results, contender) - {""}) > 1


def test_without_a_name_it_is_agstar(build: Build, tmp_path: Path) -> None:
    """Its first call plan is four calls of native, of which the first one is the check."""
    results = run(build, tmp_path, GATHER, 2, "--algorithms", "adaptive", "-i", "9")
    for size in ("1", "1000"):
        rows = [row["chosen"] for row in results.of("adaptive") if row["bytes"] == size]
        assert rows[:3] == ["native"] * 3 and len(set(rows)) > 1


def test_other_buffers_in_each_call(build: Build, tmp_path: Path) -> None:
    contender = "adaptive:policy=random:5"
    asked = ("--algorithms", contender, "-i", "40", "--buffers", "rotate:64K")
    assert len(chosen(run(build, tmp_path, GATHER, 3, *asked), contender)) > 5


def test_switches(build: Build, tmp_path: Path) -> None:
    """With a tree, a model expects something of all, not only of those that are tried first."""
    (tmp_path / "tree.conf").write_text(FORK.text())
    place = ("--ranks-per-node", "2", "--mapping", "cyclic", "--topology", "tree.conf")
    asked = ("--algorithms", "adaptive,adaptive:policy=fixed:topology_ring", "-i", "60", *place)
    results = run(build, tmp_path, GATHERV, 8, *asked)
    assert chosen(results, "adaptive:policy=fixed:topology_ring") == {"topology_ring"}
    first_ones = {"native", "topology_ring", "ring", "bruck_in_place", "recursive_doubling"}
    assert chosen(results, "adaptive") - first_ones


def test_what_cannot_run_is_skipped(build: Build, tmp_path: Path) -> None:
    contender = "adaptive:policy=fixed:recursive_doubling"
    asked = ("--algorithms", f"native,{contender}", "-i", "2")
    (row, _) = run(build, tmp_path, GATHER, 3, *asked).of(contender)
    assert row["status"] == "skipped"
    assert "'recursive_doubling'" in row["reason"] and "legal: native" in row["reason"]


def test_a_bad_policy(build: Build) -> None:
    """tests/runtime/policies/policy_test.cpp has the others."""
    ended = build.run(GATHER, "--algorithms", "adaptive:policy=fixed:rings", ranks=2)
    assert "--algorithms adaptive:policy: fixed: 'rings'" in refused(ended)
