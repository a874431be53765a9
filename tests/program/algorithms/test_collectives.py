# SPDX-License-Identifier: BSD-3-Clause
"""The collectives beside the all-gather: every algorithm moves or combines every byte, or says why
it cannot; what is listed, printed and proven. What only one of them has is in its own file."""

import re
from pathlib import Path

import pytest

from ..support.algorithms import (
    ALLREDUCES,
    ALLTOALL_PARAMETERS,
    ALLTOALLS,
    BCASTS,
    LIBRARY_CALLS,
    REDUCTIONS,
    runs_at,
)
from ..support.launch import Build
from ..support.results import TIMES, Results, read_results, read_tables

pytestmark = pytest.mark.slow

ALGORITHMS = {"alltoall": ALLTOALLS, "bcast": BCASTS, "reduce": REDUCTIONS, "allreduce": ALLREDUCES}
PARAMETERS = {"alltoall": ALLTOALL_PARAMETERS}
# Each has one that no other collective has.
STRANGERS = {"alltoall": "sparbit", "bcast": "ring", "reduce": "flat", "allreduce": "binomial"}
NO_SCHEDULE = ["local_redirect"]
# These take operators that do not commute.
IN_ORDER = {
    "reduce": ["binomial", "linear_pipeline", "native"],
    "allreduce": ["recursive_doubling", "allgather_reduce", "native"],
}


def needs_a_tree(algorithm: str) -> bool:
    return algorithm.startswith("topology_")


# Messages of several blocks have these forms beside their own.
FORMS = [
    f"{name}:noncontiguous={form}"
    for form in ("pipelined", "datatype")
    for name in ALLTOALLS
    if not needs_a_tree(name)
]
# These are tried of all: with parameters, and in other forms.
MORE = {
    "alltoall": FORMS,
    "bcast": ["binary:segment=16", "linear_pipeline:segment=7"],
    "reduce": ["linear_pipeline:segments=3"],
    "allreduce": [
        "rabenseifner:inner=ring",
        "alltoall_allgather:scatter=linear:inner=shift_mpi_barrier",
        "allgather_reduce:inner=ring",
        "clairvoyant:segments=3",
    ],
}
SIZES = {
    "alltoall": [1, 100],
    "bcast": [1, 100, 20480],
    "reduce": [8, 104, 20480],
    "allreduce": [8, 104, 20480],
}


def run(build: Build, folder: Path, collective: str, ranks: int, *arguments: str) -> Results:
    ended = build.run(f"{collective}_bench", "-i", "2", "-x", "0", "-c", "--output", "out.csv",
                      *arguments, ranks=ranks, cwd=folder)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert len(ended.messages) == (ranks == 1)  # which is told that it is alone
    return read_results(folder / "out.csv")


@pytest.mark.parametrize("collective", ALGORITHMS)
def test_list(build: Build, collective: str) -> None:
    ended = build.alone(f"{collective}_bench", "--list")
    assert ended.exit_code == 0
    names, *others = ended.stdout.split("\n\n")
    listed = [name for name in re.findall(r"^  ([\w:]+)", names, re.M)[1:] if ":" not in name]
    assert listed == ["adaptive", *ALGORITHMS[collective], *LIBRARY_CALLS]
    for name, parameters in PARAMETERS.get(collective, {}).items():
        for parameter in parameters:
            assert f"\n    {name}:{parameter}= " in names
    assert [text.splitlines()[0] for text in others] == ["Arrival patterns (--arrival)"]


# Each number of ranks has one launch: the root is the first, the last or one between, and half of
# them are in place.
LAUNCHES: dict[str, dict[int, tuple[str, ...]]] = {
    "alltoall": {
        1: ("--in-place",),
        2: (),
        3: ("--in-place",),
        4: ("--in-place",),
        5: (),
        7: ("--in-place",),
        8: (),
    },
    "bcast": {
        1: ("--root", "0"),
        2: ("--root", "1"),
        3: ("--root", "1"),
        4: ("--root", "0"),
        5: ("--root", "2"),
        7: ("--root", "6"),
        8: ("--root", "4"),
    },
    # Each with another operator; test_every_other_operator has the rest.
    "reduce": {
        1: ("--root", "0"),
        2: ("--root", "1", "--in-place", "--op", "prod", "--type", "double"),
        3: ("--root", "1", "--in-place", "--op", "bxor", "--type", "char"),
        4: ("--root", "0", "--op", "max", "--type", "float"),
        5: ("--root", "4", "--op", "land", "--type", "long"),
        7: ("--root", "0", "--in-place", "--op", "lxor", "--type", "int"),
        8: ("--root", "4", "--op", "min", "--type", "double"),
    },
    "allreduce": {
        1: ("--op", "bxor", "--type", "char"),
        2: ("--in-place", "--op", "prod", "--type", "double"),
        3: ("--op", "max", "--type", "float"),
        4: ("--in-place", "--op", "land", "--type", "long"),
        5: (),
        7: ("--in-place", "--op", "min", "--type", "double"),
        8: ("--op", "lxor", "--type", "int"),
    },
}


