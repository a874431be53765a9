# SPDX-License-Identifier: BSD-3-Clause
"""Buffers that are counted in elements, with gaps within them or without."""

from pathlib import Path

import pytest

from .support.launch import Build
from .support.refusals import GATHER, GATHERV
from .support.results import read_results

FEW = ("--sizes", "120", "-i", "2", "-x", "0", "-c", "--compute", "1ms", "--output", "out.csv")
EVERY = ("--algorithms", "all", "--ranks-per-node", "2")
APART = ("--displacements", "permuted:gaps=24", "--distributions", "half_full")


@pytest.mark.parametrize(
    ("ranks", "bench", "datatype", "more"),
    [
        (1, GATHERV, "vector:20:24", APART),
        (2, GATHER, "double", ()),
        (2, GATHERV, "vector:20:24", (*APART, "--buffers", "rotate:64K")),
        (3, GATHER, "vector:1:3", ("--in-place",)),
        (4, GATHERV, "vector:4:12", (*APART, "--noncontiguous", "packed")),
        (5, GATHERV, "int", (*APART, "--in-place")),
        (7, GATHER, "vector:8:8", ()),
        (8, GATHERV, "vector:4:12", (*APART, "--in-place", "--noncontiguous", "datatype")),
    ],
)
def test_every_algorithm_moves_whole_elements(
    build: Build, tmp_path: Path, ranks: int, bench: str, datatype: str, more: tuple[str, ...]
) -> None:
    ended = build.run(bench, *FEW, *EVERY, "--datatype", datatype, *more, ranks=ranks,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert results.metadata["datatype"] == datatype
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    assert not [row for row in results.rows if "--datatype" in row["reason"]]
    for name in ("native", "ring", "bruck", "sparbit@paired", "bdr"):
        assert {row["status"] for row in results.of(name)} <= {"ok"}, name


def test_segments_are_of_whole_elements(build: Build, tmp_path: Path) -> None:
    names = "pipelined_ring:segment=7,bslb:head=10,clairvoyant:segments=7"
    ended = build.run(GATHER, *FEW, "--algorithms", names, "--datatype", "vector:8:12", ranks=3,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"ok"}


def test_what_is_written_within_elements_is_found(
    build: Build, planted_fault: Path, tmp_path: Path
) -> None:
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": "1"}
    for byte, fault in (
        (11, "rank 1: byte 11 of the receive buffer was written, which is of no block"),
        (12, "rank 1, block 0, byte 8"),
    ):
        ended = build.run(
            GATHER, "--algorithms", "ring", "--sizes", "64", "-i", "1", "-x", "0",
            "--datatype", "vector:8:12", env={**env, "PLANTED_BYTE": str(byte)}, cwd=tmp_path,
        )  # fmt: skip
        assert ended.exit_code == 1
        (message,) = ended.messages
        assert message.startswith("WRONG RESULT: ring, ") and fault in message


def test_blocks_that_cut_elements_are_skipped(build: Build, tmp_path: Path) -> None:
    (tmp_path / "sizes").write_text("8\n13\n")
    ended = build.run(GATHERV, *FEW[2:], "--sizes", "8", "--algorithms", "ring,native",
                      "--distributions", "regular,file:sizes", "--datatype", "double",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    for row in read_results(tmp_path / "out.csv").rows:
        if row["distribution"] == "regular":
            assert row["status"] == "ok"
        else:
            reason = "needs whole elements of 8 bytes (--datatype); block 1 has 13 bytes"
            assert (row["status"], row["reason"]) == ("skipped", reason)


def test_the_table_says_of_what_the_buffers_are(build: Build) -> None:
    given = ("--sizes", "64", "-i", "1", "-x", "0", "--datatype", "vector:8:16")
    assert "datatype: vector:8:16" in build.run(GATHER, *given).stdout
    osu = build.run(GATHER, *given[:-1], "int", "--algorithms", "ring")
    assert "# Datatype: MPI_INT.\n" in osu.stdout
