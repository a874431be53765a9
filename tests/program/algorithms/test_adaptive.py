# SPDX-License-Identifier: BSD-3-Clause
"""--algorithms adaptive:policy=...: another algorithm in each call, and always the right bytes."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import Results, read_results
from ..support.switch_trees import FORK

pytestmark = pytest.mark.slow

TO_FILE = ("-x", "0", "--output", "out.csv")
EACH_CALL = ("--sizes", "1,1000", "--validation", *TO_FILE)


def run(build: Build, folder: Path, bench: str, ranks: int, *arguments: str) -> Results:
    return measure(build, folder, bench, ranks, *EACH_CALL, *arguments)


def measure(build: Build, folder: Path, bench: str, ranks: int, *arguments: str) -> Results:
    ended = build.run(bench, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    assert len(ended.messages) == (ranks == 1)  # which is told that it is alone
    return read_results(folder / "out.csv")


def chosen(results: Results, contender: str) -> set[str]:
    return {row["chosen"] for row in results.of(contender)}


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_every_distribution(build: Build, tmp_path: Path, ranks: int) -> None:
    """Whatever is taken in a call, its bytes are checked there."""
    distributions = ("--distributions", "broadcast,half_full,linear", "-i", "400")
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


# Faraj 2006, 4.3.1.1, by the names that they have here; the ring where no topology is known.
# Groups are those of 4.3.2.1.
STAR = [
    {"linear"},
    {"recursive_doubling", "mesh2d", "mesh3d", "bruck"},
    {"shift", "pair"},
    {"shift_light_barrier", "pair_light_barrier"},
    {"shift_mpi_barrier", "pair_mpi_barrier"},
    {"ring"},
]
NOT_HERE = {4: {"mesh3d"}, 16: set()}  # 4 has but two factors


@pytest.mark.parametrize(("policy", "calls"), [("star", 60), ("star:grouping=no", 120)])
@pytest.mark.parametrize("ranks", [4, pytest.param(16, marks=pytest.mark.rest)])
def test_star_has_the_algorithms_that_were_published(
    build: Build, tmp_path: Path, ranks: int, policy: str, calls: int
) -> None:
    """Ten calls each of one of each group, 60 in all, or of all, 120 (table 4.13)."""
    contender = f"adaptive:policy={policy}"
    asked = ("--algorithms", contender, "--sizes", "1000", "-i", "130", *TO_FILE)
    results = measure(build, tmp_path, GATHER, ranks, *asked, "--wait", "sleep")
    here = [group - NOT_HERE[ranks] for group in STAR]
    calls -= 10 * len(NOT_HERE[ranks]) if calls == 120 else 0
    # The very first call, which is the check, is left out.
    every = [row["chosen"] for row in results.of(contender)][: calls - 1]
    assert sorted(map(every.count, set(every))) == [9, *[10] * (calls // 10 - 1)]
    assert every.count("linear") == 9
    taken = [group & {*every} for group in here]
    assert taken == here if calls > 60 else [*map(len, taken)] == [1] * 6


def test_star_tries_what_it_is_told_to(build: Build, tmp_path: Path) -> None:
    contender = "adaptive:policy=star:algorithms=sparbit+native"
    results = run(build, tmp_path, GATHER, 4, "--algorithms", contender, "-i", "40")
    assert chosen(results, contender) == {"native", "sparbit"}
    contender = "adaptive:policy=star:algorithms=ring:via=window+native:iterations=5"
    (tmp_path / "out.csv").unlink()
    results = run(build, tmp_path, GATHER, 4, "--algorithms", contender, "-i", "20")
    assert chosen(results, contender) == {"native", "ring:via=window"}
    contender = "adaptive:policy=star:algorithms=all:iterations=1"
    (tmp_path / "out.csv").unlink()
    results = run(build, tmp_path, GATHER, 4, "--algorithms", contender, "-i", "70")
    assert len(chosen(results, contender)) > 12


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
    """A model expects something of all algorithms with a tree, not only of those that are tried
    first."""
    (tmp_path / "tree.conf").write_text(FORK.text())
    place = ("--ranks-per-node", "2", "--mapping", "cyclic", "--topology", "tree.conf")
    asked = ("--algorithms", "adaptive,adaptive:policy=fixed:topology_ring", "-i", "60", *place)
    results = run(build, tmp_path, GATHERV, 8, *asked)
    assert chosen(results, "adaptive:policy=fixed:topology_ring") == {"topology_ring"}
    first_ones = {"native", "topology_ring", "ring", "bruck_in_place", "recursive_doubling"}
    assert chosen(results, "adaptive") - first_ones


@pytest.mark.parametrize("policy", ["fixed:", "star:algorithms=ring+"])
def test_what_cannot_run_is_skipped(build: Build, tmp_path: Path, policy: str) -> None:
    contender = f"adaptive:policy={policy}recursive_doubling"
    asked = ("--algorithms", f"native,{contender}", "-i", "2")
    (row, _) = run(build, tmp_path, GATHER, 3, *asked).of(contender)
    assert row["status"] == "skipped"
    assert "'recursive_doubling'" in row["reason"] and "native, " in row["reason"]


def test_a_bad_policy(build: Build) -> None:
    """tests/runtime/policies/policy_test.cpp has the others."""
    ended = build.run(GATHER, "--algorithms", "adaptive:policy=fixed:rings", ranks=2)
    assert "--algorithms adaptive:policy: fixed: 'rings'" in refused(ended)
