# SPDX-License-Identifier: BSD-3-Clause
"""Tests what only the all-to-all has: a block for each pair of ranks, numbered by both."""

import json
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import read_results


@pytest.mark.slow
def test_a_planted_fault_is_found(build: Build, planted_fault: Path, tmp_path: Path) -> None:
    """The third byte of what rank 1 receives from rank 0, which is block 1 of two ranks. The first
    call is the check of shift, the second that of pair."""
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": "2",
           "PLANTED_BYTE": "2"}  # fmt: skip
    ended = build.run("alltoall_bench", "-i", "2", "-x", "0", "--algorithms", "shift,pair",
                      "--sizes", "64", "--output", "out.csv", env=env, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 1
    (message,) = ended.messages
    assert message.startswith("WRONG RESULT: pair, ")
    (row,) = [row for row in read_results(tmp_path / "out.csv").rows if row["status"] != "ok"]
    assert (row["status"], row["algorithm"]) == ("wrong", "pair")
    assert row["reason"].startswith("rank 1, block 1, byte 2")


def test_schedules_are_shown_and_priced(build: Build) -> None:
    of = ("--collective", "alltoall")
    shown = build.schedule("show", *of, "--algorithm", "shift", "--ranks", "3")
    assert shown.stdout == (
        "shift, 3 ranks\nstep 0\n  0 -> 1: 1\n  1 -> 2: 5\n  2 -> 0: 6\n"
        "step 1\n  0 -> 2: 2\n  1 -> 0: 3\n  2 -> 1: 7\n"
    )
    found = build.schedule("show", *of, "--algorithm", "linear", "--ranks", "3", "--format", "json")
    schedule = json.loads(found.stdout)
    assert (schedule["collective"], schedule["owners"]) == ("alltoall", [0, 0, 0, 1, 1, 1, 2, 2, 2])
    cost = build.schedule("cost", *of, "--algorithms", "bruck,shift", "--ranks", "8", "--bytes",
                          "1K", "--model", "hockney:alpha=1e-6,beta=1e-9")  # fmt: skip
    prices = [line.split(",")[8] for line in cost.stdout.splitlines()[3:]]
    assert list(map(float, prices)) == pytest.approx([3 + 12 * 1.024, 7 * 2.024])


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("prove", "--collective", "alltoal", "--ranks", "2"),
         "--collective: 'alltoal' is no collective (did you mean 'alltoall'?); legal: "),
        (("prove", "--collective", "alltoall", "--ranks", "513"), "512"),
        (("cost", "--collective", "alltoall", "--algorithms", "ring", "--ranks", "2", "--model",
          "hockney:alpha=1,beta=1"), "'ring' is no algorithm of alltoall"),
        (("cost", "--collective", "alltoall", "--algorithms", "shift", "--ranks", "2", "--model",
          "hockney:alpha=1,beta=1", "--distributions", "spike"),
         "--distributions: 'spike' is of blocks that differ, and those of alltoall are equal"),
        (("time", "--collective", "alltoall", "--algorithms", "shift", "--ranks", "2", "--sizes",
          "1", "--distributions", "spike", "--model", "hockney:alpha=1,beta=1"),
         "--distributions: 'spike' is of blocks that differ"),
    ],
)  # fmt: skip
def test_bad_input_is_told(build: Build, arguments: tuple[str, ...], fault: str) -> None:
    ended = build.schedule(*arguments)
    assert ended.exit_code == 2
    assert ended.stderr.count("\n") == 1 and fault in ended.stderr
