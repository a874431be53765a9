# SPDX-License-Identifier: BSD-3-Clause
"""Tests what a benchmark is given, as `allgather_schedule` prints it: arrival patterns and block
sizes. And that the benchmark uses those sizes, by the totals in the result file."""

import csv
import math
from pathlib import Path

import pytest

from ..support.inputs import DISTRIBUTIONS
from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import read_results

RANDOM = ["uniform:max=4t", "normal:mean=1ms,stddev=1ms", "gamma:shape=2,scale=1t",
          "exponential:mean=2t", "bernoulli:probability=0.5,delay=1ms"]  # fmt: skip
RANKS = 5
SIZES = [7, 1000]


def printed(build: Build, *arguments: str) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows."""
    ended = build.schedule(*arguments)
    assert (ended.exit_code, ended.stderr) == (0, "")
    head, *rows = csv.reader(ended.stdout.splitlines(), strict=True)
    return head, rows


def arrivals(
    build: Build, patterns: str, ranks: int, iterations: int, *more: str
) -> dict[str, list[list[float]]]:
    """Every rank's arrival in every iteration, by pattern."""
    head, rows = printed(build, "arrivals", "--arrival", patterns, "--ranks", str(ranks),
                         "--iterations", str(iterations), *more)  # fmt: skip
    assert head == ["arrival", "iteration", "rank", "arrival_us"]
    found: dict[str, list[list[float]]] = {}
    for label, iteration, rank, us in rows:
        times = found.setdefault(label, [])
        if rank == "0":
            times.append([])
        assert (int(iteration), int(rank)) == (len(times) - 1, len(times[-1]))
        times[-1].append(float(us))
    for times in found.values():
        assert len(times) == iterations
        assert {len(of_ranks) for of_ranks in times} == {ranks}
    return found


def distributions(build: Build, names: str, ranks: int, size: int) -> dict[str, list[int]]:
    """Every rank's bytes, by distribution."""
    head, rows = printed(build, "distributions", "--distributions", names, "--ranks", str(ranks),
                         "--bytes", str(size))  # fmt: skip
    assert head == ["distribution", "rank", "bytes"]
    found: dict[str, list[int]] = {}
    for name, rank, size_of_block in rows:
        blocks = found.setdefault(name, [])
        assert int(rank) == len(blocks)
        blocks.append(int(size_of_block))
    assert {len(blocks) for blocks in found.values()} == {ranks}
    return found


def test_arrivals_by_hand(build: Build, tmp_path: Path) -> None:
    trace = tmp_path / 'a "trace".txt'
    trace.write_text("# from a run\n0 1.5 7\n\n3,0,0.125\n")
    patterns = "none,delayed:delay=2ms,delayed:rank=0,delay=3t,alternating:even=1t,odd=0"
    assert arrivals(build, f"{patterns},trace:{trace}", 3, 3, "--message-time", "50us") == {
        "none": [[0, 0, 0]] * 3,
        "delayed:delay=2ms": [[0, 0, 2000]] * 3,
        "delayed:rank=0,delay=3t": [[150, 0, 0]] * 3,
        "alternating:even=1t,odd=0": [[50, 0, 50]] * 3,
        f"trace:{trace}": [[0, 1.5, 7], [3, 0, 0.125], [0, 1.5, 7]],
    }


def test_seed(build: Build) -> None:
    def drawn(*more: str) -> dict[str, list[list[float]]]:
        return arrivals(build, ",".join(RANDOM), 64, 4, "--message-time", "1ms", *more)

    first = drawn()
    assert list(first) == RANDOM
    assert first == drawn("--seed", "1")
    other = drawn("--seed", "2")
    for label, times in first.items():
        different = {tuple(of_ranks) for of_ranks in [*times, *other[label]]}
        assert len(different) == 8
        assert all(us >= 0 for of_ranks in different for us in of_ranks)
    assert max(max(times) for times in first["uniform:max=4t"]) <= 4000


def test_blocks_by_hand(build: Build, tmp_path: Path) -> None:
    """There are 4 ranks; one rank has all there is."""
    by_name = {
        "regular": [6, 6, 6, 6],
        "broadcast": [6, 0, 0, 0],
        "spike": [24, 8, 8, 8],
        "half_full": [12, 0, 12, 0],
        "linear": [12, 8, 4, 0],
        "geometric": [11, 6, 4, 3],  # 24 / ((i + 3/2) ln 4)
    }
    assert distributions(build, "all", 4, 6) == by_name
    assert distributions(build, "all", 1, 6) == {name: [6] for name in by_name}
    awkward = tmp_path / 'a "name" #2.txt'
    awkward.write_text("3000\n0.5c\n")
    path = f"file:{awkward}"
    assert distributions(build, path, 2, 10) == {path: [3000, 5]}
    assert distributions(build, f"{path},regular", 2, 64) == {path: [3000, 32], "regular": [64, 64]}


