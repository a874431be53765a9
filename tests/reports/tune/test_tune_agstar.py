# SPDX-License-Identifier: BSD-3-Clause
"""agreport tune --agstar: what libagstar may expect, from files whose medians are known.

That libagstar reads it is tested with the programs (tests/program/tune/test_tune_agstar.py).
"""

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.main import main
from shared.checksums import checksummed, without_checksums

from ..support.commands import Capture, Rows, Write

Make = Callable[..., Path]

MPI = "Open MPI v4.1.4, package: Debian"
CPU = "AMD EPYC 7763"
SEQUENTIAL, CYCLIC, NO_TREE = "0" * 15 + "a", "0" * 15 + "b", "0" * 16
HEADING = "collective,ranks,nodes,placement,switches,bytes,algorithm,values,median_ns,date"
# Microseconds of each iteration.
TIMES: dict[str, list[float]] = {
    "native": [10, 12, 30],
    "native:ring": [1, 1, 1],
    "ring": [8, 9.0004, 99],
    "bruck": [7, 8],
    "bruck:k=4": [2, 2, 2],
    "library_gather_bcast": [2, 2, 2],
    "linear_gather_bcast": [2, 2, 2],
    "bdr": [2, 2, 2],
}


@pytest.fixture
def make(write: Write, rows: Rows) -> Make:
    """A launch of 4 ranks, of a case of blocks of 8 bytes and one of 64, in which all take twice as
    long. A key of the metadata that is given as nothing is left out."""

    def launch(
        name: str = "a.csv",
        times: Mapping[str, Sequence[float]] = TIMES,
        place: str = "allgather,{},regular,none,sequential",
        ranks: int = 4,
        nodes: int = 2,
        sizes: Sequence[int] = (8, 64),
        **metadata: str,
    ) -> Path:
        told = {
            "mpi": MPI,
            "machine.cpu": CPU,
            "start": "2026-11-22T23:30:00-0100",
            "nodes": str(nodes),
            "pretended_ranks_per_node": "none",
            "profile_key_1": f"sequential: {SEQUENTIAL} {NO_TREE}",
            **{key.replace("__", "."): value for key, value in metadata.items()},
        }
        cases = [
            [
                line
                for algorithm, series in times.items()
                for line in rows(
                    algorithm,
                    [us * factor for us in series],
                    size=size,
                    ranks=ranks,
                    nodes=nodes,
                    place=place,
                )
            ]
            for factor, size in enumerate(sizes, 1)
        ]
        return write(name, *cases, **{key: value for key, value in told.items() if value})

    return launch


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile.csv"


def read(path: Path) -> list[list[str]]:
    """The rows, behind a heading that is looked at."""
    text = path.read_text()
    assert text.endswith("\n")
    head, lines = text.splitlines()[:4], text.splitlines()[4:]
    assert [line.partition("=")[0] for line in head] == [
        "#@agstar_profile", "#@suite", "#@mpi", "#@hosts"
    ]  # fmt: skip
    assert head[0] == "#@agstar_profile=1" and head[1] == f"#@suite={catalogue().suite}"
    assert lines[0] == HEADING
    return [line.split(",") for line in lines[1:]]


def refused(capsys: Capture, profile: Path, *arguments: str) -> str:
    assert main(["tune", *arguments, "--agstar", str(profile)]) == 2
    assert not profile.exists()
    told = capsys.readouterr().err.splitlines()
    return told[-1]


def test_every_algorithm_that_libagstar_could_run(
    make: Make, profile: Path, capsys: Capture
) -> None:
    """Whole nanoseconds of all blocks together, on the day in UTC."""
    assert main(["tune", str(make()), "--agstar", str(profile)]) == 0
    assert f"agreport: use it with AGSTAR_PROFILE={profile}" in capsys.readouterr().err
    assert read(profile) == [
        ["allgather", "4", "2", SEQUENTIAL, NO_TREE, total, name, values, ns, "2026-11-23"]
        for total, name, values, ns in (
            ("32", "bruck", "2", "7500"),
            ("32", "native", "3", "12000"),
            ("32", "ring", "3", "9000"),
            ("256", "bruck", "2", "15000"),
            ("256", "native", "3", "24000"),
            ("256", "ring", "3", "18001"),
        )
    ]
    assert profile.read_text().splitlines()[2:4] == [f"#@mpi={MPI}", f"#@hosts={CPU}"]


