# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms with a parameter, NAME:KEY=VALUE: what is refused, and what runs under its label."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV, listing, refused
from ..support.results import CASE_END, Results, read_results, read_tables

QUICK = ("--sizes", "1,1000", "-i", "2", "-x", "0", "-c", "--output", "out.csv")
INNER = ("legal: ring, neighbor_exchange, recursive_doubling, bruck_in_place, sparbit, linear, "
         "spread, shift, pair, mesh2d, mesh3d, recursive_halving, pat, recursive_multiplying, "
         "far_first, ring_bidirectional")  # fmt: skip

# An algorithm of 4 ranks, and what the message has to hold. The benchmarks have the same parser,
# which they call with no MPI (tests/bench/options/refusals_test.cpp).
REFUSALS: list[tuple[str, list[str]]] = [
    # Out of range, always or with so few ranks.
    ("bruck:k=1", ["--algorithms bruck:k: ", "'1'", "between 2 and"]),
    ("bruck_in_place:k=-3", ["--algorithms bruck_in_place:k: ", "'-3'", "between 2 and"]),
    ("recursive_exchange:k=99999999999999999999", ["recursive_exchange:k: ", "between 2 and"]),
    ("shift_n_barriers:n=0", ["--algorithms shift_n_barriers:n: ", "'0'", "between 1 and"]),
    ("shift_n_barriers:n=3", ["'shift_n_barriers:n=3'", "n is 1 to p-2 = 2 with 4 ranks"]),
    ("pair_n_barriers:n=3", ["'pair_n_barriers:n=3'", "n is 1 to p-2 = 2 with 4 ranks"]),
    ("pipelined_ring:segment=0", ["--algorithms pipelined_ring:segment: ", "'0'", "1 byte"]),
    # No number, no size, no algorithm that is known.
    ("bruck:k=two", ["--algorithms bruck:k: ", "'two'", "whole number"]),
    ("bruck:k=2.5", ["'2.5'", "whole number"]),
    ("bruck:k=3x", ["--algorithms bruck:k: ", "''", "whole number"]),
    ("bruck:k=3x1", ["--algorithms bruck:k: ", "'1'", "between 2 and"]),
    ("bruck:k=auto", ["--algorithms bruck:k: ", "'auto'", "whole number"]),
    ("bruck:k=" + "2x" * 30 + "2", ["--algorithms bruck:k: ", "has more than 30 numbers"]),
    ("recursive_multiplying:factors=3x1", ["'1'", "between 2 and"]),
    ("recursive_multiplying:factors=", ["recursive_multiplying:factors: ", "''", "whole number"]),
    ("recursive_multiplying:factors=3x2", ["factors whose product is p; factors = 3x2, ranks = 4"]),
    ("circulant:segments=0", ["--algorithms circulant:segments: ", "'0'", "between 1 and"]),
    ("circulant:segments=1000000", ["fewer segments than 1000000", "4 ranks"]),
    ("pat:aggregate=3", ["a power of two as aggregate; aggregate = 3"]),
    ("k_ring:k=3", ["k = 3 a divisor of p", "ranks = 4"]),
    ("bruck:k=", ["--algorithms bruck:k: ", "''", "whole number"]),
    ("pipelined_ring:segment=1KK", ["'1KK'", "not a size in bytes"]),
    ("leader:inner=rign", ["--algorithms leader:inner: ", "'rign'", "mean 'ring'", INNER]),
    ("lane:inner=", ["--algorithms lane:inner: ", "''", INNER]),
    # Known, but not between nodes: it has a scratch buffer, it is no schedule, it asks for nodes.
    ("lane:inner=bruck", ["'bruck'", "no inner algorithm", INNER]),
    ("leader:inner=native", ["'native'", "no inner algorithm", INNER]),
    ("leader:inner=lane", ["'lane'", "no inner algorithm", INNER]),
    ("leader:inner=bruck_in_place:k=4", ["'k=4'", "the one parameter that leader takes"]),
    # Another key than the one there is.
    ("bruck:n=2", ["'bruck:n=2'", "bruck:k=...", "radix"]),
    ("bruck:K=2", ["'bruck:K=2'", "bruck:k=..."]),
    ("bruck:2", ["'bruck:2'", "bruck:k=..."]),
    ("bruck:", ["'bruck:'", "bruck:k=..."]),
    ("shift_n_barriers:k=2", ["'shift_n_barriers:k=2'", "shift_n_barriers:n=...", "1 to p-2"]),
    ("leader:outer=ring", ["'leader:outer=ring'", "leader:inner=..."]),
    # What its transfers become is in no schedule.
    ("ring:via=window", ["'ring:via=window'", "blocks become copies, which no schedule knows"]),
    # The algorithm has no parameter.
    ("sparbit:k=2", ["'sparbit:k=2'", "sparbit takes none"]),
    ("topology_ring:file=x", ["'topology_ring:file=x'", "topology_ring takes none"]),
    ("library_gather_bcast:k=2", ["'library_gather_bcast:k=2'", "takes none"]),
]


