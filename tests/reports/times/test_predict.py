# SPDX-License-Identifier: BSD-3-Clause
"""Measured beside predicted times."""

from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main

from ..support.commands import Capture, Rows, Write

pytestmark = pytest.mark.slow


SPIKE = "allgatherv,{},spike,none,sequential"
HEAD = (
    "model,algorithm,ranks,nodes,ranks_per_node,mapping,distribution,bytes,cost,bound,unit,status,"
    "reason"
)


def prices(folder: Path, *lines: str) -> Path:
    """Each line: algorithm, bytes, cost at 4 ranks; without a cost it is skipped. Equal blocks,
    unless a distribution comes fourth."""
    path = folder / "costs.csv"
    rows = []
    for name, size, cost, *distribution in (line.split() for line in lines):
        blocks = distribution[0] if distribution else "regular"
        state = "skipped,no" if cost == "-" else "ok,"
        rows.append(f"contention,{name},4,,,,{blocks},{size},{cost.strip('-')},,us,{state}")
    path.write_text("\n".join(["#@registry=ring,bruck", HEAD, *rows]) + "\n")
    return path


@pytest.fixture
def launch(write: Write, rows: Rows) -> Path:
    """Medians, in us: ring 16 and 10 with 2 and 5 bytes, bruck 40, native 5."""
    return write("a.csv", rows("ring", [15, 16, 90], size=2), rows("ring", [10], size=5),
                 rows("bruck", [40], size=5), rows("native", [5], size=5),
                 rows("bruck", [7], size=5, place=SPIKE))  # fmt: skip


def test_measured_over_predicted(launch: Path, tmp_path: Path, capsys: Capture) -> None:
    costs = prices(tmp_path, "ring 2 8", "ring 5 10", "bruck 5 400", "bruck 2 1", "sparbit 5 -")
    out, figure = tmp_path / "out.csv", tmp_path / "out.svg"
    given = ["predict", str(launch), "--costs", str(costs), "--csv", str(out), "-o", str(figure)]
    assert main(given) == 0
    table = pd.read_csv(out).set_index(["algorithm", "bytes"])
    assert table[["measured_us", "predicted_us", "ratio", "off"]].to_dict("index") == {
        ("ring", 2): {"measured_us": 16, "predicted_us": 8, "ratio": 2, "off": False},
        ("ring", 5): {"measured_us": 10, "predicted_us": 10, "ratio": 1, "off": False},
        ("bruck", 5): {"measured_us": 40, "predicted_us": 400, "ratio": 0.1, "off": True},
    }
    printed = capsys.readouterr().out
    assert "Measured over predicted by contention" in printed
    assert "Off by more than a factor of 2" in printed
    text = figure.read_text()
    assert [
        word for word in ("measured / predicted", ">ring<", ">bruck<") if word not in text
    ] == []


def test_each_distribution_has_its_own_prices(
    launch: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Bruck takes 7 us with spike, and 40 with equal blocks."""
    costs = prices(tmp_path, "bruck 5 14 spike", "bruck 5 40")
    out = tmp_path / "out.csv"
    assert main(["predict", str(launch), "--costs", str(costs), "--csv", str(out)]) == 0
    assert pd.read_csv(out).set_index("distribution")["ratio"].to_dict() == {
        "regular": 1,
        "spike": 0.5,
    }
    assert "spike" not in capsys.readouterr().out  # it is not off by more than a factor of 2
    assert main(["predict", str(launch), "--costs", str(costs), "--off", "1.5"]) == 0
    assert "spike" in capsys.readouterr().out


def test_the_furthest_cases_come_first(launch: Path, tmp_path: Path, capsys: Capture) -> None:
    costs = prices(tmp_path, "ring 2 8", "ring 5 2", "bruck 5 400")
    assert main(["predict", str(launch), "--costs", str(costs), "--off", "1.5"]) == 0
    off = capsys.readouterr().out.partition("Off by more than a factor of 1.5")[2]
    rows = [line.split() for line in off.splitlines() if "allgather" in line]
    assert [float(row[-1]) for row in rows] == [0.1, 5, 2]
    assert main(["predict", str(launch), "--costs", str(costs), "--off", "11"]) == 0
    assert "No case is off by more than a factor of 11." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("us,ok", "bytes,ok"), ["unit: 'bytes'", "legal: us"]),
        (
            ("contention,ring,4,,,,regular,5", "hockney,ring,4,,,,regular,5"),
            ["model: 'contention, hockney'"],
        ),
        (
            ("ring,4,,,,regular,5", "ring,4,,,,regular,2"),
            ["several prices of ring, distribution regular, at 4 ranks with 2 bytes"],
        ),
        (("ring,4", "ring,8"), ["has no price of a case", "it has ring at ranks 8"]),
        ((",8,,us", ",,,us"), ["a row with status ok has no cost"]),
        (("cost,", "costs,"), ["costs.csv"]),
    ],
)
def test_bad_prices(
    launch: Path, tmp_path: Path, capsys: Capture, change: tuple[str, str], parts: list[str]
) -> None:
    costs = prices(tmp_path, "ring 2 8", "ring 5 10")
    costs.write_text(costs.read_text().replace(*change))
    assert main(["predict", str(launch), "--costs", str(costs)]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("text", ["1", "0.5", "x", "inf", "nan"])
def test_bad_factor(launch: Path, tmp_path: Path, capsys: Capture, text: str) -> None:
    costs = prices(tmp_path, "ring 2 8")
    given = ["predict", str(launch), "--costs", str(costs), "--off", text]
    with pytest.raises(SystemExit):
        main(given)
    assert f"--off: '{text}' is no factor; legal: a number above 1" in capsys.readouterr().err
