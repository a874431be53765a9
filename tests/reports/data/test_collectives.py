# SPDX-License-Identifier: BSD-3-Clause
"""Rows of several collectives in one input, with algorithms of one name: never one sample."""

import json
import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.data.algorithm_sets import without_left_out
from agreport.data.load import read_files
from agreport.main import main
from agreport.tune.agstar_profile import runnable

from ..support.commands import Capture, Rows, Write
from ..support.pages import draw_only

OTHER = "alltoall,{},regular,none,sequential"
BOTH = ["allgather", "alltoall"]


@pytest.fixture
def mixed(write: Write, rows: Rows) -> Path:
    """bruck: 10 us as an all-gather, 100 as an all-to-all; linear: 20 and 50."""
    return write("a.csv", *(
        rows(name, [us] * 8, place=place)
        for name, us, place in (
            ("bruck", 10, "allgather,{},regular,none,sequential"),
            ("linear", 20, "allgather,{},regular,none,sequential"),
            ("bruck", 100, OTHER),
            ("linear", 50, OTHER),
        )
    ))  # fmt: skip


def test_the_catalogue_tells_algorithms_of_one_name_apart() -> None:
    known = catalogue()
    one, other = (known.algorithm("bruck", name) for name in BOTH)
    assert one is not None and other is not None and one.bytes != other.bytes
    assert known.algorithm("sparbit", "alltoall") is None
    assert known.of_kind("allgatherv") == ("allgather", "allgatherv")
    assert known.of_kind("alltoall") == ("alltoall",)
    assert known.names_of("algorithm").count("bruck") == 1
    titles: dict[str, set[str]] = {}
    for each in known.algorithms:
        titles.setdefault(each.name, set()).add(each.title)
    assert [name for name, found in titles.items() if len(found) > 1] == []


def table_of(capsys: Capture, *given: str) -> pd.DataFrame:
    assert main([*given, "--format", "csv"]) == 0
    return pd.read_csv(StringIO(capsys.readouterr().out))


def test_samples(mixed: Path, capsys: Capture) -> None:
    table = table_of(capsys, "summary", str(mixed)).set_index(["collective", "algorithm"])
    assert table["median_us"].to_dict() == {
        ("allgather", "bruck"): 10, ("allgather", "linear"): 20,
        ("alltoall", "bruck"): 100, ("alltoall", "linear"): 50,
    }  # fmt: skip


