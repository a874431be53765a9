# SPDX-License-Identifier: BSD-3-Clause
"""native:NAME, the MPI library's own algorithms: which can be had together, and are they right.

Which there are and how they are chosen is the library's; --list says so.
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from agformats.catalogue import catalogue

from ..support.algorithms import LIBRARY_CALLS
from ..support.launch import Build, Ended
from ..support.results import read_results, read_tables

pytestmark = pytest.mark.slow

BENCHES = ("allgather_bench", "allgatherv_bench")
COLLECTIVES = [row.name for row in catalogue().collectives]
QUICK = ("--sizes", "8", "-i", "2", "-x", "0", "-c")
MARK = "(one a launch)"


@dataclass(frozen=True)
class Listed:
    names: list[str]
    one_a_launch: bool


@cache
def listed(build: Build, bench: str) -> Listed:
    rows = re.findall(r"^  (native:\w+)(.*)$", build.run(bench, "--list", ranks=1).stdout, re.M)
    if not rows:
        pytest.skip("this MPI library lets no algorithm be chosen")
    marks = {rest.strip() for _, rest in rows}
    assert marks in ({""}, {MARK})
    return Listed([name for name, _ in rows], marks == {MARK})


def launches(build: Build, bench: str) -> list[list[str]]:
    """The library's algorithms as they can be had together."""
    found = listed(build, bench)
    return [[name] for name in found.names] if found.one_a_launch else [found.names]


def refusal(ended: Ended) -> str:
    assert ended.exit_code == 2, ended.stderr
    assert ended.stdout == ""
    (message,) = ended.messages
    return message


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_the_librarys_other_calls(build: Build, tmp_path: Path, collective: str) -> None:
    """On buffers that change too: a persistent call is bound to those that it was made for."""
    for number, buffers in enumerate(("fresh", "rotate:100K")):
        output = f"{number}.csv"
        ended = build.run(f"{collective}_bench", "--algorithms", "library-calls", "--sizes",
                          "12,8K", "-i", "5", "-x", "1", "-c", "--buffers", buffers, "--output",
                          output, ranks=3, cwd=tmp_path)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        rows = read_results(tmp_path / output).rows
        for name in LIBRARY_CALLS:
            of_name = [row for row in rows if row["algorithm"] == name]
            assert len(of_name) == 10 and {row["status"] for row in of_name} == {"ok"}


@pytest.mark.parametrize("bench", BENCHES)
def test_names_are_the_librarys(build: Build, bench: str) -> None:
    names = listed(build, bench).names
    assert "native:ring" in names
    assert len(set(names)) == len(names)
    assert not {"native:ignore", "native:auto"} & set(names)  # that is plain native


