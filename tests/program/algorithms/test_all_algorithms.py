# SPDX-License-Identifier: BSD-3-Clause
"""--algorithms regular: each of them moves the right bytes, or says why it cannot."""

from pathlib import Path

import pytest

from ..support.algorithms import ALGORITHMS as EVERY
from ..support.algorithms import ARRIVAL_AWARE, TOPOLOGY_RINGS, runs_at
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV
from ..support.results import TIMES, Results, read_results
from ..support.switch_trees import FORK

pytestmark = pytest.mark.slow

ALGORITHMS = [name for name in EVERY if name not in ARRIVAL_AWARE]
QUICK = ("--sizes", "1,100", "-i", "2", "-x", "0", "-c", "--output", "out.csv")
NO_TREE = "needs a switch tree: --topology FILE"


def run(
    build: Build, folder: Path, bench: str, ranks: int, more: list[str], *arguments: str
) -> Results:
    asked = ("--algorithms", ",".join(["regular", *more]))
    ended = build.run(bench, *QUICK, *asked, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    assert len(ended.messages) == (ranks == 1)  # which is told that it is alone
    return read_results(folder / "out.csv")


def check(results: Results, asked: list[str], running: set[str], cases: int) -> None:
    assert len(results.cases) == cases
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == asked
    for row in results.rows:
        expected = "ok" if row["algorithm"] in running else "skipped"
        assert row["status"] == expected, row
        assert bool(row["reason"]) == (expected == "skipped"), row
        assert any(row[column] for column in TIMES) == (expected == "ok"), row
    assert set(results.counts().values()) == {2}
    assert len(results.counts()) == cases * len(running)
    assert len(results.rows) == cases * (len(asked) + len(running))


# test_buffer_layout.py has all-gathers of blocks that differ.
@pytest.mark.parametrize(
    ("ranks", "bench"),
    [(1, GATHER), (2, GATHER), (3, GATHER), (3, GATHERV), (4, GATHER), (6, GATHERV)],
)
def test_numbers_of_ranks(build: Build, tmp_path: Path, bench: str, ranks: int) -> None:
    """An order of switches that are not known has a reason, as the topology rings have."""
    results = run(build, tmp_path, bench, ranks, ["ring@switch"])
    switched = [*TOPOLOGY_RINGS, "ring@switch"]
    running = {name for name in ALGORITHMS if runs_at(name, ranks)} - {*switched}
    check(results, [*ALGORITHMS, "ring@switch"], running, 2)
    for name in switched:
        assert {row["reason"] for row in results.of(name)} == {NO_TREE}, name


def test_an_order_by_block_sizes_is_another_algorithm(build: Build, tmp_path: Path) -> None:
    """It leaves equal blocks alone as they are; reports would take it for the ring itself."""
    ended = build.run(GATHERV, *QUICK, "--algorithms", "ring,ring@paired,ring@node",
                      "--distributions", "geometric", ranks=4, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert read_results(tmp_path / "out.csv").metadata["same_messages"] == "ring = ring@node"


IN_ORDER = ["ring@switch", "sparbit@node", "bruck@paired:k=3", "recursive_doubling@cyclic",
            "pipelined_ring@switch:segment=7", "linear_gather_bcast@paired",
            "shift_light_barrier@cyclic", "bruck_in_place@switch:noncontiguous=packed",
            "gather_bcast@cyclic", "recursive_halving@switch:noncontiguous=datatype"]  # fmt: skip


@pytest.mark.parametrize("in_place", [(), ("--in-place",)])
def test_nodes_switches_and_orders(build: Build, tmp_path: Path, in_place: tuple[str, ...]) -> None:
    """8 ranks, where nothing is skipped; blocks of every size, and none at all on some ranks."""
    (tmp_path / "tree.conf").write_text(FORK.text())
    place = ("--ranks-per-node", "2", "--mapping", "sequential,cyclic", "--topology", "tree.conf")
    distribution = ("--distributions", "geometric" if in_place else "half_full")
    results = run(build, tmp_path, GATHERV, 8, IN_ORDER, *place, *distribution, *in_place)
    asked = [*ALGORITHMS, *IN_ORDER]
    check(results, asked, {*asked}, 2 * 2)
    assert results.metadata["algorithms"].endswith(",".join(IN_ORDER))
