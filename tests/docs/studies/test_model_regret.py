# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the model's pick costs where it was measured."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from program.support.folders import ROOT

PAGE = ROOT / "docs" / "background" / "where_each_wins.md"
NONE = "#@host_memory=none: no node has two ranks\n"
HEAD = "#@ranks=2\n#@model=hockney:alpha=2e-06,beta=1e-07,tau=1e-06\n"
MEMORY = "copy_bandwidth=4e+09,memory_bandwidth=8e+09"
WINDOW = "window_alpha=1e-07,window_bandwidth=1e+10"


@pytest.fixture(autouse=True)
def studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "studies"))
    monkeypatch.delitem(sys.modules, "pricing", raising=False)


def by_algorithm(**values: float) -> "pd.Series[float]":
    index = pd.MultiIndex.from_tuples(
        [(name, 1024) for name in values], names=["algorithm", "bytes"]
    )
    return pd.Series(list(values.values()), index=index)


def test_regret_is_of_the_plainest_of_those_alike() -> None:
    from model_regret import regrets

    prices = by_algorithm(ring=30, sparbit=10.1, bine=10)
    us = by_algorithm(ring=40, sparbit=24, bine=20, native=25)
    (row,) = regrets(prices, us)
    assert row == {
        "bytes": 1024,
        "near": 3,
        "alike": 2,
        "pick": "sparbit",
        "regret": 1.2,
        "least": 1,
        "most": 1.2,
        "rank_correlation": 1,
        "best": "bine",
        "best_us": 20,
        "native": 1.25,
    }


@pytest.mark.parametrize(
    ("memory", "further", "model"),
    [
        (NONE, None, "further=0.5"),
        (NONE, 0.25, "further=0.25"),
        (
            f"#@host_memory={MEMORY}\n#@host_window={WINDOW}\n",
            None,
            f"further=0.5,{MEMORY},{WINDOW}",
        ),
    ],
)
def test_the_model_is_that_of_the_file(
    tmp_path: Path, memory: str, further: float | None, model: str
) -> None:
    """A further message takes what was measured of a start-up: 1 us of 2."""
    from model_regret import model_of

    file = tmp_path / "model.csv"
    file.write_text(f"{HEAD}#@a=b\n{memory}ring\n")
    assert model_of(file, further).text() == f"contention:alpha=2e-06,bandwidth=1e+07,{model}"


def test_a_launch_without_a_model_is_refused(tmp_path: Path) -> None:
    from model_regret import model_of

    file = tmp_path / "model.csv"
    file.write_text(f"#@ranks=2\n#@model_fit=none: beta = -1 s\n{NONE}ring\n")
    with pytest.raises(SystemExit, match=r"model\.csv has no #@model: none: beta = -1 s; delete"):
        model_of(file)
    file.write_text(HEAD)
    with pytest.raises(SystemExit, match="has no #@host_memory: it is of an older launch; delete"):
        model_of(file)
    file.write_text(f"{HEAD}#@host_memory={MEMORY}\n")
    with pytest.raises(SystemExit, match="has no #@host_window: it is of an older launch; delete"):
        model_of(file)


def test_a_block_is_as_long_as_in_the_cell(tmp_path: Path) -> None:
    """The map has 20000 bytes of alpha times the bandwidth, and here it is 20."""
    from model_regret import model_of

    file = tmp_path / "model.csv"
    file.write_text(HEAD + NONE)
    assert [model_of(file).bytes_of(cell) for cell in (1000, 16 << 10)] == [1, 16]
    with pytest.raises(SystemExit, match=r"--bytes: '64' is 0.064 bytes .*; legal: 1000 or more"):
        model_of(file).bytes_of(64)