@pytest.mark.parametrize(
    ("collective", "best", "other", "slowest_us"),
    [("allgather", "ring", "bruck", 0), ("bcast", "flat", "binomial", 2)],
)
def test_cycles_are_the_call_and_what_it_costs_later(
    make: Make, profile: Path, collective: str, best: str, other: str, slowest_us: int
) -> None:
    """The best leaves least to the program, 6 us; native, whose call is 12 us, leaves 12 more. The
    slowest rank takes 2 us longer than the mean, which counts where there is a root."""
    cycles = {"native": 30.0, best: 15.0, other: 17.5}
    calls = dict(zip(cycles, (TIMES["native"], TIMES["ring"], TIMES["bruck"]), strict=True))
    path = make(times=calls, sizes=(8,), place=f"{collective},{{}},regular,none,sequential")
    lines = without_checksums(path.read_text()).splitlines()
    for number, line in enumerate(lines):
        if line.startswith("collective,"):
            lines[number] += ",cycle_us"
        elif not line.startswith("#"):
            lines[number] += f",{cycles[line.split(',')[1]]}"
    path.write_text(checksummed("\n".join(lines) + "\n"))
    assert main(["tune", str(path), "--agstar", str(profile)]) == 0
    found = {row[6]: int(row[8]) for row in read(profile)}
    expected = {"native": 24000, best: 9000, other: 11500}
    assert found == {name: ns + 1000 * slowest_us for name, ns in expected.items()}


@pytest.mark.parametrize(
    ("collective", "name", "slowest_us"),
    [
        ("alltoall", "linear", 0),
        ("bcast", "binomial", 2),
        ("reduce", "binomial", 2),
        ("allreduce", "ring", 0),
    ],
)
def test_a_call_with_a_root_takes_as_long_as_on_the_slowest_rank(
    make: Make, profile: Path, collective: str, name: str, slowest_us: int
) -> None:
    """Since libagstar compares that; it is 2 us more than the mean here."""
    place = f"{collective},{{}},regular,none,sequential"
    path = make(times={"native": [10, 12, 30], name: [9]}, sizes=[8], place=place)
    assert main(["tune", str(path), "--agstar", str(profile)]) == 0
    found = {row[6]: int(row[8]) for row in read(profile)}
    assert found == {"native": 12000 + 1000 * slowest_us, name: 9000 + 1000 * slowest_us}


def test_an_existing_file_is_overwritten(make: Make, profile: Path) -> None:
    profile.write_text("before")
    assert main(["tune", str(make()), "--agstar", str(profile)]) == 0
    assert "before" not in profile.read_text()


def test_the_table_is_of_the_same_algorithms(make: Make, profile: Path, capsys: Capture) -> None:
    asked = [str(make()), "--agstar", str(profile), "--format", "csv"]
    for more, fastest in (([], "bruck"), (["--own"], "native:ring")):
        assert main(["tune", *asked, *more]) == 0
        table = pd.read_csv(StringIO(capsys.readouterr().out))
        assert table["algorithm"].tolist() == [fastest] * 2


def test_beside_the_librarys_rules(make: Make, profile: Path, tmp_path: Path) -> None:
    """They name the library's own algorithms."""
    times = {name: us for name, us in TIMES.items() if name != "bdr"}
    rules = tmp_path / "rules.conf"
    asked = [str(make(times=times)), "--agstar", str(profile), "--openmpi", str(rules)]
    assert main(["tune", *asked]) == 0
    assert "native:ring" in rules.read_text()
    assert {row[6] for row in read(profile)} == {"bruck", "native", "ring"}


def test_launches_are_pooled(make: Make, profile: Path) -> None:
    """The last one's date counts."""
    files = [
        make(f"{us}.csv", {"native": [us], "ring": [us]}, sizes=[8], start=f"{day}T12:00:00+0000")
        for us, day in ((5, "2026-03-01"), (9, "2026-01-31"), (6, "2026-02-28"))
    ]
    assert main(["tune", *map(str, files), "--agstar", str(profile)]) == 0
    assert [row[6:] for row in read(profile)] == [
        [name, "3", "6000", "2026-03-01"] for name in ("native", "ring")
    ]


