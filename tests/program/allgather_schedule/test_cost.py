# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule cost: the models against the papers' closed forms, and against sums over the
messages that `show` prints."""

import csv
from collections import Counter
from functools import cache
from math import ceil, isqrt
from pathlib import Path

import pytest

from ..support.algorithms import NAMES
from ..support.launch import Build
from ..support.refusals import refused
from ..support.switch_trees import CHAIN, CLUSTER, FORK, Tree
from .test_schedule import shown

COLUMNS = ["model", "algorithm", "ranks", "nodes", "ranks_per_node", "mapping", "distribution",
           "bytes", "cost", "bound", "unit", "status", "reason"]  # fmt: skip
ALPHA, BETA = 3e-6, 2e-9
HOCKNEY = f"hockney:alpha={ALPHA},beta={BETA}"

Row = dict[str, str]


def costs(build: Build, *arguments: str) -> list[Row]:
    ended = build.schedule("cost", *arguments)
    assert (ended.exit_code, ended.stderr) == (0, "")
    collective, registry, *table = ended.stdout.splitlines()
    assert collective == "#@collective=allgather"
    assert registry == f"#@registry={','.join(NAMES)}"  # so that colours are the reports'
    head, *lines = csv.reader(table, strict=True)
    assert head == COLUMNS
    rows = [dict(zip(COLUMNS, cells, strict=True)) for cells in lines]
    for row in rows:
        assert row["status"] in ("ok", "skipped")
        assert bool(row["cost"]) == (row["status"] == "ok") == (not row["reason"])
    return rows


# Loch 2021, 4.3: p - log2 p - 1 further messages at 64 ranks, and gamma times fewer in batches.
@pytest.mark.parametrize(
    ("form", "further"),
    [
        ("noncontiguous=pipelined", 57),
        ("batch=1", 57),
        ("batch=2", 26),
        ("batch=4:noncontiguous=datatype", 11),
        ("batch=32", 0),
        ("noncontiguous=packed", 0),
    ],
)
def test_batches(build: Build, form: str, further: int) -> None:
    model = f"{HOCKNEY},tau=1e-6"
    names = f"sparbit:{form},bruck"
    batches, bruck = costs(build, "--algorithms", names, "--ranks", "64", "--model", model)
    assert float(batches["cost"]) - float(bruck["cost"]) == pytest.approx(further, abs=1e-6)
    assert batches["algorithm"] == f"sparbit:{form}"


@pytest.mark.parametrize(
    "model", [(HOCKNEY,), ("hop-bytes", "--nodes", "2", "--ranks-per-node", "2")]
)
def test_batches_without_a_price(build: Build, model: tuple[str, ...]) -> None:
    ranks = ("--ranks", "4") if len(model) == 1 else ()
    ended = build.schedule("cost", "--algorithms", "sparbit:batch=2", "--model", *model, *ranks)
    said = refused(ended)
    assert "--algorithms: 'sparbit:batch=2'" in said
    assert "legal with it: --model hockney with tau" in said


@cache
def messages(
    build: Build, algorithm: str, ranks: int, *arguments: str
) -> list[tuple[int, int, int]]:
    """Sender, receiver, blocks of every message."""
    return [
        (rank, peer, len(blocks))
        for rank, steps in enumerate(shown(build, algorithm, ranks, *arguments).all_steps)
        for step in steps
        for peer, blocks in step.sends
    ]


# Hockney's model, in microseconds, at a power of two. p ranks, c bytes a block.


def start_ups(algorithm: str, p: int) -> int:
    """Loch 2021, 2.4; Faraj 2006, 4.1.1.1."""
    log2 = p.bit_length() - 1
    x = 1 << log2 // 2  # the mesh is x times p/x
    return {
        "ring": p - 1,
        "bruck": log2,
        "recursive_doubling": log2,
        "gather_bcast": 2 * log2,
        "linear": p - 1,
        "mesh2d": x - 1 + p // x - 1,
    }[algorithm]


def bytes_moved(algorithm: str, p: int, c: int) -> int:
    """By the busiest rank: it receives all other blocks; or gathers them, then sends everything
    log2 p times."""
    broadcast = (p.bit_length() - 1) * p * c if algorithm == "gather_bcast" else 0
    return (p - 1) * c + broadcast


@pytest.mark.parametrize(
    "algorithm", ["ring", "bruck", "recursive_doubling", "gather_bcast", "linear", "mesh2d"]
)
def test_hockney_is_the_papers_closed_form(build: Build, algorithm: str) -> None:
    sizes = [1, 1000, 65536]
    rows = costs(build, "--algorithms", algorithm, "--ranks", "2,4,8,16,32,64,128", "--model",
                 HOCKNEY, "--bytes", "1,1000,64K")  # fmt: skip
    assert len(rows) == 7 * len(sizes)
    for row in rows:
        p, c = int(row["ranks"]), int(row["bytes"])
        if algorithm == "mesh2d" and p == 2:  # is no product
            assert row["status"] == "skipped" and "product of two" in row["reason"]
            continue
        seconds = start_ups(algorithm, p) * ALPHA + bytes_moved(algorithm, p, c) * BETA
        assert float(row["cost"]) == pytest.approx(seconds * 1e6, rel=1e-12), row
        assert (row["model"], row["unit"]) == ("hockney", "us")
        assert row["nodes"] == row["ranks_per_node"] == row["mapping"] == ""
    assert [int(row["bytes"]) for row in rows[:3]] == sizes


@pytest.mark.parametrize(("algorithm", "further"), [("sparbit", 64 - 6 - 1), ("bruck", 0)])
def test_hockney_with_tau(build: Build, algorithm: str, further: int) -> None:
    """Loch 2021, 4.3: of blocks that do not lie together, all but the first cost tau."""
    model = "hockney:alpha=1,beta=0,tau=0.01"
    (row,) = costs(build, "--algorithms", algorithm, "--ranks", "64", "--model", model)
    assert float(row["cost"]) == pytest.approx((6 + 0.01 * further) * 1e6, rel=1e-12)


def test_hockney_of_a_square_mesh(build: Build) -> None:
    """Faraj: 2 (sqrt(p) - 1) start-ups."""
    for row in costs(build, "--algorithms", "mesh2d", "--ranks", "4,9,25,36,49", "--model",
                     "hockney:alpha=1,beta=0"):  # fmt: skip
        assert float(row["cost"]) == 2 * (isqrt(int(row["ranks"])) - 1) * 1e6


def test_hockney_of_segments(build: Build) -> None:
    """The number of start-ups follows the block; the bytes do not."""
    rows = costs(build, "--algorithms", "pipelined_ring:segment=300", "--ranks", "5", "--model",
                 HOCKNEY, "--bytes", "1,300,301,10000")  # fmt: skip
    for row in rows:
        c = int(row["bytes"])
        seconds = 4 * ceil(c / 300) * ALPHA + 4 * c * BETA
        assert float(row["cost"]) == pytest.approx(seconds * 1e6, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (("--ranks-per-node", "4"), ("2", "4", "sequential")),
        (("--ranks-per-node", "8"), ("1", "6", "sequential")),
        (("--hosts", "a,b,a,b,a,b"), ("2", "3", "cyclic")),
        (("--hosts", "a,b,b,a,c,b"), ("3", "3", "custom")),
        (("--topology", "torus:2x3"), ("6", "1", "sequential")),
    ],
)
def test_rows_say_where_the_ranks_are(
    build: Build, options: tuple[str, str], where: tuple[str, str, str]
) -> None:
    """Its price depends on it."""
    (row,) = costs(build, "--algorithms", "ring", "--ranks", "6", "--model", HOCKNEY, *options)
    assert (row["nodes"], row["ranks_per_node"], row["mapping"]) == where


# Hop-bytes


def node_of(rank: int, nodes: int, ranks_per_node: int, mapping: str) -> int:
    return rank % nodes if mapping == "cyclic" else rank // ranks_per_node


def hop_bytes(build: Build, row: Row, *arguments: str) -> int:
    """Loch 2021, 5.3: a message costs its size times the distance of the nodes."""
    place = (int(row["nodes"]), int(row["ranks_per_node"]), row["mapping"])
    return int(row["bytes"]) * sum(
        blocks * abs(node_of(sender, *place) - node_of(receiver, *place))
        for sender, receiver, blocks in messages(
            build, row["algorithm"], int(row["ranks"]), *arguments
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm",
    ["ring", "neighbor_exchange", "recursive_doubling", "bruck", "bruck:k=3", "bruck_in_place:k=4",
     "sparbit", "linear", "shift_light_barrier", "pair_mpi_barrier", "mesh2d", "gather_bcast",
     "linear_gather_bcast:bcast=flat", "recursive_halving", "recursive_exchange:k=3"],
)  # fmt: skip
def test_hop_bytes_is_the_sum_over_all_messages(build: Build, algorithm: str) -> None:
    rows = costs(build, "--algorithms", algorithm, "--model", "hop-bytes", "--nodes", "1:4,7",
                 "--ranks-per-node", "1,2,3", "--mapping", "sequential,cyclic")  # fmt: skip
    assert len(rows) == 5 * 3 * 2
    priced = 0
    for row in rows:
        assert int(row["ranks"]) == int(row["nodes"]) * int(row["ranks_per_node"])
        assert (row["model"], row["bytes"], row["unit"]) == ("hop-bytes", "1", "byte-hops")
        if row["status"] == "ok":
            assert float(row["cost"]) == hop_bytes(build, row), row
            priced += 1
    assert priced >= 2 * 5  # the powers of two among them


@pytest.mark.parametrize("algorithm", ["leader", "leader:inner=ring", "lane", "lane:inner=linear"])
def test_hop_bytes_of_the_node_aware(build: Build, algorithm: str) -> None:
    rows = costs(build, "--algorithms", algorithm, "--model", "hop-bytes", "--nodes", "1,2,3,5",
                 "--ranks-per-node", "1,2,4", "--mapping", "sequential,cyclic")  # fmt: skip
    assert len(rows) == 4 * 3 * 2
    for row in rows:
        arguments = (
            *("--nodes", row["nodes"], "--ranks-per-node", row["ranks_per_node"]),
            *("--mapping", row["mapping"]),
        )
        assert float(row["cost"]) == hop_bytes(build, row, *arguments), row


def test_hop_bytes_of_nodes_that_are_not_full(build: Build) -> None:
    rows = costs(build, "--algorithms", "bruck,sparbit", "--model", "hop-bytes", "--nodes", "4",
                 "--ranks-per-node", "3", "--ranks", "5,7,12", "--mapping", "cyclic,sequential",
                 "--bytes", "1,1000")  # fmt: skip
    assert len(rows) == 2 * 3 * 2 * 2
    for row in rows:
        assert float(row["cost"]) == hop_bytes(build, row), row


def test_sums_of_large_blocks_are_no_integers(build: Build) -> None:
    """Of blocks that are 2^61 bytes in all, more than 2^63 go over links, and through a port."""
    ranks, size = 64, 2**54
    sizes = [ranks * size, *[ranks * size // (ranks - 1)] * (ranks - 1)]  # of the spike
    where = ("--distributions", "spike", "--bytes", str(size))
    hops = sum(
        block * abs(rank - other) for rank, block in enumerate(sizes) for other in range(ranks)
    )
    (row,) = costs(build, "--algorithms", "linear", *where, "--model", "hop-bytes",
                   "--nodes", str(ranks), "--ranks-per-node", "1")  # fmt: skip
    assert hops > 2**63 and float(row["cost"]) == pytest.approx(hops, rel=1e-11)
    (row,) = costs(build, "--algorithms", "gather_bcast", *where, "--model",
                   "hockney:alpha=0,beta=1", "--ranks", str(ranks))  # fmt: skip
    port = sum(sizes[1:]) + 6 * sum(sizes)  # of rank 0
    assert port > 2**63 and float(row["cost"]) == pytest.approx(1e6 * port, rel=1e-11)


def test_links_of_large_blocks(build: Build, tmp_path: Path) -> None:
    """Rank 0 sends all blocks to each other host."""
    (tmp_path / "two.conf").write_text(
        "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-63]\n"
    )
    size = 2**54
    (row,) = costs(build, "--algorithms", "gather_bcast:bcast=flat", "--ranks", "64", "--bytes",
                   f"{size}", "--distributions", "spike", "--model", "links",
                   "--topology", str(tmp_path / "two.conf"))  # fmt: skip
    total = 64 * size + 63 * (64 * size // 63)
    assert float(row["cost"]) == pytest.approx(63 * total, rel=1e-11)


def test_bruck_by_hand(build: Build) -> None:
    """4 nodes with 1 rank each: 3 blocks to the rank before (rank 0's goes 3 far), 4 times 2 blocks
    over 2."""
    (row,) = costs(build, "--algorithms", "bruck", "--model", "hop-bytes", "--nodes", "4",
                   "--ranks-per-node", "1")  # fmt: skip
    assert float(row["cost"]) == (3 * 1 + 1 * 3) + 4 * 2 * 2


@pytest.mark.parametrize("ranks_per_node", [2, 3, 4, 8])
def test_bruck_has_minima_at_powers_of_two(build: Build, ranks_per_node: int) -> None:
    """Loch 2021, 5.3, figure 19: under the cyclic mapping."""
    rows = costs(build, "--algorithms", "bruck", "--model", "hop-bytes", "--nodes", "1:40",
                 "--ranks-per-node", str(ranks_per_node), "--mapping", "cyclic")  # fmt: skip
    cost = {int(row["nodes"]): float(row["cost"]) for row in rows}
    for nodes in (8, 16, 32):
        assert cost[nodes] < min(cost[nodes - 1], cost[nodes + 1])
    # That is the mapping's doing.
    rows = costs(build, "--algorithms", "bruck", "--model", "hop-bytes", "--nodes", "1:40",
                 "--ranks-per-node", str(ranks_per_node))  # fmt: skip
    sequential = [float(row["cost"]) for row in rows]
    assert sequential == sorted(sequential)


# The most loaded link


@pytest.mark.slow
@pytest.mark.parametrize("tree", [CLUSTER, FORK, CHAIN], ids=["cluster", "fork", "chain"])
@pytest.mark.parametrize("on_host", [1, 2])
def test_links_are_the_sum_over_all_messages(
    build: Build, tmp_path: Path, tree: Tree, on_host: int
) -> None:
    (tmp_path / "tree.conf").write_text(tree.text())
    place = ("--topology", str(tmp_path / "tree.conf"), "--ranks-per-node", str(on_host))
    names = ["ring", "bruck", "sparbit", "linear", "gather_bcast", "recursive_exchange:k=3",
             "topology_ring", "topology_ring_optimal", "leader"]  # fmt: skip
    most = len(tree.hosts) * on_host
    rows = costs(build, "--algorithms", ",".join(names), "--ranks", f"1:{most}", "--model", "links",
                 "--bytes", "1,100", *place)  # fmt: skip
    assert len(rows) == len(names) * most * 2
    for row in rows:
        loads: Counter[tuple[str, str]] = Counter()
        for sender, receiver, blocks in messages(
            build, row["algorithm"], int(row["ranks"]), *place
        ):
            for link in tree.path(sender // on_host, receiver // on_host):
                loads[link] += blocks * int(row["bytes"])
        assert float(row["cost"]) == max(loads.values(), default=0), row
        assert (row["model"], row["unit"]) == ("links", "bytes")


def test_links_of_two_switches_by_hand(build: Build, tmp_path: Path) -> None:
    """Two hosts on each of two switches. Linear: every block to both hosts beyond the link between
    them; a ring: all blocks but one over every link that it takes."""
    tree = Tree([("s0", "", ["a", "b"]), ("s1", "s0", ["c", "d"])])
    (tmp_path / "tree.conf").write_text(tree.text())
    linear, ring = costs(build, "--algorithms", "linear,ring", "--ranks", "4", "--model", "links",
                         "--topology", str(tmp_path / "tree.conf"))  # fmt: skip
    assert float(linear["cost"]) == 2 * 2
    assert float(ring["cost"]) == 3


# The hosts of the ranks


FARAJ_6 = Tree([(f"s{i}", f"s{i - 1}" if i else "", [f"n{n}" for n in range(i, 32, 4)])
                for i in range(4)])  # fmt: skip


def test_hosts_say_where_the_ranks_are(build: Build, tmp_path: Path) -> None:
    """Faraj 2006, figure 3.24 (b): machines that are dealt out to four switches. A block of 128 KiB
    from each of the others crosses each link once if ranks follow the tree; by rank, 248 of them
    go over the middle link."""
    (tmp_path / "six.conf").write_text(FARAJ_6.text())
    (tmp_path / "order").write_text("# as they are numbered\nn[0-9]\nn[10-31]\n")
    links = ("--algorithms", "ring,topology_ring", "--ranks", "32", "--bytes", "128K", "--model",
             "links", "--topology", str(tmp_path / "six.conf"))  # fmt: skip

    def prices(*hosts: str) -> list[float]:
        return [float(row["cost"]) for row in costs(build, *links, *hosts)]

    assert prices() == [4063232, 4063232]
    for hosts in ("n[0-31]", str(tmp_path / "order"), "n[0-31],n0"):
        assert prices("--hosts", hosts) == [32505856, 4063232]
    # Two ranks fill a host, half of the hosts are left over.
    both = ("--hosts", "n[0-31]", "--ranks-per-node", "2")
    assert prices(*both) == prices("--hosts", ",".join(f"n{n},n{n}" for n in range(16)))


def test_hosts_of_one_name_are_one_node(build: Build) -> None:
    def shown(*place: str) -> str:
        return build.schedule("show", "--algorithm", "leader", "--ranks", "6", *place).stdout

    assert shown("--hosts", "b,b,b,a,a,a") == shown("--ranks-per-node", "3")
    assert shown("--hosts", "x,y,x,y,x,y") == shown(
        "--nodes", "2", "--ranks-per-node", "3", "--mapping", "cyclic"
    )


def test_locality_on_hosts(build: Build) -> None:
    """The nodes are the hosts of one name: the same sends stay on them."""

    def sends(*place: str) -> list[list[str]]:
        ended = build.schedule("locality", "--algorithms", "bruck", "--ranks", "6", *place)
        assert (ended.exit_code, ended.stderr) == (0, "")
        return [line.split(",")[5:] for line in ended.stdout.splitlines()[1:]]

    cyclic = ("--nodes", "2", "--ranks-per-node", "3", "--mapping", "cyclic")
    assert sends("--hosts", "x,y,x,y,x,y") == sends(*cyclic)
    assert sends("--hosts", "x,y,z", "--ranks-per-node", "2") == sends(
        "--nodes", "3", "--ranks-per-node", "2"
    )
    # x has four ranks, though there are two slots a host.
    twice = ("--hosts", "x,y,x", "--ranks-per-node", "2")
    ended = build.schedule("locality", "--algorithms", "bruck", "--ranks", "6", *twice)
    assert {line.split(",")[3] for line in ended.stdout.splitlines()[1:]} == {"4"}
    for arguments, part in (
        (("--hosts", "x[0-5]", "--nodes", "2"), "--nodes: '2' is not for --hosts"),
        (("--ranks-per-node", "2"), "--nodes: is needed, or --hosts"),
        (("--hosts", "x"), "--hosts: has 1 hosts; 6 ranks"),
    ):
        asked = ("locality", "--algorithms", "bruck", "--ranks", "6", *arguments)
        assert part in refused(build.schedule(*asked))


@pytest.mark.parametrize(
    ("hosts", "parts"),
    [
        ("n[0-30]", ["--hosts: has 31 hosts; 32 ranks, 1 on each, take 32"]),
        ("n[0-32],m", []),
        ("m,n[0-31]", ["--hosts: 'm' is no host of --topology", "legal: n0, n4, "]),
        ("n[0-", ["--hosts: 'n[0-' has a '[' without ']'"]),
        ("", ["--hosts: '' is no value"]),
        ("./missing", ["--hosts: './missing' cannot be read"]),
        ("wrong", ["wrong:2: '1-0'", "backwards"]),
    ],
)
def test_hosts_that_are_wrong(build: Build, tmp_path: Path, hosts: str, parts: list[str]) -> None:
    (tmp_path / "six.conf").write_text(FARAJ_6.text())
    (tmp_path / "wrong").write_text("n2\nn[1-0]\n")
    for command in (
        ["prove", "--algorithms", "ring"],
        ["show", "--algorithm", "ring"],
        ["cost", "--algorithms", "ring", "--model", "links"],
        ["rings", "--algorithms", "ring"],
    ):
        ended = build.schedule(*command, "--ranks", "32", "--topology", "six.conf",
                               "--hosts", hosts, cwd=tmp_path)  # fmt: skip
        if parts:
            message = refused(ended)
            assert [part for part in parts if part not in message] == []
        else:  # those that are not needed are not looked at
            assert ended.exit_code == 0


# Links that the messages of a step share


def test_contention_of_two_switches_by_hand(build: Build, tmp_path: Path) -> None:
    """Two hosts on each of two switches, blocks of 1000 bytes; a ring has a block a step on each
    link."""
    tree = Tree([("s0", "", ["a", "b"]), ("s1", "s0", ["c", "d"])])
    (tmp_path / "tree.conf").write_text(tree.text())
    doubling, ring = costs(build, "--algorithms", "recursive_doubling,ring", "--ranks", "4",
                           "--bytes", "1000", "--topology", str(tmp_path / "tree.conf"),
                           "--model", "contention:alpha=1e-3,bandwidth=1e6")  # fmt: skip
    assert float(ring["cost"]) == pytest.approx(3 * (1000 + 1000))
    # One block on a host's link, then two blocks of each of two ranks between the switches.
    assert float(doubling["cost"]) == pytest.approx(2 * 1000 + 1000 + 4000)
    for row in (ring, doubling):
        assert (row["model"], row["unit"], row["bound"]) == ("contention", "us", "")


def test_contention_counts_messages_and_ranks_of_a_host(build: Build, tmp_path: Path) -> None:
    """Two hosts of two ranks: rank 0 sends to 1 through memory and to 2 and 3 over its link, which
    rank 1's two messages take, too."""
    tree = Tree([("s0", "", ["a", "b"])])
    (tmp_path / "tree.conf").write_text(tree.text())
    spread, one_host = (
        costs(build, "--algorithms", "spread", "--ranks", ranks, "--bytes", "1000",
              "--ranks-per-node", "2", "--topology", str(tmp_path / "tree.conf"),
              "--model", "contention:alpha=1e-3,bandwidth=1e6,further=0.5")[0]
        for ranks in ("4", "2")
    )  # fmt: skip
    assert float(spread["cost"]) == pytest.approx(1000 + 2 * 500 + 4 * 1000)
    assert float(one_host["cost"]) == pytest.approx(1000 + 1000)


def test_contention_of_a_hosts_memory_by_hand(build: Build, tmp_path: Path) -> None:
    """Two hosts of two ranks. Within a host each rank sends a block of 1000 bytes; then each sends
    two blocks over its host's link."""
    (tmp_path / "tree.conf").write_text(Tree([("s0", "", ["a", "b"])]).text())
    for memory, us in (
        ("copy_bandwidth=5e5,memory_bandwidth=1e9", 2000),
        ("copy_bandwidth=5e5,memory_bandwidth=5e5", 4000),
    ):
        (row,) = costs(build, "--algorithms", "recursive_doubling", "--ranks", "4", "--bytes",
                       "1000", "--ranks-per-node", "2", "--topology", str(tmp_path / "tree.conf"),
                       "--model", f"contention:alpha=1e-3,bandwidth=1e6,{memory}")  # fmt: skip
        assert float(row["cost"]) == pytest.approx(2 * 1000 + us + 4000)


def test_unequal_blocks_by_hand(build: Build, tmp_path: Path) -> None:
    """Rank 0 alone has something: 1000 bytes. In two steps of recursive doubling they pass a host's
    link, and then two ranks send them on, each to one of the other switch."""
    tree = Tree([("s0", "", ["a", "b"]), ("s1", "s0", ["c", "d"])])
    (tmp_path / "tree.conf").write_text(tree.text())
    given = ("--algorithms", "recursive_doubling", "--ranks", "4", "--bytes", "1000",
             "--distributions", "regular,broadcast")  # fmt: skip
    regular, broadcast = costs(build, *given, "--topology", str(tmp_path / "tree.conf"),
                               "--model", "contention:alpha=1e-3,bandwidth=1e6")  # fmt: skip
    assert (regular["distribution"], broadcast["distribution"]) == ("regular", "broadcast")
    assert float(regular["cost"]) == pytest.approx(2 * 1000 + 1000 + 4000)
    assert float(broadcast["cost"]) == pytest.approx(2 * 1000 + 1000 + 2000)
    regular, broadcast = costs(build, *given, "--model", "hockney:alpha=1e-3,beta=1e-6")
    assert (float(regular["cost"]), float(regular["bound"])) == (2000 + 3000, 2000 + 3000)
    assert (float(broadcast["cost"]), broadcast["bound"]) == (2000 + 2000, "")


NETWORK = ("--topology", "torus:2x2")


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (f"{HOCKNEY},tau=1e-6", ()),
        ("links", NETWORK),
        ("contention:alpha=1e-6,bandwidth=1e9", NETWORK),
        ("hop-bytes", ("--nodes", "2", "--ranks-per-node", "2")),
    ],
)
def test_segments_of_a_file_are_parts_of_blocks(
    build: Build, tmp_path: Path, model: str, more: tuple[str, ...]
) -> None:
    """A file costs what the algorithm does that it was shown of."""
    given = ("--ranks", "4", "--bytes", "1K")
    made = "pipelined_ring:segment=256"
    file = tmp_path / "cut.json"
    file.write_text(build.schedule("show", "--algorithm", made, *given, "--format", "json").stdout)
    rows = costs(build, "--algorithms", f"{made},file:{file}", *given, "--model", model, *more)
    assert [row["algorithm"] for row in rows] == [made, "file:cut"]
    assert rows[0]["cost"] == rows[1]["cost"]


