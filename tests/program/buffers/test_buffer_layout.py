# SPDX-License-Identifier: BSD-3-Clause
"""Tests where the blocks lie in the receive buffer and what lies between them (--displacements);
and of what elements they are, with gaps within them or without (--datatype)."""

from pathlib import Path

import pytest

from ..support.algorithms import TOPOLOGY_RINGS, runs_at
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import read_results

pytestmark = pytest.mark.slow

FEW = ("-i", "2", "-x", "0", "-c", "--compute", "1ms", "--output", "out.csv")
SEGMENTED = ["pipelined_ring:segment=7", "bslb:head=10", "clairvoyant:segments=7"]
EVERY = ("--algorithms", ",".join(["all", *SEGMENTED]), "--ranks-per-node", "2")
HALF = ("--distributions", "half_full")


@pytest.mark.parametrize(
    ("ranks", "bench", "datatype", "displacements", "more"),
    [
        (1, GATHERV, "vector:20:24", "permuted:gaps=24", HALF),
        (2, GATHER, "double", "", ()),
        (2, GATHERV, "vector:20:24", "permuted", (*HALF, "--buffers", "rotate:64K")),
        (3, GATHER, "vector:1:3", "", ("--in-place",)),
        (3, GATHERV, "", "permuted:gaps=7", (*HALF, "--noncontiguous", "datatype")),
        (4, GATHERV, "vector:4:12", "permuted:gaps=24", (*HALF, "--noncontiguous", "packed")),
        (5, GATHERV, "int", "gaps:24", (*HALF, "--in-place", "--noncontiguous", "packed")),
        (7, GATHER, "vector:8:8", "", ()),
        (7, GATHERV, "", "permuted:gaps=7", HALF),
        (8, GATHERV, "vector:4:12", "permuted:gaps=24",
         (*HALF, "--in-place", "--noncontiguous", "datatype")),
    ],
)  # fmt: skip
def test_every_algorithm_puts_elements_where_they_belong(
    build: Build,
    tmp_path: Path,
    ranks: int,
    bench: str,
    datatype: str,
    displacements: str,
    more: tuple[str, ...],
) -> None:
    """Each segment is of whole elements too."""
    told = {"datatype": datatype, "displacements": displacements}
    given = [word for key, value in told.items() if value for word in (f"--{key}", value)]
    ended = build.run(bench, "--sizes", "120", *FEW, *EVERY, *given, *more, ranks=ranks,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    for key, value in told.items():
        assert not value or results.metadata[key] == value
    assert {*SEGMENTED} <= {row["algorithm"] for row in results.rows}
    for row in results.rows:
        assert row["status"] in ("ok", "skipped"), row
        assert "--datatype" not in row["reason"]
        if row["algorithm"] not in TOPOLOGY_RINGS and runs_at(row["algorithm"], ranks):
            # Nodes that differ, an odd number of nodes: reasons of their own.
            assert row["status"] == "ok" or "node" in row["reason"], row


@pytest.mark.parametrize(
    ("more", "byte", "fault"),
    [
        # Of 2 ranks rank 1 receives block 0, at byte 8 of its buffer; byte 64 from there is of no
        # block, and that from byte 72 on is its own.
        (("--displacements", "gaps:8"), 63, "rank 1, block 0, byte 63"),
        (("--displacements", "gaps:8"), 64,
         "rank 1: byte 72 of the receive buffer was written, which is of no block"),
        # Elements of 8 bytes every 12.
        (("--datatype", "vector:8:12"), 11,
         "rank 1: byte 11 of the receive buffer was written, which is of no block"),
        (("--datatype", "vector:8:12"), 12, "rank 1, block 0, byte 8"),
    ],
)  # fmt: skip
def test_what_is_written_between_and_within_is_found(
    build: Build, planted_fault: Path, tmp_path: Path, more: tuple[str, ...], byte: int, fault: str
) -> None:
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": "1",
           "PLANTED_BYTE": str(byte)}  # fmt: skip
    bench = GATHERV if "--displacements" in more else GATHER
    ended = build.run(bench, "--algorithms", "ring", "--sizes", "64", "-i", "1", "-x", "0", *more,
                      env=env, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 1
    (message,) = ended.messages
    assert message.startswith("WRONG RESULT: ring, ") and fault in message


def test_blocks_that_cut_elements_are_skipped(build: Build, tmp_path: Path) -> None:
    (tmp_path / "sizes").write_text("8\n13\n")
    ended = build.run(GATHERV, *FEW, "--sizes", "8", "--algorithms", "ring,native",
                      "--distributions", "regular,file:sizes", "--datatype", "double",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    for row in read_results(tmp_path / "out.csv").rows:
        if row["distribution"] == "regular":
            assert row["status"] == "ok"
        else:
            reason = "needs whole elements of 8 bytes (--datatype); block 1 has 13 bytes"
            assert (row["status"], row["reason"]) == ("skipped", reason)


def test_the_table_and_the_plan_say_how(build: Build) -> None:
    given = ("--sizes", "64", "-i", "1", "-x", "0", "--algorithms", "ring,native")
    layout = ("--displacements", "gaps:1M", "--datatype", "vector:8:16")
    said = build.run(GATHERV, *given, *layout).stdout
    assert "displacements: gaps:1048576" in said
    assert "datatype: vector:8:16" in said
    assert "2.0 MiB" in build.run(GATHERV, *given, *layout[:2], "--dry-run").stdout
    osu = build.run(GATHERV, *given, "--table", "osu", "--datatype", "int").stdout
    assert osu.count("# Datatype: MPI_INT.\n") == 2
    assert "displacements" not in osu


def test_resume_needs_the_same(build: Build, tmp_path: Path) -> None:
    given = ("--sizes", "64", "-i", "1", "-x", "0", "--algorithms", "ring", "--output", "out.csv",
             "--resume")  # fmt: skip
    assert build.run(GATHERV, *given, cwd=tmp_path).exit_code == 0
    ended = build.run(GATHERV, *given, "--displacements", "permuted", cwd=tmp_path)
    assert "displacements" in refused(ended)
