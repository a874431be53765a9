# SPDX-License-Identifier: BSD-3-Clause
"""Tests what a site's rules make a library choose, and what that costs."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agformats.errors import BadInput
from agreport.main import main
from agreport.tune.check import read
from agreport.tune.native_algorithms import OPEN_MPI
from agreport.tune.openmpi_rules import IDS
from agreport.tune.site_files import Case

from ..support.commands import Capture, Rows, Write, refused

ROOT = Path(__file__).parents[3]

# The times are of 64 bytes a rank, 4 ranks.
TIMES = {"native": 10.0, "native:bruck": 20.0, "native:ring": 5.0}
CLASSIC = """\
1 # collectives
0 # allgather
2 # numbers of ranks
4 # ranks
3 # sizes
0 2 0 0 # bruck
256 4 0 0
1024 3 0 0
8 # ranks
1
0 0 0 0
"""


@pytest.fixture
def launch(write: Write, rows: Rows) -> Callable[..., Path]:
    def make(*sizes: int, name: str = "a.csv", mpi: str = "Open MPI v4.1.4", **more: Any) -> Path:
        cases = [
            [line for name, us in TIMES.items() for line in rows(name, 3 * [us], size=size, **more)]
            for size in sizes
        ]
        return write(name, *cases, mpi=mpi)

    return make


def file_with(folder: Path, text: str, name: str = "rules") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def checked(capsys: Capture, *arguments: str) -> tuple[pd.DataFrame, str]:
    assert main(["tune", *arguments, "--format", "csv"]) == 0
    told = capsys.readouterr()
    return pd.read_csv(StringIO(told.out)), told.err


def choices(path: Path, *cases: tuple[int, int], collective: str = "allgather") -> list[str]:
    """Returns the choices for ranks and bytes."""
    file = read(path)
    return [file.choose(Case(collective, *case, nodes=1, in_place=False)).algorithm
            for case in cases]  # fmt: skip


def test_what_costs_most_comes_first(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    """Open MPI's messages of an all-gather are all blocks: 64 bytes on 4 ranks are 256."""
    given = [str(launch(8, 64, 256)), "--check", str(file_with(tmp_path, CLASSIC))]
    table, told = checked(capsys, *given)
    columns = ["bytes", "chosen", "rule", "time_us", "best", "factor", "verdict"]
    assert table[columns].fillna("").to_numpy().tolist() == [
        [8, "native:bruck", "line 6", 20, "native:ring", 4, "slower"],
        [64, "native:ring", "line 7", 5, "native:ring", 1, "best"],
        [256, "native:recursive_doubling", "line 8", "", "native:ring", "", "not measured"],
    ]
    assert (
        "Open MPI's dynamic rules: for 2 of the 3 cases there is a time of the algorithm that the "
        "file chooses; in 1 of 2 that is the best, or a near-tie with it, in the others it takes 4 "
        "times as long in the median and 4 times at most (allgather, 4 ranks, 8 B: native:bruck "
        "instead of native:ring)" in told
    )
    assert "not measured what it chooses: allgather, 4 ranks, 256 B: native:recursive_d" in told


def test_a_near_tie_is_none(write: Write, rows: Rows, tmp_path: Path, capsys: Capture) -> None:
    case = [*rows("native", [10]), *rows("native:bruck", [10.1])]
    path = write("a.csv", case, mpi="Open MPI v4.1.4")
    table, told = checked(capsys, str(path), "--check", str(file_with(tmp_path, CLASSIC)))
    assert table["verdict"].tolist() == ["near-tie"]
    assert told.rstrip().endswith("in 1 of 1 that is the best, or a near-tie with it")


def test_open_mpis_text(tmp_path: Path) -> None:
    """As 4.1.4 was seen to go by it: the first numbers of ranks are also those of fewer; 0 is the
    library's own decision; what the file has no rules of stays as it is."""
    path = file_with(tmp_path, CLASSIC)
    assert choices(path, (2, 1), (4, 63), (4, 64), (7, 64), (8, 64)) == [
        *("native:bruck", "native:bruck", "native:ring", "native:ring", "native")
    ]
    assert choices(path, (4, 64), collective="alltoall") == ["native"]
    other = file_with(tmp_path, CLASSIC.replace("0 # allgather", "1 # allgatherv"))
    # The message of an all-gather of vectors is a block.
    assert choices(other, (4, 255), (4, 256), collective="allgatherv") == [
        *("native:bruck", "native:neighbor")
    ]