def test_mappings_and_nodes_are_told_apart(make: Make, profile: Path, capsys: Capture) -> None:
    """As launched, which has a blank, is a mapping, too."""
    place = "allgather,{},regular,none,as launched"
    files = [
        make("a.csv"),
        make("b.csv", place=place, profile_key_2=f"as launched: {CYCLIC} {SEQUENTIAL}"),
        make("c.csv", nodes=4, profile_key_1=f"sequential: {CYCLIC} {NO_TREE}"),
    ]
    asked = ["--agstar", str(profile), "--format", "csv"]
    assert main(["tune", *map(str, files), *asked]) == 0
    found = {tuple(row[2:5]) for row in read(profile)}
    assert found == {("2", SEQUENTIAL, NO_TREE), ("2", CYCLIC, SEQUENTIAL), ("4", CYCLIC, NO_TREE)}
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    assert len(table) == 6
    assert set(zip(table["setting"], table["mapping"], strict=True)) == {
        ("2 nodes", "sequential"), ("2 nodes", "as launched"), ("4 nodes", "sequential")
    }  # fmt: skip


def test_what_a_profile_cannot_tell_apart(make: Make, profile: Path, capsys: Capture) -> None:
    """On one node, two mappings are one place; and it knows no MPI_IN_PLACE."""
    same = f"cyclic: {SEQUENTIAL} {NO_TREE}"
    cyclic = make("b.csv", place="allgather,{},regular,none,cyclic", profile_key_1=same)
    assert "cannot tell them apart: cyclic | sequential; choose one with --mapping" in refused(
        capsys, profile, str(make()), str(cyclic)
    )
    in_place = [str(make("c.csv", in_place="yes")), str(make("d.csv", in_place="no"))]
    assert "cannot tell them apart: in_place=no | in_place=yes; give the files of one" in refused(
        capsys, profile, *in_place
    )


def test_allgatherv_of_equal_blocks(make: Make, profile: Path, capsys: Capture) -> None:
    equal = make("a.csv", place="allgatherv,{},regular,none,sequential")
    assert main(["tune", str(equal), "--agstar", str(profile)]) == 0
    assert {(row[0], row[5]) for row in read(profile)} == {
        ("allgatherv", "32"), ("allgatherv", "256")
    }  # fmt: skip
    profile.unlink()
    spike = make("b.csv", place="allgatherv,{},spike,none,sequential")
    said = refused(capsys, profile, str(spike))
    assert "--agstar: blocks of distribution 'spike' differ in size" in said
    assert "--distribution regular" in said


@pytest.mark.slow
def test_arrivals_are_asked_for(make: Make, profile: Path, capsys: Capture) -> None:
    late = make("b.csv", place="allgather,{},regular,trace:a.txt,sequential")
    for files, names in (
        ([str(late)], "trace:a.txt"),
        ([str(make()), str(late)], "none, trace:a.txt"),
    ):
        said = refused(capsys, profile, *files)
        assert said.endswith(f"choose one with --arrival: {names}")
        assert main(["tune", *files, "--arrival", "trace:a.txt", "--agstar", str(profile)]) == 0
        assert len(read(profile)) == 6
        profile.unlink()


def test_cases_that_are_left_out(make: Make, profile: Path, capsys: Capture) -> None:
    """They have no bytes, or nothing to choose from: then libagstar would try nothing."""
    files = [
        make("a.csv", {"native": [5], "ring": [4]}, sizes=[0, 8]),
        make("b.csv", {"native": [5]}, sizes=[64]),
    ]
    assert main(["tune", *map(str, files), "--agstar", str(profile)]) == 0
    assert {row[5] for row in read(profile)} == {"32"}
    profile.unlink()
    said = refused(capsys, profile, str(make("c.csv", sizes=[0])))
    assert "all cases are of one rank or without bytes" in said
    said = refused(capsys, profile, str(files[1]))
    assert "beside native" in said and said.endswith("found: native")


OF_ALL = {"native": [9], "linear": [5], "flat": [5], "binomial": [5], "ring": [5],
          "rabenseifner:inner=shift": [6], "rabenseifner:inner=sparbit": [1],
          "local_redirect": [1]}  # fmt: skip


@pytest.mark.parametrize(
    ("collective", "names", "total"),
    [
        ("alltoall", ["linear"], 32),
        ("bcast", ["binomial", "flat"], 8),
        ("reduce", ["binomial"], 8),
        ("allreduce", ["rabenseifner:inner=shift", "ring"], 8),
    ],
)
def test_other_collectives(
    make: Make, profile: Path, capsys: Capture, collective: str, names: list[str], total: int
) -> None:
    """Each has what libagstar runs of it: parameters are as in STAR-MPI. The size is that of a
    rank's result."""
    launch = make(times=OF_ALL, sizes=[8], place=f"{collective},{{}},regular,none,sequential")
    assert main(["tune", str(launch), "--agstar", str(profile), "--format", "csv"]) == 0
    assert [(row[0], row[5], row[6]) for row in read(profile)] == [
        (collective, str(total), name) for name in sorted(["native", *names])
    ]
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    assert table["algorithm"].tolist() == names[-1:]


