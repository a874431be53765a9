# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule with --topology torus:AxB: against routes that are found here anew, over the
messages that `show` prints, and against published numbers."""

from collections import Counter
from itertools import product
from math import prod
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import read_results
from .test_cost import costs
from .test_schedule import shown

TORI = [(4, 4), (2, 3), (3, 2, 2), (2, 8)]
NAMES = ["ring", "bruck", "sparbit", "linear", "gather_bcast", "neighbor_exchange", "ring@node",
         "bucket"]  # fmt: skip
Place = tuple[int, ...]
Hop = tuple[Place, Place]


def value(sides: Place) -> str:
    return f"torus:{'x'.join(map(str, sides))}"


def route(sides: Place, start: Place, end: Place) -> list[Hop]:
    """The last side first; in each as few hops as can be, upwards if both ways have as few."""
    hops: list[Hop] = []
    at = start
    for d in reversed(range(len(sides))):
        ways = [
            [(at[d] + way * i) % sides[d] for i in range(sides[d])] for way in (1, -1)
        ]  # around the ring, each way
        way = min(ways, key=lambda coordinates: coordinates.index(end[d]))
        for coordinate in way[1 : way.index(end[d]) + 1]:
            then = (*at[:d], coordinate, *at[d + 1 :])
            hops.append((at, then))
            at = then
    assert at == end
    return hops


def loads_of_steps(build: Build, algorithm: str, sides: Place, *more: str) -> list[Counter[Hop]]:
    """Returns, for each step, the blocks on each link."""
    places = list(product(*map(range, sides)))
    all_steps = shown(build, algorithm, prod(sides), "--topology", value(sides), *more).all_steps
    loads = [Counter[Hop]() for _ in range(max(map(len, all_steps)))]
    for rank, steps in enumerate(all_steps):
        for load, step in zip(loads, steps, strict=False):
            for peer, blocks in step.sends:
                for hop in route(sides, places[rank], places[peer]):
                    load[hop] += len(blocks)
    return loads


@pytest.mark.parametrize("sides", TORI, ids=value)
def test_links_and_contention_are_sums_over_all_messages(build: Build, sides: Place) -> None:
    given = ("--algorithms", ",".join(NAMES), "--ranks", str(prod(sides)), "--bytes", "1,100",
             "--topology", value(sides))  # fmt: skip
    in_all = costs(build, *given, "--model", "links")
    in_steps = costs(build, *given, "--model", "contention:alpha=0,bandwidth=1e6")
    assert len(in_all) == len(in_steps) == 2 * len(NAMES)
    for one, other in zip(in_all, in_steps, strict=True):
        if one["status"] != "ok":  # neighbor_exchange of an odd number
            continue
        loads = loads_of_steps(build, one["algorithm"], sides)
        size = int(one["bytes"])
        assert float(one["cost"]) == size * max(sum(loads, Counter[Hop]()).values()), one
        most = [max(load.values(), default=0) for load in loads]
        assert float(other["cost"]) == size * sum(most), other


# A simulation of fluid flows, by another program, on 4 x 4: 2 us a start-up, 10 GB/s a link. It has
# a start-up for each peer of a step. Of four ports each of 15 blocks is in four segments, which do
# not lie together: 60 messages, to 16 and 24 peers.
def test_published_times(build: Build) -> None:
    published = {
        "swing:dims=4x4": (14.1, 106, 1581),
        "swing:dims=4x4:ports=4": (33.5, 56.6, 425),
        "bucket:dims=4x4:ports=4": (49.5, 72.6, 441),
    }
    further_messages = (3, 60 - 16, 60 - 24)
    rows = costs(build, "--algorithms", ",".join(published), "--ranks", "16", "--bytes",
                 "4K,64K,1M", "--topology", "torus:4x4", "--model",
                 "contention:alpha=2e-6,bandwidth=1e10")  # fmt: skip
    found = [float(row["cost"]) for row in rows]
    expected = [
        us + 2 * messages
        for times, messages in zip(published.values(), further_messages, strict=True)
        for us in times
    ]
    assert found == pytest.approx(expected, rel=5e-3)


def test_hosts_place_ranks(build: Build) -> None:
    """A ring along the row n0 to n3 goes over each link once a block; dealt out to two rows, over
    the links between them too."""

    def price(hosts: str, model: str = "links") -> float:
        (row,) = costs(build, "--algorithms", "ring", "--ranks", "4", "--topology", "torus:4x4",
                       "--model", model, "--hosts", hosts)  # fmt: skip
        return float(row["cost"])

    assert price("n[0-3]") == 3
    assert price("n0,n2,n1,n3") == 2 * 3  # 0 to 2 and 1 to 3 pass the link from n1 to n2
    assert price("n0,n0,n0,n0") == 0


def test_messages_share_the_links_in_time(build: Build, tmp_path: Path) -> None:
    """Blocks of 1 MB at 10 GB/s: four ports at once, in 4 steps of one start-up each, as these
    overlap in `time`."""
    ended = build.schedule("time", "--algorithms", "swing:dims=4x4,swing:dims=4x4:ports=4",
                           "--ranks", "16", "--sizes", "1000000", "-i", "1", "--topology",
                           "torus:4x4", "--model", "hockney:alpha=2e-6,beta=1e-10",
                           "--output", str(tmp_path / "times.csv"))  # fmt: skip
    assert ended.exit_code == 0
    found = [float(row["max_us"]) for row in read_results(tmp_path / "times.csv").rows]
    assert found == pytest.approx([4 * 2 + 15 * 100, 4 * 2 + 15 * 100 / 4], abs=1e-3)


@pytest.mark.slow
def test_what_needs_a_switch_tree_says_so(build: Build) -> None:
    rows = costs(build, "--algorithms", "topology_ring,topology_ring_two_hop,ring@switch",
                 "--ranks", "16", "--model", "links", "--topology", "torus:4x4")  # fmt: skip
    assert {row["reason"] for row in rows} == {"needs a switch tree: --topology FILE"}
    message = refused(build.run("allgather_bench", "--algorithms", "ring", "--topology",
                                "torus:4x4", ranks=1))  # fmt: skip
    assert "--topology: 'torus:4x4' is a torus" in message
    assert "legal: the file of a switch tree" in message


@pytest.mark.parametrize(
    ("topology", "parts"),
    [
        ("torus:4", ["'torus:4' has one side", "legal: two or more"]),
        ("torus:0x4", ["has a side '0'", "legal: sides of 2 or more"]),
        ("torus:4x", ["has a side ''", "legal: sides of 2 or more"]),
        ("torus:1024x1025", ["is too large", "1048576 hosts"]),
        ("torus:3x5", ["has 15 hosts; 16 ranks, 1 on each, take 16"]),
        ("torus", ["'torus' cannot be read"]),
    ],
)
def test_bad_tori(build: Build, topology: str, parts: list[str]) -> None:
    for command in (
        ["prove", "--algorithms", "ring"],
        ["show", "--algorithm", "ring"],
        ["rings", "--algorithms", "ring"],
        ["cost", "--algorithms", "ring", "--model", "links"],
        ["time", "--algorithms", "ring", "--sizes", "1", "--model", "hockney:alpha=1,beta=1"],
    ):
        message = refused(build.schedule(*command, "--ranks", "16", "--topology", topology))
        assert message.startswith("--topology: ")
        assert [part for part in parts if part not in message] == []
