# SPDX-License-Identifier: BSD-3-Clause
"""NAME:via=window: copies within a node, messages between nodes, and what is refused."""

from pathlib import Path

import pytest

from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV
from ..support.results import Results, read_results

pytestmark = pytest.mark.slow

QUICK = ("-i", "2", "-x", "0", "-c", "--output", "out.csv")
FLAT = [
    "ring:via=window",
    "linear:via=window",
    "bruck:k=3:via=window",
    "sparbit:via=window",
    "sparbit:via=window:noncontiguous=packed",
]
OF_NODES = ["leader:via=window", "lane:inner=ring:via=window", "locality_bruck:via=window"]


def run(
    build: Build, folder: Path, bench: str, ranks: int, *arguments: str, **env: str
) -> tuple[Ended, Results]:
    """Runs without calls before, whose warm-up has messages of its own."""
    ended = build.run(bench, *QUICK, *arguments, ranks=ranks, cwd=folder, env=env)
    return ended, read_results(folder / "out.csv")


@pytest.mark.parametrize(
    ("bench", "ranks", "arguments"),
    [
        (GATHER, 1, ["--sizes", "1"]),
        (GATHER, 2, ["--sizes", "1,4095,4096,4097,100000"]),
        (GATHERV, 3, ["--sizes", "5000", "--distributions", "spike,half_full", "--in-place"]),
        (GATHER, 4, ["--sizes", "24,12000", "--datatype", "vector:4:12"]),
        (GATHER, 4, ["--sizes", "10000", "--overlap", "3"]),
        (GATHER, 2, ["--sizes", "10000", "--buffers", "rotate:1M"]),
        (GATHERV, 6, ["--sizes", "5000", "--distributions", "linear", "--ranks-per-node", "3"]),
    ],
)
def test_every_byte_is_right(
    build: Build, tmp_path: Path, bench: str, ranks: int, arguments: list[str]
) -> None:
    """The same by messages runs beside it. On one node `leader` and the others that know nodes are
    no less legal."""
    asked = [*FLAT, *OF_NODES, "ring", "linear"]
    ended, results = run(build, tmp_path, bench, ranks, "--algorithms", ",".join(asked), *arguments)
    assert ended.exit_code == 0, ended.stderr
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == asked
    assert {row["status"] for row in results.rows} == {"ok"}


@pytest.mark.parametrize(("ranks_per_node", "found"), [("2", False), ("1", True)])
def test_messages_are_between_nodes_alone(
    build: Build, planted_fault: Path, tmp_path: Path, ranks_per_node: str, found: bool
) -> None:
    """A fault in the first message of a ring of two ranks is there only if they are two nodes."""
    ended, results = run(
        build, tmp_path, GATHER, 2, "--algorithms", "ring:via=window", "--sizes", "64",
        "--ranks-per-node", ranks_per_node, LD_PRELOAD=str(planted_fault), PLANTED_RANK="1",
        PLANTED_CALL="1", PLANTED_BYTE="5",
    )  # fmt: skip
    assert ("planted: " in ended.stderr) == found
    assert ended.exit_code == (1 if found else 0)
    assert {row["status"] for row in results.rows} == ({"wrong"} if found else {"ok"})


def test_a_helper_thread_sends_messages(build: Build, tmp_path: Path) -> None:
    ended, results = run(
        build, tmp_path, GATHER, 2, "--algorithms", "ring,bdr:via=window", "--sizes", "64"
    )
    assert ended.exit_code == 0, ended.stderr
    (row,) = results.of("bdr:via=window")
    why = "has messages that a helper thread sends (via=window; legal: via=messages)"
    assert (row["status"], row["reason"]) == ("skipped", why)
