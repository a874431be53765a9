# SPDX-License-Identifier: BSD-3-Clause
"""alltoall_bench: every algorithm moves every byte, or says why it cannot; what it prints and
writes; what allgather_schedule and agreport make of it."""

import json
import re
from pathlib import Path

import pytest

from .support.algorithms import ALLTOALL_PARAMETERS, ALLTOALLS, LIBRARY_CALLS, runs_at
from .support.launch import Build
from .support.results import TIMES, Results, read_results, read_tables

BENCH = "alltoall_bench"
FEW = ("-i", "2", "-x", "0")


def run(build: Build, folder: Path, ranks: int, *arguments: str) -> Results:
    ended = build.run(BENCH, *FEW, "--output", "out.csv", *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    assert ended.messages == []
    return read_results(folder / "out.csv")


def test_list(build: Build) -> None:
    ended = build.run(BENCH, "--list")
    assert ended.exit_code == 0
    names, *others = ended.stdout.split("\n\n")
    listed = [name for name in re.findall(r"^  ([\w:]+)", names, re.M)[1:] if ":" not in name]
    assert listed == [*ALLTOALLS, *LIBRARY_CALLS]
    for name, parameters in ALLTOALL_PARAMETERS.items():
        for parameter in parameters:
            assert f"\n    {name}:{parameter}= " in names
    assert [text.splitlines()[0] for text in others] == ["Arrival patterns (--arrival)"]
    assert "Distributions" not in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_every_algorithm_is_right(build: Build, tmp_path: Path, ranks: int) -> None:
    """In place and not, the message form that it has by itself and the others."""
    for number, more in enumerate([(), ("--in-place",), ("--noncontiguous", "pipelined"),
                                   ("--in-place", "--noncontiguous", "datatype")]):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        results = run(build, folder, ranks, "--algorithms", "all", "--sizes", "1,100", "-c", *more)
        running = {name for name in ALLTOALLS if runs_at(name, ranks)} | {"native"}
        running -= {name for name in ALLTOALLS if name.startswith("topology_")}
        assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == [
            *ALLTOALLS, "native",
        ]  # fmt: skip
        for row in results.rows:
            expected = "ok" if row["algorithm"] in running else "skipped"
            assert row["status"] == expected, row
            assert bool(row["reason"]) == (expected == "skipped"), row
            assert any(row[column] for column in TIMES) == (expected == "ok"), row
            assert row["total_bytes"] == str(ranks * int(row["bytes"]))
            assert row["collective"] == "alltoall"
        assert set(results.counts().values()) == {2}
        assert len(results.counts()) == 2 * len(running)


def test_columns_are_those_of_osu_alltoall(build: Build) -> None:
    ended = build.run(BENCH, "-m", "1:8", "--algorithms", "shift", "-i", "3", "-x", "1", "-f", "-c")
    assert ended.exit_code == 0, ended.stderr
    (table,) = read_tables(ended.stdout)
    assert table.title.startswith("# OSU-style MPI Alltoall Latency Test, gatherbench ")
    assert table.header == (
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"
        "        Validation"
    )
    assert [int(row.split()[0]) for row in table.rows] == [1, 2, 4, 8]
    for row in table.rows:
        assert re.fullmatch(r"\d +( *\d+\.\d\d){3} +3 +Pass", row) and len(row) == 94


@pytest.mark.slow
@pytest.mark.parametrize(("call", "algorithm"), [(1, "shift"), (2, "pair")])
def test_a_planted_fault_is_found(
    build: Build, planted_fault: Path, tmp_path: Path, call: int, algorithm: str
) -> None:
    """The third byte of what rank 1 receives from rank 0, which is block 1 of two ranks."""
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": str(call),
           "PLANTED_BYTE": "2"}  # fmt: skip
    ended = build.run(BENCH, *FEW, "--algorithms", "shift,pair", "--sizes", "64", "--output",
                      "out.csv", env=env, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 1
    (message,) = ended.messages
    assert message.startswith(f"WRONG RESULT: {algorithm}, ")
    (row,) = [row for row in read_results(tmp_path / "out.csv").rows if row["status"] != "ok"]
    assert (row["status"], row["algorithm"]) == ("wrong", algorithm)
    assert row["reason"].startswith("rank 1, block 1, byte 2")


def test_schedules_are_shown_and_proven(build: Build) -> None:
    of = ("--collective", "alltoall")
    shown = build.schedule("show", *of, "--algorithm", "shift", "--ranks", "3")
    assert shown.stdout == (
        "shift, 3 ranks\nstep 0\n  0 -> 1: 1\n  1 -> 2: 5\n  2 -> 0: 6\n"
        "step 1\n  0 -> 2: 2\n  1 -> 0: 3\n  2 -> 1: 7\n"
    )
    found = build.schedule("show", *of, "--algorithm", "linear", "--ranks", "3", "--format", "json")
    schedule = json.loads(found.stdout)
    assert (schedule["collective"], schedule["owners"]) == ("alltoall", [0, 0, 0, 1, 1, 1, 2, 2, 2])
    proven = build.schedule("prove", *of, "--ranks", "1:9")
    assert proven.exit_code == 0, proven.stderr
    assert [line.split()[0] for line in proven.stdout.splitlines()[1:]] == ALLTOALLS
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
