# SPDX-License-Identifier: BSD-3-Clause
"""Block sizes of the distributions, by the totals in the result file."""

import math
from pathlib import Path

from .launch import Build
from .results import read_results

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


def test_nothing_to_send_at_all(build: Build, tmp_path: Path) -> None:
    (tmp_path / "zeros.txt").write_text("0\n0\n")
    ended = build.run("allgatherv_bench", "--distributions", "file:zeros.txt", "--sizes", "8", "-c",
                      "-i", "2", "-x", "0", "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    assert {(row["status"], row["total_bytes"]) for row in rows} == {("ok", "0")}