def test_what_tune_writes_is_what_is_read(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    rules = tmp_path / "rules.conf"
    assert main(["tune", str(launch(8, 64)), "--openmpi", str(rules)]) == 0
    capsys.readouterr()
    table, _ = checked(capsys, str(tmp_path / "a.csv"), "--check", str(rules))
    assert table[["chosen", "factor"]].to_numpy().tolist() == 2 * [["native:ring", 1]]


def test_a_version_with_requests(tmp_path: Path) -> None:
    """A fifth number in the line of a rule, or none."""
    text = "rule-file-version-2\n1\n3\n1\n2\n2\n0 1 0 0 4\n64 2 0 0\n"
    assert choices(file_with(tmp_path, text), (2, 1), (2, 32), collective="alltoall") == [
        *("native:linear", "native:pairwise")
    ]


@pytest.mark.parametrize(
    ("collective", "told", "chosen", "measured"),
    [
        ("bcast", "2 4 0", "native:chain", ""),
        ("bcast", "2 0 0", "native:chain, fan-out 0", "fan-out 4"),
        (
            *("reduce", "2 2 8192"),
            *("native:chain, fan-out 2, segments of 8192 B", "fan-out 4 and no segments"),
        ),
        ("bcast", "3 0 0", "native:pipeline", ""),
        ("bcast", "3 0 32768", "native:pipeline, segments of 32768 B", "no segments"),
        ("bcast", "1 7 32768", "native:basic_linear", ""),
        ("reduce", "5 0 1024", "native:binomial, segments of 1024 B", "no segments"),
        ("reduce", "7 4 1024", "native:rabenseifner", ""),
        ("allreduce", "4 2 1024", "native:ring", ""),
        ("allreduce", "5 0 1024", "native:segmented_ring, segments of 1024 B", "no segments"),
        ("alltoall", "2 0 1024 8", "native:pairwise", ""),
        (
            *("alltoall", "4 0 0 8", "native:linear_sync, 8 requests at a time"),
            "all requests at a time",
        ),
        ("allgather", "4 2 1024", "native:ring", ""),
    ],
)
def test_what_a_rule_tells_an_algorithm(
    tmp_path: Path, collective: str, told: str, chosen: str, measured: str
) -> None:
    """A fan-out, a size of segments, a number of requests: native:NAME is measured with others."""
    text = f"rule-file-version-2\n1\n{IDS[collective]}\n1\n2\n1\n0 {told}\n"
    algorithm, *numbers = map(int, told.split())
    keys = dict(zip(("faninout", "seg_size", "reqs"), numbers, strict=False))
    document = {"collectives": {collective: [{"rules": [{"alg": algorithm, **keys}]}]}}
    places = {text: "line 7", json.dumps(document): f"{collective}[0].rules[0]"}
    name = chosen.partition(",")[0]
    why = f": {name} is measured with {measured}" if measured else ""
    for number, (written, place) in enumerate(places.items()):
        file = read(file_with(tmp_path, written, f"rules_{number}"))
        choice = file.choose(Case(collective, 4, 65536, nodes=1, in_place=False))
        assert (choice.algorithm, choice.place) == (chosen, f"{place}{why}")


def test_no_time_of_another_fan_out(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    place = "bcast,{},regular,none,sequential"
    case = [*rows("native", [10], place=place), *rows("native:chain", [5], place=place)]
    path = write("a.csv", case, mpi="Open MPI v4.1.4")
    rules = file_with(tmp_path, "1\n7\n1\n4\n1\n0 2 1 0\n")
    table, told = checked(capsys, str(path), "--check", str(rules))
    row = table.iloc[0]
    assert (row["chosen"], row["verdict"]) == ("native:chain, fan-out 1", "not measured")
    assert row["rule"] == "line 6: native:chain is measured with fan-out 4"
    assert "not measured what it chooses: bcast, 4 ranks, 1 B: native:chain, fan-out 1, " in told


def test_open_mpis_json(tmp_path: Path) -> None:
    """Of 6.0: the first rule that fits; outside of all the library decides."""
    rules = [
        {"msg_size_min": 512, "msg_size_max": 1023, "alg": "ring"},
        {"msg_size_min": 0, "msg_size_max": "inf", "alg": 2},
    ]
    document = {
        "rule_file_version": 3,
        "module": "tuned",
        "collectives": {"allgather": [{"comm_size_min": 4, "comm_size_max": 8, "rules": rules}]},
    }
    path = file_with(tmp_path, json.dumps(document))
    assert choices(path, (4, 127), (4, 128), (4, 256), (3, 256), (9, 256)) == [
        *("native:bruck", "native:ring", "native:bruck", "native", "native")
    ]


def test_mpichs_selection(tmp_path: Path) -> None:
    tree: dict[str, Any] = {
        "collective=allgather": {
            "comm_type = intra": {
                "comm_size<=4": {
                    "total_msg_size<256": {"algorithm=MPIR_Allgather_intra_brucks": {}},
                    "total_msg_size<=1024": {"algorithm=MPIR_Allgather_intra_ring": {}},
                },
                "comm_size=pow2": {
                    "is_sendbuf_inplace=yes": {"algorithm=MPIR_Allgather_intra_ring": {}},
                    "any": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
                },
                "comm_size=any": {"comm_hierarchy=parent": {"algorithm=MPIR_x": {}}},
            }
        }
    }
    path = file_with(tmp_path, json.dumps(tree))
    assert choices(path, (4, 63), (4, 64), (4, 512), (8, 1), (6, 1)) == [
        # Nothing is chosen behind 1024 bytes on 4 ranks, which MPICH does not bear.
        *("native:brucks", "native:ring", "", "native:recursive_doubling", "")
    ]


def test_where_mpich_has_no_rule_it_ends_the_program(tmp_path: Path) -> None:
    """Seen with 4.0.2."""
    file = read(file_with(tmp_path, '{"collective=bcast": {"algorithm=MPIR_Bcast_intra_smp": {}}}'))
    choice = file.choose(Case("allgather", 4, 8, nodes=1, in_place=False))
    assert choice.algorithm == "" and choice.place.endswith("MPICH ends the program there")


def test_of_mpich(launch: Callable[..., Path], tmp_path: Path, capsys: Capture) -> None:
    leaf: dict[str, Any] = {"algorithm=MPIR_Allgather_intra_ring": {}}
    tree = {"collective=allgather": {"comm_hierarchy=flat": leaf}}
    path = file_with(tmp_path, json.dumps(tree), "rules.json")
    files = str(launch(8, mpi="MPICH Version:\t4.0.2"))
    table, told = checked(capsys, files, "--check", str(path))
    assert table["chosen"].tolist() == ["none"]
    assert "it asks for comm_hierarchy=flat, which results do not say" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\n0\n1\n4\n1\n64 2 0 0\n", ":6: the first size is 64, and Open MPI ignores a whole"),
        ("1\n0\n1\n4\n2\n0 2 0 0\n", ":6: ends where a size is expected"),
        ("1\nallgather\n", ":2: 'allgather' is no number; legal: numbers, # comments"),
        ("1\n99\n", ":2: 99 is no collective; legal: 0 to 21"),
        ("23\n" + 23 * "0\n0\n", ":1: 23 collectives are more than there are, and Open MPI"),
        ("0\n7\n", ":2: 7 is behind the last rule; legal: nothing"),
        ("", ":1: ends where the number of collectives is expected"),
        ("{", ": is no JSON: "),
        ("{}", ": has rules of no library; legal: a file of Open MPI's dynamic rules or"),
        ('{"collectives": {"allgather": 1}}', ": allgather: is no list; legal: a list of rules"),
        (
            '{"collectives": {"allgather": [{"comm_size_min": "x"}]}}',
            ': allgather[0]: comm_size_min is "x"; legal: a number, or "inf"',
        ),
        ('{"collective=allgather": {"moon=full": {}}}', ": 'moon=full': is no condition of MPICH"),
    ],
)
def test_files_that_are_no_good(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture, text: str, said: str
) -> None:
    path = file_with(tmp_path, text)
    assert main(["tune", str(launch(8)), "--check", str(path)]) == 2
    told = capsys.readouterr().err
    assert f"{path}{said}" in told and told.count("\n") == 1