def test_several_collectives_are_in_one_profile(make: Make, profile: Path) -> None:
    """An all-reduce has no linear, whatever an all-gather has."""
    both = {"native": [9], "linear": [5], "ring": [6]}
    files = [
        make(f"{name}.csv", both, sizes=[8], place=f"{name},{{}},regular,none,sequential")
        for name in ("allgather", "allreduce")
    ]
    assert main(["tune", *map(str, files), "--agstar", str(profile)]) == 0
    assert [(row[0], row[5], row[6]) for row in read(profile)] == [
        *(("allgather", "32", name) for name in ("linear", "native", "ring")),
        *(("allreduce", "8", name) for name in ("native", "ring")),
    ]


@pytest.mark.parametrize(
    ("collective", "name", "key", "values"),
    [("bcast", "flat", "root", "01"), ("allreduce", "ring", "op", ["sum", "max"])],
)
def test_roots_and_operators_are_not_told_apart(
    make: Make,
    profile: Path,
    capsys: Capture,
    collective: str,
    name: str,
    key: str,
    values: Sequence[str],
) -> None:
    place = f"{collective},{{}},regular,none,sequential"
    times = {"native": [9], name: [5]}
    files = [make(f"{each}.csv", times, place=place, **{key: each}) for each in values]
    said = refused(capsys, profile, *map(str, files))
    assert "cannot tell them apart" in said and all(f"{key}={each}" in said for each in values)


def test_no_time_is_below_a_nanosecond(make: Make, profile: Path) -> None:
    file = make(times={"native": [1], "ring": [1]}, sizes=[8])
    first, found, rest = file.read_text().partition(",0,0,1,3,4,")
    assert found
    file.write_text(checksummed(f"{first},0,0,0,3,4,{rest}"))
    assert main(["tune", str(file), "--agstar", str(profile)]) == 0
    assert [row[8] for row in read(profile)] == ["1", "1000"]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (
            {"profile_key_1": ""},
            "does not say where its ranks were (profile_key_1), as files of earlier "
            "versions; measure again",
        ),
        (
            {"profile_key_1": "a b"},
            "profile_key_1: 'a b'; legal: MAPPING: and two times 16 hexadecimal digits",
        ),
        ({"pretended_ranks_per_node": "2"}, "was told --ranks-per-node 2"),
        ({"simulated": "yes"}, "is of a simulation"),
        ({"device": "NVIDIA H200"}, "is of buffers in a device, which libagstar leaves"),
        ({"machine.cpu": "2 kinds: A (3 nodes); B (1 node)"}, "is of unlike nodes"),
        ({"start": "yesterday"}, "began at 'yesterday', which is no date"),
        ({"start": ""}, "began at '', which is no date"),
    ],
)
def test_launches_of_no_use(
    make: Make, profile: Path, capsys: Capture, metadata: dict[str, str], said: str
) -> None:
    told = refused(capsys, profile, str(make(**metadata)))
    assert "a.csv" in told and said in told


@pytest.mark.parametrize("key", ["mpi", "machine.cpu"])
def test_one_machine(make: Make, profile: Path, capsys: Capture, key: str) -> None:
    """Even where launches have no case in common, and so need not be kept apart."""
    files = [str(make()), str(make("b.csv", sizes=[4096], **{key: "another"}))]
    said = refused(capsys, profile, *files)
    assert f"launches differ in {key}, and a profile is of one: " in said
    assert "a.csv has" in said and "b.csv 'another'" in said


def test_only_averages(make: Make, profile: Path, capsys: Capture) -> None:
    said = refused(capsys, profile, str(make()), "--metric", "max")
    assert "--agstar and --metric max" in said and "legal: --metric avg" in said


def test_a_profile_that_libagstar_would_not_read(
    make: Make, profile: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agreport.tune.agstar_profile.MOST_BYTES", 300)
    assert "and libagstar reads at most 300; legal: fewer" in refused(capsys, profile, str(make()))