def test_the_fastest_of_each(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    figure = tmp_path / "out.svg"
    assert main(["selection", str(mixed), "--csv", str(out), "-o", str(figure)]) == 0
    table = pd.read_csv(out).set_index("collective")
    assert table["fastest"].to_dict() == {"allgather": "bruck", "alltoall": "linear"}


@pytest.mark.slow
def test_speed_up_is_over_the_same_collective(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    figure = tmp_path / "out.svg"
    given = ["speedup", str(mixed), "--baseline", "linear", "--csv", str(out), "-o", str(figure)]
    assert main(given) == 0
    table = pd.read_csv(out).set_index(["collective", "algorithm"])
    found = table.select_dtypes("number").loc[
        :, lambda frame: frame.columns.str.match("value|times")
    ]
    assert sorted(found.iloc[:, 0].round(3)) == [0.5, 2]


def test_a_set_of_one_collective_has_no_rows_of_another(mixed: Path) -> None:
    """loch2021 has the all-gather bruck, which is no all-to-all."""
    kept = without_left_out(read_files([str(mixed)]).apart(None), ["loch2021"]).rows
    found = set(zip(kept["collective"].astype(str), kept["algorithm"].astype(str), strict=True))
    assert found == {("allgather", "bruck"), ("allgather", "linear"), ("alltoall", "linear")}


@pytest.mark.slow
def test_prices_are_of_one_collective(mixed: Path, tmp_path: Path, capsys: Capture) -> None:
    head = (
        "model,algorithm,ranks,nodes,ranks_per_node,mapping,distribution,bytes,cost,bound,unit,"
        "status,reason"
    )
    out = tmp_path / "out.csv"
    for collective, measured in (("allgather", 10), ("alltoall", 100)):
        costs = tmp_path / f"{collective}.csv"
        lines = [f"#@collective={collective}", head, "hockney,bruck,4,,,,regular,1,5,,us,ok,"]
        costs.write_text("\n".join(lines) + "\n")
        given = ["predict", str(mixed), "--costs", str(costs), "--csv", str(out), "-o",
                 str(tmp_path / "out.svg")]  # fmt: skip
        assert main(given) == 0
        table = pd.read_csv(out)
        assert table[["collective", "measured_us"]].to_numpy().tolist() == [[collective, measured]]
    capsys.readouterr()
    only = ["predict", str(mixed), "--collective", "allgather", "--costs", str(costs)]
    assert main(only) == 2
    assert "prices alltoall, and these launches have allgather" in capsys.readouterr().err


def test_libagstars_profile_has_the_algorithms_of_each_collective() -> None:
    assert "sparbit" in runnable("allgatherv") and "sparbit" not in runnable("alltoall")
    assert "topology_phases" in runnable("alltoall")
    assert "rabenseifner:inner=mesh3d:via=window" in runnable("allreduce")
    assert "local_redirect" not in runnable("reduce")  # it has no schedule


def test_rules_of_a_library_are_of_what_is_known(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    path = write("a.csv", rows("native", [10], place=OTHER),
                 rows("native:linear", [5], place=OTHER), mpi="MPICH Version:\t4.0.2")  # fmt: skip
    library = tmp_path / "libmpich.so"
    library.write_bytes(b"")
    more = ["--mpich", str(tmp_path / "rules.json"), "--mpich-library", str(library)]
    assert main(["tune", str(path), *more]) == 2
    told = capsys.readouterr().err
    assert "has no selection" in told and told.count("\n") == 1


def test_open_mpis_rules_of_an_all_to_all_are_of_all_blocks(
    write: Write, rows: Rows, tmp_path: Path
) -> None:
    """So are those of an all-gather (seen with 4.1.4)."""
    path = write("a.csv", rows("native", [10], place=OTHER),
                 rows("native:linear", [5], place=OTHER), mpi="Open MPI v4.1.4")  # fmt: skip
    rules = tmp_path / "rules.conf"
    assert main(["tune", str(path), "--openmpi", str(rules)]) == 0
    lines = [line.partition(" #")[0] for line in rules.read_text().splitlines()]
    assert lines[:2] == ["1", "3"]
    assert lines[lines.index("4") :][:5] == ["4", "3", "0 0 0 0", "4 1 0 0", "5 0 0 0"]


@pytest.mark.slow
def test_a_page_names_its_collectives(
    mixed: Path, write: Write, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    with monkeypatch.context() as patch:
        draw_only(patch)
        assert main(["page", str(mixed), "--algorithm", "bruck", "-o", str(page)]) == 0
    text = page.read_text()
    assert re.search(r"<title>All-gather and all-to-all report", text)
    assert "bruck in 1, linear in 1 of 2 cases." in text
    other = write("b.csv", rows("bruck", [1] * 8, place=OTHER), rows("linear", [2], place=OTHER))
    assert main(["page", str(other), "--algorithm", "bruck", "-o", str(page)]) == 0
    text = page.read_text()
    assert re.search(r"<title>All-to-all report", text)
    assert "all-gather" not in text.lower().replace("all-gather for loop", "")


def test_an_alltoall_is_drawn(tmp_path: Path) -> None:
    """Two ranks that exchange their blocks for each other, as allgather_schedule prints it."""
    steps = [
        [{"round": 0, "sends": [{"peer": 1 - r, "round": 0, "blocks": [[2 * r + 1 - r, 1]]}],
          "receives": [{"peer": 1 - r, "round": 0, "blocks": [[2 * (1 - r) + r, 1]]}]}]
        for r in range(2)
    ]  # fmt: skip
    document = {"algorithm": "shift", "collective": "alltoall", "ranks": 2, "rounds": 1,
                "owners": [0, 0, 1, 1], "schedules": steps}  # fmt: skip
    path, figure, out = tmp_path / "s.json", tmp_path / "s.svg", tmp_path / "s.csv"
    path.write_text(json.dumps(document))
    given = ["schedule", "--schedule", str(path), "-o", str(figure), "--csv", str(out)]
    assert main(given) == 0
    assert pd.read_csv(out)["blocks"].tolist() == ["0>1", "1>0"]
    words = re.sub(r"\s+", " ", figure.read_text())
    assert "what rank 1 has for rank 3" in words and "shift, all-to-all, 2 ranks" in words
    document["fault"] = "rank 0 never receives block 2"
    path.write_text(json.dumps(document))
    assert main(given) == 2
