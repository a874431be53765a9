# SPDX-License-Identifier: BSD-3-Clause
"""Standard output is what OSU prints, and what programs made to read OSU's output accept."""

import re
from functools import cache

import pytest

from ..support.algorithms import LOCH2021, LOCH2021_OF_ALLGATHERV
from ..support.launch import Build, Ended
from ..support.results import read_tables

pytestmark = pytest.mark.slow

FEW = ("-i", "3", "-x", "1")
SIZES = [2**k for k in range(12)]
RING = ("-m", "1:2048", "--algorithms", "ring", *FEW)
BENCHES = ("allgather_bench", "allgatherv_bench")

# OSU 7.4: the size left in 10 columns, times right in 18, iterations right in 12.
SIZE, AVERAGE = "# Size    ", "   Avg Latency(us)"
FULL = "   Min Latency(us)   Max Latency(us)  Iterations"
PASS = "        Validation"
STD_DEV = "       Std Dev(us)"
TAILS = {
    "50": "  P50 Tail Lat(us)",
    "90": "  P90 Tail Lat(us)",
    "99": "  P99 Tail Lat(us)",
    "99.9": "  P99.9 Tail Lat(us)",
}


@cache
def run(build: Build, bench: str, *arguments: str) -> Ended:
    """Once for all tests that ask for the same."""
    ended = build.run(bench, *arguments)
    assert ended.exit_code == 0, ended.stderr
    # This is no terminal: there is no progress, and nothing else of ours.
    assert bench not in ended.stderr
    assert not re.search(r"\[\d+/\d+\]", ended.stderr)
    return ended


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize(
    ("options", "header", "cells"),
    [
        ((), SIZE + AVERAGE, "t"),
        (("-f",), SIZE + AVERAGE + FULL, "ttti"),
        (("-c",), SIZE + AVERAGE + PASS, "tp"),
        (("-z",), SIZE + AVERAGE + TAILS["50"] + TAILS["90"] + TAILS["99"], "tttt"),
        (("-z", "50,99"), SIZE + AVERAGE + TAILS["50"] + TAILS["99"], "ttt"),
        (("-z", "50,99.9,90"), SIZE + AVERAGE + TAILS["50"] + TAILS["99.9"] + TAILS["90"], "ttTt"),
        (("-z90",), SIZE + AVERAGE + TAILS["90"], "tt"),  # attached, as OSU wants it
        (("-f", "-c", "-z", "90"), SIZE + AVERAGE + FULL + PASS + TAILS["90"], "tttipt"),
        (("--full", "--validation"), SIZE + AVERAGE + FULL + PASS, "tttip"),
        (("--std-dev", "-z90"), SIZE + AVERAGE + TAILS["90"] + STD_DEV, "ttt"),
    ],
)
def test_widths(
    build: Build, bench: str, options: tuple[str, ...], header: str, cells: str
) -> None:
    (table,) = read_tables(run(build, bench, *RING, *options).stdout)
    assert table.header == header
    kinds = {"t": ("time", 18), "T": ("time", 20), "i": ("iterations", 12), "p": ("pass", 18)}
    assert [int(row.split()[0]) for row in table.rows] == SIZES
    for row in table.rows:
        assert re.fullmatch(r"\d+ +", row[:10])
        rest = row[10:]
        for cell in cells:
            kind, width = kinds[cell]
            text, rest = rest[:width], rest[width:]
            pattern = {"time": r" *\d+\.\d\d", "iterations": " *3", "pass": " *Pass"}[kind]
            assert len(text) == width and re.fullmatch(pattern, text), row
        assert rest == ""


def test_one_iteration_has_no_standard_deviation(build: Build) -> None:
    ended = run(build, BENCHES[0], "--sizes", "4", "--algorithms", "ring", "--std-dev", "-i", "1")
    (table,) = read_tables(ended.stdout)
    assert table.rows[0].endswith("                 -")


@pytest.mark.parametrize("bench", BENCHES)
def test_title_names_what_was_measured(build: Build, bench: str) -> None:
    (table,) = read_tables(run(build, bench, *RING).stdout)
    title = "Allgatherv" if bench == "allgatherv_bench" else "Allgather"
    assert table.title.startswith(f"# OSU-style MPI {title} Latency Test, gatherbench ")
    assert table.algorithm == "ring"
    assert "ranks: 2" in table.title


def rows_of_exactly_two_fields(stdout: str) -> list[tuple[int, float]]:
    """Reads OSU's table as ompi-collectives-tuning does: it skips two lines, then `#` lines, then
    takes two fields a row to the end of the file; anything else ends it."""
    lines = stdout.splitlines()[2:]
    while lines[0].startswith("#"):
        lines.pop(0)
    pairs = []
    for line in lines:
        size, average = line.split()
        pairs.append((int(size), float(average)))
    return pairs


@pytest.mark.parametrize("bench", BENCHES)
def test_parsers_of_osu_read_it(build: Build, bench: str) -> None:
    stdout = run(build, bench, *RING).stdout
    assert [size for size, _ in rows_of_exactly_two_fields(stdout)] == SIZES
    assert stdout.splitlines()[0] == ""
    # Ramble's workload definition looks for this.
    assert re.search(r"^# Size\s+Avg Latency\(us\)$", stdout, re.M)
    rows = re.findall(r"^(?P<size>\d+)\s+(?P<latency>\d+\.\d+)$", stdout, re.M)
    assert [int(size) for size, _ in rows] == SIZES


def test_reframe_reads_a_validated_row(build: Build) -> None:
    stdout = run(build, "allgather_bench", *RING, "-c").stdout
    assert re.search(r"^8.*Pass", stdout, re.M)
    assert re.search(r"^8\s+(?P<perf>\S+)", stdout, re.M)


def test_a_parser_of_osu_reads_an_oversubscribed_run(build: Build) -> None:
    """Notes stand before the table, never in or after it."""
    ended = build.run("allgather_bench", "--sizes", "1,2", "--algorithms", "ring", "-i", "2",
                      "-x", "0", "--mapping", "sequential,cyclic", ranks=3)  # fmt: skip
    assert ended.exit_code == 0
    assert [size for size, _ in rows_of_exactly_two_fields(ended.stdout)] == [1, 2]


def test_a_table_for_each_distribution(build: Build) -> None:
    stdout = run(build, "allgatherv_bench", "--sizes", "8", "--algorithms", "ring",
                 "--distributions", "spike,regular", *FEW).stdout  # fmt: skip
    titles = [table.title for table in read_tables(stdout)]
    assert [re.findall(r"distribution: (\w+)", title) for title in titles] == [
        ["spike"],
        ["regular"],
    ]


@pytest.mark.parametrize("bench", BENCHES)
def test_default_run(build: Build, bench: str) -> None:
    """The algorithms of Loch 2021 and the library's own choice, OSU's sizes."""
    tables = read_tables(run(build, bench, "-x", "0", "-i", "2", "--table", "osu").stdout)
    loch = LOCH2021_OF_ALLGATHERV if bench == "allgatherv_bench" else LOCH2021
    assert [table.algorithm for table in tables] == [*loch, "native"]
    for table in tables:
        assert [int(row.split()[0]) for row in table.rows] == [2**k for k in range(21)]


def test_default_iterations_are_osus(build: Build) -> None:
    stdout = run(build, "allgather_bench", "-m", "4096:16384", "--algorithms", "ring", "-f").stdout
    (table,) = read_tables(stdout)
    assert [row.split()[-1] for row in table.rows] == ["1000", "1000", "100"]
