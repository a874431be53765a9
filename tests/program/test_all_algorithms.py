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


IN_ORDER = ["ring@switch", "sparbit@node", "bruck@paired:k=3", "recursive_doubling@cyclic",
            "pipelined_ring@switch:segment=7", "linear_gather_bcast@paired",
            "shift_light_barrier@cyclic", "bruck_in_place@switch:noncontiguous=packed",
            "gather_bcast@cyclic", "recursive_halving@switch:noncontiguous=datatype"]  # fmt: skip


@pytest.mark.parametrize("in_place", [(), ("--in-place",)])
def test_orders_of_the_ranks(build: Build, tmp_path: Path, in_place: tuple[str, ...]) -> None:
    (tmp_path / "tree.conf").write_text(FORK.text())
    ended = build.run(
        GATHERV, "--algorithms", ",".join(IN_ORDER), "--sizes", "100", "-i", "2", "-x", "0", "-c",
        "--output", "out.csv", "--ranks-per-node", "2", "--mapping", "cyclic", "--topology",
        "tree.conf", "--distributions", "half_full,geometric", *in_place, ranks=8, cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} == {"ok"}
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == IN_ORDER
    assert results.metadata["algorithms"] == ",".join(IN_ORDER)
    assert set(results.counts().values()) == {2} and len(results.cases) == 2


def test_an_order_of_switches_that_are_not_known(build: Build, tmp_path: Path) -> None:
    """A reason, as for topology_ring."""
    names = ("topology_ring", "ring@switch", "ring")
    ended = build.run(GATHER, "--algorithms", ",".join(names), "--sizes", "1", "-i", "1", "-x", "0",
                      "--output", "out.csv", ranks=2, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    for name in names[:2]:
        (row,) = results.of(name)
        assert (row["status"], row["reason"]) == ("skipped", "needs a switch tree: --topology FILE")
    assert {row["status"] for row in results.of("ring")} == {"ok"}


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [(), ("--in-place",)])
def test_nodes_and_switches(build: Build, tmp_path: Path, in_place: tuple[str, ...]) -> None:
    """8 ranks, where nothing is skipped; blocks of every size, and none at all on some ranks."""
    (tmp_path / "tree.conf").write_text(FORK.text())
    place = ("--ranks-per-node", "2", "--mapping", "sequential,cyclic", "--topology", "tree.conf")
    distributions = ("--distributions", "half_full,geometric")
    results = run(build, tmp_path, GATHERV, 8, *place, *distributions, *in_place)
    check(results, set(ALGORITHMS), 2 * 2 * 2)