def options(arguments: tuple[str, ...]) -> dict[str, str]:
    """Returns the options as the metadata have them."""
    found = {"in_place": "no"}
    for at, word in enumerate(arguments):
        if word == "--in-place":
            found["in_place"] = "yes"
        elif word.startswith("--"):
            found[word.removeprefix("--")] = arguments[at + 1]
    return found


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("collective", ALGORITHMS)
def test_every_algorithm_is_right(
    build: Build, tmp_path: Path, collective: str, ranks: int
) -> None:
    sizes, more = SIZES[collective], MORE[collective]
    given = LAUNCHES[collective][ranks]
    results = run(build, tmp_path, collective, ranks, "--algorithms", ",".join(["all", *more]),
                  "--sizes", ",".join(map(str, sizes)), *given)  # fmt: skip
    combines = collective in IN_ORDER
    told = options(given)
    if collective == "bcast":  # has one buffer
        told["in_place"] = "yes"
    if combines:
        told = {"op": "sum", "type": "int", "gamma": "none", **told}
    assert {key: results.metadata[key] for key in told} == told
    asked = [*ALGORITHMS[collective], "native", *more]
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == asked
    # What combines folds where p does not suit it.
    running = [
        name for name in asked if (combines or runs_at(name, ranks)) and not needs_a_tree(name)
    ]
    for row in results.rows:
        expected = "ok" if row["algorithm"] in running else "skipped"
        assert row["status"] == expected, row
        assert bool(row["reason"]) == (expected == "skipped"), row
        assert any(row[column] for column in TIMES) == (expected == "ok"), row
        blocks = ranks if collective == "alltoall" else 1
        assert row["total_bytes"] == str(blocks * int(row["bytes"]))
        assert row["collective"] == collective
    assert set(results.counts().values()) == {2}
    assert len(results.counts()) == len(sizes) * len(running)


@pytest.mark.parametrize("collective", IN_ORDER)
@pytest.mark.parametrize(
    ("ranks", "op", "element"),
    [
        (4, "sum", "float"),
        (4, "band", "char"),
        (4, "bor", "long"),
        (4, "lor", "char"),
        (3, "compose", "char"),
        (4, "compose", "int"),
        (5, "compose", "long"),
    ],
)
def test_every_other_operator(
    build: Build, tmp_path: Path, collective: str, ranks: int, op: str, element: str
) -> None:
    """A wrong bit ends the program with 1. tests/bench has each operator of each type."""
    results = run(build, tmp_path, collective, ranks, "--algorithms", "all", "--sizes",
                  "8,4K", "--op", op, "--type", element)  # fmt: skip
    for row in results.rows:
        runs = op != "compose" or row["algorithm"] in IN_ORDER[collective]
        assert row["status"] == ("ok" if runs else "skipped"), row
        assert runs or row["reason"] == "needs an operator that commutes"


@pytest.mark.parametrize(
    ("collective", "algorithm", "more", "datatype"),
    [
        ("alltoall", "shift", (), "MPI_CHAR"),
        ("bcast", "flat", (), "MPI_CHAR"),
        ("reduce", "binomial", ("--type", "double"), "MPI_DOUBLE"),
        ("allreduce", "ring", ("--type", "float"), "MPI_FLOAT"),
    ],
)
def test_columns_are_those_of_osu(
    build: Build, collective: str, algorithm: str, more: tuple[str, ...], datatype: str
) -> None:
    ended = build.run(f"{collective}_bench", "-m", "8:64", "--algorithms", algorithm, "-i", "3",
                      "-x", "1", "-f", "-c", *more)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    (table,) = read_tables(ended.stdout)
    title = f"# OSU-style MPI {collective.title()} Latency Test, gatherbench "
    assert table.title.startswith(title)
    assert f"# Datatype: {datatype}." in ended.stdout
    assert table.header == (
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"
        "        Validation"
    )
    assert [int(row.split()[0]) for row in table.rows] == [8, 16, 32, 64]
    for row in table.rows:
        assert re.fullmatch(r"\d+ +( *\d+\.\d\d){3} +3 +Pass", row) and len(row) == 94


@pytest.mark.parametrize("collective", ALGORITHMS)
def test_an_algorithm_of_another_collective_is_refused(build: Build, collective: str) -> None:
    stranger = STRANGERS[collective]
    ended = build.alone(f"{collective}_bench", "--algorithms", stranger)
    assert ended.exit_code == 2
    (message,) = ended.messages
    assert message.startswith(f"--algorithms: '{stranger}' is no algorithm of {collective}")
    assert ALGORITHMS[collective][-1] in message


@pytest.mark.parametrize("collective", ALGORITHMS)
def test_every_schedule_is_proven(build: Build, collective: str) -> None:
    proven = build.schedule("prove", "--collective", collective, "--ranks", "1:12")
    assert proven.exit_code == 0, proven.stdout + proven.stderr
    names = [name for name in ALGORITHMS[collective] if name not in NO_SCHEDULE]
    assert [line.split()[0] for line in proven.stdout.splitlines()[1:]] == names
