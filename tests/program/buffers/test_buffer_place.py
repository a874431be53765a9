# SPDX-License-Identifier: BSD-3-Clause
"""Tests where the send and the receive buffers begin, and what pages they lie in."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import read_results

pytestmark = pytest.mark.slow

FEW = ("-i", "2", "-x", "1", "--sizes", "13,3M", "--validation")
ONE = ("-i", "1", "-x", "0", "--sizes", "13", "--algorithms", "ring")  # is told of, not timed


@pytest.mark.parametrize(
    ("bench", "places"),
    [
        ("allgather_bench", {"buffer_offset": "1"}),
        ("allgather_bench", {"buffer_offset": "4095", "buffers": "rotate:8M", "pages": "small"}),
        ("allgather_bench", {"buffer_offset": "0,16"}),
        ("allgatherv_bench", {"buffer_offset": "4095,1"}),
        ("allgatherv_bench", {"buffer_offset": "16,4080", "buffers_in": "window"}),
        ("allreduce_bench", {"buffer_offset": "0,16"}),
        ("alltoall_bench", {"buffer_offset": "1", "pages": "small"}),
        ("bcast_bench", {"buffer_offset": "4095", "buffers": "rotate:8M"}),
    ],
)
def test_results_are_right_wherever_buffers_begin(
    build: Build, tmp_path: Path, bench: str, places: dict[str, str]
) -> None:
    pairs = ((f"--{key.replace('_', '-')}", value) for key, value in places.items())
    arguments = [word for pair in pairs for word in pair]
    few = [word.replace("13,", "12,") if bench == "allreduce_bench" else word for word in FEW]
    ended = build.run(bench, *few, *arguments, "--output", "out.csv", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    told = {**places, "buffers": "rotate:8388608"} if "buffers" in places else places
    assert {key: results.metadata[key] for key in told} == told
    place = places["buffer_offset"]
    assert {row["buffer_offset"] for row in results.rows} == {
        place if "," in place else f"{place},{place}"
    }


def test_random_places_are_drawn_by_the_seed(build: Build, tmp_path: Path) -> None:
    """--resume takes the seed of its file."""
    drawn = []
    for name, seed in [("a", "7"), ("b", "7"), ("c", "8")]:
        output = tmp_path / f"{name}.csv"
        words = (*ONE, "--buffer-offset", "random", "--seed", seed, "--output", str(output))
        ended = build.run("allgather_bench", *words)
        assert ended.exit_code == 0, ended.stderr
        results = read_results(output)
        assert {row["buffer_offset"] for row in results.rows} == {"random"}
        assert results.metadata["buffer_offset"] == "random"
        drawn.append(results.metadata["buffer_offset_drawn"])
    assert drawn[0] == drawn[1] != drawn[2]
    for place in drawn[0].split(","):
        assert int(place) % 16 == 0 and 0 <= int(place) < 4096
    again = ("--buffer-offset", "random", "--resume", "--output", str(tmp_path / "a.csv"))
    assert build.run("allgather_bench", *ONE, *again).exit_code == 0
    other = build.run("allgather_bench", *ONE, *again[2:], "--buffer-offset", "0,16")
    assert other.exit_code == 2
    assert "its buffer_offset is 'random', now it is '0,16'" in other.stderr


def test_without_places_the_file_says_pages(build: Build, tmp_path: Path) -> None:
    assert build.run("allgather_bench", *ONE, "--output", "a.csv", cwd=tmp_path).exit_code == 0
    results = read_results(tmp_path / "a.csv")
    assert {row["buffer_offset"] for row in results.rows} == {"0,0"}
    assert results.metadata["buffer_offset"] == "0"
    assert "buffer_offset_drawn" not in results.metadata


def test_huge_pages_are_there_or_refused(build: Build, tmp_path: Path) -> None:
    """A kernel that has them may still have no piece of memory that is large enough."""
    ended = build.run("allgather_bench", *FEW, "--pages", "huge", cwd=tmp_path)
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if enabled.is_file() and "[never]" not in enabled.read_text():
        assert ended.exit_code == 0 or "gave a small page" in ended.stderr, ended.stderr
    else:
        assert ended.exit_code == 2
        assert "--pages: 'huge' needs transparent huge pages" in ended.stderr
