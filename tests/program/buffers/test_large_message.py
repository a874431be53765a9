# SPDX-License-Identifier: BSD-3-Clause
"""Messages and buffers of more than 2^31 bytes, which MPI's int cannot count."""

import re
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import read_results

pytestmark = pytest.mark.rest

BLOCK = 2**31 + 4096
ONCE = ("--in-place", "-i", "1", "-x", "0", "--output", "out.csv")


@pytest.fixture(autouse=True)
def _memory() -> None:
    match = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    available = int(match[1]) // 2**20 if match else 0
    if available < 14:
        pytest.skip(f"needs 14 GiB of memory, {available} GiB are available")


def test_gather(build: Build, tmp_path: Path) -> None:
    """A block beyond 2^31 bytes from each rank, a buffer of twice that; every byte is checked."""
    ended = build.run("allgather_bench", "--sizes", str(BLOCK), "--algorithms", "ring", *ONCE,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    (row,) = results.rows
    assert (row["status"], row["bytes"], row["total_bytes"]) == ("ok", str(BLOCK), str(2 * BLOCK))


def test_gatherv(build: Build, tmp_path: Path) -> None:
    """One such block, and a small one of another kind of message; by every way to send it."""
    (tmp_path / "sizes.txt").write_text(f"{BLOCK}\n8\n")
    names = ["bruck_in_place", "sparbit", "native"]
    ended = build.run("allgatherv_bench", "--distributions", "file:sizes.txt", "--sizes", "1",
                      "--algorithms", ",".join(names), *ONCE, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["algorithm"]: row["status"] for row in results.rows} == dict.fromkeys(names, "ok")
    assert {row["total_bytes"] for row in results.rows} == {str(BLOCK + 8)}
