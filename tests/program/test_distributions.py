# SPDX-License-Identifier: BSD-3-Clause
"""Block sizes of the distributions: what `allgather_schedule distributions` lists, and what the
benchmark uses, by the totals in the result file."""

import csv
import math
from pathlib import Path

import pytest

from .support.launch import Build
from .support.refusals import refused
from .support.results import Results, read_results

RANKS = 5
SIZES = [7, 1000]


def total(name: str, p: int, c: int) -> int:
    """The formulas, each block rounded down."""
    blocks = {
        "regular": [c for _ in range(p)],
        "broadcast": [c] + [0] * (p - 1),
        "spike": [p * c] + [p * c // (p - 1)] * (p - 1),
        "half_full": [2 * c if i % 2 == 0 else 0 for i in range(p)],
        "linear": [2 * c * (p - 1 - i) // (p - 1) for i in range(p)],
        "geometric": [math.floor(p * c / ((i + 1.5) * math.log(p))) for i in range(p)],
    }
    return sum(blocks[name])


def listed(build: Build, ranks: int, size: int, names: str) -> dict[str, list[int]]:
    """Every rank's bytes, by distribution."""
    ended = build.schedule("distributions", "--ranks", str(ranks), "--bytes", str(size),
                           "--distributions", names)  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (0, "")
    head, *lines = csv.reader(ended.stdout.splitlines(), strict=True)
    assert head == ["distribution", "rank", "bytes"]
    found: dict[str, list[int]] = {}
    for name, rank, size_of_block in lines:
        blocks = found.setdefault(name, [])
        assert int(rank) == len(blocks)
        blocks.append(int(size_of_block))
    assert {len(blocks) for blocks in found.values()} == {ranks}
    return found


def check_listed(build: Build, results: Results, names: str) -> None:
    """The list is what the benchmark used, and nothing else."""
    totals = {
        (row["distribution"], int(row["bytes"]), int(row["total_bytes"])) for row in results.rows
    }
    sizes = {size for _, size, _ in totals}
    ranks = int(results.metadata["ranks"])
    assert totals == {
        (name, size, sum(blocks))
        for size in sizes
        for name, blocks in listed(build, ranks, size, names).items()
    }


@pytest.mark.slow
def test_totals(build: Build, tmp_path: Path) -> None:
    ended = build.run("allgatherv_bench", "--distributions", "all", "--sizes", "7,1000", "-i", "1",
                      "-x", "0", "--algorithms", "bruck,sparbit", "--output", "out.csv",
                      ranks=RANKS, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    names = ["regular", "broadcast", "spike", "half_full", "linear", "geometric"]
    assert list(dict.fromkeys(row["distribution"] for row in results.rows)) == names
    assert len(results.cases) == len(names) * len(SIZES)
    for row in results.rows:
        assert row["status"] == "ok"
        assert int(row["total_bytes"]) == total(row["distribution"], RANKS, int(row["bytes"])), row
    check_listed(build, results, "all")
    # Worked out by hand, against a slip in the formulas above.
    assert total("spike", RANKS, 7) == 35 + 4 * 8
    assert total("linear", RANKS, 7) == 14 + 10 + 7 + 3
    assert total("geometric", RANKS, 1000) == 2071 + 1242 + 887 + 690 + 564


def test_distribution_file(build: Build, tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("3000\n0.5c\n")
    ended = build.run("allgatherv_bench", "--distributions", "file:sizes.txt", "--sizes", "10,64",
                      "-i", "2", "-x", "0", "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    assert {row["distribution"] for row in rows} == {"file:sizes.txt"}
    assert {(row["bytes"], row["total_bytes"]) for row in rows} == {("10", "3005"), ("64", "3032")}
    path = f"file:{tmp_path / 'sizes.txt'}"
    assert listed(build, 2, 10, path) == {path: [3000, 5]}
    assert listed(build, 2, 64, f"{path},regular") == {path: [3000, 32], "regular": [64, 64]}
    awkward = tmp_path / 'a "name" #2.txt'
    awkward.write_text("1\n2\n")
    assert listed(build, 2, 10, f"file:{awkward}") == {f"file:{awkward}": [1, 2]}


def test_nothing_to_send_at_all(build: Build, tmp_path: Path) -> None:
    (tmp_path / "zeros.txt").write_text("0\n0\n")
    ended = build.run("allgatherv_bench", "--distributions", "file:zeros.txt", "--sizes", "8", "-c",
                      "-i", "2", "-x", "0", "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    assert {(row["status"], row["total_bytes"]) for row in rows} == {("ok", "0")}


def test_listed_blocks(build: Build) -> None:
    """By hand, at 4 ranks; one rank has all there is."""
    assert listed(build, 4, 6, "all") == {
        "regular": [6, 6, 6, 6],
        "broadcast": [6, 0, 0, 0],
        "spike": [24, 8, 8, 8],
        "half_full": [12, 0, 12, 0],
        "linear": [12, 8, 4, 0],
        "geometric": [11, 6, 4, 3],  # 24 / ((i + 3/2) ln 4)
    }
    assert set(listed(build, 1, 6, "all")) == {*listed(build, 4, 6, "all")}
    assert {tuple(blocks) for blocks in listed(build, 1, 6, "all").values()} == {(6,)}


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"--ranks": None}, ["--ranks", "required"]),
        ({"--ranks": "0"}, ["--ranks", "'0'"]),
        ({"--ranks": "2:3"}, ["--ranks", "'2:3'", "more than one number"]),
        ({"--ranks": "x"}, ["--ranks", "'x'"]),
        ({"--bytes": None}, ["--bytes", "required"]),
        ({"--bytes": "0"}, ["--bytes", "'0'"]),
        ({"--bytes": "1,2"}, ["--bytes", "'1,2'"]),
        ({"--bytes": "1048576T"}, ["--bytes", "'1152921504606846976'", "2^62"]),
        ({"--distributions": "spkie"}, ["--distributions", "mean 'spike'", "legal: all, regular"]),
        ({"--distributions": ""}, ["--distributions", "''"]),
        ({"--distributions": "file:nosuch.txt"}, ["--distributions", "'nosuch.txt'", "read"]),
        ({"--distributions": "file:two.txt"}, ["two.txt", "2 lines", "3 ranks"]),
        ({"--distributions": "regular,file:wrong.txt"}, ["wrong.txt:2", "'some'"]),
        ({"--nosuch": "1"}, ["--nosuch"]),
    ],
)
def test_bad_input_of_the_list(
    build: Build, tmp_path: Path, change: dict[str, str | None], parts: list[str]
) -> None:
    (tmp_path / "two.txt").write_text("1\n2\n")
    (tmp_path / "wrong.txt").write_text("1\nsome\n3\n")
    changed: dict[str, str | None] = {"--ranks": "3", "--bytes": "8", **change}
    given = {key: value for key, value in changed.items() if value is not None}
    arguments = [part for pair in given.items() for part in pair]
    message = refused(build.schedule("distributions", *arguments, cwd=tmp_path))
    for part in parts:
        assert part in message
