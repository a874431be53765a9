# SPDX-License-Identifier: BSD-3-Clause
"""Tests what is chosen of the library's own algorithms, and Open MPI's rules of it."""

import json
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.main import main
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import load

from ..support.commands import Capture, Rows, Write, refused

OMPI = "Open MPI v4.1.4, package: Debian"
# Median times at sizes of 8, 64 and 1024 bytes.
TIMES: dict[str, list[float]] = {
    "native": [10, 20, 50],
    "native:ring": [5, 20.5, 30],
    "native:bruck": [8, 10, 30.3],
    "sparbit": [1, 1, 1],
}


@pytest.fixture
def times(write: Write, rows: Rows) -> Callable[..., Path]:
    def make(
        name: str = "a.csv",
        ranks: int = 4,
        mpi: str = OMPI,
        nodes: int = 1,
        names: Mapping[str, str] = MappingProxyType({}),
        **metadata: str,
    ) -> Path:
        cases = [
            [
                line
                for algorithm, series in TIMES.items()
                for line in rows(
                    names.get(algorithm, algorithm),
                    [series[i]] * 3,
                    size=size,
                    ranks=ranks,
                    nodes=nodes,
                )
            ]
            for i, size in enumerate((8, 64, 1024))
        ]
        return write(name, *cases, mpi=mpi, **metadata)

    return make


def chosen(capsys: Capture, *arguments: str) -> pd.DataFrame:
    assert main(["tune", *arguments, "--format", "csv"]) == 0
    return pd.read_csv(StringIO(capsys.readouterr().out))


def test_the_fastest_of_the_librarys_own(times: Callable[..., Path], capsys: Capture) -> None:
    """Bruck is slower by 1 % at 1024 bytes: no reason to change."""
    table = chosen(capsys, str(times()))
    assert table["algorithm"].tolist() == ["native:ring", "native:bruck", "native:bruck"]
    assert table["gain_percent"].round(1).tolist() == [50.0, 50.0, 39.4]
    table = chosen(capsys, str(times()), "--tie", "0")
    assert table["algorithm"].tolist() == ["native:ring", "native:bruck", "native:ring"]


def test_staged_calls_are_no_choice_of_the_librarys(
    times: Callable[..., Path], capsys: Capture
) -> None:
    """Of buffers in a device: the library's algorithm on copies is none that a setting names."""
    file = times(names={"native:ring": "native:ring:stage=host"}, buffers_in="cuda")
    assert chosen(capsys, str(file))["algorithm"].tolist() == [*["native:bruck"] * 3]


def test_what_is_as_fast_as_native_is_left_to_it(
    times: Callable[..., Path], capsys: Capture
) -> None:
    table = chosen(capsys, str(times()), "--tie", "70")
    assert table["algorithm"].tolist() == ["native:ring", "native:bruck", "native"]


