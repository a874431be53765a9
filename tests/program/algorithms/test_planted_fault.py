# SPDX-License-Identifier: BSD-3-Clause
"""A byte that arrives wrong is found, told and never becomes a timing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ..support.launch import Build, Ended
from ..support.results import TIMES, Results, case_of, read_results, read_tables

pytestmark = pytest.mark.slow

BENCHES = ("allgather_bench", "allgatherv_bench")
Plant = Callable[..., tuple[Ended, Results]]


@pytest.fixture
def plant(build: Build, planted_fault: Path, tmp_path: Path) -> Plant:
    """Runs ring and sparbit on 2 ranks, whose every all-gather is one MPI_Sendrecv, with one byte
    of rank 1's call flipped. Calls 1 and 2 are the checks before timing."""

    def run(
        bench: str,
        *arguments: str,
        call: int,
        byte: int = 5,
        name: str = "out.csv",
        cycles: str = "0",
    ) -> tuple[Ended, Results]:
        env = {
            "LD_PRELOAD": str(planted_fault),
            "PLANTED_RANK": "1",
            "PLANTED_CALL": str(call),
            "PLANTED_BYTE": str(byte),
        }
        given = ("--algorithms", "ring,sparbit", "-i", "6", "-x", "0", "--table", "osu",
                 "--cycles", cycles)  # fmt: skip
        ended = build.run(bench, *given, "--output", name, *arguments, env=env, cwd=tmp_path)
        assert ended.stderr.count(f"planted: rank 1, call {call}") == 1, ended.stderr
        return ended, read_results(tmp_path / name)

    return run


def check_wrong(ended: Ended, results: Results, algorithm: str, size: int, byte: int) -> None:
    assert ended.exit_code == 1
    (message,) = ended.messages
    assert message.startswith(f"WRONG RESULT: {algorithm}, ")
    place = f"rank 1, block 0, byte {byte}"
    assert f"{size} bytes" in message and place in message
    (row,) = [row for row in results.rows if row["status"] != "ok"]
    assert (row["status"], row["algorithm"], row["bytes"]) == ("wrong", algorithm, str(size))
    assert row["reason"].startswith(place)
    assert not any(row[column] for column in TIMES)
    # No timing of it, neither in the file nor in the table; all others are there.
    counts = results.counts()
    assert (case_of(row), algorithm) not in counts
    assert set(counts.values()) == {6}
    assert len(counts) == 2 * len(results.cases) - 1
    for table in read_tables(our_output(ended)):
        is_wrong = table.algorithm == algorithm
        sizes = [int(line.split()[0]) for line in table.rows if not line.startswith("#")]
        assert (size in sizes) != is_wrong
        notes = [line for line in table.rows if line.startswith("#")]
        assert len(notes) == is_wrong
        assert all(note.startswith(f"# {size} bytes: wrong: {place}") for note in notes)


def our_output(ended: Ended) -> str:
    """Leaves out what MPICH's launcher prints when a program fails."""
    return ended.stdout.partition("\n\n=====")[0].rstrip("\n") + "\n"


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize(("call", "algorithm"), [(1, "ring"), (2, "sparbit")])
def test_found_before_timing(plant: Plant, bench: str, call: int, algorithm: str) -> None:
    ended, results = plant(bench, "--sizes", "64,128", call=call, byte=17)
    check_wrong(ended, results, algorithm, 64, 17)
    assert [case.rpartition(",")[2] for case in results.cases] == ["64", "128"]


@pytest.mark.parametrize("byte", [0, 63])
def test_every_byte_counts(plant: Plant, byte: int) -> None:
    ended, results = plant("allgather_bench", "--sizes", "64", call=1, byte=byte)
    check_wrong(ended, results, "ring", 64, byte)


def test_found_in_place(plant: Plant) -> None:
    ended, results = plant("allgather_bench", "--sizes", "64", "--in-place", call=2)
    check_wrong(ended, results, "sparbit", 64, 5)


def test_found_in_a_later_case(plant: Plant) -> None:
    """2 checks, 2 that are not counted and 12 timed calls a case."""
    ended, results = plant("allgather_bench", "--sizes", "64,128", call=2 + 2 + 12 + 1)
    check_wrong(ended, results, "ring", 128, 5)


@pytest.mark.parametrize("call", [3, 14])
def test_validation_finds_a_late_one(plant: Plant, call: int) -> None:
    """-c: the first and the last timed call, whichever algorithm's they are."""
    ended, results = plant("allgather_bench", "--sizes", "64", "-c", call=call)
    (algorithm,) = [row["algorithm"] for row in results.rows if row["status"] == "wrong"]
    check_wrong(ended, results, algorithm, 64, 5)


@pytest.mark.parametrize("call", [21, 40])
def test_validation_finds_the_last_of_cycles(plant: Plant, call: int) -> None:
    """The calls are 2 checks, and of each algorithm one call that is not counted, 6 timed ones, 2
    cycles that are not counted and 10 that are."""
    ended, results = plant("allgather_bench", "--sizes", "64", "-c", call=call, cycles="10")
    (algorithm,) = [row["algorithm"] for row in results.rows if row["status"] == "wrong"]
    check_wrong(ended, results, algorithm, 64, 5)


@pytest.mark.parametrize(
    ("call", "algorithm"), [(2, "ring"), (7, "ring"), (8, "sparbit"), (14, "sparbit")]
)
def test_sequential_order_is_sequential(plant: Plant, call: int, algorithm: str) -> None:
    """Ring's check, its 6 timed calls, sparbit's check, its 6."""
    arguments = ("--sizes", "64", "-c", "--order", "sequential")
    check_wrong(*plant("allgather_bench", *arguments, call=call), algorithm, 64, 5)


def test_interleaved_order_follows_the_seed(plant: Plant) -> None:
    """Which algorithm has its turn at the last call: both of them by some seed, and the same one
    whenever the seed is the same."""
    hit: dict[str, set[str]] = {}
    for number, seed in enumerate(["1", "2", "3", "4", "5", "6", "1", "2"]):
        arguments = ("--sizes", "64", "-c", "--seed", seed)
        _, results = plant("allgather_bench", *arguments, call=14, name=f"{number}.csv")
        (row,) = [row for row in results.rows if row["status"] == "wrong"]
        hit.setdefault(seed, set()).add(row["algorithm"])
    assert all(len(algorithms) == 1 for algorithms in hit.values())
    assert set.union(*hit.values()) == {"ring", "sparbit"}


def test_resume_remembers_a_wrong_result(
    plant: Plant, planted_fault: Path, build: Build, tmp_path: Path
) -> None:
    """The case is finished and not run again, and the exit code says that the file holds it."""
    ended, before = plant("allgather_bench", "--sizes", "64,128", call=1)
    assert ended.exit_code == 1
    command = before.metadata["command"].split()[1:]
    preloaded = {"LD_PRELOAD": str(planted_fault)}  # as before; it plants nothing
    resumed = build.run("allgather_bench", *command, "--resume", env=preloaded, cwd=tmp_path)
    assert resumed.exit_code == 1
    after = read_results(tmp_path / "out.csv")
    assert after.rows == before.rows
