# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule's mapping, locality and rings, against Loch 2021, chapter 5, and against sums
over the messages that `show` prints."""

import csv
from itertools import product
from math import gcd

import pytest

from ..support.launch import Build
from ..support.refusals import refused
from .test_cost import node_of
from .test_schedule import shown

Row = dict[str, str]


def table(build: Build, *arguments: str) -> list[Row]:
    ended = build.schedule(*arguments)
    assert (ended.exit_code, ended.stderr) == (0, "")
    return list(csv.DictReader(ended.stdout.splitlines(), strict=True))


def on_nodes(rows: list[Row], mapping: str) -> list[list[int]]:
    """Returns the ranks of each node."""
    chosen = [row for row in rows if row["mapping"] == mapping]
    nodes = sorted({int(row["node"]) for row in chosen})
    return [[int(row["rank"]) for row in chosen if int(row["node"]) == node] for node in nodes]


def test_mappings_are_the_papers(build: Build) -> None:
    """Figures 17 a and 18 a."""
    rows = table(build, "mapping", "--nodes", "4", "--ranks-per-node", "5",
                 "--mapping", "sequential,cyclic")  # fmt: skip
    assert on_nodes(rows, "sequential") == [[*range(5 * n, 5 * n + 5)] for n in range(4)]
    assert on_nodes(rows, "cyclic") == [[*range(n, 20, 4)] for n in range(4)]
    few = table(build, "mapping", "--nodes", "4", "--ranks-per-node", "5", "--ranks", "6")
    assert on_nodes(few, "sequential") == [[0, 1, 2, 3, 4], [5]]


@pytest.mark.parametrize("algorithm", ["ring", "bruck", "sparbit", "linear", "leader", "lane"])
def test_locality_is_the_sum_over_all_messages(build: Build, algorithm: str) -> None:
    for mapping, (nodes, slots) in product(("sequential", "cyclic"), ((3, 2), (4, 4))):
        where = ("--nodes", str(nodes), "--ranks-per-node", str(slots), "--mapping", mapping)
        rows = table(build, "locality", "--algorithms", algorithm, *where, "--bytes", "8")
        assert [int(row["step"]) for row in rows] == [*range(len(rows))]
        counted = {key: sum(int(row[key]) for row in rows) for key in list(rows[0])[7:11]}
        expected = dict.fromkeys(counted, 0)
        every = shown(build, algorithm, nodes * slots, *where).all_steps
        for sender, steps in enumerate(every):
            for peer, blocks in (send for step in steps for send in step.sends):
                stays = node_of(sender, nodes, slots, mapping) == node_of(
                    peer, nodes, slots, mapping
                )
                expected["sends"] += 1
                expected["sends_on_node"] += stays
                expected["sent_bytes"] += 8 * len(blocks)
                expected["sent_bytes_on_node"] += 8 * len(blocks) * stays
        assert counted == expected


def test_locality_of_the_largest_blocks(build: Build) -> None:
    """Of 16 ranks; in each step of the ring each sends a block, and in that of linear 15."""
    where = ("--nodes", "4", "--ranks-per-node", "4", "--bytes", str(2**54))
    rows = table(build, "locality", "--algorithms", "ring,linear", *where)
    assert [int(row["sent_bytes"]) for row in rows] == [16 * 2**54] * 15 + [16 * 15 * 2**54]
    assert [int(row["sent_bytes_on_node"]) for row in rows] == [12 * 2**54] * 15 + [48 * 2**54]


@pytest.mark.parametrize("inner", ["bruck_in_place", "linear", "ring"])
def test_locality_of_whole_vectors(build: Build, inner: str) -> None:
    """An all-gather of 4 vectors, which are not the one block of the all-reduce."""
    where = ("--nodes", "2", "--ranks-per-node", "2", "--bytes", "100")
    name = f"allgather_reduce:inner={inner}"
    found, gathered = (
        [
            [row["sent_bytes"], row["sent_bytes_on_node"]]
            for row in table(build, "locality", *given, *where)
        ]
        for given in (
            ("--collective", "allreduce", "--algorithms", name),
            ("--algorithms", inner),
        )
    )
    assert found == gathered
    assert sum(int(sent) for sent, _ in found) == 4 * 3 * 100


def test_bruck_is_local_under_cyclic_mapping(build: Build) -> None:
    """5.2: with a power of two of machines, the last rings fit into machines; 5.3: with another
    number no message stays."""
    for nodes, stays in ((4, ["0", "0", "20", "20", "20"]), (5, ["0"] * 5)):
        slots = 20 // nodes
        rows = table(build, "locality", "--algorithms", "bruck", "--nodes", str(nodes),
                     "--ranks-per-node", str(slots), "--mapping", "cyclic")  # fmt: skip
        assert [row["sends_on_node"] for row in rows] == stays


def test_an_algorithm_that_cannot_run_is_a_row_with_the_reason(build: Build) -> None:
    doubling = ("--algorithms", "recursive_doubling")
    (row,) = table(build, "locality", *doubling, "--nodes", "3", "--ranks-per-node", "2")
    assert (row["status"], row["step"]) == ("skipped", "")
    assert row["reason"] == "needs a power-of-two number of ranks; ranks = 6"
    (row,) = table(build, "rings", *doubling, "--ranks", "6")
    assert (row["status"], row["reason"][:5]) == ("skipped", "needs")
    for name in ("linear_gather_bcast", "bslb"):  # half of it is the library's
        (row,) = table(build, "locality", "--algorithms", name, "--nodes", "3",
                       "--ranks-per-node", "2")  # fmt: skip
        assert (row["status"], row["sends"]) == ("skipped", "")
        assert row["reason"].startswith("ends with the library's MPI_Bcast")
    (row,) = table(build, "rings", "--algorithms", "linear", "--ranks", "4")
    assert row["reason"] == "has no rings: in step 0, rank 0 sends to 3 ranks"


def test_rings(build: Build) -> None:
    """5.2: g k = p, and a distance d makes gcd(d, p) rings."""
    rows = table(build, "rings", "--algorithms", "bruck", "--ranks", "2:70")
    for row in rows:
        ranks, rings = int(row["ranks"]), int(row["rings"])
        assert rings == gcd(1 << int(row["step"]), ranks)
        assert int(row["least_ranks"]) == int(row["most_ranks"]) == ranks // rings
        members = [[*map(int, ring.split())] for ring in row["members"].split(";")]
        assert len(members) == rings
        assert sorted(rank for ring in members for rank in ring) == [*range(ranks)]
    assert {int(row["ranks"]) for row in rows} == {*range(2, 71)}


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ("mapping --nodes 4", ["--ranks-per-node"]),
        ("mapping --nodes 0 --ranks-per-node 2", ["--nodes", "'0'"]),
        ("mapping --nodes 2 --ranks-per-node 2 --ranks 5", ["--ranks", "'5'", "2 nodes with 2"]),
        ("mapping --nodes 2 --ranks-per-node 2 --mapping cylic", ["--mapping", "mean 'cyclic'"]),
        (
            "mapping --nodes 2 --ranks-per-node 2 --mapping cyclic,sequential,cyclic",
            ["--mapping: 'cyclic' stands twice in the list"],
        ),
        ("mapping --nodes 2,2 --ranks-per-node 2", ["--nodes: '2' stands twice in the list"]),
        ("mapping --nodes 2 --ranks-per-node 1:4,2", ["--ranks-per-node: '2' stands twice"]),
        (
            "locality --algorithms ring --nodes 2 --ranks-per-node 4 --ranks 4,6,4",
            ["--ranks: '4' stands twice in the list"],
        ),
        ("rings --algorithms ring --ranks 4,4", ["--ranks: '4' stands twice in the list"]),
        (
            "locality --algorithms ring --nodes 4 --ranks-per-node 4 --bytes 18014398509481985",
            ["--bytes: '18014398509481985' on 16 ranks pass 2^62", "legal: 1 to 18014398509481984"],
        ),
        (
            "locality --algorithms binomial --collective bcast --nodes 1,4 --ranks-per-node 4 "
            "--bytes 100000T",
            ["--bytes: '100000T' on 16 ranks pass 2^62", "legal: 1 to 18014398509481984"],
        ),
        ("locality --algorithms ring --nodes 99 --ranks-per-node 99", ["--nodes", "2048"]),
        ("locality --algorithms rign --nodes 2 --ranks-per-node 2", ["mean 'ring'"]),
        ("rings --algorithms ring --ranks 9999", ["--ranks", "'9999'", "2048"]),
        ("show --algorithm ring --ranks 4 --mapping cyclic", ["--mapping: needs --nodes"]),
        ("show --algorithm ring --ranks 4 --nodes 2", ["--nodes: needs --nodes and --ranks-per"]),
        (
            "show --algorithm ring --ranks 4 --nodes 2,3 --ranks-per-node 2",
            ["--nodes", "'2,3'", "more than one placement"],
        ),
        (
            "show --algorithm ring --ranks 4 --nodes 2 --ranks-per-node 2 --topology a.conf",
            ["--topology", "'a.conf'", "no switches"],
        ),
    ],
)
def test_bad_input(build: Build, arguments: str, parts: list[str]) -> None:
    message = refused(build.schedule(*arguments.split()))
    for part in parts:
        assert part in message
