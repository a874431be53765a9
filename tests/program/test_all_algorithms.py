# SPDX-License-Identifier: BSD-3-Clause
"""--algorithms regular: each of them moves the right bytes, or says why it cannot."""

from pathlib import Path

import pytest

from .support.algorithms import ALGORITHMS as EVERY
from .support.algorithms import ARRIVAL_AWARE, TOPOLOGY_RINGS, runs_at
from .support.launch import Build
from .support.refusals import GATHER, GATHERV
from .support.results import TIMES, Results, read_results
from .support.switch_trees import FORK

ALGORITHMS = [name for name in EVERY if name not in ARRIVAL_AWARE]
QUICK = ("--algorithms", "regular", "--sizes", "1,100", "-i", "2", "-x", "0", "-c", "--output",
         "out.csv")  # fmt: skip


def run(build: Build, folder: Path, bench: str, ranks: int, *arguments: str) -> Results:
    ended = build.run(bench, *QUICK, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    assert ended.messages == []
    return read_results(folder / "out.csv")


def check(results: Results, running: set[str], cases: int) -> None:
    assert len(results.cases) == cases
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == ALGORITHMS
    for row in results.rows:
        expected = "ok" if row["algorithm"] in running else "skipped"
        assert row["status"] == expected, row
        assert bool(row["reason"]) == (expected == "skipped"), row
        assert any(row[column] for column in TIMES) == (expected == "ok"), row
    assert set(results.counts().values()) == {2}
    assert len(results.counts()) == cases * len(running)
    assert len(results.rows) == cases * (len(ALGORITHMS) + len(running))


@pytest.mark.parametrize("bench", [GATHER, GATHERV])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6])
def test_numbers_of_ranks(build: Build, tmp_path: Path, bench: str, ranks: int) -> None:
    results = run(build, tmp_path, bench, ranks)
    running = {name for name in ALGORITHMS if runs_at(name, ranks)} - {*TOPOLOGY_RINGS}
    check(results, running, 2)


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [(), ("--in-place",)])
def test_nodes_and_switches(build: Build, tmp_path: Path, in_place: tuple[str, ...]) -> None:
    """8 ranks, where nothing is skipped; blocks of every size, and none at all on some ranks."""
    (tmp_path / "tree.conf").write_text(FORK.text())
    place = ("--ranks-per-node", "2", "--mapping", "sequential,cyclic", "--topology", "tree.conf")
    distributions = ("--distributions", "half_full,geometric")
    results = run(build, tmp_path, GATHERV, 8, *place, *distributions, *in_place)
    check(results, set(ALGORITHMS), 2 * 2 * 2)
