# SPDX-License-Identifier: BSD-3-Clause
"""All tables and figures of chapter 6 from one data set; what it lacks is named."""

from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main
from agreport.page import loch2021
from agreport.page.loch2021 import ITEMS
from agreport.page.publication import Publication
from shared.checksums import checksummed

from ..conftest import HEADER
from ..support.commands import Rows, Write
from ..support.loading import load

pytestmark = pytest.mark.slow
PLACES = {"allgather": "allgather,{},regular,none,", "allgatherv": "allgatherv,{},spike,none,"}


def sweep(
    write: Write, rows: Rows, collectives: list[str], mappings: list[str], **said: str
) -> Path:
    """Sparbit is second to bruck where blocks have 1 B, and the fastest where they have 2."""
    times = {
        1: {"ring": 40, "bruck": 10, "sparbit": 20},
        2: {"ring": 40, "bruck": 30, "sparbit": 20},
    }
    path = Path()
    for cluster in ("yahoo", "cervino"):
        for mapping in mappings:
            cases = [
                [
                    line
                    for name, us in times[size].items()
                    for line in rows(
                        name, [us + n for n in range(6)], ranks=ranks, size=size,
                        place=PLACES[collective] + mapping,
                    )
                ]
                for collective in collectives
                for ranks in (4, 8)
                for size in times
            ]  # fmt: skip
            path = write(f"s/{cluster}{mapping}.csv", *cases, **{"note.cluster": cluster},
                         hosts=cluster, **said)  # fmt: skip
    return path.parent


def test_everything(write: Write, rows: Rows, tmp_path: Path) -> None:
    data = sweep(write, rows, ["allgather", "allgatherv"], ["sequential", "cyclic"])
    output = tmp_path / "out"
    assert main(["loch2021", str(data), "-o", str(output), "--figures", ".svg"]) == 0
    for item in ITEMS:
        for ending in (".svg",) if item.report.draw else (".csv", ".md", ".tex"):
            assert (output / f"{item.name}{ending}").stat().st_size > 0, item.name
    page = (output / "index.html").read_text()
    assert "Not in this data set" not in page
    assert "Files and cases that are not on this page" not in page
    assert page.index("Table 6") < page.index("Figure 23") < page.index("Table 7")
    table = pd.read_csv(output / "table7.csv")
    assert table["setting"].unique().tolist() == ["yahoo", "cervino"], "in the thesis's order"
    assert set(table["cases"]) == {4} and set(table["fastest_in"]) == {2}
    assert set(table["retained_percent"]) == {100}
    head, _, first, *_ = (output / "table7.md").read_text().splitlines()
    assert head == "| Mapping | Cluster | Metric | Best in | Mean | Median | Highest |"
    assert first == "| United | yahoo | Min | 50.00 | 31.75 | 31.75 | 31.75 |"
    rows_of_6 = [line.split(" & ")[:3] for line in (output / "table6.tex").read_text().split("\n")]
    assert rows_of_6[4:7] == [["Sequential", "yahoo", name] for name in ("Min", "Avg", "Max")]
    assert rows_of_6[7][:2] == ["Sequential", "cervino"]
    ours = (output / "table7-near-ties.tex").read_text()
    assert "Mapping & Cluster & Metric & Cases & Not compared & Fastest in & Near ties" in ours
    assert "Distribution & Metric & Best in & Mean" not in (output / "table8.tex").read_text()
    assert "Distribution & Cluster & Metric & Best in & Mean" in (output / "table8.tex").read_text()
    numbers = pd.read_csv(output / "numbers.csv")
    shares = numbers.groupby("what", sort=False)[["cases", "of_these", "percent"]].first()
    assert shares.iloc[0].tolist() == [2, 2, 100], "it wins both by max and by avg"
    assert shares.iloc[1].tolist() == [2, 2, 100], "without bruck the cases of 1 B are its own"
    assert len(shares) == 2, "ring wins no case"