@pytest.mark.parametrize(("algorithm", "parts"), REFUSALS)
def test_refused_without_a_launch(build: Build, algorithm: str, parts: list[str]) -> None:
    """The program that only prints schedules refuses them."""
    message = refused(build.schedule("show", "--ranks", "4", "--algorithm", algorithm))
    for part in ["--algorithm", *parts]:
        assert part.replace("--algorithms", "--algorithm") in message


@pytest.mark.slow
def test_refused_with_so_few_ranks(build: Build, tmp_path: Path) -> None:
    """The benchmarks refuse them: each rank finds it, and one says it."""
    ended = build.run(GATHER, *QUICK, "--algorithms", "ring,shift_n_barriers:n=3", ranks=4,
                      cwd=tmp_path)  # fmt: skip
    message = refused(ended)
    for part in ("--algorithms", "'shift_n_barriers:n=3'", "n is 1 to p-2 = 2 with 4 ranks"):
        assert part in message
    assert listing(tmp_path) == {}


def test_ranges_that_end_with_the_ranks(build: Build) -> None:
    """A value that some of many numbers of ranks have not is a reason, not an error."""
    label = "shift_n_barriers:n=3"
    ended = build.schedule("prove", "--ranks", "1:8", "--algorithms", label)
    assert ended.exit_code == 0
    assert ended.stdout.splitlines()[1].split()[:3] == [label, "4", "4"]
    ended = build.schedule("cost", "--nodes", "4:5", "--ranks-per-node", "1", "--algorithms", label,
                           "--model", "hop-bytes")  # fmt: skip
    assert ended.exit_code == 0
    four, five = ended.stdout.splitlines()[-2:]
    assert four.endswith(",skipped,n has no such value at p = 4")
    assert five.endswith(",ok,")


