# SPDX-License-Identifier: BSD-3-Clause
"""--buffers: whatever is done to the buffers before a call, the right bytes arrive."""

from pathlib import Path

import pytest

from ..support.algorithms import ALGORITHMS as EVERY
from ..support.algorithms import ARRIVAL_AWARE
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import read_results

pytestmark = pytest.mark.slow

# The option takes them so, and the result file has them so.
USES = {"same": "same", "rotate:40K": "rotate:40960", "cold:1M": "cold:1048576"}


# Fresh is the default, so every other test has it.
@pytest.mark.parametrize(
    ("use", "bench", "in_place"),
    [
        ("same", GATHER, ("--in-place",)),
        ("same", GATHERV, ()),
        ("rotate:40K", GATHER, ()),
        ("rotate:40K", GATHERV, ("--in-place",)),
        ("cold:1M", GATHER, ("--in-place",)),
        ("cold:1M", GATHERV, ()),
    ],
)
def test_every_algorithm(
    build: Build, tmp_path: Path, use: str, bench: str, in_place: tuple[str, ...]
) -> None:
    """5 iterations: a ring of 40 KiB has 2 pairs for the largest blocks, and more for others."""
    more = ("--distributions", "half_full") if bench == GATHERV else ()
    ended = build.run(bench, "--buffers", use, "--algorithms", "regular", "--sizes", "3,100,20K",
                      "-i", "5", "-x", "1", "-c", "--output", "out.csv", *more, *in_place,
                      ranks=4, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "skipped"}
    assert results.metadata["buffers"] == USES[use]
    assert set(results.counts().values()) == {5}
    ran = {row["algorithm"] for row in results.rows if row["status"] == "ok"}
    assert len(ran) > len(EVERY) / 2


def test_rotation_with_each_form_of_messages(build: Build, tmp_path: Path) -> None:
    asked = [
        f"{name}:noncontiguous={form}"
        for name in ("bruck", "bruck_in_place", "sparbit")
        for form in ("packed", "datatype")
    ]
    ended = build.run(GATHER, "--buffers", "rotate:8K", "--algorithms", ",".join(asked), "--sizes",
                      "9,4K", "-i", "5", "-x", "0", "-c", "--output", "out.csv", ranks=5,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"ok"}


@pytest.mark.parametrize("use", ["rotate:1M", "cold:1M"])
def test_with_arrivals_predictions_and_a_window(build: Build, tmp_path: Path, use: str) -> None:
    ended = build.run(GATHER, "--buffers", use, "--algorithms", ",".join([*ARRIVAL_AWARE, "ring"]),
                      "--arrival", "uniform:max=2ms", "--compute", "4ms", "--sync", "window",
                      "--sizes", "1K", "-i", "4", "-x", "1", "-c", "--output", "out.csv",
                      ranks=3, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} <= {"ok", "late"}
    assert results.metadata["buffers"].startswith(use.partition(":")[0])


def test_the_ring_counts_as_memory(build: Build, tmp_path: Path) -> None:
    """Two launches that differ in nothing else: without the ring there is room."""
    enough = ("--sizes", "1", "--algorithms", "ring", "-i", "1", "--mem-limit", "1M")
    assert build.run(GATHER, *enough, "--buffers", "same", cwd=tmp_path).exit_code == 0
    for use in ("rotate:1M", "cold:1M"):
        message = refused(build.run(GATHER, *enough, "--buffers", use, cwd=tmp_path))
        assert "1.0 MiB" in message
        assert "--mem-limit" in message


def test_resume_asks_for_the_same_buffers(build: Build, tmp_path: Path) -> None:
    """The second launch is not told, so it has the default."""
    run = (GATHER, "--sizes", "1", "--algorithms", "ring", "-i", "1", "--output", "out.csv")
    assert build.run(*run, "--buffers", "same", cwd=tmp_path).exit_code == 0
    message = refused(build.run(*run, "--resume", cwd=tmp_path))
    assert "its buffers is 'same', now it is 'fresh'" in message
