# SPDX-License-Identifier: BSD-3-Clause
"""Arrival patterns, as `allgather_schedule arrivals` lists them."""

import csv
from pathlib import Path

import pytest

from .support.launch import Build
from .support.refusals import refused

RANDOM = ["uniform:max=4t", "normal:mean=1ms,stddev=1ms", "gamma:shape=2,scale=1t",
          "exponential:mean=2t", "bernoulli:probability=0.5,delay=1ms"]  # fmt: skip


def listed(
    build: Build, arrivals: str, ranks: int, iterations: int, *more: str
) -> dict[str, list[list[float]]]:
    """Every rank's arrival in every iteration, by pattern."""
    ended = build.schedule("arrivals", "--arrival", arrivals, "--ranks", str(ranks),
                           "--iterations", str(iterations), *more)  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (0, "")
    head, *rows = csv.reader(ended.stdout.splitlines(), strict=True)
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


def test_by_hand(build: Build, tmp_path: Path) -> None:
    trace = tmp_path / 'a "trace".txt'
    trace.write_text("# from a run\n0 1.5 7\n\n3,0,0.125\n")
    patterns = "none,delayed:delay=2ms,delayed:rank=0,delay=3t,alternating:even=1t,odd=0"
    assert listed(build, f"{patterns},trace:{trace}", 3, 3, "--message-time", "50us") == {
        "none": [[0, 0, 0]] * 3,
        "delayed:delay=2ms": [[0, 0, 2000]] * 3,
        "delayed:rank=0,delay=3t": [[150, 0, 0]] * 3,
        "alternating:even=1t,odd=0": [[50, 0, 50]] * 3,
        f"trace:{trace}": [[0, 1.5, 7], [3, 0, 0.125], [0, 1.5, 7]],
    }


def test_seed(build: Build) -> None:
    def drawn(*more: str) -> dict[str, list[list[float]]]:
        return listed(build, ",".join(RANDOM), 64, 4, "--message-time", "1ms", *more)

    first = drawn()
    assert list(first) == RANDOM
    assert first == drawn("--seed", "1")
    other = drawn("--seed", "2")
    for label, times in first.items():
        different = {tuple(of_ranks) for of_ranks in [*times, *other[label]]}
        assert len(different) == 8
        assert all(us >= 0 for of_ranks in different for us in of_ranks)
    assert max(max(times) for times in first["uniform:max=4t"]) <= 4000


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
        ({"--ranks": None}, ["--ranks", "required"]),
        ({"--ranks": "2:3"}, ["--ranks", "'2:3'", "more than one number"]),
        ({"--iterations": "0"}, ["--iterations", "'0'"]),
        (
            {"--iterations": "2147483648"},
            ["of 3 lines each", "legal: 1 to 3333333"],
        ),
        ({"--seed": "-1"}, ["--seed", "'-1'"]),
        ({"--message-time": "0"}, ["--message-time", "'0'"]),
        ({"--message-time": ""}, ["--message-time", "''"]),
        ({"--nosuch": "1"}, ["--nosuch"]),
    ],
)
def test_bad_input(
    build: Build, tmp_path: Path, change: dict[str, str | None], parts: list[str]
) -> None:
    (tmp_path / "two.txt").write_text("# p is 2\n1 2\n")
    (tmp_path / "wrong.txt").write_text("1 some 2\n")
    (tmp_path / "comment.txt").write_text("# nothing\n")
    changed: dict[str, str | None] = {"--ranks": "3", "--arrival": "none", **change}
    given = {key: value for key, value in changed.items() if value is not None}
    arguments = [part for pair in given.items() for part in pair]
    message = refused(build.schedule("arrivals", *arguments, cwd=tmp_path))
    for part in parts:
        assert part in message
