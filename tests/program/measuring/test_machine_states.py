# SPDX-License-Identifier: BSD-3-Clause
"""Tests what a file says of the machine while it was measured.

This is the time of a cache line's way, and the time of the clock. How long either takes is up to
the machine.
"""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import LINE, Row, read_results

pytestmark = pytest.mark.slow

FEW = ("--algorithms", "ring,native", "--sizes", "8,1K", "-i", "40", "-x", "2")


def measured(build: Build, folder: Path, ranks: int, *options: str) -> list[Row]:
    ended = build.run(
        "allgather_bench", *FEW, *options, "--output", "out.csv", ranks=ranks, cwd=folder
    )
    assert ended.exit_code == 0, ended.stderr
    return read_results(folder / "out.csv").rows


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--sync", "none"),
        ("--groups", "mod:2"),
        ("--order", "sequential"),
        ("--buffers-in", "window"),
        ("--sync", "window"),
    ],
)
@pytest.mark.parametrize("ranks", [2, 4])
def test_the_way_of_a_cache_line_is_plausible(
    build: Build, tmp_path: Path, ranks: int, options: tuple[str, ...]
) -> None:
    """A cell is empty where no pair of ranks came to an end, as both lost their processors."""
    rows = measured(build, tmp_path, ranks, *options)
    told = [float(row[name]) for row in rows for name in LINE if row[name]]
    assert all(0 < us < 1e6 for us in told)


def test_one_rank_has_no_neighbour(build: Build, tmp_path: Path) -> None:
    rows = measured(build, tmp_path, 1)
    assert {row[name] for row in rows for name in LINE} == {""}


def test_a_resumed_file_has_it_too(build: Build, tmp_path: Path) -> None:
    first = measured(build, tmp_path, 2)
    path = tmp_path / "out.csv"
    text = path.read_text()
    path.write_text(text[: text.index("\n", text.index("#@case_end=")) + 1])
    again = measured(build, tmp_path, 2, "--resume")
    assert len(again) == len(first)
    assert all(0 < float(row[name]) < 1e6 for row in again for name in LINE if row[name])


def test_the_clock_takes_time(build: Build, tmp_path: Path) -> None:
    measured(build, tmp_path, 2)
    us = float(read_results(tmp_path / "out.csv").metadata["clock_reading_us"])
    assert 0 < us < 1e6