def test_no_algorithm_is_left_out_unsaid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from model_regret import times_of

    file = tmp_path / "times.csv"
    file.write_text(
        "#@ranks=2\nalgorithm,bytes,avg_us,status,reason\n"
        "ring,8,3,ok,\nring,8,5,ok,\nring,8,4,ok,\n"
        "bine,8,,skipped,has no ranks\nnative,8,7,ok,\nring,64,9,ok,\n"
    )
    times = times_of(file, ["ring", "bine"], [8])
    assert times.to_dict() == {("native", 8): 7, ("ring", 8): 4}
    assert capsys.readouterr().err == "model_regret: bine has no time: has no ranks\n"
    with pytest.raises(SystemExit, match="lacks sizes, or times of sparbit; delete it"):
        times_of(file, ["ring", "sparbit"], [8])
    with pytest.raises(SystemExit, match="lacks sizes, or times of native; delete it"):
        times_of(file, ["ring"], [8, 64])


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("", "--build: '/b' is not that of {file}, ''; legal: it, or another --results"),
        (
            "#@note.build=/b\n#@note.rate=1gbit\n",
            "--rate: '100mbit' is not that of {file}, '1gbit'",
        ),
        ("#@note.build=/c\n#@note.rate=100mbit\n", "--build: '/b' is not that of {file}, '/c'"),
    ],
)
def test_launches_that_were_kept_of_another_network_are_refused(
    head: str, named: str, tmp_path: Path
) -> None:
    from model_regret import Study

    study = Study("/b", "100mbit", [1024], tmp_path, None)
    file = tmp_path / "times-16.csv"
    assert not study.has(file)
    file.write_text(f"#@ranks=2\n{head}ring\n")
    with pytest.raises(SystemExit) as ended:
        study.has(file)
    assert str(ended.value.code).startswith("model_regret: " + named.format(file=file))
    file.write_text("#@note.build=/b\n#@note.rate=100mbit\nring\n")
    assert study.has(file)


def test_the_page_says_what_the_file_says() -> None:
    from model_regret import TABLE, in_words

    text = PAGE.read_text(encoding="utf-8")
    table = pd.read_csv(TABLE)
    assert "\n".join(in_words(table)) in text
    assert f"Of {len(table)} cases the pick's time is within 1.12 in " in text


def test_cases_are_counted_by_the_numbers_that_are_printed() -> None:
    """Else the sentence and the table of a page disagree: 1.253 is printed as 1.25."""
    from model_regret import TABLE, in_words

    (row,) = pd.read_csv(TABLE).head(1).to_dict("records")
    rows = [{**row, "regret": 1.253, "native": 1.251}, {**row, "regret": 1.124, "native": 1.0}]
    *table, sentence = (text for text in in_words(pd.DataFrame(rows)) if "Of 2 cases" in text)
    assert not table
    assert "within 1.12 in 1 and within 1.25 in 2;" in sentence
    assert "`native` beats it in 1." in sentence


def test_what_measured_says_of_the_map() -> None:
    """The sentences count what the tables of all cases have."""
    text = PAGE.read_text(encoding="utf-8")
    said = " ".join((PAGE.parent / "measured.md").read_text(encoding="utf-8").split())
    found = re.search(r"within 1\.12 in (\d+) and within 1\.25 in (\d+)", text)
    assert found and f"in {found[1]}, within 1.25 in {found[2]}, and the worst" in said
    simulated = text.split("## Held against the fluid simulation")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in simulated.splitlines() if " | " in line]
    numbers = [row[-4:] for row in cells if row[-1].replace(".", "").isdecimal()]
    cases, within = (sum(int(row[place]) for row in numbers) for place in (0, 1))
    worst = max(float(row[-1]) for row in numbers)
    assert f"within 1.05 of the best in {within} of {cases} cases; the worst" in said
    assert f"takes {worst:.2f} times as long" in said


def test_the_page_marks_the_cells_that_the_file_has() -> None:
    from model_regret import TABLE
    from pricing import SIZES

    equal_blocks = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    assert equal_blocks.startswith("Distribution `regular`")
    rows = {
        tuple(cells[:2]): cells[2:]
        for line in equal_blocks.splitlines()
        if len(cells := line.strip("| ").split(" | ")) == 2 + len(SIZES)
    }
    marks = 0
    for row in pd.read_csv(TABLE).to_dict("records"):
        cell = rows[row["network"], str(row["ranks"])][SIZES.index(row["map_bytes"])]
        is_picked = cell.startswith(f"`{row['pick']}` ")
        assert cell.endswith(f" **({row['regret']:.2f})**") == is_picked, cell
        marks += is_picked
    assert equal_blocks.count("**(") == marks > 0