@pytest.mark.parametrize("bench", BENCHES)
def test_unknown_name(build: Build, bench: str) -> None:
    message = refusal(build.run(bench, "--algorithms", "native:rings", *QUICK))
    assert "--algorithms: 'native:rings' is no algorithm of this MPI library" in message
    assert "(did you mean 'native:ring'?)" in message
    assert message.endswith("; legal: " + ", ".join(listed(build, bench).names))


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize("second", ["native", "another"])
def test_two_in_a_launch(build: Build, tmp_path: Path, bench: str, second: str) -> None:
    found = listed(build, bench)
    first = "native:ring"
    if second == "another":
        second = next(name for name in found.names if name != first)
    ended = build.run(bench, "--algorithms", f"{first},{second}", *QUICK, "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    if not found.one_a_launch:
        assert ended.exit_code == 0, ended.stderr
        assert {row["algorithm"] for row in read_results(tmp_path / "out.csv").rows} == {
            first,
            second,
        }
        return
    message = refusal(ended)
    collective = bench.removesuffix("_bench")
    assert f"--algorithms: '{first},{second}' cannot share a launch" in message
    assert f"reads its choice of {collective} at start only" in message
    assert "one native:NAME a launch, without native" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bench", BENCHES)
def test_a_choice_at_start_is_said(build: Build, tmp_path: Path, bench: str) -> None:
    ended = build.run(bench, "--algorithms", "ring,native:ring", *QUICK, "--table", "osu",
                      "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    at_start = listed(build, bench).one_a_launch
    assert results.metadata.get("chosen_at_start") == ("native:ring" if at_start else None)
    for table in read_tables(ended.stdout):
        notes = [note for note in table.notes if "native:ring was chosen when" in note]
        assert len(notes) == int(at_start)


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize(("ranks", "flags"), [(2, ("--in-place",)), (3, ("--in-place",)), (4, ())])
def test_each_is_right_or_skipped(
    build: Build, tmp_path: Path, bench: str, ranks: int, flags: tuple[str, ...]
) -> None:
    needs = {
        "native:two_proc": ranks == 2,
        "native:neighbor": ranks % 2 == 0,
        "native:recursive_doubling": ranks in (2, 4),
    }
    distributions = ("--distributions", "all") if bench == "allgatherv_bench" else ()
    for number, names in enumerate(launches(build, bench)):
        output = f"{number}.csv"
        ended = build.run(bench, "--algorithms", ",".join([*names, "bruck"]), "--sizes", "13,4K",
                          "-i", "2", "-x", "0", "-c", *flags, *distributions, "--output", output,
                          cwd=tmp_path, ranks=ranks)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        results = read_results(tmp_path / output)
        for name in names:
            runs = needs.get(name, True)
            rows = results.of(name)
            assert {row["status"] for row in rows} == {"ok" if runs else "skipped"}, name
            reason = "" if runs else r"the library would [\w ]+: needs [\w -]+; ranks = \d"
            assert all(re.fullmatch(reason, row["reason"]) for row in rows)


@pytest.mark.parametrize(
    ("bench", "name", "sizes", "reason"),
    [
        ("bcast_bench", "split_binary_tree", ("1", "2"),
         "run chain instead: needs two elements or more"),
        ("bcast_bench", "scatter_allgather", ("3", "4"),
         "run basic_linear instead: needs an element for each rank"),
        ("bcast_bench", "scatter_allgather_ring", ("3", "4"),
         "run basic_linear instead: needs an element for each rank"),
        ("reduce_bench", "rabenseifner", ("12", "16"),
         "run linear instead: needs an element for each of the largest power of two of ranks"),
    ],
)  # fmt: skip
def test_what_needs_more_elements_is_skipped(
    build: Build, tmp_path: Path, bench: str, name: str, sizes: tuple[str, str], reason: str
) -> None:
    """A broadcast's elements are bytes, a reduction's are MPI_INT; of four ranks."""
    if build.family != "openmpi":
        pytest.skip("the names are Open MPI's")
    ended = build.run(bench, "--algorithms", f"native:{name},binomial", "--sizes",
                      ",".join(sizes), "-i", "2", "-x", "0", "-c", "--output", "out.csv",
                      cwd=tmp_path, ranks=4)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").of(f"native:{name}")
    found = {(row["bytes"], row["status"], row["reason"]) for row in rows}
    few, enough = sizes
    assert found == {
        (few, "skipped", f"the library would {reason}; ranks = 4"),
        (enough, "ok", ""),
    }


def test_alltoalls_in_place_are_one_algorithm_of_open_mpi(build: Build) -> None:
    if build.family != "openmpi":
        pytest.skip("MPICH has one for data in place, by a name of its own")
    names = ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc")
    asked = ",".join(f"native:{name}" for name in names)
    message = refusal(build.run("alltoall_bench", "--algorithms", asked, *QUICK, "--in-place"))
    why = "the library would run its one algorithm for data in place: needs no --in-place"
    assert message.startswith("--algorithms: nothing is left to run: ")
    assert message.count(f"{why}; ranks = 2") == len(names)


def test_plain_native_is_as_the_environment_says(build: Build) -> None:
    """What the user set is the library's own choice, and native:NAME beside it is NAME."""
    name = {"mpich": "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"}.get(build.family)
    if name is None:
        pytest.skip("only MPICH looks at the choice in each call")
    # The library refuses recursive doubling with 3 ranks, if it is told to.
    env = {name: "recursive_doubling", "MPIR_CVAR_COLLECTIVE_FALLBACK": "print"}
    quick = (*QUICK, "--cycles", "0")
    ended = build.run("allgather_bench", "--algorithms", "native:ring,native", *quick, ranks=3,
                      env=env)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    alone = build.run("allgather_bench", "--algorithms", "native:ring", *quick, ranks=3, env=env)
    told = [run.stderr.count("recursive_doubling cannot be applied") for run in (ended, alone)]
    # The check, one that is not counted and 2 iterations of native, none of native:ring.
    assert told[0] - told[1] == 4


def of_the_user(build: Build) -> list[tuple[str, dict[str, str], str]]:
    """Bench, what the user has set, and what the message has to say of it."""
    if build.family == "mpich":
        every = {"MPIR_CVAR_DEVICE_COLLECTIVES": "all"}
        return [(bench, every, "MPIR_CVAR_DEVICE_COLLECTIVES is 'all'") for bench in BENCHES]
    if build.family == "intel":
        names = {bench: f"I_MPI_ADJUST_{bench.removesuffix('_bench').upper()}" for bench in BENCHES}
        return [(bench, {name: "2"}, f"{name} is '2'") for bench, name in names.items()]
    off = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "0"}
    rules = {"OMPI_MCA_coll_tuned_dynamic_rules_filename": os.devnull}
    other = {"OMPI_MCA_coll_tuned_allgatherv_algorithm": "bruck"}
    return [
        *((bench, off, "coll_tuned_use_dynamic_rules is 'false'") for bench in BENCHES),
        *((bench, rules, f"dynamic_rules_filename is '{os.devnull}'") for bench in BENCHES),
        (BENCHES[1], other, "OMPI_MCA_coll_tuned_allgatherv_algorithm is 'bruck'"),
    ]


def test_what_the_user_set_is_not_overridden(build: Build) -> None:
    listed(build, BENCHES[0])
    for bench, env, says in of_the_user(build):
        message = refusal(build.run(bench, "--algorithms", "native:ring", *QUICK, env=env))
        assert "'native:ring' cannot be had" in message
        assert says in message


def test_what_the_user_set_may_be_the_same(build: Build) -> None:
    if not listed(build, BENCHES[1]).one_a_launch:
        pytest.skip("not chosen at start")
    intel = build.family == "intel"
    name = "I_MPI_ADJUST_ALLGATHERV" if intel else "OMPI_MCA_coll_tuned_allgatherv_algorithm"
    for value in ("3",) if intel else ("ring", "3"):
        env = {name: value}
        ended = build.run(BENCHES[1], "--algorithms", "native:ring", *QUICK, env=env)
        assert ended.exit_code == 0, ended.stderr