def total(name: str, p: int, c: int) -> int:
    """The formulas, each block rounded down."""
    blocks = {
        "regular": [c for _ in range(p)],
        "broadcast": [c] + [0] * (p - 1),
        "spike": [p * c] + [p * c // (p - 1)] * (p - 1),
        "half_full": [2 * c if i % 2 == 0 else 0 for i in range(p)],
        "linear": [2 * c * (p - 1 - i) // (p - 1) for i in range(p)],
        "geometric": [math.floor(p * c / ((i + 1.5) * math.log(p))) for i in range(p)],
        "file:some.txt": [3000, c // 2, 0, 1, 2 * c],
        "file:zeros.txt": [0] * p,  # nothing to send at all
    }
    return sum(blocks[name])


@pytest.mark.slow
def test_the_benchmark_uses_what_is_printed(build: Build, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("3000\n0.5c\n0\n1\n2c\n")
    (tmp_path / "zeros.txt").write_text("0\n" * RANKS)
    given = ("--distributions", "all,file:some.txt,file:zeros.txt", "--sizes", "7,1000")
    ended = build.run("allgatherv_bench", *given, "-i", "1", "-x", "0", "-c", "--algorithms",
                      "bruck,sparbit,native", "--output", "out.csv", ranks=RANKS,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    names = [*DISTRIBUTIONS, "file:some.txt", "file:zeros.txt"]
    assert list(dict.fromkeys(row["distribution"] for row in results.rows)) == names
    assert len(results.cases) == len(names) * len(SIZES)
    for row in results.rows:
        assert row["status"] == "ok"
        assert int(row["total_bytes"]) == total(row["distribution"], RANKS, int(row["bytes"])), row
    for size in SIZES:
        for name, blocks in distributions(build, "all", RANKS, size).items():
            assert sum(blocks) == total(name, RANKS, size), name
    # Worked out by hand, against a slip in the formulas above.
    assert total("spike", RANKS, 7) == 35 + 4 * 8
    assert total("linear", RANKS, 7) == 14 + 10 + 7 + 3
    assert total("geometric", RANKS, 1000) == 2071 + 1242 + 887 + 690 + 564


GIVEN = {
    "arrivals": {"--ranks": "3", "--arrival": "none"},
    "distributions": {"--ranks": "3", "--bytes": "8"},
}
FILES = {
    "two.txt": "# p is 2\n1 2\n",
    "wrong.txt": "1 some 2\n",
    "comment.txt": "# nothing\n",
    "two_lines.txt": "1\n2\n",
    "wrong_line.txt": "1\nsome\n3\n",
}


@pytest.mark.parametrize("command", GIVEN)
@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"--ranks": None}, ["--ranks", "required"]),
        ({"--ranks": "0"}, ["--ranks", "'0'"]),
        ({"--ranks": "2:3"}, ["--ranks", "'2:3'", "more than one number"]),
        ({"--ranks": "x"}, ["--ranks", "'x'"]),
        ({"--nosuch": "1"}, ["--nosuch"]),
    ],
)
def test_bad_input_of_both(
    build: Build, command: str, change: dict[str, str | None], parts: list[str]
) -> None:
    check_refused(build, Path(), command, change, parts)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"--arrival": None}, ["--arrival", "required"]),
        ({"--arrival": ""}, ["--arrival", "''", "legal: none, delayed"]),
        ({"--arrival": "gama:shape=1,scale=1us"}, ["--arrival", "mean 'gamma'", "trace:PATH"]),
        ({"--arrival": "max=1us"}, ["--arrival", "'max=1us'", "no pattern before it"]),
        ({"--arrival": "uniform:max=5"}, ["--arrival uniform:max", "'5'", "legal: us, ms, s, t"]),
        ({"--arrival": "delayed:rank=3,delay=1us"}, ["--arrival", "legal: 0 to 2"]),
        ({"--arrival": "uniform:max=1t"}, ["--arrival", "'uniform:max=1t'", "--message-time"]),
        ({"--arrival": "trace:nosuch.txt"}, ["--arrival", "'nosuch.txt'", "read"]),
        ({"--arrival": "none,trace:two.txt"}, ["two.txt:2", "2 values", "3 ranks"]),
        ({"--arrival": "trace:wrong.txt"}, ["wrong.txt:1", "'some'", "not a number"]),
        ({"--arrival": "trace:comment.txt"}, ["comment.txt", "no line"]),
        ({"--iterations": "0"}, ["--iterations", "'0'"]),
        ({"--iterations": "2147483648"}, ["of 3 lines each", "legal: 1 to 3333333"]),
        ({"--seed": "-1"}, ["--seed", "'-1'"]),
        ({"--message-time": "0"}, ["--message-time", "'0'"]),
        ({"--message-time": ""}, ["--message-time", "''"]),
        ({"--bytes": None}, ["--bytes", "required"]),
        ({"--bytes": "0"}, ["--bytes", "'0'"]),
        ({"--bytes": "1,2"}, ["--bytes", "'1,2'"]),
        ({"--bytes": "1048576T"}, ["--bytes", "'1152921504606846976'", "2^62"]),
        ({"--distributions": "spkie"}, ["--distributions", "mean 'spike'", "legal: all, regular"]),
        ({"--distributions": ""}, ["--distributions", "''"]),
        ({"--distributions": "file:nosuch.txt"}, ["--distributions", "'nosuch.txt'", "read"]),
        ({"--distributions": "file:two_lines.txt"}, ["two_lines.txt", "2 lines", "3 ranks"]),
        ({"--distributions": "regular,file:wrong_line.txt"}, ["wrong_line.txt:2", "'some'"]),
    ],
)
def test_bad_input(
    build: Build, tmp_path: Path, change: dict[str, str | None], parts: list[str]
) -> None:
    (option,) = change
    command = "distributions" if option in ("--bytes", "--distributions") else "arrivals"
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    check_refused(build, tmp_path, command, change, parts)


def check_refused(
    build: Build, folder: Path, command: str, change: dict[str, str | None], parts: list[str]
) -> None:
    given = {key: value for key, value in {**GIVEN[command], **change}.items() if value is not None}
    arguments = [part for pair in given.items() for part in pair]
    message = refused(build.schedule(command, *arguments, cwd=folder))
    for part in parts:
        assert part in message
