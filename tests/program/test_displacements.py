# SPDX-License-Identifier: BSD-3-Clause
"""Where the blocks lie in the receive buffer, and what lies between them."""

from pathlib import Path

import pytest

from .support.algorithms import TOPOLOGY_RINGS, runs_at
from .support.launch import Build, Ended
from .support.refusals import GATHERV, refused
from .support.results import Results, read_results

FEW = ("--sizes", "100", "-i", "2", "-x", "0", "-c", "--compute", "1ms", "--distributions",
       "half_full", "--output", "out.csv")  # fmt: skip
EVERY = ("--algorithms", "all", "--ranks-per-node", "2")


def check(ended: Ended, folder: Path, displacements: str) -> Results:
    assert ended.exit_code == 0, ended.stderr
    results = read_results(folder / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    assert results.metadata["displacements"] == displacements
    return results


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_every_algorithm_puts_blocks_where_they_belong(
    build: Build, tmp_path: Path, ranks: int
) -> None:
    where = "permuted:gaps=7" if ranks % 2 else "permuted"
    ended = build.run(GATHERV, *FEW, *EVERY, "--displacements", where, ranks=ranks, cwd=tmp_path)
    results = check(ended, tmp_path, where)
    for row in results.rows:
        name = row["algorithm"]
        if name not in TOPOLOGY_RINGS and ":" not in name and runs_at(name, ranks):
            # Nodes that differ, an odd number of nodes: reasons of their own.
            assert row["status"] == "ok" or "node" in row["reason"], row


@pytest.mark.parametrize(
    "more",
    [
        ("--in-place",),
        ("--in-place", "--noncontiguous", "packed"),
        ("--noncontiguous", "datatype", "--buffers", "rotate:64K"),
    ],
)
def test_gaps_in_every_other_way(build: Build, tmp_path: Path, more: tuple[str, ...]) -> None:
    given = ("--displacements", "gaps:24")
    check(build.run(GATHERV, *FEW, *EVERY, *given, *more, ranks=3, cwd=tmp_path), tmp_path,
          "gaps:24")  # fmt: skip


def test_what_is_written_between_blocks_is_found(
    build: Build, planted_fault: Path, tmp_path: Path
) -> None:
    """Of 2 ranks rank 1 receives block 0, at byte 8 of its buffer; byte 64 from there is of no
    block, and that from byte 72 on is its own."""
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": "1"}
    for byte, fault in (
        (63, "rank 1, block 0, byte 63"),
        (64, "rank 1: byte 72 of the receive buffer was written, which is of no block"),
        (71, "rank 1: byte 79 of the receive buffer was written, which is of no block"),
        (72, "rank 1, block 1, byte 0"),
    ):
        ended = build.run(
            GATHERV, "--algorithms", "ring", "--sizes", "64", "-i", "1", "-x", "0",
            "--displacements", "gaps:8", env={**env, "PLANTED_BYTE": str(byte)}, cwd=tmp_path,
        )  # fmt: skip
        assert ended.exit_code == 1
        (message,) = ended.messages
        assert message.startswith("WRONG RESULT: ring, ") and fault in message


def test_the_table_and_the_plan_say_where(build: Build) -> None:
    given = ("--displacements", "gaps:1M", "--sizes", "64", "-i", "1", "-x", "0")
    ended = build.run(GATHERV, *given, "--algorithms", "ring,native")
    assert "displacements: gaps:1048576" in ended.stdout
    dense = build.run(GATHERV, *given[2:], "--algorithms", "ring,native")
    assert "displacements" not in dense.stdout
    assert "2.0 MiB" in build.run(GATHERV, *given, "--dry-run").stdout


def test_resume_needs_the_same(build: Build, tmp_path: Path) -> None:
    given = ("--sizes", "64", "-i", "1", "-x", "0", "--algorithms", "ring", "--output", "out.csv",
             "--resume")  # fmt: skip
    assert build.run(GATHERV, *given, cwd=tmp_path).exit_code == 0
    ended = build.run(GATHERV, *given, "--displacements", "permuted", cwd=tmp_path)
    assert "displacements" in refused(ended)
