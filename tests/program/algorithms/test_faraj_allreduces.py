# SPDX-License-Identifier: BSD-3-Clause
"""The page of the papers says which of ours are the 20 all-reduces of STAR-MPI: each runs and is
right, and a wrong byte is found."""

import re
import socket
from pathlib import Path

import pytest

from ..support.algorithms import prime_factors, runs_at
from ..support.folders import ROOT
from ..support.launch import Build
from ..support.results import read_results

PAGE = ROOT / "docs" / "reference" / "papers.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("### His all-reduces\n")[2].partition("\n#")[0]
OURS = dict(re.findall(r"^\| (.+) \| `(\S+)` \|$", SECTION, re.MULTILINE))
# These run where the topology is not known.
BY_RANK = {
    his.replace("TSLR", "LR"): ours.replace("topology_ring", "ring")
    for his, ours in OURS.items()
    if "TSLR" in his
}
TREE = f"SwitchName=s0 Nodes={socket.gethostname().partition('.')[0]}\n"
WITH_TREE = ("--topology", "tree.conf")


def test_there_are_twenty() -> None:
    of_kind = [re.split("[ -]", his)[0] for his in OURS]
    assert [of_kind.count(kind) for kind in ("all", "Rab1", "Rab2")] == [5, 9, 6]
    assert len(OURS) == len(set(OURS.values())) == 20 and len(BY_RANK) == 4


def inner_of(label: str) -> str:
    return label.rpartition("inner=")[2]


def expected_at(label: str, ranks: int) -> bool:
    """Returns whether the label runs: Rabenseifner's folds to a power of two first."""
    if label.startswith("rabenseifner"):
        ranks = 1 << (ranks.bit_length() - 1)
    return runs_at(inner_of(label), ranks)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", range(1, 9))
def test_each_is_right(build: Build, tmp_path: Path, ranks: int) -> None:
    (tmp_path / "tree.conf").write_text(TREE)
    labels = [*OURS.values(), *BY_RANK.values()]
    more = ("--in-place",) if ranks % 2 else ("--op", "max", "--type", "double")
    ended = build.run(
        "allreduce_bench", "-i", "2", "-x", "0", "-c", "--algorithms", ",".join(labels), "--sizes",
        "8,104,20480", "--output", "out.csv", *WITH_TREE, *more, ranks=ranks, cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    assert list(dict.fromkeys(row["algorithm"] for row in rows)) == labels
    for row in rows:
        expected = "ok" if expected_at(row["algorithm"], ranks) else "skipped"
        assert row["status"] == expected, row


def fewest_ranks(label: str) -> int:
    return next(
        p for p in (2, 4, 8) if inner_of(label)[:4] != "mesh" or prime_factors(p) >= int(label[-2])
    )


@pytest.mark.slow
@pytest.mark.parametrize("label", [*OURS.values(), *BY_RANK.values()])
def test_a_wrong_byte_is_found(
    build: Build, planted_fault: Path, tmp_path: Path, label: str
) -> None:
    (tmp_path / "tree.conf").write_text(TREE)
    planted = {
        "LD_PRELOAD": str(planted_fault),
        "PLANTED_RANK": "1",
        "PLANTED_CALL": "1",
        "PLANTED_BYTE": "5",
    }
    ended = build.run(
        "allreduce_bench", "--algorithms", label, "-i", "2", "-x", "0", "-c", "--sizes", "128",
        "--output", "out.csv", *WITH_TREE, ranks=fewest_ranks(label), env=planted, cwd=tmp_path,
    )  # fmt: skip
    assert ended.stderr.count("planted: rank 1, call 1") == 1
    assert ended.exit_code == 1
    (message,) = ended.messages
    assert message.startswith(f"WRONG RESULT: {label}, ")
    (row,) = read_results(tmp_path / "out.csv").rows
    assert (row["status"], row["algorithm"]) == ("wrong", label)


@pytest.mark.quick
@pytest.mark.parametrize("label", [*OURS.values(), *BY_RANK.values()])
def test_each_is_proven(build: Build, label: str) -> None:
    proven = build.schedule(
        "prove", "--collective", "allreduce", "--algorithms", label, "--ranks", "1:9"
    )
    assert proven.exit_code == 0, proven.stdout + proven.stderr