def test_a_broadcast_in_pieces_is_priced_by_size(build: Build) -> None:
    """Rank 4 of 8 receives two messages of the gather and sends one; then the blocks pass it along
    the ranks, each while the one before leaves if they are large, all at once if they are small."""
    rows = costs(build, "--algorithms", "gather_bcast:bcast=linear_pipeline", "--ranks", "8",
                 "--bytes", "1,64K", "--model", "hockney:alpha=1e-3,beta=0")  # fmt: skip
    assert [float(row["cost"]) for row in rows] == [(3 + 2) * 1000, (3 + 9) * 1000]


@pytest.mark.parametrize("collective", ["bcast", "reduce"])
def test_no_bound_where_ranks_wait_for_others(build: Build, collective: str) -> None:
    """A rank of a pipeline of 64 ranks receives and sends one message; the last waits for 63."""
    ended = build.schedule("cost", "--collective", collective, "--algorithms", "binomial,"
                           "linear_pipeline", "--ranks", "64", "--model", HOCKNEY)  # fmt: skip
    rows = [*csv.DictReader(ended.stdout.splitlines()[3:])]
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert [row["bound"] for row in rows] == ["", ""]


# The tests below are of what cannot be priced.


def test_skipped_with_the_reason(build: Build) -> None:
    names = ["recursive_doubling", "topology_ring", "mesh3d", "shift_n_barriers:n=9", "ring",
             "leader:inner=pair", "pipelined_ring:segment=1"]  # fmt: skip
    rows = costs(build, "--algorithms", ",".join(names), "--ranks", "6", "--model", HOCKNEY,
                 "--bytes", "1G")  # fmt: skip
    reasons = {row["algorithm"]: row["reason"] for row in rows}
    assert list(reasons) == names
    parts = ["power-of-two number of ranks; ranks = 6", "switch tree: --topology FILE",
             "product of three", "n has no such value at p = 6", "", "6 nodes pair needs a power",
             "larger segments than 1 bytes"]  # fmt: skip
    for name, part in zip(names, parts, strict=True):
        assert (part in reasons[name]) if part else (reasons[name] == "")