def run(
    build: Build, folder: Path, algorithms: Sequence[str], *arguments: str, ranks: int, bench: str
) -> tuple[Ended, Results]:
    given = (*QUICK, "--algorithms", ",".join(algorithms), *arguments)
    ended = build.run(bench, *given, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return ended, read_results(folder / "out.csv")


LABELS = ["bruck", "bruck:k=2", "bruck:k=3x2", "bruck:k=1000", "bruck_in_place:k=4",
          "recursive_exchange:k=3", "shift_n_barriers:n=1", "pipelined_ring:segment=1K",
          "pipelined_ring:segment=7", "leader:inner=ring", "lane:inner=sparbit",
          "circulant:segments=3", "pat:aggregate=1", "recursive_multiplying:factors=auto",
          "far_first:k=3", "lane:inner=far_first", "k_ring:k=1"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("bench", "ranks"), [(GATHER, 3), (GATHERV, 4), (GATHERV, 7)])
def test_labels(build: Build, tmp_path: Path, bench: str, ranks: int) -> None:
    """They stand as given in the tables, in the result file, and in what it says of the launch."""
    labels = LABELS + (["pair_n_barriers:n=2"] if ranks == 4 else [])
    labels += ["shift_n_barriers:n=5"] if ranks == 7 else []
    spike = ("--distributions", "spike") if bench == GATHERV else ()
    ended, results = run(
        build, tmp_path, labels, *spike, "--table", "osu", ranks=ranks, bench=bench
    )
    assert [table.algorithm for table in read_tables(ended.stdout)] == labels
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == labels
    assert results.metadata["algorithms"] == ",".join(labels)
    assert {row["status"] for row in results.rows} == {"ok"}
    assert set(results.counts().values()) == {2}


@pytest.mark.slow
def test_a_value_out_of_reach_skips_an_algorithm_that_cannot_run(
    build: Build, tmp_path: Path
) -> None:
    """No number of barriers is legal with 2 ranks: a reason, as for other algorithms."""
    labels = ["shift_n_barriers:n=1", "shift_n_barriers", "ring"]
    _, results = run(build, tmp_path, labels, ranks=2, bench=GATHER)
    for label in labels[:2]:
        told = {(row["status"], row["reason"]) for row in results.of(label)}
        assert told == {("skipped", "needs 3 or more ranks; ranks = 2")}
    assert {row["status"] for row in results.of("ring")} == {"ok"}


@pytest.mark.slow
def test_resume(build: Build, tmp_path: Path) -> None:
    labels = ["bruck:k=3", "pipelined_ring:segment=8", "leader:inner=ring"]
    _, whole = run(build, tmp_path, labels, ranks=3, bench=GATHER)
    output = tmp_path / "out.csv"
    text = output.read_text()
    kept = text[: text.index("\n", text.index(CASE_END)) + 1]
    output.write_text(kept)
    _, results = run(build, tmp_path, labels, "--resume", ranks=3, bench=GATHER)
    assert output.read_text().startswith(kept)
    assert results.cases == whole.cases and results.resumed == 1
    assert results.counts() == whole.counts()
    # Another value is another run.
    before = listing(tmp_path)
    others = ",".join(["bruck:k=4", *labels[1:]])
    ended = build.run(GATHER, *QUICK, "--algorithms", others, "--resume", ranks=3, cwd=tmp_path)
    message = refused(ended)
    assert "'bruck:k=3,pipelined" in message and "'bruck:k=4,pipelined" in message
    assert listing(tmp_path) == before


# leader and lane

NODE_AWARE = ["leader", "lane", "leader:inner=ring", "lane:inner=linear"]


@pytest.mark.slow
@pytest.mark.parametrize("bench", [GATHER, GATHERV])
@pytest.mark.parametrize(
    ("on_node", "mappings"),
    [
        (1, ["sequential"]),  # cyclic is the same order
        (2, ["sequential", "cyclic"]),
        (3, ["sequential", "cyclic"]),
        (4, ["sequential", "cyclic"]),  # the last node has 2
    ],
)
def test_pretended_nodes(
    build: Build, tmp_path: Path, bench: str, on_node: int, mappings: list[str]
) -> None:
    arguments = ["--ranks-per-node", str(on_node), "--mapping", "sequential,cyclic"]
    arguments += ["--table", "osu"]
    arguments += ["--distributions", "half_full,linear"] if bench == GATHERV else []
    ended, results = run(build, tmp_path, NODE_AWARE, *arguments, ranks=6, bench=bench)
    assert {row["status"] for row in results.rows} == {"ok"}
    assert list(dict.fromkeys(row["mapping"] for row in results.rows)) == mappings
    sizes = 2 * (2 if bench == GATHERV else 1)
    assert len(results.cases) == len(mappings) * sizes
    assert len(results.counts()) == len(results.cases) * len(NODE_AWARE)
    assert results.metadata["pretended_ranks_per_node"] == str(on_node)
    for table in read_tables(ended.stdout):
        assert any(f"{on_node} ranks on each of {-(-6 // on_node)}" in note for note in table.notes)


@pytest.mark.slow
def test_an_inner_algorithm_that_cannot_run(build: Build, tmp_path: Path) -> None:
    labels = [f"{name}:inner=recursive_doubling" for name in ("leader", "lane")]
    arguments = ("--ranks-per-node", "2", "--table", "osu")
    ended, results = run(build, tmp_path, [*labels, "leader"], *arguments, ranks=6, bench=GATHER)
    for label in labels:
        rows = results.of(label)
        assert len(rows) == 2
        for row in rows:
            assert row["status"] == "skipped"
            for part in ("3 nodes", "recursive_doubling", "power-of-two", "ranks = 3"):
                assert part in row["reason"]
        (table,) = [t for t in read_tables(ended.stdout) if t.algorithm == label]
        assert table.rows == []
        assert any("recursive_doubling needs" in note for note in table.notes)
    assert {row["status"] for row in results.of("leader")} == {"ok"}
