# SPDX-License-Identifier: BSD-3-Clause
"""Reports of what goes on at the same time: impact and overlap, and files that know of neither."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.data.load import Results
from agreport.figure.words import describe_value, in_case, panel_titles
from agreport.main import main
from agreport.stats.medians import impact, points
from agreport.times import impact as impact_report

from ..support.commands import Rows, Write
from ..support.loading import load
from ..support.sheets import check_files


def with_columns(path: Path, of_row: list[tuple[str, str]], **more: list[str]) -> Path:
    """The rows with group and beside of each, and more columns."""
    lines = path.read_text().splitlines()
    header = next(number for number, line in enumerate(lines) if line.startswith("collective,"))
    rows = [n for n in range(header + 1, len(lines)) if not lines[n].startswith("#")]
    assert len(rows) == len(of_row)
    lines[header] += ",group,beside" + "".join(f",{name}" for name in more)
    for place, (number, cells) in enumerate(zip(rows, of_row, strict=True)):
        lines[number] += ",".join(["", *cells, *(values[place] for values in more.values())])
    path.write_text("\n".join(line.partition(" crc32:")[0] for line in lines) + "\n")
    return path


@pytest.fixture
def loaded(write: Write, rows: Rows) -> Results:
    """Group 0: 10 alone and 20 beside; group 1: 10 and 30; the slowest 30."""
    one = rows("ring", [10.0] * 6 + [20.0] * 6)
    two = rows("ring", [10.0] * 6 + [30.0] * 6)
    every = write("a.csv", one + two + rows("ring", [30.0] * 6))
    sides = [("nothing",) * 6 + ("groups",) * 6] * 2 + [("groups",) * 6]
    names = ["0", "1", "slowest"]
    cells = [(n, side) for n, some in zip(names, sides, strict=True) for side in some]
    return load([str(with_columns(every, cells))])


def test_the_impact_is_of_each_group(loaded: Results) -> None:
    found = impact(points(loaded, "avg")).set_index("group")["value"].to_dict()
    assert found == {"0": 2.0, "1": 3.0}  # the slowest is none alone


@pytest.mark.slow
def test_the_impact_is_drawn(loaded: Results, tmp_path: Path) -> None:
    check_files(tmp_path, "impact", loaded.launches[0].path)


def test_the_impact_is_drawn_of_the_fastest(write: Write, rows: Rows) -> None:
    """The faster an algorithm is alone, the more it loses: the figure is to show that."""
    alone = {f"a{n}": 10.0 * (n + 1) for n in range(5)}
    case = [line for name, us in alone.items() for line in rows(name, [us] * 6 + [1000.0] * 6)]
    cells = [("all", side) for _ in alone for side in ["nothing"] * 6 + ["alltoall"] * 6]
    results = load([str(with_columns(write("a.csv", case), cells))])
    options = Namespace(metric="avg", algorithms=[], top=3)
    found = impact_report.table(results, options)
    assert found.set_index("algorithm")["value"].to_dict() == pytest.approx(
        {"a0": 100, "a1": 50, "a2": 100 / 3}
    )
    assert (options.not_drawn, options.timed) == (2, 5)


def test_titles_tell_groups_apart(loaded: Results) -> None:
    titles = list(panel_titles(points(loaded, "avg").set_index([
        "setting", "collective", "mapping", "distribution", "arrival", "group", "beside",
        "buffer_offset",
    ])).values())  # fmt: skip
    assert len(titles) == len(set(titles)) == 5
    assert any(title.endswith("slowest group, beside groups") for title in titles)
    assert describe_value("beside", "nothing") == ""
    assert in_case(pd.Series({"ranks": "4", "group": "all", "beside": "nothing"})) == "4 ranks"


def test_a_file_that_knows_of_no_groups_is_of_all_ranks(write: Write, rows: Rows) -> None:
    results = load([str(write("a.csv", rows("ring", [1.0] * 6)))])
    for name, value in catalogue().ordinary.items():
        assert set(results.rows[name]) == {value}
    assert {"group", "beside", "buffer_offset"} <= {*catalogue().ordinary}


def test_without_both_there_is_no_impact(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("a.csv", rows("ring", [1.0] * 6))
    assert main(["impact", str(path), "-o", str(path.with_suffix(".svg"))]) == 2
    assert "no case was measured both with nothing beside it" in capsys.readouterr().err


def overlaps(path: Path) -> pd.DataFrame:
    found = path.with_name("overlap.csv")
    main(["overlap", str(path), "--format", "csv", "-o", str(found)])
    return pd.read_csv(found)


@pytest.mark.parametrize(
    ("both", "computed", "percent"), [(20.0, 10.0, 0.0), (10.0, 10.0, 100.0), (12.5, 10.0, 75.0),
                                      (40.0, 10.0, 0.0)]
)  # fmt: skip
def test_the_overlap_is_osus(
    write: Write, rows: Rows, both: float, computed: float, percent: float
) -> None:
    path = write("a.csv", rows("ring", [10.0] * 6 + [both] * 6))
    cells: list[tuple[str, str]] = [("all", "nothing")] * 6 + [("all", "computation")] * 6
    more: dict[str, Any] = {"overlapped_us": [""] * 6 + [str(computed)] * 6}
    (row,) = overlaps(with_columns(path, cells, **more)).to_dict("records")
    assert row["overlap_percent"] == percent
    assert row["doubtful"] == "no"
    assert (row["alone_us"], row["both_us"]) == (10.0, both)


@pytest.mark.parametrize(("computed", "doubtful"), [(8.9, "yes"), (9.1, "no"), (11.1, "yes")])
def test_an_overlap_whose_call_has_changed_is_doubtful(
    write: Write, rows: Rows, computed: float, doubtful: str
) -> None:
    path = write("a.csv", rows("ring", [10.0] * 6 + [12.0] * 6))
    cells: list[tuple[str, str]] = [("all", "nothing")] * 6 + [("all", "computation")] * 6
    more: dict[str, Any] = {"overlapped_us": [""] * 6 + [str(computed)] * 6}
    (row,) = overlaps(with_columns(path, cells, **more)).to_dict("records")
    assert row["doubtful"] == doubtful


def test_an_overlap_without_a_call_alone_is_not_known(write: Write, rows: Rows) -> None:
    path = write("a.csv", rows("ring", [20.0] * 6))
    more: dict[str, Any] = {"overlapped_us": ["10"] * 6}
    (row,) = overlaps(with_columns(path, [("all", "computation")] * 6, **more)).to_dict("records")
    assert row["beside"] == "nothing" and (row["computation_us"], row["both_us"]) == (10, 20)
    assert all(pd.isna(row[name]) for name in ("alone_us", "overlap_percent", "doubtful"))
