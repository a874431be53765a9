# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule cost and time: what `NAME:via=window` takes by a model, by hand."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import refused
from ..support.switch_trees import Tree
from .test_cost import HOCKNEY, costs
from .test_time import ALPHA_US, BETA_US, timed
from .test_time import HOCKNEY as TIMES

WINDOW = "window_alpha=5e-7,window_bandwidth=2e9"


def test_cost_by_hand(build: Build, tmp_path: Path) -> None:
    """Two nodes of two ranks, blocks of 1000 bytes: a copy takes 0.5 us and 1000 bytes at 2 bytes a
    ns, a message between nodes 3 us and 2 us a block."""
    (tmp_path / "tree.conf").write_text(Tree([("s0", "", ["a", "b"])]).text())
    names = "recursive_doubling:via=window,ring:via=window,ring"
    given = ("--algorithms", names, "--ranks", "4", "--bytes", "1000", "--ranks-per-node", "2")
    hockney = costs(build, *given, "--model", f"{HOCKNEY},{WINDOW}")
    assert [float(row["cost"]) for row in hockney] == pytest.approx([1 + 3 + 4, 3 * 5, 3 * 5])
    assert [row["bound"] for row in hockney] == ["", "", "12"]
    model = f"contention:alpha=3e-6,{WINDOW},bandwidth=5e8"
    shared = costs(build, *given, "--topology", str(tmp_path / "tree.conf"), "--model", model)
    # Within a step of the ring a rank of each node copies, while the others send 1000 bytes.
    assert [float(row["cost"]) for row in shared] == pytest.approx([1 + 3 + 8, 3 * 5, 3 * 5])


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--ranks-per-node", "2", "--model", HOCKNEY),
         ["'ring:via=window' copies within a node", "lacks window_alpha= and window_bandwidth="]),
        (("--model", f"{HOCKNEY},{WINDOW}"), ["'ring:via=window'", "legal: with --ranks-per-node"]),
        (("--topology", "torus:2x2", "--model", "links"),
         ["'ring:via=window'", "legal with it: --model hockney, contention"]),
        (("--model", f"{HOCKNEY},window_alpha=1"), ["--model", "lacks window_bandwidth="]),
        (("--model", f"{HOCKNEY},window_bandwidth=1"), ["--model", "lacks window_alpha="]),
        (("--model", f"{HOCKNEY},window_alpha=1,window_bandwidth=0"), ["--model", "too small"]),
    ],
)  # fmt: skip
def test_without_a_price(build: Build, arguments: tuple[str, ...], parts: list[str]) -> None:
    algorithms = ("--algorithms", "ring,ring:via=window", "--ranks", "4")
    said = refused(build.schedule("cost", *algorithms, *arguments))
    assert all(part in said for part in parts), said


def test_of_a_helper_thread_without_a_price(build: Build) -> None:
    (row,) = costs(build, "--algorithms", "bdr:via=window", "--ranks", "4", "--ranks-per-node", "2",
                   "--model", f"{HOCKNEY},{WINDOW}")  # fmt: skip
    assert row["reason"].startswith("has messages that a helper thread sends")


def test_times_by_hand(build: Build, tmp_path: Path) -> None:
    """Recursive doubling of two nodes of two ranks: a copy of 1000 bytes takes 5 us at 1 byte a ns
    with its flags, and then each rank sends 2000 bytes to the other node. With the network two
    messages share a link, and two copies 0.5 bytes a ns of the memory, or what they have there by a
    parameter of their own."""
    tree = tmp_path / "switch.conf"
    tree.write_text("SwitchName=s Nodes=h[0-1]\n")
    window = "window_alpha=4e-6,window_bandwidth=1e9"
    memory = "copy_bandwidth=1e9,memory_bandwidth=5e8"
    for name, model, network, copy_us, messages in (
        ("a.csv", window, (), 4 + 1, 2),
        ("b.csv", window, ("--topology", str(tree)), 4 + 1, 4),
        ("c.csv", f"{window},{memory}", ("--topology", str(tree)), 4 + 4, 4),
        (
            "d.csv",
            f"{window},window_memory_bandwidth=1e9,{memory}",
            ("--topology", str(tree)),
            4 + 2,
            4,
        ),
    ):
        rows = timed(build, tmp_path / name, "--algorithms", "recursive_doubling:via=window",
                     "--ranks", "4", "--ranks-per-node", "2", "--sizes", "1000", "-i", "1",
                     "--model", f"{TIMES},{model}", *network)  # fmt: skip
        us = copy_us + ALPHA_US + messages * 1000 * BETA_US
        assert rows["max_us"].tolist() == pytest.approx([us])


def test_without_a_time(build: Build) -> None:
    given = ("time", "--algorithms", "ring:via=window", "--ranks", "4", "--sizes", "1K")
    on_nodes = ("--ranks-per-node", "2")
    window = "window_alpha=1e-6,window_bandwidth=1e9"
    assert "lacks window_alpha= and window_bandwidth=" in refused(
        build.schedule(*given, *on_nodes, "--model", TIMES)
    )
    assert "legal: with --ranks-per-node" in refused(
        build.schedule(*given, "--model", f"{TIMES},{window}")
    )
