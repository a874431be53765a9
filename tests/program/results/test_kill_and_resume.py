# SPDX-License-Identifier: BSD-3-Clause
"""A launch that is stopped keeps every finished case, and --resume goes on from there."""

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agformats.files.gzip_text import read_bytes

from ..support.launch import Build, Running, wait_until
from ..support.results import (
    CASE_END,
    COUNTER_COLUMNS,
    RANK_COLUMNS,
    Results,
    read_results,
    text_of,
)

pytestmark = pytest.mark.slow

CASES = 14
SIZES = [2**20 + k for k in range(CASES)]
# Each case lasts its --max-time whatever the machine, so that a launch can be hit in the middle.
MEASURE = ("--sizes", ",".join(map(str, SIZES)), "--algorithms", "ring,sparbit", "-i", "1000000",
             "-x", "0", "--max-time", "100ms", "--record", "ranks,counters")  # fmt: skip
ARGUMENTS = (*MEASURE, "--output", "out.csv")
BENCH = "allgather_bench"


def finished(path: Path) -> int:
    """Reads a file that is being written: a compressed one may end in half a member."""
    return read_bytes(path).count(CASE_END.encode()) if path.exists() else 0


def wait_for_cases(running: Running, path: Path, count: int) -> None:
    def enough_or_ended() -> bool:
        return finished(path) >= count or running.process.poll() is not None

    wait_until(enough_or_ended, f"{count} finished cases")
    assert running.process.poll() is None, running.stderr.read_text()


def cases_in(results: Results) -> list[int]:
    return [int(case.rpartition(",")[2]) for case in results.cases]


def check_pair(output: Path) -> Results:
    """All files whole, with the same cases and iterations."""
    first = read_results(output)
    for kind, columns in (("counters", COUNTER_COLUMNS), ("ranks", RANK_COLUMNS)):
        second = read_results(
            output.with_name(output.name.replace(".csv", f".{kind}.csv")), columns
        )
        assert second.cases[: len(first.cases)] == first.cases
        # They are written first: a kill in between leaves them one case longer.
        assert len(second.cases) - len(first.cases) in (0, 1)
    done = set(first.cases)
    rows = [row for row in second.rows if row["bytes"] in {c.rpartition(",")[2] for c in done}]
    assert len(rows) == 2 * len(first.rows)
    return first


def terminate_launcher(running: Running) -> None:
    running.process.terminate()


def kill_rank_1(running: Running) -> None:
    os.kill(running.ranks()[1], signal.SIGKILL)


def kill_rank_0(running: Running) -> None:
    os.kill(running.ranks()[0], signal.SIGKILL)


def terminate_ranks(running: Running) -> None:
    """Ends every process of the step at once, as Slurm does at the time limit."""
    for pid in running.ranks().values():
        os.kill(pid, signal.SIGTERM)


def test_no_other_program_sees_what_ranks_share(build: Build, tmp_path: Path) -> None:
    """A kill leaves it in /dev/shm, and that of the tests goes with them (tests/conftest.py)."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("there are no namespaces here")
    with build.start(BENCH, *ARGUMENTS, folder=tmp_path) as running:
        wait_for_cases(running, tmp_path / "out.csv", 1)
        maps = [Path(f"/proc/{pid}/maps").read_text() for pid in running.ranks().values()]
        running.process.kill()
    shared = set(re.findall(r" /(dev/shm/\S+)", "\n".join(maps)))
    assert shared
    assert not [path for path in shared if (Path(f"/proc/{os.getppid()}/root") / path).exists()]


@pytest.mark.parametrize(
    ("stop", "name"),
    [
        *((stop, "out.csv") for stop in (terminate_launcher, kill_rank_0, kill_rank_1,
                                         terminate_ranks)),
        *((stop, "out.csv.gz") for stop in (kill_rank_0, terminate_ranks)),
    ],
)  # fmt: skip
def test_stop_and_resume(
    build: Build, tmp_path: Path, stop: Callable[[Running], None], name: str
) -> None:
    output = tmp_path / name
    arguments = (*MEASURE, "--output", name)
    grace = stop is terminate_ranks
    with build.start(BENCH, *arguments, folder=tmp_path, grace=grace) as running:
        wait_for_cases(running, output, 2)
        assert sorted(running.ranks()) == [0, 1]
        at_least = finished(output)
        stop(running)
        ended = running.wait()
    if stop is not terminate_launcher:  # MPICH's launcher then ends with 0, whatever we do
        assert ended.exit_code != 0
    before = check_pair(output)
    count = len(before.cases)
    assert at_least <= count < CASES
    assert cases_in(before) == SIZES[:count]
    if stop is terminate_ranks:
        (message,) = ended.messages  # rank 0 speaks for all
        assert "stopped by SIGTERM" in message
        assert f"case {count + 1}/{CASES}" in message and f"{SIZES[count]} bytes" in message
        assert name in message and "--resume" in message

    kept = text_of(output)
    resumed = build.run(BENCH, *arguments, "--resume", cwd=tmp_path)
    assert resumed.exit_code == 0, resumed.stderr
    assert text_of(output).startswith(kept[: kept.rindex(CASE_END)])
    after = check_pair(output)
    assert cases_in(after) == SIZES
    assert after.resumed == 1
    assert len(after.counts()) == 2 * CASES
    # Iteration for iteration the same as before, and told where the others are.
    assert after.rows[: len(before.rows)] == before.rows
    assert f"{count} of {CASES} cases were finished before: only in {name}" in resumed.stdout


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
def test_other_signals_name_the_case(build: Build, tmp_path: Path, name: str) -> None:
    output = tmp_path / "out.csv"
    # Even on a busy machine the signal comes before the last case is over.
    arguments = [word.replace("100ms", "1s") for word in ARGUMENTS]
    with build.start(BENCH, *arguments, folder=tmp_path, grace=True) as running:
        wait_for_cases(running, output, 1)
        os.kill(running.ranks()[0], getattr(signal, name))
        ended = running.wait()
    assert ended.exit_code != 0
    assert any(f"stopped by {name} in case " in one for one in ended.messages), ended.stderr
    check_pair(output)


def test_a_file_in_use_is_left_alone(build: Build, tmp_path: Path) -> None:
    """Neither the launch that began it nor one that resumed it lets another one write."""
    output = tmp_path / "out.csv"
    for resume in ([], ["--resume"]):
        with build.start(BENCH, *ARGUMENTS, *resume, folder=tmp_path) as running:
            wait_for_cases(running, output, finished(output) + 2)
            ranks = running.ranks()
            for pid in ranks.values():  # so that it does not end before the other one has looked
                os.kill(pid, signal.SIGSTOP)
            second = build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path)
            assert second.exit_code == 2
            (message,) = second.messages
            assert message.startswith("--resume: 'out.csv' is in use by another launch: process ")
            assert f"process {ranks[0]} on host " in message
            for pid in ranks.values():
                os.kill(pid, signal.SIGKILL)
            running.wait()
    assert build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path).exit_code == 0
    assert cases_in(check_pair(output)) == SIZES
