# SPDX-License-Identifier: BSD-3-Clause
"""The rings of hosts that the programs make on switch trees, against Faraj 2006, 3.3: no link
carries two messages of a step, and the longest path is as short as the algorithm promises."""

from collections.abc import Sequence
from itertools import chain, pairwise, permutations
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import refused
from ..support.switch_trees import CHAIN, CLUSTER, FORK, Tree
from .test_schedule import check_all_gather, schedules

pytestmark = pytest.mark.slow

TREES = {"chain": CHAIN, "fork": FORK, "cluster": CLUSTER}


def ring(build: Build, folder: Path, algorithm: str, tree: Tree) -> list[int]:
    """The hosts around the ring, from the first on."""
    (folder / "tree.conf").write_text(tree.text())
    p = len(tree.hosts)
    all_steps = schedules(build, algorithm, p, "--topology", str(folder / "tree.conf"))
    check_all_gather(all_steps)
    right = []
    for steps in all_steps:
        (peer,) = {peer for step in steps for peer, _ in step.sends}  # the same in every step
        assert all(len(step.sends) == 1 for step in steps)
        right.append(peer)
    order = [0]
    while right[order[-1]] != 0:
        order.append(right[order[-1]])
    assert sorted(order) == list(range(p))
    return order


def hops(order: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise([*order, order[0]]))


def has_contention(tree: Tree, order: Sequence[int]) -> bool:
    links = list(chain.from_iterable(tree.path(*hop) for hop in hops(order)))
    return len(set(links)) < len(links)


def longest(tree: Tree, order: Sequence[int]) -> int:
    """Returns the longest path in switches."""
    return max(len(tree.path(*hop)) for hop in hops(order)) - 1


def shortest_possible(tree: Tree) -> int:
    """Finds it by trying all rings."""
    orders = ([0, *rest] for rest in permutations(range(1, len(tree.hosts))))
    return min(longest(tree, order) for order in orders if not has_contention(tree, order))


@pytest.mark.parametrize("name", TREES)
def test_promises(build: Build, tmp_path: Path, name: str) -> None:
    tree = TREES[name]
    depth_first = ring(build, tmp_path, "topology_ring", tree)
    assert depth_first == list(range(len(tree.hosts)))
    best = ring(build, tmp_path, "topology_ring_optimal", tree)
    assert not has_contention(tree, depth_first)
    assert not has_contention(tree, best)
    assert longest(tree, best) == shortest_possible(tree)
    if tree is CLUSTER:  # every ring passes the spine, between two leaves
        assert longest(tree, best) == longest(tree, depth_first) == 3
        return
    two_hop = ring(build, tmp_path, "topology_ring_two_hop", tree)
    assert not has_contention(tree, two_hop)
    assert longest(tree, two_hop) == longest(tree, best) == 2
    assert longest(tree, depth_first) == 3


def test_ranks_of_a_host_stay_together(build: Build, tmp_path: Path) -> None:
    (tmp_path / "tree.conf").write_text(FORK.text())
    p = 20  # on 7 hosts
    for name in ("topology_ring", "topology_ring_two_hop", "topology_ring_optimal"):
        arguments = ("--ranks-per-node", "3", "--topology", str(tmp_path / "tree.conf"))
        all_steps = schedules(build, name, p, *arguments)
        check_all_gather(all_steps)
        (first,) = {len(steps) for steps in all_steps}
        assert first == p - 1
        leaving = sum(
            peer // 3 != rank // 3
            for rank, steps in enumerate(all_steps)
            for peer, _ in steps[0].sends
        )
        assert leaving == 7


def test_a_tree_that_is_too_much_for_the_optimal_ring(build: Build, tmp_path: Path) -> None:
    """24 chains of different length are below one switch. All else is priced, whatever the order
    of the algorithms."""
    lines = ["SwitchName=top Switches=s[1-24]_0"]
    for chain_ in range(1, 25):
        lines += [f"SwitchName=s{chain_}_{i} Switches=s{chain_}_{i + 1}" for i in range(chain_ - 1)]
        lines.append(f"SwitchName=s{chain_}_{chain_ - 1} Nodes=h{chain_}")
    (tmp_path / "tree.conf").write_text("\n".join(lines) + "\n")
    where = ("--ranks", "24", "--topology", str(tmp_path / "tree.conf"))
    names = "topology_ring_optimal,topology_ring"
    ended = build.schedule("cost", "--algorithms", names, *where, "--model", "links")
    assert (ended.exit_code, ended.stderr) == (0, "")
    optimal, depth_first = ended.stdout.splitlines()[-2:]
    why = "finds no ring: switch top: its 24 child switches are of 24 kinds"
    assert optimal.split(",")[1] == "topology_ring_optimal" and why in optimal
    assert ",skipped," in optimal and depth_first.endswith(",ok,")
    assert why in refused(build.schedule("show", "--algorithm", "topology_ring_optimal", *where))


# The reference above finds what it is there for.
def test_contention_is_found() -> None:
    assert has_contention(FORK, [0, 2, 1, 3, 4, 5, 6])  # left twice from the top
    assert [*CLUSTER.path(0, 2)] == [
        ("n0", "leaf0"),
        ("leaf0", "spine"),
        ("spine", "leaf1"),
        ("leaf1", "n2"),
    ]
    assert CLUSTER.path(0, 1) == [("n0", "leaf0"), ("leaf0", "n1")]
    assert CHAIN.path(6, 0) == [("c0", "end"), ("end", "middle"), ("middle", "top"), ("top", "a0")]
