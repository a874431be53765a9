# SPDX-License-Identifier: BSD-3-Clause
"""Where the send and the receive buffers begin, and what pages they lie in."""

from pathlib import Path

import pytest

from .support.launch import Build
from .support.results import read_results

FEW = ("-i", "2", "-x", "1", "--sizes", "13,3M", "--validation")


@pytest.mark.parametrize("bench", ["allgather_bench", "alltoall_bench", "bcast_bench"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--buffer-offset", "1"),
        ("--buffer-offset", "4095", "--buffers", "rotate:8M"),
        ("--pages", "small"),
    ],
)
def test_results_are_right_wherever_buffers_begin(
    build: Build, tmp_path: Path, bench: str, arguments: tuple[str, ...]
) -> None:
    ended = build.run(bench, *FEW, *arguments, "--output", "out.csv", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    key = arguments[0].removeprefix("--").replace("-", "_")
    assert results.metadata[key] == arguments[1]


def test_huge_pages_are_there_or_refused(build: Build, tmp_path: Path) -> None:
    ended = build.run("allgather_bench", *FEW, "--pages", "huge", cwd=tmp_path)
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if enabled.is_file() and "[never]" not in enabled.read_text():
        assert ended.exit_code == 0, ended.stderr
    else:
        assert ended.exit_code == 2
        assert "--pages: 'huge' needs transparent huge pages" in ended.stderr
