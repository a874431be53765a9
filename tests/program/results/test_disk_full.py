# SPDX-License-Identifier: BSD-3-Clause
"""A file that cannot grow: the launch ends, and the file ends with the last finished case."""

import resource
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ..support.folders import SOURCES
from ..support.launch import Build, Ended, wait_until
from ..support.results import RANK_COLUMNS, read_results
from .test_kill_and_resume import ARGUMENTS, BENCH, CASES, SIZES, cases_in, wait_for_cases

pytestmark = pytest.mark.slow


def check_told_of_standard_output(command: Sequence[str], folder: Path | None = None) -> None:
    """Runs the command where standard output is on a full disk."""
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
            check=False,
            timeout=60,
        )
    (line,) = (each for each in ended.stderr.splitlines() if "No space left on device" in each)
    assert line.startswith(f"{BENCH}: ")
    assert ended.returncode == 3


@pytest.mark.parametrize(
    "words", ["--version", "--list", "--sizes 8 -i 2 -x 0 --algorithms ring", "-f --sizes 8 -i 2"]
)
def test_tables_that_standard_output_does_not_take(build: Build, words: str) -> None:
    """One process, since a launcher would take what it prints."""
    check_told_of_standard_output([str(build.program(BENCH)), *words.split()])


@pytest.mark.parametrize("word", ["--resume", "--dry-run"])
def test_a_launch_without_tables_that_standard_output_does_not_take(
    build: Build, tmp_path: Path, word: str
) -> None:
    """Nothing is left to run, or nothing is to be run."""
    options = ("--sizes", "8", "-i", "2", "-x", "0", "--algorithms", "ring", "--output", "a.csv")
    command = [str(build.program(BENCH)), *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    if word == "--dry-run":
        (tmp_path / "a.csv").unlink()
    check_told_of_standard_output([*command, word], tmp_path)


def check_ended_at_a_case(folder: Path, ended: Ended) -> int:
    assert ended.exit_code == 3, ended.stderr
    (message,) = ended.messages  # from the rank that writes, once
    assert message.startswith("rank 0: ")
    results = read_results(folder / "out.csv")
    # The launcher's abort is no line of ours, and nothing follows the last end mark.
    assert (folder / "out.csv").read_text().splitlines()[-1].startswith("#@case_end=")
    return len(results.cases)


def test_file_size_limit(build: Build, tmp_path: Path) -> None:
    """`ulimit -f`. It is set on rank 0 once that runs: launchers and MPI libraries make large files
    of their own at the start, for shared memory."""
    output = tmp_path / "out.csv"
    with build.start(BENCH, *ARGUMENTS, folder=tmp_path, grace=True) as running:
        # The launch could end on a busy machine while its ranks are looked for.
        wait_until(lambda: 0 in running.ranks(), "rank 0")
        rank_0 = running.ranks()[0]
        wait_for_cases(running, output, 2)
        limit = output.stat().st_size + 1000  # within a row of the next case
        resource.prlimit(rank_0, resource.RLIMIT_FSIZE, (limit, limit))
        ended = running.wait()
    count = check_ended_at_a_case(tmp_path, ended)
    assert 2 <= count < CASES
    assert "File too large" in ended.messages[0]
    # Which of its files is the first to be too long depends on how many rows the cases have.
    written = ("out.csv", "out.ranks.csv", "out.counters.csv")
    assert any(name in ended.messages[0] for name in written)
    assert cases_in(read_results(output)) == SIZES[:count]

    resumed = build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path)
    assert resumed.exit_code == 0, resumed.stderr
    assert cases_in(read_results(output)) == SIZES
    assert cases_in(read_results(tmp_path / "out.ranks.csv", RANK_COLUMNS)) == SIZES


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount") or "/bin/mount"
    command = [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no mount: {error}")
    if done.returncode != 0:
        pytest.skip(f"may not mount: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk(build: Build, small_disk: Path) -> None:
    """About 30 KB a case, so that some fit."""
    sizes = [1000 + k for k in range(20)]
    arguments = ("--sizes", ",".join(map(str, sizes)), "--algorithms", "ring,bruck", "-i", "200",
                 "-x", "0", "--output", "out.csv")  # fmt: skip
    ended = build.run(BENCH, *arguments, cwd=small_disk)
    count = check_ended_at_a_case(small_disk, ended)
    assert 2 <= count < len(sizes)
    assert "out.csv" in ended.messages[0] and "No space left on device" in ended.messages[0]
    assert cases_in(read_results(small_disk / "out.csv")) == sizes[:count]


def test_disk_full_from_the_start(build: Build, small_disk: Path) -> None:
    """Not even the header fits: that is told, and no file is left in the way of the next try."""
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"), filler.open("wb", buffering=0) as stream:
        for _ in range(1000):
            stream.write(bytes(4096))
    arguments = ("--sizes", "1", "--algorithms", "ring", "-i", "2", "-x", "0", "--output",
                 "out.csv")  # fmt: skip
    ended = build.run(BENCH, *arguments, cwd=small_disk)
    assert ended.exit_code != 0
    (message,) = ended.messages
    assert "out.csv" in message and "No space left on device" in message
    filler.unlink()
    resumed = build.run(BENCH, *arguments, "--resume", cwd=small_disk)
    assert resumed.exit_code == 0, resumed.stderr
    assert len(read_results(small_disk / "out.csv").cases) == 1


def test_it_is_on_the_disk_at_the_end(build: Build, tmp_path: Path) -> None:
    """Rank 0 writes the file and those beside it to the disk."""
    planted = tmp_path / "libplanted_disk.so"
    compiler = build.cached("MPI_CXX_COMPILER")
    source = SOURCES / "planted_disk.cpp"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(planted), str(source)], check=True)
    ended = build.run(BENCH, "--algorithms", "ring", "--sizes", "8", "-i", "1", "-x", "0",
                      "--record", "ranks", "--output", "out.csv", cwd=tmp_path,
                      env={"LD_PRELOAD": str(planted)})  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert ended.stderr.count("planted: to the disk") == 2
