# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so under programs that exchange, broadcast and reduce; combining_program.cpp looks at
every byte."""

import re
from pathlib import Path

import pytest

from ..support.agstar import (
    Run,
    assert_right,
    compile_fortran,
    is_of_mpi_4,
    logs,
    preloaded,
    said,
    tried,
)
from ..support.folders import ROOT
from ..support.launch import Build

pytestmark = pytest.mark.slow

SERVED = ["alltoall", "bcast", "reduce", "allreduce"]


@pytest.fixture
def run(build: Build, combining_program: Path, tmp_path: Path) -> Run:
    return preloaded(build, combining_program, tmp_path)


def collectives_of(lines: list[str]) -> set[str]:
    return {line.split(" ranks, ")[1].split()[0] for line in lines}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_every_byte(run: Run, tmp_path: Path, ranks: int) -> None:
    """Another algorithm in every call, over datatypes, roots and operators."""
    policy = {"AGSTAR_POLICY": f"random:{ranks}", "AGSTAR_ROUNDING": "any"}
    assert_right(run("mix", "2400", ranks=ranks, **policy))
    lines = logs(tmp_path)
    assert not any("passed on" in line for line in lines)
    if ranks > 1:
        assert collectives_of(lines) == set(SERVED)
        assert tried(tmp_path) >= {"native", "binary", "shift", "rabenseifner"}


@pytest.mark.parametrize(
    ("scenario", "number", "ranks"),
    [
        ("mix", "400", 3),
        ("groups", "90", 4),
        ("nonblocking", "40", 3),
        ("refused", "35", 2),
        ("between_groups", "30", 4),
        ("bits", "120", 3),
        ("types", "100", 3),
    ],
)
@pytest.mark.parametrize(
    "policy", ["random:7", "fixed:rabenseifner", "agstar", "star:iterations=1"]
)
def test_what_programs_do(
    run: Run, tmp_path: Path, scenario: str, number: str, ranks: int, policy: str
) -> None:
    settings = {"AGSTAR_POLICY": policy, "AGSTAR_LEAST": "0", "AGSTAR_ROUNDING": "any"}
    assert_right(run(scenario, number, ranks=ranks, **settings))
    assert not any("refused" in line for line in logs(tmp_path))


@pytest.mark.parametrize("collective", SERVED)
def test_each_learns(run: Run, tmp_path: Path, collective: str) -> None:
    """Calls that take long are tried with other algorithms, and the report has the kind."""
    ended = run("same", "120", collective, "20000", AGSTAR_LEAST="0", AGSTAR_REPORT="report.csv")
    assert_right(ended)
    (line,) = said(ended)
    assert line.startswith("agstar: calls: 120, of 1 kinds; ")
    assert tried(tmp_path) > {"native"}
    kind = {"bcast": "bcast 80000 root 0", "reduce": "reduce 80000 sum root 0"}
    kind |= {"alltoall": "alltoall 80000", "allreduce": "allreduce 80000 sum"}
    rows = (tmp_path / "report.csv").read_text().splitlines()
    assert f",{kind[collective]}," in rows[1]


def test_roots_are_no_sizes(run: Run, tmp_path: Path) -> None:
    """The four sizes of the broadcasts, each with three roots, have kinds of their own."""
    settings = {"AGSTAR": "observe", "AGSTAR_COLLECTIVES": "bcast", "AGSTAR_REPORT": "report.csv"}
    assert_right(run("mix", "240", **settings))
    rows = (tmp_path / "report.csv").read_text().splitlines()[1:]
    sizes = [4, 68, 4000, 80000]
    assert {row.split(",")[2] for row in rows} == {
        f"bcast {size} root {root}" for size in sizes for root in range(3)
    }


@pytest.mark.parametrize(("rounding", "served"), [({}, False), ({"AGSTAR_ROUNDING": "any"}, True)])
def test_sums_that_round(run: Run, rounding: dict[str, str], served: bool) -> None:
    """By default they stay the MPI library's; if not, all ranks have the same bits still."""
    ended = run("bits", "200", AGSTAR_POLICY="random:3", **rounding)
    assert_right(ended)
    (line,) = said(ended)
    assert line.startswith(f"agstar: calls: {200 if served else 0}, ")


def test_only_the_collectives_that_are_asked_for(run: Run, tmp_path: Path) -> None:
    settings = {"AGSTAR_POLICY": "random:1", "AGSTAR_COLLECTIVES": "bcast,reduce"}
    assert_right(run("mix", "2400", **settings))
    assert collectives_of(logs(tmp_path)) == {"bcast", "reduce"}


@pytest.mark.parametrize(
    ("name", "value", "legal"),
    [
        ("AGSTAR_COLLECTIVES", "bcast,scatter", "allgather, allgatherv"),
        ("AGSTAR_ROUNDING", "some", "any"),
    ],
)
def test_wrong_settings(run: Run, tmp_path: Path, name: str, value: str, legal: str) -> None:
    """One line, and all calls are the MPI library's."""
    ended = run("mix", "40", AGSTAR_POLICY="random:1", **{name: value})
    assert_right(ended)
    (line,) = said(ended)
    assert name in line and f"'{value.split(',')[-1]}'" in line and legal in line
    assert logs(tmp_path) == []


def test_large_counts(build: Build, run: Run, tmp_path: Path) -> None:
    if not is_of_mpi_4(build):
        pytest.skip("this MPI library is not of MPI 4")
    assert_right(run("large_counts", "80", AGSTAR_POLICY="random:2"))
    assert collectives_of(logs(tmp_path)) == set(SERVED)


@pytest.mark.parametrize("policy", ["random:1", "fixed:rabenseifner"])
def test_fortran(build: Build, run: Run, tmp_path: Path, policy: str) -> None:
    """mpi and mpi_f08, with Fortran's MPI_IN_PLACE."""
    program = compile_fortran(build, "combining_fortran", tmp_path)
    ended = run("", ranks=3, of=program, AGSTAR_POLICY=policy)
    assert ended.exit_code == 0, ended.stderr
    assert said(ended)[0].startswith("agstar: calls: 7, of 7 kinds; ")


def test_the_manual_has_all_variables() -> None:
    source = (ROOT / "runtime" / "star" / "world.cpp").read_text()
    page = (ROOT / "docs" / "how-to" / "agstar.md").read_text()
    names = set(re.findall(r'"(AGSTAR_[A-Z]+)"', source))
    assert len(names) > 8
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []
