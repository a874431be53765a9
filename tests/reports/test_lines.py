# SPDX-License-Identifier: BSD-3-Clause
"""Figures of lines and points: scaling, speed-up, variation, series, and the page's parts."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from agreport.cli.options import load_selected
from agreport.data.load import Results, load
from agreport.figure.sheet import ENDINGS, Sheet, looks
from agreport.main import RESULT_REPORTS, main
from agreport.page.figures import figures
from agreport.stats.contest import Contest
from agreport.stats.medians import points, speed_up
from agreport.times import scaling, series, variation

from . import fake_arrivals
from .test_figures import MAGIC, texts

Rows = Callable[..., list[str]]
Write = Callable[..., Path]
TEN = [9.0, 9.0, 10.0, 10.0, 11.0, 11.0]  # median 10, interval 9 to 11


@pytest.fixture
def growing(write: Write, rows: Rows) -> Results:
    """native 10 (9 to 11); ring twice, but wrong at 2 ranks and 1K; bruck skipped at 4 ranks."""
    cases = []
    for ranks in (2, 4):
        for size in (1, 1024):
            bad = ranks == 2 and size == 1024
            case = rows("native", TEN, ranks=ranks, size=size)
            case += rows(
                "ring", [2 * t for t in TEN], ranks=ranks, size=size,
                **({"status": "wrong", "reason": "byte 3"} if bad else {}),
            )  # fmt: skip
            case += (
                rows("bruck", [5.0] * 6, ranks=ranks, size=size)
                if ranks == 2
                else rows("bruck", ranks=ranks, size=size, status="skipped", reason="odd")
            )
            cases.append(case)
    return load([str(write("a.csv", *cases, registry="ring,bruck,native"))])


def axes_of(sheet: Sheet) -> list[Axes]:
    return [axes for axes in sheet.body.axes if isinstance(axes, Axes)]


def chosen(found: pd.DataFrame, algorithm: str, **where: int) -> pd.Series:
    rows = found[found["algorithm"] == algorithm]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_points(growing: Results) -> None:
    found = points(growing, "avg")
    assert len(found) == 4 * 3, "also what has no time"
    native = chosen(found, "native", ranks=2, bytes=1)
    assert native[["value", "low", "high", "status"]].tolist() == [10, 9, 11, "ok"]
    assert chosen(found, "ring", ranks=2, bytes=1024)["status"] == "wrong"
    assert np.isnan(chosen(found, "ring", ranks=2, bytes=1024)["value"])
    assert chosen(found, "bruck", ranks=4, bytes=1)["status"] == "skipped"


def test_a_panel_without_any_time_is_there(write: Write, rows: Rows) -> None:
    wrong = rows("ring", size=4, status="wrong", reason="byte 3")
    results = load([str(write("a.csv", rows("ring", TEN, ranks=2), wrong))])
    page = scaling.draw(results, points(results, "avg"), "bytes", "avg")
    assert {"2 ranks", "4 ranks"} <= set(texts(page))
    assert any("1 point has no value: 1 wrong" in text for text in texts(page))


def test_speed_up(growing: Results) -> None:
    found = speed_up(points(growing, "avg"), "native")
    assert set(found["algorithm"]) == {"ring", "bruck"}
    ring = chosen(found, "ring", ranks=4, bytes=1)
    # 10 / 20, from 9 / 22 to 11 / 18.
    assert ring[["value", "low", "high"]].tolist() == pytest.approx([0.5, 9 / 22, 11 / 18])
    bruck = chosen(found, "bruck", ranks=2, bytes=1)
    assert bruck[["value", "low", "high"]].tolist() == pytest.approx([2, 9 / 5, 11 / 5])
    base = speed_up(points(growing, "avg"), "ring")
    assert chosen(base, "bruck", ranks=2, bytes=1024)["status"] == "no baseline"


def test_scaling_shows_what_is_missing(growing: Results) -> None:
    page = scaling.draw(growing, points(growing, "avg"), "bytes", "avg")
    said = texts(page)
    assert {"2 ranks", "4 ranks", "block size (bytes)", "skipped, wrong or not measured"} <= set(
        said
    )
    assert any("3 points have no value: 2 skipped, 1 wrong." in text for text in said)
    two, four = axes_of(page)
    for axes in (two, four):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    crosses = {
        str(to_hex(line.get_color())): len(np.atleast_1d(line.get_xdata()))
        for line in four.lines
        if line.get_marker() == "x" and len(np.atleast_1d(line.get_xdata()))
    }
    assert crosses == {looks(growing.catalogue)["bruck"].colour.lower(): 2}
    heights = [line.get_ydata() for line in two.lines if line.get_marker() != "x"]
    assert np.isnan(np.asarray(heights[0], float)[1]), "the line of ring breaks"
    assert len(two.collections) == 3, "a band each"


def test_scaling_by_ranks(growing: Results) -> None:
    page = scaling.draw(growing, points(growing, "avg"), "ranks", "avg")
    assert {"blocks of 1 B", "blocks of 1 KiB", "ranks"} <= set(texts(page))
    ticks = [tick.get_text() for tick in axes_of(page)[0].get_xticklabels()]
    assert ticks == ["2", "4"]


def test_variation(write: Write, rows: Rows) -> None:
    """ring: 20 %, 40 % and one without; with the mapping that is faster 9.9 % instead of 20 %."""
    cyclic = "allgather,{},regular,none,cyclic"

    def spread(percent: float, mean: float = 10.0) -> list[float]:
        off = mean * percent / 100 / 2**0.5  # of two values, with n - 1
        return [mean - off, mean + off]

    path = write(
        "a.csv", rows("ring", spread(20)), rows("ring", spread(40), size=2),
        rows("ring", [5], size=4), rows("ring", spread(9.9, 6), place=cyclic),
    )  # fmt: skip
    results = load([str(path)])
    found = variation.variations(results, "avg", united=False)
    both = found.xs("sequential", level="mapping")
    assert both["cv_percent"].tolist() == pytest.approx([20, 40, np.nan], nan_ok=True)
    assert both["share"].tolist() == pytest.approx([0.5, 1, np.nan], nan_ok=True)
    united = variation.variations(results, "avg", united=True)
    assert united["cv_percent"].tolist() == pytest.approx([9.9, 40, np.nan], nan_ok=True)
    page = variation.draw(results, united, "avg", united=True)
    said = texts(page)
    assert "allgather, regular, united mappings" in said
    assert any("Of 2 cases of an algorithm 1 are at or below 10 %." in text for text in said)
    line = axes_of(page)[0].lines[0]
    assert np.asarray(line.get_ydata()).tolist() == [0, 0.5, 1]
    assert np.asarray(line.get_xdata()).tolist() == pytest.approx([9.9, 9.9, 40])


def test_series(tmp_path: Path) -> None:
    paths = [
        fake_arrivals.write(
            tmp_path / f"{launch}.csv",
            fake_arrivals.case("none", {"ring": [5.0, 99.0, 7.0]}, late={"ring": [1]}),
        )
        for launch in "ab"
    ]
    results = load([str(path) for path in paths])
    found = series.series(results, "avg")
    assert found["avg_us"].tolist() == [5, 99, 7, 5, 99, 7]
    said = texts(series.draw(results, "avg"))
    assert "late: does not count" in said
    assert "next launch" in said
    assert any("allgather, sequential, regular, 4 ranks, 1 node" in text for text in said)
    left, right = axes_of(series.draw(results, "avg"))
    dots, crosses = left.lines[0], left.lines[1]
    assert np.asarray(dots.get_ydata()).tolist() == [5, 7]
    assert np.asarray(crosses.get_xdata()).tolist() == [1]
    assert sum(patch.get_height() for patch in right.patches) == 4  # type: ignore[attr-defined]


def test_series_is_of_one_case(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(example.with_name("a.png"))
    assert main(["series", str(example), "-o", output]) == 2
    said = capsys.readouterr().err
    assert "the filters leave 7 cases, and one is drawn; they differ in bytes" in said
    assert said.rstrip().endswith("choose with --bytes")
    assert main(["series", str(example), "--bytes", "1", "-o", output]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "command", [one.name for one in RESULT_REPORTS if one.draw and one.load is load_selected]
)
def test_files_of_each_kind(example: Path, tmp_path: Path, command: str, ending: str) -> None:
    output, numbers = tmp_path / f"figure{ending}", tmp_path / "numbers.csv"
    more = {"series": ["--bytes", "1"], "speedup": ["--baseline", "ring"]}.get(command, [])
    arguments = [command, str(example), *more, "-o", str(output), "--csv", str(numbers)]
    assert main(arguments) == 0
    data = output.read_bytes()
    assert data.startswith(MAGIC[ending])
    assert main(arguments) == 0
    assert output.read_bytes() == data, "the same results give the same file"
    assert len(pd.read_csv(numbers)) > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("speedup {} -o a.png", "--baseline: 'native' is not an algorithm with times"),
        ("speedup {} -o a.png --baseline ring --bytes 16 --algorithms bruk", "nearest: bruck"),
        ("scaling {} -o a.gif", "must end in one of"),
        ("selection {} -o a.png --united", "--united: only one mapping"),
        ("variation {} -o a.png --algorithms none", "'none' is not in these files"),
        ("venn {} -o a.png --algorithm rink", "nearest: ring"),
    ],
)
def test_bad_input(
    example: Path, arguments: str, said: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(example.parent)
    try:
        code: object = main(arguments.format(example).split())
    except SystemExit as leaving:
        code = leaving.code
    assert code == 2
    assert said in capsys.readouterr().err
    assert not Path("a.png").exists()


@pytest.mark.slow
def test_parts_of_the_page(growing: Results) -> None:
    contest = Contest("ring", ["native", "bruck"], "mean")
    drawn = list(figures(RESULT_REPORTS, growing, contest, "avg"))
    assert [one.heading for one in drawn] == [
        "Which algorithm to select", "Time against block size", "Time against ranks",
        "Speed-up over native", "Fastest by min, avg and max", "How much iterations vary",
        "The iterations of the case that varies most",
    ]  # fmt: skip
    assert all(one.image.startswith("data:image/png;base64,") and one.alt for one in drawn)