def test_all_is_of_the_call_alone(
    write: Write, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loch has no cycles, which the benchmarks time, too."""
    names = ("figure23", "figure33")
    items = tuple(item for item in ITEMS if item.name in names)
    monkeypatch.setattr(loch2021, "PUBLICATION", Publication("loch2021", "", items))
    data = sweep(write, rows, ["allgather", "allgatherv"], ["sequential", "cyclic"])
    for path in data.iterdir():
        text = path.read_text().replace(f"{HEADER}\n", f"{HEADER},cycle_us\n")
        path.write_text(checksummed(text.replace(",ok,\n", ",ok,,99\n")))
    output = tmp_path / "out"
    assert main(["loch2021", str(data), "-o", str(output), "--figures", ".svg"]) == 0
    for name in names:
        drawn = " ".join((output / f"{name}.svg").read_text().split())
        assert "avg elapsed time" in drawn and "cycle" not in drawn


def test_for_a_paper(
    write: Write, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure of each kind, and the last tables."""
    names = ("figure28", "figure29", "figure30", "table7", "table8", "figure33")
    items = tuple(item for item in ITEMS if item.name in names)
    monkeypatch.setattr(loch2021, "PUBLICATION", Publication("loch2021", "", items))
    data = sweep(write, rows, ["allgather", "allgatherv"], ["sequential", "cyclic"])
    output = tmp_path / "out"
    given = ["loch2021", str(data), "-o", str(output), "--figures", ".svg"]
    assert main([*given, "--paper", "--width", "8.5cm"]) == 0
    page = (output / "index.html").read_text()
    for item in items:
        if item.report.draw:
            figure, text = (output / f"{item.name}{ending}" for ending in (".svg", ".svg.tex"))
            title, caption = text.read_text().split(". ", 1)
            drawn = figure.read_text().partition("</metadata>")[2]
            assert title not in drawn and len(caption) > 40, item.name
            assert 'width="240.9' in figure.read_text(), "points"
    assert "<td>Spike</td>" in page and "<td>spike</td>" not in page
    assert "Spike & yahoo & Min & " in (output / "table8.tex").read_text()
    assert "allgatherv,united,spike," in (output / "table8.csv").read_text()


def test_what_is_not_there_is_named(write: Write, rows: Rows, tmp_path: Path) -> None:
    data = sweep(write, rows, ["allgather"], ["sequential"], oversubscribed="yes")
    (data / "bad.csv").write_text("a,b<c\n")
    output = tmp_path / "out"
    assert main(["loch2021", str(data), "-o", str(output)]) == 3
    page = (output / "index.html").read_text()
    assert "Oversubscribed launches" in page, "reasons to doubt"
    assert page.count("Not in this data set") == 10
    assert "--mapping: &#x27;cyclic&#x27; is not in these files" in page
    assert "--united: only one mapping has times here, sequential" in page
    assert (output / "figure23.png").exists() and not (output / "figure24.png").exists()
    (line,) = [line for line in page.splitlines() if "bad.csv:1: not a result file" in line]
    assert line.startswith("<li>") and page.index(line) < page.index("Table 6")


def test_the_shares_of_areas(write: Write, rows: Rows) -> None:
    """6.2.2, both halves: bruck wins two cases, of which one is ring's without it; ring wins one,
    which is Sparbit's without it."""
    times = [
        {"ring": 40, "bruck": 10, "sparbit": 20},
        {"ring": 20, "bruck": 10, "sparbit": 40},
        {"ring": 10, "bruck": 40, "sparbit": 20},
    ]
    cases = [
        [line for name, us in case.items() for line in rows(name, [us] * 6, size=1 << power)]
        for power, case in enumerate(times)
    ]
    found = pd.concat(loch2021.areas(load([str(write("a.csv", *cases))])))
    assert found[["cases", "of_these", "percent"]].to_numpy().tolist() == [[2, 1, 50], [1, 1, 100]]
    assert [what.split()[3] for what in found["what"]] == ["logarithmic", "linear"]


def test_cases_of_one_mapping_are_named(write: Write, rows: Rows, tmp_path: Path) -> None:
    """One case of 8 ranks on yahoo has both mappings, seven have the sequential one alone."""
    data = sweep(write, rows, ["allgather"], ["sequential"]).parent / "s"
    both = [
        line
        for name in ("ring", "sparbit")
        for line in rows(name, [10] * 6, ranks=8, place="allgather,{},regular,none,cyclic")
    ]
    write("s/c.csv", both, **{"note.cluster": "yahoo"}, hosts="yahoo")
    output = tmp_path / "out"
    assert main(["loch2021", str(data), "-o", str(output), "--by", "cluster"]) == 0
    table = pd.read_csv(output / "table7.csv").query("metric == 'avg' and setting == 'yahoo'")
    assert table[["cases", "not_compared", "fastest_in"]].to_numpy().tolist() == [[1, 3, 0]]
    said = "7 cases were not measured under each of cyclic, sequential and are not compared: "
    page = (output / "index.html").read_text()
    assert said + "yahoo, allgather with 4, 8 ranks; cervino, allgather with 4, 8 ranks." in page


def test_a_folder_that_is_there(
    write: Write, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sweep(write, rows, ["allgather"], ["sequential"])
    assert main(["loch2021", str(data), "-o", str(tmp_path)]) == 2
    assert "is there already; legal: a new folder" in capsys.readouterr().err