@pytest.mark.parametrize("algorithm", ["linear_gather_bcast", "bslb"])
@pytest.mark.parametrize(
    "model", ["hockney:alpha=1,beta=1", "links", "contention:alpha=1,bandwidth=1"]
)
def test_half_a_schedule_has_no_price(
    build: Build, tmp_path: Path, algorithm: str, model: str
) -> None:
    """An all-gather looked up to eight times as fast as it is without the broadcast at its end."""
    tree = tmp_path / "topology.conf"
    tree.write_text("SwitchName=s Nodes=h[0-7]\n")
    network = [] if model.startswith("hockney") else ["--topology", str(tree)]
    choices = f"{algorithm},{algorithm}:bcast=flat"
    without, whole = costs(
        build, "--algorithms", choices, "--model", model, "--ranks", "8", *network
    )
    assert (without["status"], without["cost"]) == ("skipped", "")
    assert "MPI_Bcast, which no model prices; bcast=NAME" in without["reason"]
    # All 8 blocks from rank 0 to each of the others.
    assert float(whole["cost"]) >= 7 * 8


def test_a_barrier_of_the_library_has_bytes_but_no_time(build: Build) -> None:
    given = ("--algorithms", "shift_mpi_barrier,shift_light_barrier", "--ranks", "8")
    without, ours = costs(build, *given, "--model", HOCKNEY)
    assert (without["status"], without["cost"], ours["status"]) == ("skipped", "", "ok")
    assert "MPI_Barrier in its steps, which no model prices" in without["reason"]
    hops = ("--model", "hop-bytes", "--nodes", "8", "--ranks-per-node", "1")
    assert [row["status"] for row in costs(build, *given[:2], *hops)] == ["ok", "ok"]


