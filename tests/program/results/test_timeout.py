# SPDX-License-Identifier: BSD-3-Clause
"""A rank that hangs ends the launch, with what was measured kept."""

import os
import signal
from pathlib import Path

import pytest

from ..support.launch import Build, is_running
from ..support.results import read_results
from .test_kill_and_resume import ARGUMENTS, BENCH, CASES, SIZES, cases_in, wait_for_cases

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("stopped", [0, 1])
def test_stopped_rank(build: Build, tmp_path: Path, stopped: int) -> None:
    """Rank 0 speaks if it can; else the others do, some seconds later."""
    with build.start(BENCH, *ARGUMENTS, "--timeout", "2s", folder=tmp_path, grace=True) as running:
        wait_for_cases(running, tmp_path / "out.csv", 2)
        pid = running.ranks()[stopped]
        os.kill(pid, signal.SIGSTOP)
        ended = running.wait()
    assert ended.exit_code != 0
    # The launcher may wake the stopped rank to end it; rank 0 then tells of that too.
    (message,) = [text for text in ended.messages if "made no progress" in text]
    assert message.startswith(f"rank {1 - stopped} made no progress for ")
    assert "--timeout" in message
    results = read_results(tmp_path / "out.csv")
    count = len(results.cases)
    assert 2 <= count < CASES
    assert cases_in(results) == SIZES[:count]
    assert f"case {count + 1}/{CASES}" in message
    assert f"{SIZES[count]} bytes" in message
    assert not is_running(pid)


def test_a_slow_case_is_no_timeout(build: Build, tmp_path: Path) -> None:
    """The time is one without progress, not a case's."""
    ended = build.run(BENCH, "--sizes", "1M", "--algorithms", "ring", "-i", "1000000",
                      "--max-time", "8s", "--timeout", "4s", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert len(read_results(tmp_path / "out.csv").cases) == 1
