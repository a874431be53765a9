# SPDX-License-Identifier: BSD-3-Clause
"""Several algorithms: one table, sizes down and algorithms across, printed as sizes finish."""

import os
import re
import signal
from pathlib import Path

import pandas as pd
import pytest

from ..support.launch import Build, wait_until

pytestmark = pytest.mark.slow

BENCH = "allgather_bench"
FEW = ("-i", "5", "-x", "1")
MEDIANS = (
    "# Medians in us, mean over the ranks. call: the call alone, as OSU's; cycle: write, call and "
    "read, back to back"
)
MEDIAN = "# Median over the iterations, of the ranks' average time in the call, in us"
MARKS = r"# \* the lowest; ~ within (\d+) % of it, which another launch may turn round"


def columns(header: str) -> list[str]:
    assert header.startswith("# Size    ")
    return header.split()[2:]


@pytest.mark.parametrize("cycles", [True, False])
def test_the_numbers_are_the_files(build: Build, tmp_path: Path, cycles: bool) -> None:
    names = ["ring", "neighbor_exchange", "bruck:k=3"]
    ended = build.run(BENCH, "--sizes", "1,64,1K", "--algorithms", ",".join(names), *FEW,
                      "--output", "out.csv", *([] if cycles else ["--cycles", "0"]),
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    empty, title, what, marks, how, header, *rows = ended.stdout.splitlines()
    assert empty == "" and what == (MEDIANS if cycles else MEDIAN)
    told = re.fullmatch(MARKS, marks)
    assert told
    assert how == "# Buffers: fresh. Order: interleaved:10."
    assert re.match(r"# MPI Allgather, ranks: 2, mapping: as launched, gatherbench \d", title)
    kinds = ["call", "cycle"] if cycles else [""]
    assert columns(header) == ["of", *names] if cycles else names
    frame = pd.read_csv(tmp_path / "out.csv", comment="#")
    medians = frame.groupby(["bytes", "algorithm"])[["avg_us", "cycle_us"]].median()
    where = [(size, kind) for size in (1, 64, 1024) for kind in kinds]
    for row, (size, kind) in zip(rows, where, strict=True):
        assert row == row.rstrip()
        first, *cells = row.split()
        assert int(first) == size
        assert not kind or cells.pop(0) == kind
        column = "cycle_us" if kind == "cycle" else "avg_us"
        expected = [medians[column][size, name] for name in names]
        # The file's times are rounded to a thousandth, the table's to a hundredth.
        assert [float(cell.rstrip("*~")) for cell in cells] == pytest.approx(expected, abs=0.0065)
        best = min(expected)
        for cell, us in zip(cells, expected, strict=True):
            if kind == "call":
                assert cell[-1] not in "*~"
            elif cell.endswith("*"):
                assert us == pytest.approx(best, abs=0.001)
            elif cell.endswith("~"):
                assert us < best * (1 + (int(told[1]) + 1) / 100)
            else:
                assert us > best * (1 + (int(told[1]) - 1) / 100)
        assert kind == "call" or any(cell.endswith("*") for cell in cells)


def test_what_has_no_time_says_why(build: Build) -> None:
    ended = build.run(BENCH, "--sizes", "1,8", "--algorithms", "ring,recursive_doubling,bruck",
                      *FEW, ranks=3)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    lines = ended.stdout.splitlines()
    reason = "needs a power-of-two number of ranks; ranks = 3"
    assert f"# skipped: recursive_doubling: {reason}" in lines
    (header,) = [line for line in lines if line.startswith("# Size")]
    assert columns(header) == ["of", "ring", "bruck"]
    assert all(len(row.split()) == 4 for row in lines if not row.startswith("#") and row)


def test_under_a_pattern_each_algorithm_says_what_it_absorbed(build: Build) -> None:
    ended = build.run(BENCH, "--sizes", "8", "--algorithms", "ring,bruck", "-i", "3", "-x", "0",
                      "--arrival", "delayed:delay=1ms")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    titles = re.findall(r"arrival: ([^,]+)", ended.stdout)
    assert [title.partition(":")[0] for title in titles] == ["none", "delayed"]
    us, runs = r"-?[0-9]+\.[0-9]+ us", r"-?[0-9]+\.[0-9]+ balanced runs"
    line = rf"run {us} \(balanced {us}\), imbalance {us} = {runs}, absorbed {us} = {runs}"
    told = re.findall(rf"^# 8 bytes: (\w+): {line}$", ended.stdout, re.M)
    assert told == ["ring", "bruck"]
    # The table that has such lines says what their words mean.
    balanced, late = ended.stdout.split("# MPI Allgather, ")[1:]
    assert ("absorbed: " in balanced, "absorbed: " in late) == (False, True)


def test_a_table_for_each_distribution(build: Build) -> None:
    ended = build.run("allgatherv_bench", "--sizes", "8", "--algorithms", "ring,bruck",
                      "--distributions", "spike,regular", *FEW)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert re.findall(r"distribution: (\w+)", ended.stdout) == ["spike", "regular"]


@pytest.mark.parametrize("algorithms", ["ring", "ring,bruck"])
@pytest.mark.parametrize("order", ["interleaved", "sequential"])
def test_a_row_is_there_while_the_next_size_runs(
    build: Build, tmp_path: Path, algorithms: str, order: str
) -> None:
    """The second size would take a quarter of an hour. The end says what is lost."""
    arguments = ["--sizes", "1,16M", "-i", "100000", "-x", "0", "--order", order]
    arguments += ["--algorithms", algorithms]
    with build.start(BENCH, *arguments, folder=tmp_path, grace=True) as running:
        row = re.compile("^1  ", re.M)
        wait_until(lambda: row.search(running.stdout.read_text()) is not None, "the first row")
        os.kill(running.ranks()[0], signal.SIGTERM)
        ended = running.wait()
    (message,) = ended.messages
    # The row is there a moment before the second case has begun.
    assert re.match(r"stopped by SIGTERM in case [12]/2 ", message)
    assert "without --output no case is kept" in message
    assert not re.search(r"^16777216 ", ended.stdout, re.M)
