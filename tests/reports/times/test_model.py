# SPDX-License-Identifier: BSD-3-Clause
"""Shares of a measured model, by prices that a stand-in for the program makes up."""

import sys
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.cli import program
from agreport.main import main
from agreport.times.model_shares import has_price

from ..support.commands import Capture, Rows, Write
from ..support.pages import draw_only

# A cost of ranks times bytes, a bound of half of that, in units of alpha; no cost of bruck.
PROGRAM = """
import sys
from pathlib import Path

given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
with Path(__file__).with_name("calls.txt").open("a") as calls:
    print(given["--ranks"], given["--bytes"], given["--model"], file=calls)
alpha = float(given["--model"].partition("alpha=")[2].partition(",")[0])
print("algorithm,ranks,bytes,cost,bound,status")
for name in given["--algorithms"].split(","):
    for size in map(int, given["--bytes"].split(",")):
        cost = alpha * int(given["--ranks"]) * size
        skipped = name == "bruck"
        print(name, given["--ranks"], size, "" if skipped else cost, cost / 2, "ok", sep=",")
"""
MODEL = "hockney:alpha=1,beta=2,tau=3"


@pytest.fixture
def schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a program where every report finds it."""
    path = tmp_path / "build" / "bin" / program.NAME
    path.parent.mkdir(parents=True)
    path.write_text(f"#!{sys.executable}{PROGRAM}")
    path.chmod(0o755)
    monkeypatch.setenv(program.VARIABLE, str(tmp_path / "build"))
    return path


def calls(schedule: Path) -> list[str]:
    return schedule.with_name("calls.txt").read_text().splitlines()


def table(capsys: Capture, command: str, *words: object) -> pd.DataFrame:
    assert main([command, *map(str, words), "--format", "csv"]) == 0
    return pd.read_csv(StringIO(capsys.readouterr().out))


@pytest.mark.slow
def test_shares_of_the_median(write: Write, rows: Rows, schedule: Path, capsys: Capture) -> None:
    """ring: medians of 16 and 10 us at 4 ranks with 2 and 5 bytes; the model has 8 and 20."""
    path = write("a.csv", rows("ring", [15, 16, 90], size=2), rows("ring", [10], size=5),
                 rows("bruck", [40], size=5), rows("native", [5], size=5), model=MODEL)  # fmt: skip
    found = table(capsys, "summary", path).set_index(["algorithm", "bytes"])
    assert found.loc[("ring", 2), "model_us"] == 8
    assert found["model_percent"].to_dict() == pytest.approx(
        {
            ("ring", 2): 50,
            ("ring", 5): 200,
            ("bruck", 5): float("nan"),
            ("native", 5): float("nan"),
        },
        nan_ok=True,
    )
    assert found["bound_percent"].to_dict() == {
        ("ring", 2): 25,
        ("ring", 5): 100,
        ("bruck", 5): 25,  # of those without a price, too
        ("native", 5): 200,
    }
    assert len(calls(schedule)) == 1
    # The elapsed time of the slowest rank is 2 us more.
    slowest = table(capsys, "summary", path, "--metric", "max")
    shares = [400 / 18, 1000 / 12, 1000 / 42, 1000 / 7]
    assert slowest["bound_percent"].tolist() == pytest.approx(shares)


def test_over_all_cases(write: Write, rows: Rows, schedule: Path, capsys: Capture) -> None:
    path = write("a.csv", *(rows("ring", [10], size=size) for size in (1, 2, 5)),
                 rows("native", [10]), model=MODEL)  # fmt: skip
    assert main(["model", str(path), "--metric", "max"]) == 0
    assert "A time is the median of the max elapsed time" in capsys.readouterr().err
    found = table(capsys, "model", path).set_index("algorithm")
    assert found.loc["ring"].drop(["collective", "mapping"]).to_dict() == {
        "cases": 3,
        "model_median_percent": 80,
        "model_least_percent": 40,
        "model_most_percent": 200,
        "bound_median_percent": 40,
        "bound_least_percent": 20,
        "bound_most_percent": 100,
    }
    assert found.loc["native", "cases"] == 1
    assert pd.isna(found.loc["native", "model_median_percent"])


def test_launches_of_one_sample_have_the_median_model(
    write: Write, rows: Rows, schedule: Path, capsys: Capture
) -> None:
    models = [f"hockney:alpha={alpha},beta=2,tau=3" for alpha in (1, 7, 5)]
    files = [write(f"{n}.csv", rows("ring", [10]), model=model, start=str(n))
             for n, model in enumerate(models)]  # fmt: skip
    files.append(write("x.csv", rows("ring", [10]), start="9"))  # has none
    found = table(capsys, "summary", *files)
    assert found["model_us"].tolist() == [5 * 4]
    assert calls(schedule) == ["4 1 hockney:alpha=5.0,beta=2.0,tau=3.0"]


def test_packed_blocks_are_one_message(write: Write, rows: Rows, schedule: Path) -> None:
    path = write("a.csv", rows("ring", [10]), model=MODEL, noncontiguous="packed")
    assert main(["summary", str(path)]) == 0
    assert calls(schedule) == ["4 1 hockney:alpha=1.0,beta=2.0,tau=0.0"]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["allgatherv,{},spike,none,sequential",
                                   "allgather,{},regular,uniform:max=1ms,sequential"])  # fmt: skip
def test_other_cases_have_no_share(
    write: Write, rows: Rows, schedule: Path, capsys: Capture, place: str
) -> None:
    path = write("a.csv", rows("ring", [10], place=place), model=MODEL)
    assert "bound_percent" not in table(capsys, "summary", path)
    assert main(["model", str(path)]) == 2
    assert "--measure-model" in capsys.readouterr().err
    both = write("b.csv", rows("ring", [10], place=place), rows("ring", [10]), model=MODEL)
    assert table(capsys, "summary", both)["bound_percent"].isna().tolist().count(True) == 1


def test_without_a_model_nothing_changes(
    write: Write, rows: Rows, schedule: Path, capsys: Capture
) -> None:
    assert "model_us" not in table(capsys, "summary", write("a.csv", rows("ring", [10])))
    assert not schedule.with_name("calls.txt").exists()


@pytest.mark.slow
def test_without_the_program(
    write: Write, rows: Rows, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write("a.csv", rows("ring", [10]), rows("bruck", [9]), model=MODEL)
    monkeypatch.setattr(program, "folders", lambda: [tmp_path])
    monkeypatch.setenv("PATH", "")
    assert main(["summary", str(path), "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert "bound_percent" not in printed.out
    assert printed.err.startswith(
        "agreport: warning: no shares of the model: allgather_schedule is"
    )
    assert main(["model", str(path)]) == 2
    page = tmp_path / "page.html"
    draw_only(monkeypatch, "model")
    assert main(["page", str(path), "--algorithm", "ring", "-o", str(page)]) == 0
    assert "allgather_schedule is neither in" in page.read_text()


@pytest.mark.slow
def test_on_the_page(
    write: Write, rows: Rows, schedule: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_only(monkeypatch, "model")
    cases = rows("ring", [10]), rows("bruck", [9])
    page = tmp_path / "page.html"
    for metadata, there in (({"model": MODEL}, True), ({}, False)):
        path = write("a.csv", *cases, **metadata)
        assert main(["page", str(path), "--algorithm", "ring", "-o", str(page)]) == 0
        assert ("Share of the measured model" in page.read_text()) == there


@pytest.mark.parametrize("model", ["hockney:alpha=x,beta=1", "hockney:", "hockney:alpha=1=2"])
def test_a_model_that_is_none(write: Write, rows: Rows, capsys: Capture, model: str) -> None:
    path = write("a.csv", rows("ring", [10]), model=model)
    assert main(["model", str(path)]) == 2
    assert f"a.csv: its model is '{model}'; legal: hockney:alpha=" in capsys.readouterr().err


def test_what_has_a_price() -> None:
    names = [each.name for each in catalogue().algorithms if has_price(each.name, "allgather")]
    assert {"ring", "sparbit", "bruck", "topology_ring"} <= {*names}
    assert not {"leader", "lane", "bdr", "bslb", "native", "library_gather_bcast"} & {*names}
    assert has_price("bruck:k=4", "allgather") and has_price(
        "pipelined_ring:segment=1K", "allgather"
    )
    for label in ("sparbit:noncontiguous=packed", "bruck:k=4:batch=2", "native:ring", "unknown"):
        assert not has_price(label, "allgather")