def test_a_sweep_shows_what_the_rules_gain(
    times: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    """They change something here: at 1024 bytes native is within 70 %."""
    sweep, rules = tmp_path / "with_rules.toml", tmp_path / "rules.conf"
    files = [str(times()), str(times("b.csv", ranks=5, nodes=5))]
    assert (
        main(["tune", *files, "--tie", "70", "--openmpi", str(rules), "--verify", str(sweep)]) == 0
    )
    said = capsys.readouterr().err
    assert f"agsweep run {sweep} && agsweep collect {sweep} && agreport compare --baseline " in said
    assert "results/with_rules/dataset/library --new results/with_rules/dataset/tuned" in said
    read = load(sweep)
    assert read.top.pairing == "duet"
    library, tuned = read.builds
    assert library.environment == {}
    assert tuned.environment["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == str(rules)
    points = [(each.ranks, each.nodes, each.bench.options["sizes"]) for each in plan(read).groups]
    assert points == [(4, 1, "8,64"), (5, 5, "8,64")]
    assert {"in-place", "datatype"}.isdisjoint(read.bench[0].options)


# Of each collective an algorithm of Open MPI's own.
OWN_OF = {
    "allgather": "ring",
    "allgatherv": "ring",
    "alltoall": "pairwise",
    "bcast": "chain",
    "reduce": "binomial",
    "allreduce": "ring",
}


@pytest.mark.parametrize("collective", OWN_OF)
def test_a_sweep_of_each_collective(
    collective: str, write: Write, rows: Rows, tmp_path: Path
) -> None:
    """Beside native runs an algorithm that the collective has. In place are those that can be asked
    for it: a broadcast is always, without an option."""
    place = f"{collective},{{}},regular,none,sequential"
    names = {"native": 3, f"native:{OWN_OF[collective]}": 1}
    case = [line for name, us in names.items() for line in rows(name, 3 * [us], place=place)]
    file = write("a.csv", case, mpi=OMPI, collective=collective, in_place="yes")
    sweep, rules = tmp_path / "sweep.toml", tmp_path / "rules.conf"
    assert main(["tune", str(file), "--openmpi", str(rules), "--verify", str(sweep)]) == 0
    options = load(sweep).bench[0].options
    library, control = options["algorithms"].split(",")
    known = catalogue().algorithm(control, collective)
    assert library == "native"
    assert known and known.has_schedule and known.needs == "any p"
    assert ("in-place" in options) == (collective != "bcast")


def test_a_sweep_of_a_reduction_is_of_its_operator(
    write: Write, rows: Rows, tmp_path: Path
) -> None:
    place = "reduce,{},regular,none,sequential"
    case = [*rows("native", 3 * [3], place=place), *rows("native:binomial", 3 * [1], place=place)]
    told = {"op": "max", "type": "double", "root": "1"}
    file = write("a.csv", case, mpi=OMPI, collective="reduce", **told)
    sweep, rules = tmp_path / "sweep.toml", tmp_path / "rules.conf"
    assert main(["tune", str(file), "--openmpi", str(rules), "--verify", str(sweep)]) == 0
    assert told.items() <= load(sweep).bench[0].options.items()


def test_what_is_verified_is_called_as_it_was(times: Callable[..., Path], tmp_path: Path) -> None:
    sweep, rules = tmp_path / "with_rules.toml", tmp_path / "rules.conf"
    measured = str(times(datatype="int", displacements="permuted", in_place="yes"))
    given = ["--tie", "70", "--openmpi", str(rules), "--verify", str(sweep)]
    assert main(["tune", measured, *given]) == 0
    lines = sweep.read_text().splitlines()
    assert {"in-place = true", 'datatype = "int"', 'displacements = "permuted"'} <= set(lines)


def test_there_may_be_nothing_to_verify(
    times: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    sweep, rules = tmp_path / "sweep.toml", tmp_path / "rules.conf"
    assert main(["tune", str(times()), "--verify", str(sweep)]) == 2
    assert "--verify: give what is verified, --openmpi FILE or" in capsys.readouterr().err
    given = ["--tie", "500", "--openmpi", str(rules), "--verify", str(sweep)]
    assert main(["tune", str(times()), *given]) == 0
    assert "sweep.toml is not written: nothing is to be changed" in capsys.readouterr().err
    assert not sweep.exists()


def test_rules_file(times: Callable[..., Path], tmp_path: Path) -> None:
    """Sizes are of all blocks together; what was not measured stays the library's."""
    rules = tmp_path / "rules.conf"
    files = [str(times()), str(times("b.csv", ranks=5))]
    assert main(["tune", *files, "--openmpi", str(rules)]) == 0
    numbers = [line.split("#")[0].strip() for line in rules.read_text().splitlines()]
    of_four = ["4", "4", "0 0 0 0", "32 4 0 0", "256 2 0 0", "4097 0 0 0"]
    of_five = ["5", "4", "0 0 0 0", "40 4 0 0", "320 2 0 0", "5121 0 0 0"]
    others = [["0", "1", "0 0 0 0"], ["6", "1", "0 0 0 0"]]
    assert numbers == ["1", "0", "4", *others[0], *of_four, *of_five, *others[1]]


def test_rules_of_an_allreduce(write: Write, rows: Rows, tmp_path: Path) -> None:
    """Sizes are the vector's."""
    rules = tmp_path / "rules.conf"
    place = "allreduce,{},regular,none,sequential"
    case = [
        line
        for name, us in (("native", 3), ("native:ring", 2), ("native:rabenseifner", 1))
        for line in rows(name, [us] * 3, size=64, ranks=4, place=place)
    ]
    launch = write("a.csv", case, mpi=OMPI)
    assert main(["tune", str(launch), "--openmpi", str(rules)]) == 0
    numbers = [line.split("#")[0].strip() for line in rules.read_text().splitlines()]
    assert numbers[:3] == ["1", "2", "3"]
    assert numbers[6:10] == ["4", "3", "0 0 0 0", "64 6 0 0"]


@pytest.mark.parametrize("collective", ["bcast", "reduce"])
def test_rules_of_chains(collective: str, write: Write, rows: Rows, tmp_path: Path) -> None:
    """native:chain is measured with the library's fan-out of 4; 0 would be one chain."""
    rules = tmp_path / "rules.conf"
    place = f"{collective},{{}},regular,none,sequential"
    times = {"native": 3, "native:chain": 1, "native:pipeline": 2}
    case = [
        line for name, us in times.items() for line in rows(name, 3 * [us], size=8, place=place)
    ]
    assert main(["tune", str(write("a.csv", case, mpi=OMPI)), "--openmpi", str(rules)]) == 0
    numbers = [line.split("#")[0].strip() for line in rules.read_text().splitlines()]
    assert numbers[6:10] == ["4", "3", "0 0 0 0", "8 2 4 0"]


def test_refine(times: Callable[..., Path], capsys: Capture) -> None:
    """Between 8 and 64 lies 22, by ratio; bruck stays from 64 on. All else is as it was."""
    command = (
        "build/bin/allgather_bench --algorithms native,native:ring -m 8:64 -o a.csv -i 20 "
        "--max-time=3s --sizes=8 --resume --mapping sequential --note 'cpu=a b'"
    )
    assert main(["tune", str(times(command=command, mappings="sequential")), "--refine"]) == 0
    assert capsys.readouterr().out == (
        "mpirun -n 4 build/bin/allgather_bench -i 20 --max-time=3s --note 'cpu=a b' --algorithms "
        "native,native:bruck,native:ring --sizes 22 --mapping sequential --output "
        "allgather_4_refined_1.csv\n"
    )


def test_refine_of_a_simulation_names_no_launch(
    times: Callable[..., Path], capsys: Capture
) -> None:
    """What was computed cannot be measured again."""
    path = times(simulated="yes", computed="hockney:alpha=1e-6,beta=1e-9")
    assert main(["tune", str(path), "--refine"]) == 0
    assert capsys.readouterr().out == (
        f"# {path} is simulated, so do the same again with --algorithms "
        "native,native:bruck,native:ring --sizes 22\n"
    )


def test_refine_writes_a_new_file_each_time(
    times: Callable[..., Path], capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "allgather_4_refined_1.csv").write_text("")
    assert main(["tune", str(times("allgather_4_refined_2.csv")), "--refine"]) == 0
    assert "--output allgather_4_refined_3.csv" in capsys.readouterr().out


def test_refine_keeps_apart_what_was_apart(write: Write, rows: Rows, capsys: Capture) -> None:
    """Open MPI takes one native:NAME of MPI_Allgatherv a launch, without native."""
    place = "allgatherv,{},spike,none,sequential"
    files = [
        write(
            f"{name.partition(':')[2] or name}.csv",
            *(
                [*rows(name, [t] * 3, size=size, place=place)]
                for size, t in zip((8, 64), series, strict=True)
            ),
            collective="allgatherv",
            command=f"allgatherv_bench --algorithms {name} --distributions regular,spike -i 3",
        )
        for name, series in {
            "native": (10, 10),
            "native:ring": (5, 30),
            "native:bruck": (30, 5),
        }.items()
    ]
    assert main(["tune", *map(str, files), "--refine"]) == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert [line.split("--algorithms ")[1].split()[0] for line in lines] == [
        "native",
        "native:ring",
        "native:bruck",
    ]
    assert len({line.split("--output ")[1] for line in lines}) == 3
    for line in lines:
        assert line.startswith("mpirun -n 4 allgatherv_bench -i 3 --algorithms native")
        assert "--sizes 22 --distributions spike --output allgatherv_4_refined_" in line
    # Different launches differ as a whole.
    assert "2 of 2 cases are of launches that had not all algorithms" in told.err


@pytest.mark.parametrize("option", ["openmpi", "mpich"])
def test_rules_of_unequal_blocks_are_refused(
    write: Write, rows: Rows, library: Path, tmp_path: Path, capsys: Capture, option: str
) -> None:
    """Open MPI compares the mean of the blocks, MPICH their sum; of a spike both are of twice the
    block that the benchmark was asked for."""
    mpi = {"openmpi": OMPI, "mpich": MPICH}[option]
    name = {"openmpi": "native:ring", "mpich": "native:brucks"}[option]
    place = "allgatherv,{},spike,none,sequential"
    case = [*rows("native", [3] * 3, place=place), *rows(name, [1] * 3, place=place)]
    path = write("a.csv", case, collective="allgatherv", mpi=mpi)
    rules = tmp_path / "rules.json"
    more = ["--mpich-library", library] if option == "mpich" else []
    said = refused(capsys, "tune", path, f"--{option}", rules, *more)
    assert f"--{option}: blocks of distribution 'spike' differ in size" in said
    assert "--distribution regular" in said
    assert not rules.exists()
    assert chosen(capsys, str(path))["algorithm"].tolist() == [name]


def test_times_of_different_launches(write: Write, rows: Rows, capsys: Capture) -> None:
    """9 % are a gain in one launch, and nothing between two."""
    native, ring = rows("native", [100] * 3), rows("native:ring", [91] * 3)
    together = write("together.csv", [*native, *ring])
    apart = [str(write("native.csv", native)), str(write("ring.csv", ring))]
    assert chosen(capsys, str(together))["algorithm"].tolist() == ["native:ring"]
    assert chosen(capsys, *apart)["algorithm"].tolist() == ["native"]
    assert chosen(capsys, *apart, "--tie", "2")["algorithm"].tolist() == ["native:ring"]


def test_own_algorithms(times: Callable[..., Path], tmp_path: Path, capsys: Capture) -> None:
    table = chosen(capsys, str(times()), "--own")
    assert table["algorithm"].tolist() == ["sparbit"] * 3
    rules = tmp_path / "rules.conf"
    assert main(["tune", str(times()), "--own", "--openmpi", str(rules)]) == 2
    assert "--openmpi: a library's rules name the library's own algorithms; not --own" in (
        capsys.readouterr().err
    )
    assert not rules.exists()


def test_a_programs_arrival_pattern(write: Write, rows: Rows, capsys: Capture) -> None:
    """Faraj 2006, 5.2.1: what is fastest when ranks arrive as in the program."""
    place = "allgather,{},regular,trace:a.txt,sequential"
    late = [*rows("native", [9] * 3, place=place), *rows("native:ring", [5] * 3, place=place)]
    steady = [*rows("native", [5] * 3), *rows("native:ring", [9] * 3)]
    file = str(write("a.csv", steady, late))
    assert main(["tune", file]) == 2
    assert "choose one with --arrival: none, trace:a.txt" in capsys.readouterr().err
    assert chosen(capsys, file, "--arrival", "trace:a.txt")["algorithm"].tolist() == ["native:ring"]
    assert chosen(capsys, file, "--arrival", "none")["algorithm"].tolist() == ["native"]


MPICH = "MPICH Version: 4.0.2"
INTRA = "comm_type=intra"
OF_MPICH = ("allgather", "allgatherv", "alltoall", "bcast", "reduce", "allreduce")
OWN: dict[str, Any] = {"comm_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A program's bytes with two selections in them, the second one the algorithms'."""
    inter: dict[str, Any] = {"comm_type=inter": {"algorithm=MPIR_other": {}}}
    texts = [
        {"collective=allgather": {"composition=alpha": {}}},
        {
            "collective=scan": inter,
            **{f"collective={name}": {INTRA: OWN, **inter} for name in OF_MPICH},
        },
    ]
    found = tmp_path / "libmpich.so.12"
    parts = [json.dumps(text, separators=(",", ":")).encode() for text in texts]
    found.write_bytes(b"\x7fELF\0" + b"\0".join(parts) + b"\0more")
    return found


def test_mpich_selection(times: Callable[..., Path], library: Path, tmp_path: Path) -> None:
    """What was not measured, in sizes, ranks and collectives, is the library's own choice."""
    made = tmp_path / "selection.json"
    named = str(times(mpi=MPICH, names={"native:bruck": "native:brucks"}))
    assert main(["tune", named, "--mpich", str(made), "--mpich-library", str(library)]) == 0
    found = json.loads(made.read_text())
    rules = {
        "comm_size<=3": OWN,
        "comm_size<=4": {
            "total_msg_size<=31": OWN,
            "total_msg_size<=255": {"algorithm=MPIR_Allgather_intra_ring": {}},
            "total_msg_size<=4096": {"algorithm=MPIR_Allgather_intra_brucks": {}},
            "total_msg_size=any": OWN,
        },
        "comm_size=any": OWN,
    }
    assert found["collective=allgather"][INTRA] == rules
    assert list(found["collective=allgather"][INTRA]) == list(rules), "the first that holds counts"
    assert found["collective=allgatherv"][INTRA] == OWN
    assert found["collective=scan"] == {"comm_type=inter": {"algorithm=MPIR_other": {}}}


def leaf(name: str) -> dict[str, Any]:
    return {f"algorithm={name}": {}}


SCATTERED = leaf("MPIR_Reduce_intra_reduce_scatter_gather")


@pytest.mark.parametrize(
    ("collective", "algorithm", "taken"),
    [
        ("bcast", "binomial", leaf("MPIR_Bcast_intra_binomial")),
        ("bcast", "nb", leaf("MPIR_Bcast_allcomm_nb")),
        (
            *("bcast", "scatter_recursive_doubling_allgather"),
            {
                "comm_size=pow2": leaf("MPIR_Bcast_intra_scatter_recursive_doubling_allgather"),
                "comm_size=any": OWN,
            },
        ),
        (
            *("alltoall", "brucks"),
            {
                "is_sendbuf_inplace=yes": OWN,
                "is_sendbuf_inplace=no": leaf("MPIR_Alltoall_intra_brucks"),
            },
        ),
        (
            *("alltoall", "pairwise_sendrecv_replace"),
            {
                "is_sendbuf_inplace=yes": leaf("MPIR_Alltoall_intra_pairwise_sendrecv_replace"),
                "is_sendbuf_inplace=no": OWN,
            },
        ),
        (
            *("allreduce", "smp"),
            {
                "comm_hierarchy=parent": {
                    "is_commutative=yes": leaf("MPIR_Allreduce_intra_smp"),
                    "is_commutative=no": OWN,
                },
                "comm_hierarchy=any": OWN,
            },
        ),
        (
            *("reduce", "reduce_scatter_gather"),
            {
                "is_op_built_in=yes": {"count<pow2": OWN, "count=any": SCATTERED},
                "is_op_built_in=no": OWN,
            },
        ),
    ],
)
def test_mpich_takes_an_algorithm_for_calls_that_it_can_serve(
    collective: str, algorithm: str, taken: object, write: Write, rows: Rows, library: Path
) -> None:
    """As the library's own selection asks; sizes are of one rank's block."""
    place = f"{collective},{{}},regular,none,sequential"
    lines = [*rows("native", [3] * 8, place=place, size=64),
             *rows(f"native:{algorithm}", [1] * 8, place=place, size=64)]  # fmt: skip
    file, made = write("a.csv", lines, mpi=MPICH), library.parent / "selection.json"
    assert main(["tune", str(file), "--mpich", str(made), "--mpich-library", str(library)]) == 0
    rules = json.loads(made.read_text())[f"collective={collective}"][INTRA]
    of_ranks = {"avg_msg_size<=63": OWN, "avg_msg_size<=64": taken, "avg_msg_size=any": OWN}
    assert rules == {"comm_size<=3": OWN, "comm_size<=4": of_ranks, "comm_size=any": OWN}
    assert list(rules["comm_size<=4"]) == list(of_ranks), "the first that holds counts"


def test_mpich_refusals(
    times: Callable[..., Path], library: Path, tmp_path: Path, capsys: Capture
) -> None:
    made = tmp_path / "selection.json"
    of_mpich, other = str(times("m.csv", mpi=MPICH)), str(times("o.csv"))
    more: list[str]
    for named, more, said in (
        (of_mpich, [], "--mpich FILE.json and --mpich-library LIBMPICH.SO: legal: both or neither"),
        (of_mpich, ["--mpich-library", of_mpich], "has no selection of MPICH 4's in it"),
        (of_mpich, ["--mpich-library", str(library)], "'bruck' is not known among the algorithms"),
        (other, ["--mpich-library", str(library)], "o.csv is from 'Open MPI v4.1.4"),
    ):
        assert main(["tune", named, "--mpich", str(made), *more]) == 2
        told = capsys.readouterr().err
        assert said in told and len(told.splitlines()) == 1
        assert not made.exists()


@pytest.mark.parametrize(
    ("mpi", "said"),
    [
        ("MPICH 4.0", "a.csv is from 'MPICH 4.0', not Open MPI 4.1 or 5.0"),
        ("Open MPI v3.1.6", "not Open MPI 4.1 or 5.0"),
    ],
)
def test_rules_are_for_open_mpi(
    times: Callable[..., Path], tmp_path: Path, capsys: Capture, mpi: str, said: str
) -> None:
    rules = tmp_path / "rules.conf"
    assert main(["tune", str(times(mpi=mpi)), "--openmpi", str(rules)]) == 2
    assert said in capsys.readouterr().err
    assert not rules.exists()


def test_what_rules_cannot_tell_apart(
    times: Callable[..., Path], write: Write, rows: Rows, capsys: Capture
) -> None:
    cyclic = write("c.csv", rows("native:ring", [1], place="allgather,{},regular,none,cyclic"))
    for other, said in [
        (times("b.csv", nodes=2), "rules cannot tell them apart: 1 node | 2 nodes"),
        (cyclic, "choose one with --mapping: cyclic, sequential"),
    ]:
        assert main(["tune", str(times()), str(other)]) == 2
        assert said in capsys.readouterr().err


def test_nothing_of_the_librarys_own(example: Path, capsys: Capture) -> None:
    assert main(["tune", str(example)]) == 2
    assert "of the MPI library (native:NAME); found: " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["tune", str(example), "--tie", "x"])
    assert "'x' is no percentage" in capsys.readouterr().err


def test_refine_says_why_there_is_nothing(write: Write, rows: Rows, capsys: Capture) -> None:
    def case(size: int, native: float) -> list[str]:
        return [*rows("native", [native], size=size), *rows("native:ring", [5], size=size)]

    mpi = "Open MPI v4.1.4"
    path = write("a.csv", case(64, 1), case(4096, 1), mpi=mpi)
    assert main(["tune", str(path), "--refine"]) == 0
    one = "# nothing: at each number of ranks all sizes have one choice (native)\n"
    assert capsys.readouterr().out == one
    path = write("b.csv", case(100, 1), case(101, 9), mpi=mpi)
    assert main(["tune", str(path), "--refine"]) == 0
    assert capsys.readouterr().out == (
        "# nothing: wherever the choice changes between two sizes, they are at most a factor of "
        "1.05 apart, or no whole number lies between them\n"
    )