def test_all_is_all_schedules(build: Build) -> None:
    rows = costs(build, "--algorithms", "all", "--ranks", "8", "--model", HOCKNEY)
    names = [row["algorithm"] for row in rows]
    assert "ring" in names and "lane" in names
    assert "native" not in names and "library_gather_bcast" not in names
    skipped = {row["algorithm"] for row in rows if row["status"] == "skipped"}
    assert skipped == {
        "topology_ring", "topology_ring_two_hop", "topology_ring_optimal",
        "linear_gather_bcast", "bslb", "shift_mpi_barrier", "pair_mpi_barrier",
        "shift_n_barriers", "pair_n_barriers",
    }  # fmt: skip


GOOD = {"--algorithms": "ring", "--ranks": "4", "--model": "hockney:alpha=1,beta=1"}
HOPS = {"--algorithms": "ring", "--model": "hop-bytes", "--nodes": "2", "--ranks-per-node": "2"}


@pytest.mark.parametrize(
    ("good", "change", "parts"),
    [
        (GOOD, {"--algorithms": "rign"}, ["--algorithms", "mean 'ring'", "legal: "]),
        (GOOD, {"--algorithms": "native"}, ["--algorithms", "'native'", "no schedule"]),
        (GOOD, {"--algorithms": ""}, ["--algorithms", "''"]),
        (GOOD, {"--algorithms": None}, ["--algorithm", "required"]),
        (GOOD, {"--ranks": "0"}, ["--ranks", "'0'", "between 1 and"]),
        (GOOD, {"--ranks": "4:2"}, ["--ranks", "'4:2'", "reversed"]),
        (GOOD, {"--ranks": "99999999"}, ["--ranks", "'99999999'", "between 1 and"]),
        (GOOD, {"--ranks": "x"}, ["--ranks", "'x'"]),
        (GOOD, {"--ranks": ""}, ["--ranks", "''"]),
        (GOOD, {"--ranks": None}, ["--ranks", "needed"]),
        (GOOD, {"--bytes": "0"}, ["--bytes", "'0'"]),
        (GOOD, {"--bytes": "1,1"}, ["--bytes", "'1'", "twice"]),
        (GOOD, {"--ranks": "2:8,4"}, ["--ranks", "'4'", "twice"]),
        (HOPS, {"--nodes": "2,2"}, ["--nodes", "'2'", "twice"]),
        (HOPS, {"--ranks-per-node": "2,1:2"}, ["--ranks-per-node", "'2'", "twice"]),
        (HOPS, {"--mapping": "cyclic,cyclic"}, ["--mapping", "'cyclic'", "twice"]),
        (GOOD, {"--bytes": "1Q"}, ["--bytes", "'1Q'"]),
        (GOOD, {"--ranks-per-node": "0"}, ["--ranks-per-node", "'0'"]),
        (GOOD, {"--ranks-per-node": ""}, ["--ranks-per-node", "''"]),
        (GOOD, {"--topology": "nosuch.conf"}, ["--topology", "'nosuch.conf'"]),
        (GOOD, {"--model": None}, ["--model", "required"]),
        (GOOD, {"--model": "hokney"}, ["--model", "'hokney'", "hop-bytes, links"]),
        (GOOD, {"--model": "hockney"}, ["--model hockney", "alpha=", "beta="]),
        (GOOD, {"--model": "hockney:alpha=1e308,beta=1"}, ["'alpha=1e308'", "largest is 1e+100"]),
        (GOOD, {"--model": "hockney:alpha=1"}, ["--model hockney", "lacks", "beta="]),
        (
            GOOD,
            {"--model": "hockney:alpha=1,beta=1,delta=1"},
            ["hockney", "'delta=1'", "alpha=", "tau="],
        ),
        (GOOD, {"--model": "hockney:alpha=1,beta=1,tau=-1"}, ["hockney:tau", "'-1'", "negative"]),
        (GOOD, {"--model": "hockney:alpha=1,beta=1,alpha=2"}, ["'alpha=2'", "alpha twice"]),
        (GOOD, {"--model": "hockney:alpha=x,beta=1"}, ["hockney:alpha", "'x'", "not a number"]),
        (GOOD, {"--model": "hockney:alpha=1,beta=-1"}, ["hockney:beta", "'-1'", "negative"]),
        (GOOD, {"--model": "hockney:alpha=1,beta=nan"}, ["hockney:beta", "'nan'"]),
        (GOOD, {"--model": "links"}, ["--model", "'links'", "--topology"]),
        (GOOD, {"--model": "contention:alpha=1,bandwidth=1"}, ["'contention'", "--topology"]),
        (GOOD, {"--model": "contention"}, ["--model contention", "alpha=", "bandwidth="]),
        (GOOD, {"--model": "contention:alpha=1,bandwidth=0"}, ["'alpha=1,bandwidth=0'", "1e-100"]),
        (GOOD, {"--model": "contention:alpha=1"}, ["--model contention", "lacks", "bandwidth="]),
        (GOOD, {"--model": "hop-bytes:1"}, ["--model", "'hop-bytes:1'", "legal: "]),
        (GOOD, {"--model": "hop-bytes"}, ["--model", "'hop-bytes'", "--nodes and --ranks"]),
        (GOOD, {"--nodes": "2"}, ["--nodes", "'2'", "--model hop-bytes"]),
        (GOOD, {"--ranks-per-node": "2,3"}, ["--ranks-per-node", "'2,3'"]),
        (GOOD, {"--mapping": "cyclic"}, ["--mapping", "'cyclic'", "--model hop-bytes"]),
        (GOOD, {"--nosuch": "1"}, ["--nosuch"]),
        (HOPS, {"--ranks-per-node": None}, ["--model", "--nodes and --ranks-per-node"]),
        (HOPS, {"--nodes": "0"}, ["--nodes", "'0'"]),
        (HOPS, {"--nodes": "9999999"}, ["--nodes", "'9999999'", "between 1 and"]),
        (HOPS, {"--nodes": "2:x"}, ["--nodes", "'x'"]),
        (HOPS, {"--ranks-per-node": "3:1"}, ["--ranks-per-node", "'3:1'", "reversed"]),
        (HOPS, {"--nodes": "30000", "--ranks-per-node": "30000"}, ["--nodes", "'30000'", "32768"]),
        (HOPS, {"--ranks": "5"}, ["--ranks", "'5'", "2 nodes with 2 ranks each"]),
        (HOPS, {"--mapping": "cylic"}, ["--mapping", "mean 'cyclic'", "sequential, cyclic"]),
        (HOPS, {"--mapping": ""}, ["--mapping", "''"]),
        (HOPS, {"--topology": "tree.conf"}, ["--topology", "'tree.conf'", "hop-bytes"]),
    ],
)
def test_bad_input(
    build: Build, good: dict[str, str], change: dict[str, str | None], parts: list[str]
) -> None:
    given = {key: value for key, value in {**good, **change}.items() if value is not None}
    arguments = [part for pair in given.items() for part in pair]
    message = refused(build.schedule("cost", *arguments))
    for part in parts:
        assert part in message


def test_too_many_ranks_for_the_hosts(build: Build, tmp_path: Path) -> None:
    (tmp_path / "tree.conf").write_text(CLUSTER.text())
    message = refused(build.schedule("cost", "--algorithms", "ring", "--ranks", "2:7", "--model",
                                     "links", "--topology", "tree.conf", "--ranks-per-node", "2",
                                     cwd=tmp_path))  # fmt: skip
    for part in ("--topology", "3 hosts", "7 ranks", "--ranks-per-node"):
        assert part in message