def test_what_does_not_go_together(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    rules = str(file_with(tmp_path, CLASSIC))
    cases = [
        ([str(launch(8)), "--own"], "--check and --own: legal: one of them"),
        ([str(launch(8, name="m.csv", mpi="MPICH Version: 4.0.2"))], "m.csv is from 'MPICH"),
        (
            [str(launch(8, name="d.csv", place="allgatherv,{},spike,none,sequential"))],
            "--check: blocks of distribution 'spike' differ in size",
        ),
    ]
    for given, said in cases:
        assert main(["tune", *given, "--check", rules]) == 2
        assert said in capsys.readouterr().err


def test_a_file_of_other_collectives(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    """It says nothing of the measured cases, and all would be the library's own choice."""
    path = launch(8)
    for text, has in {
        CLASSIC.replace("0 # allgather", "7"): "bcast (7)",
        CLASSIC.replace("0 # allgather", "21"): "neighbor_alltoallw (21)",
        "1\n0 # allgather\n0 # numbers of ranks\n": "no collective",
    }.items():
        rules = file_with(tmp_path, text)
        said = refused(capsys, "tune", path, "--check", rules)
        assert f"{rules} has no rules for allgather (0); it has rules for {has}" in said
    other = json.dumps({"collectives": {"bcast": [{"rules": [{"alg": 2}]}], "reduce": []}})
    said = refused(capsys, "tune", path, "--check", file_with(tmp_path, other))
    assert said.endswith("has no rules for allgather; it has rules for bcast")


def test_a_file_of_one_of_two_collectives(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    place = "allgatherv,{},regular,none,sequential"
    given = [str(launch(8)), str(launch(8, name="b.csv", place=place))]
    table, told = checked(capsys, *given, "--check", str(file_with(tmp_path, CLASSIC)))
    by_rule = {"allgather": "line 6", "allgatherv": "no rule"}
    assert table.set_index("collective")["rule"].to_dict() == by_rule
    assert "note: " in told
    assert "has no rules for allgatherv (1); it has rules for allgather (0)" in told


@pytest.mark.parametrize(
    ("mpi", "notes"), [("Open MPI v4.1.4", 1), ("Open MPI v5.0.6", 0), ("Open MPI v6.0.0", 0)]
)
def test_a_version_that_ignores_the_file(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture, mpi: str, notes: int
) -> None:
    """4.1.4 was seen to choose as without a file whose first line is a version."""
    rules = file_with(tmp_path, f"rule-file-version-2\n{CLASSIC}")
    path = launch(8, mpi=mpi)
    _, told = checked(capsys, str(path), "--check", str(rules))
    assert told.count("ignores such a file") == notes
    assert told.count(str(path)) == notes
    of_json = {"collectives": {"allgather": [{"rules": [{"alg": "bruck"}]}]}}
    _, told = checked(
        capsys, str(path), "--check", str(file_with(tmp_path, json.dumps(of_json), "json"))
    )
    assert told.count("ignores such a file") == ("v6" not in mpi)


def test_open_mpi_goes_by_the_order_in_the_file(tmp_path: Path) -> None:
    """As 4.1.4 was seen to: it stops at the first rule that is above the case, so what is behind
    that does not count; of equal rules the last one counts."""
    of_sizes = "1\n0\n1\n2\n3\n0 1 0 0\n8192 2 0 0\n100 3 0 0\n"
    assert choices(file_with(tmp_path, of_sizes), (4, 1024), (4, 2048)) == [
        *("native:linear", "native:recursive_doubling")
    ]
    of_ranks = "1\n0\n3\n2\n1\n0 1 0 0\n8\n1\n0 2 0 0\n3\n1\n0 3 0 0\n"
    assert choices(file_with(tmp_path, of_ranks), (4, 1), (8, 1)) == [
        *("native:linear", "native:recursive_doubling")
    ]
    twice = "1\n0\n2\n4\n1\n0 1 0 0\n4\n1\n0 2 0 0\n"
    assert choices(file_with(tmp_path, twice), (4, 1)) == ["native:bruck"]


def test_a_number_of_no_algorithm(
    launch: Callable[..., Path], tmp_path: Path, capsys: Capture
) -> None:
    rules = file_with(tmp_path, CLASSIC.replace("0 2 0 0 # bruck", "0 9 0 0"))
    table, told = checked(capsys, str(launch(8)), "--check", str(rules))
    assert table["chosen"].tolist() == ["none"]
    assert "line 6: algorithm 9 is not known, Open MPI 4.1 or 5.0 has 0 to 7" in told


def test_the_numbers_of_collectives_in_the_docs() -> None:
    text = " ".join((ROOT / "docs/how-to/tuning.md").read_text().split())
    numbers = ", ".join(f"{IDS[name]} {name}" for name in sorted(OPEN_MPI.algorithms))
    assert f"calls collectives by numbers: {numbers}" in text


@pytest.mark.parametrize("digits", [10, 5000])
def test_a_version_that_is_none(tmp_path: Path, digits: int) -> None:
    with pytest.raises(BadInput, match=r"'rule-file-version-9.*9' is no num"):
        read(file_with(tmp_path, f"rule-file-version-{'9' * digits}\n1\n"))
