# SPDX-License-Identifier: BSD-3-Clause
"""Where the send and the receive buffers begin, and what pages they lie in."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import read_results

pytestmark = pytest.mark.slow

FEW = ("-i", "2", "-x", "1", "--sizes", "13,3M", "--validation")


@pytest.mark.parametrize(
    ("bench", "places"),
    [
        ("allgather_bench", {"buffer_offset": "1"}),
        ("allgather_bench", {"buffer_offset": "4095", "buffers": "rotate:8M", "pages": "small"}),
        ("alltoall_bench", {"buffer_offset": "1", "pages": "small"}),
        ("bcast_bench", {"buffer_offset": "4095", "buffers": "rotate:8M"}),
    ],
)
def test_results_are_right_wherever_buffers_begin(
    build: Build, tmp_path: Path, bench: str, places: dict[str, str]
) -> None:
    pairs = ((f"--{key.replace('_', '-')}", value) for key, value in places.items())
    arguments = [word for pair in pairs for word in pair]
    ended = build.run(bench, *FEW, *arguments, "--output", "out.csv", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    told = {**places, "buffers": "rotate:8388608"} if "buffers" in places else places
    assert {key: results.metadata[key] for key in told} == told


def test_huge_pages_are_there_or_refused(build: Build, tmp_path: Path) -> None:
    ended = build.run("allgather_bench", *FEW, "--pages", "huge", cwd=tmp_path)
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if enabled.is_file() and "[never]" not in enabled.read_text():
        assert ended.exit_code == 0, ended.stderr
    else:
        assert ended.exit_code == 2
        assert "--pages: 'huge' needs transparent huge pages" in ended.stderr
