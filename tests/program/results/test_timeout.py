# SPDX-License-Identifier: BSD-3-Clause
"""A rank that hangs ends the launch, with what was measured kept."""

import os
import signal
from pathlib import Path

import pytest

from ..conftest import compile_planted
from ..support.launch import Build, Ended, is_running
from ..support.results import read_results
from ..support.unlike import run_unlike
from .test_kill_and_resume import ARGUMENTS, BENCH, CASES, SIZES, cases_in, wait_for_cases

pytestmark = pytest.mark.slow


def said_by_the_other(ended: Ended, stopped: int) -> str:
    """The one message of the rank that was not stopped. The launcher wakes the stopped rank to end
    it, so that one may find its own time over and say so too."""
    (message,) = [
        text
        for text in ended.messages
        if text.startswith(f"rank {1 - stopped} made no progress for ")
    ]
    return message


@pytest.mark.parametrize("stopped", [0, 1])
def test_stopped_rank(build: Build, tmp_path: Path, stopped: int) -> None:
    """Rank 0 speaks if it can; else the others do, some seconds later."""
    with build.start(BENCH, *ARGUMENTS, "--timeout", "2s", folder=tmp_path, grace=True) as running:
        wait_for_cases(running, tmp_path / "out.csv", 2)
        pid = running.ranks()[stopped]
        os.kill(pid, signal.SIGSTOP)
        ended = running.wait()
    assert ended.exit_code != 0
    message = said_by_the_other(ended, stopped)
    assert "--timeout" in message
    results = read_results(tmp_path / "out.csv")
    count = len(results.cases)
    assert 2 <= count < CASES
    assert cases_in(results) == SIZES[:count]
    assert f"case {count + 1}/{CASES}" in message
    assert f"{SIZES[count]} bytes" in message
    assert not is_running(pid)


@pytest.fixture(scope="module")
def planted(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_planted(build, "planted_rank", tmp_path_factory)


@pytest.mark.parametrize("stopped", [0, 1])
@pytest.mark.parametrize(
    ("place", "doing"),
    [
        ("MPI_Init_thread", "starting MPI"),
        ("started", "comparing the ranks' commands"),
        ("MPI_Finalize", "ending MPI"),
    ],
)
def test_stopped_before_or_after_all_cases(
    build: Build, tmp_path: Path, planted: Path, place: str, doing: str, stopped: int
) -> None:
    """MPI's own start and end may hang too, and nobody else ends a launch that does."""
    if place == "MPI_Finalize" and build.family != "openmpi":
        pytest.skip("other libraries end without waiting for each other")
    ended = run_unlike(build, f"export PLANTED_STOP={place}", "--sizes", "8", "-i", "2", "-x", "0",
                       "--algorithms", "ring", "--output", "out.csv", "--timeout", "3s",
                       folder=tmp_path, rank=stopped, library=planted)  # fmt: skip
    assert ended.exit_code != 0
    message = said_by_the_other(ended, stopped)
    assert f"(--timeout) while {doing}" in message
    if place == "MPI_Finalize":
        assert len(read_results(tmp_path / "out.csv").cases) == 1


def test_a_slow_case_is_no_timeout(build: Build, tmp_path: Path) -> None:
    """The time is one without progress, not a case's."""
    ended = build.run(BENCH, "--sizes", "1M", "--algorithms", "ring", "-i", "1000000",
                      "--max-time", "8s", "--timeout", "4s", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert len(read_results(tmp_path / "out.csv").cases) == 1
