# SPDX-License-Identifier: BSD-3-Clause
"""Tests the whole cycle: what is sent is written, the call is made, and the result is read."""

from pathlib import Path

import pandas as pd
import pytest

from ..support.launch import Build
from ..support.refusals import refused

pytestmark = pytest.mark.slow

BENCH = "allgather_bench"
FEW = ("-x", "2", "--sizes", "8,1K")
TURNS = ("-i", "7", "--order", "interleaved:3")


def rows_of(build: Build, folder: Path, *arguments: str, bench: str = BENCH, ranks: int = 2
            ) -> pd.DataFrame:  # fmt: skip
    ended = build.run(bench, *FEW, *arguments, "--output", "out.csv", cwd=folder, ranks=ranks)
    assert ended.exit_code == 0, ended.stderr
    return pd.read_csv(folder / "out.csv", comment="#")


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_each_turn_ends_with_a_cycle(build: Build, tmp_path: Path, ranks: int) -> None:
    rows = rows_of(build, tmp_path, *TURNS, "--algorithms", "ring,native,linear:via=window", "-c",
                   ranks=ranks)  # fmt: skip
    assert set(rows["status"]) == {"ok"}
    for _, sample in rows.groupby(["bytes", "algorithm"]):
        assert list(sample["cycle_us"].notna()) == [False, False, True, False, False, True, True]
    assert (rows["cycle_us"].dropna() > 0).all()
    assert (rows["write_us"] > 0).all()
    assert rows["read_us"].isna().all()
    assert "#@cycles=10" in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize("bench", ["allgatherv_bench", "alltoall_bench", "bcast_bench",
                                   "reduce_bench", "allreduce_bench"])  # fmt: skip
def test_every_collective_has_cycles(build: Build, tmp_path: Path, bench: str) -> None:
    rows = rows_of(build, tmp_path, *TURNS, "-c", bench=bench, ranks=3)
    timed = rows[rows["status"] == "ok"]
    assert set(rows["status"]) <= {"ok", "skipped"} and len(timed)
    assert timed.groupby(["bytes", "algorithm"])["cycle_us"].count().eq(3).all()


def test_a_lone_algorithm_has_whole_turns(build: Build, tmp_path: Path) -> None:
    """Batches grow from one call on; a turn is not cut for it."""
    rows = rows_of(build, tmp_path, "--algorithms", "ring", "--order", "sequential", "-i", "20")
    cycled = rows[rows["cycle_us"].notna()]
    assert set(cycled["iteration"]) == {9, 19}


def test_the_result_is_read_after_each_call(build: Build, tmp_path: Path) -> None:
    rows = rows_of(
        build, tmp_path, *TURNS, "--algorithms", "ring,native", "--read", "--cycles", "0"
    )
    assert (rows["read_us"] > 0).all()
    assert rows["cycle_us"].isna().all()
    text = (tmp_path / "out.csv").read_text()
    assert "#@cycles=0" in text and "#@read=yes" in text


def test_a_pattern_has_no_cycles(build: Build, tmp_path: Path) -> None:
    rows = rows_of(
        build, tmp_path, *TURNS, "--algorithms", "ring,native", "--arrival", "uniform:max=20us"
    )
    has = rows.groupby("arrival")["cycle_us"].count()
    assert has["none"] > 0 and has.drop("none").eq(0).all()


@pytest.mark.parametrize(
    "other",
    [
        ("--sync", "none"),
        ("--buffers", "same"),
        ("--buffers", "rotate:1M"),
        ("--compute", "10us"),
        ("--groups", "mod:2"),
        ("--beside", "allreduce:8"),
        ("--overlap", "1"),
        ("--algorithms", "bdr"),
        ("--algorithms", "adaptive"),
        ("--record", "counters"),
    ],
)
def test_no_cycles_where_a_loop_would_be_another(
    build: Build, tmp_path: Path, other: tuple[str, str]
) -> None:
    """There are none by default; a user who asks for them hears why."""
    algorithms = () if other[0] == "--algorithms" else ("--algorithms", "ring")
    rows = rows_of(build, tmp_path, *algorithms, *other, "-i", "1")
    assert rows["cycle_us"].isna().all()
    ended = build.run(BENCH, *FEW, *algorithms, *other, "-i", "1", "--cycles", "5",
                      "--output", "none.csv", cwd=tmp_path)  # fmt: skip
    message = refused(ended)
    assert message.startswith("--cycles: '5' ") and message.endswith("; legal: 0")
