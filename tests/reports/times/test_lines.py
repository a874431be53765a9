# SPDX-License-Identifier: BSD-3-Clause
"""Figures of lines and points: scaling, speed-up, variation, series, and the page's parts."""

import re
import warnings
from argparse import Namespace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from agformats.errors import BadInput
from agreport import commands
from agreport.cli.later import Module
from agreport.cli.settle import default_metric
from agreport.data.load import Results
from agreport.figure.looks import LOOKS, looks
from agreport.figure.medium import ENDINGS, Medium, drawn_for
from agreport.figure.sheet import Sheet
from agreport.main import main
from agreport.page.chapters import CHAPTERS
from agreport.page.sections import sections
from agreport.stats.contest import Contest
from agreport.stats.medians import points, speed_up
from agreport.times import scaling, series, variation
from shared.checksums import checksummed

from ..conftest import HEADER
from ..support import fake_arrivals
from ..support.commands import Capture, Rows, Write
from ..support.loading import load
from ..support.sheets import check_files, texts

TEN = [9.0, 9.0, 10.0, 10.0, 11.0, 11.0]  # median 10, interval 9 to 11
BY_AVG = Namespace(metric="avg", normal=False)


def against(x: str) -> Namespace:
    drawn: dict[str, Any] = {"first": None, "start": 1, "not_drawn": 0, "top": None}
    return Namespace(x=x, metric="avg", y="time", algorithms=[], **drawn)


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
    return [axes for axes in sheet.figure.axes if isinstance(axes, Axes)]


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
    page = scaling.draw(results, points(results, "avg"), against("bytes"))
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
    page = scaling.draw(growing, points(growing, "avg"), against("bytes"))
    said = texts(page)
    assert {"2 ranks", "4 ranks", "block size (bytes)", scaling.NO_VALUE} <= set(said)
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
    assert len(two.collections) == 6, "a band each, and bars"


def test_scaling_by_ranks(growing: Results) -> None:
    page = scaling.draw(growing, points(growing, "avg"), against("ranks"))
    assert {"blocks of 1 B", "blocks of 1 KiB", "ranks"} <= set(texts(page))
    ticks = [tick.get_text() for tick in axes_of(page)[0].get_xticklabels()]
    assert ticks == ["2", "4"]


@pytest.mark.parametrize(
    ("y", "expected", "name"),
    [
        ("ratio", [20 / 5, 18 / 5, 22 / 5], "time / lowest time"),
        # 1 KiB from the other rank in 20 us, from 22 to 18.
        ("bandwidth", [1.024 / 20, 1.024 / 22, 1.024 / 18], "bus bandwidth (GB/s)"),
    ],
)
def test_what_is_made_of_times(
    write: Write, rows: Rows, y: str, expected: list[float], name: str
) -> None:
    case = [
        line
        for algorithm, times in (("ring", [2 * t for t in TEN]), ("bruck", [5.0] * 6))
        for line in rows(algorithm, times, ranks=2, size=1024)
    ]
    results = load([str(write("a.csv", case))])
    options = Namespace(**{**vars(against("bytes")), "y": y})
    found = scaling.table(results, options)
    ring = chosen(found, "ring")[["value", "low", "high"]].tolist()
    assert ring == pytest.approx(expected)
    assert name in texts(scaling.draw(results, found, options))


def test_intervals_of_bandwidths(write: Write, rows: Rows, capsys: Capture) -> None:
    """1 KiB from the other rank in 10 us, from 11 to 9: the longest time is the lowest."""
    path = write("a.csv", rows("ring", TEN, ranks=2, size=1024))
    assert main(["times", str(path), "--value", "bandwidth", "--intervals"]) == 0
    printed = capsys.readouterr().out
    assert "In brackets: 95 % confidence interval" in printed
    assert "0.102* (0.0931 to 0.114)" in printed


@pytest.mark.parametrize("has_cycles", [False, True])
def test_the_command_of_a_caption_draws_the_same_metric(
    write: Write, rows: Rows, has_cycles: bool
) -> None:
    cycle = ",cycle_us" if has_cycles else ""
    path = write("a.csv", rows("native", TEN), rows("ring", TEN))
    text = path.read_text().replace(f"{HEADER}\n", f"{HEADER}{cycle}\n")
    if has_cycles:
        text = text.replace(",ok,\n", ",ok,,20\n")
    path.write_text(checksummed(text))
    results = load([str(path)])
    ordinary = default_metric(results)
    assert ordinary == ("cycle" if has_cycles else "avg")
    for metric in ("min", "avg", "cycle", "schedule"):
        options = Namespace(**{**vars(against("bytes")), "metric": metric})
        is_said = metric not in (ordinary, "schedule")
        assert (f" --metric {metric}" in scaling.again(results, options)) == is_said


@pytest.mark.slow
def test_only_the_best_are_drawn(write: Write, rows: Rows, tmp_path: Path) -> None:
    """a0 is the best, a9 the worst but for native, which is drawn all the same."""
    names = {**{f"a{place}": 10.0 + place for place in range(10)}, "native": 99.0}
    path = write("a.csv", [line for name, t in names.items() for line in rows(name, [t] * 6)])
    results = load([str(path)])
    options = against("bytes")
    found = scaling.table(results, options)
    assert set(found["algorithm"]) == {*(f"a{place}" for place in range(7)), "native"}
    said = (
        "3 algorithms further from the best in the median case are not drawn; --top 11 draws all."
    )
    assert any(text.endswith(said) for text in texts(scaling.draw(results, found, options)))
    spread = variation.variations(results, Namespace(**vars(options), united=False))
    assert spread.index.unique("algorithm").size == 8
    for given, count in (["--top", "2"], 2), (["--algorithms", ",".join(names)], 11):
        numbers = tmp_path / "numbers.csv"
        more = [*given, "-o", str(tmp_path / "a.png"), "--csv", str(numbers)]
        assert main(["scaling", str(path), *more]) == 0
        assert pd.read_csv(numbers)["algorithm"].nunique() == count


def test_top_names_how_many_all_are(write: Write, rows: Rows) -> None:
    """Also where those that are drawn are not in all panels: all-to-alls have other names."""
    cases = [
        [line for name in "abcdef" for line in rows(f"{kind}-{name}", [10.0] * 6, ranks=ranks,
                                                    place=f"{kind},{{}},regular,none,cyclic")]
        for kind, counts in (("allgather", range(2, 30)), ("alltoall", [2]))
        for ranks in counts
    ]  # fmt: skip
    results = load([str(write("a.csv", *cases))])
    options = against("bytes")
    found = scaling.table(results, options)
    said = " ".join(texts(scaling.draw(results, found, options)))
    assert "4 algorithms further from the best in the median case are not drawn" in said
    assert "; --top 12 draws all." in said


def test_a_wide_band_sets_no_axis(write: Write, rows: Rows) -> None:
    wild = [1.0, 1.0, 10.0, 10.0, 4000.0, 4000.0]
    results = load([str(write("a.csv", [*rows("ring", TEN), *rows("bruck", wild)]))])
    found = points(results, "avg")
    assert found["high"].max() == 4000
    (axes,) = axes_of(scaling.draw(results, found, against("bytes")))
    assert axes.get_ylim()[1] < 20


@pytest.mark.slow
def test_panels_that_do_not_fit_are_named(write: Write, rows: Rows) -> None:
    """In the catalogue's order: regular is the first, geometric the last. Algorithms are the
    furthest apart with 6 ranks, so those panels come first."""
    distributions = ("geometric", "linear", "half_full", "spike", "broadcast", "regular")
    cases = []
    for name, ranks in product(distributions, range(2, 7)):
        where: dict[str, Any] = {"ranks": ranks, "place": f"allgatherv,{{}},{name},none,cyclic"}
        cases.append([*rows("ring", [5.0], **where), *rows("bruck", [5.0 * ranks], **where)])
    results = load([str(write("a.csv", *cases))])
    page = scaling.draw(results, points(results, "avg"), against("bytes"))
    panels = [axes.get_title() for axes in axes_of(page)]
    assert len(panels) == 12
    assert panels[0] == "regular, 5 ranks" and panels[11] == "geometric, 6 ranks"
    assert all(title.endswith(("5 ranks", "6 ranks")) for title in panels)
    told = (
        "Drawn: 1 to 12 of 30 panels, by how many times as long the slowest algorithm takes as the "
        "fastest (median of a panel); agreport scaling --x bytes --from 13 draws more."
    )
    assert any(text.endswith(told) for text in texts(page))
    rest = Namespace(**{**vars(against("bytes")), "start": 25})
    page = scaling.draw(results, points(results, "avg"), rest)
    panels = [axes.get_title() for axes in axes_of(page)]
    assert len(panels) == 6 and panels[-1] == "geometric"
    assert any("2 ranks" in text for text in texts(page)), "what all panels have in common"


@pytest.mark.parametrize("y", ["time", "speedup", "impact"])
def test_panels_are_in_the_order_that_is_named(growing: Results, y: str) -> None:
    """Of quotients the order is of these, not of how long the slowest algorithm takes."""
    options = Namespace(**{**vars(against("bytes")), "y": y, "first": 1, "baseline": "native"})
    said = " ".join(texts(scaling.draw(growing, points(growing, "avg"), options)))
    word = {"speedup": "the lowest speed-up", "impact": "the lowest impact"}.get(y, "the slowest")
    assert "Drawn: 1 to 1 of 2 panels, by how many times " in said and word in said


@pytest.mark.slow
@pytest.mark.parametrize(("width_cm", "paper"), [(17, False), (8.5, False), (8.5, True)])
def test_many_panels_fit_a_page(write: Write, rows: Rows, width_cm: float, paper: bool) -> None:
    """It is a thesis's page, 24 cm high; with as many algorithms as are drawn, and one unit in all
    panels."""
    cases = [
        [line for name in (*LOOKS,)[:8] for line in rows(name, [ranks**4 + 1.0], ranks=ranks)]
        for ranks in range(2, 32)
    ]
    results = load([str(write("a.csv", *cases))])
    with drawn_for(Medium(width_cm, paper)):
        page = scaling.draw(results, points(results, "avg"), against("bytes"))
    assert page.figure.get_figheight() * 2.54 <= 24
    assert len({axes.get_ylabel() for axes in axes_of(page)}) == 1


def test_time_to_make_a_schedule(growing: Results) -> None:
    """Half of ring's calls had the schedule of the one before; the others make none."""
    times = growing.rows["algorithm"].map({"ring": 50.0}).astype(float)
    times = times.where(growing.rows["iteration"] % 2 == 0, times * 0)
    results = growing.keep(growing.rows.assign(schedule_us=times))
    options = Namespace(**{**vars(against("ranks")), "y": "schedule", "metric": None})
    made = scaling.settle_vertical(options, results)
    found = scaling.table(made, options).dropna(subset="value")
    assert set(found["algorithm"]) == {"ring"} and set(found["value"]) == {50}
    said = texts(scaling.draw(made, scaling.table(made, options), options))
    assert any(text.startswith("time to make a schedule (") for text in said)
    assert any("had the schedule of the one before do not count" in text for text in said)
    for refused, message in (
        (growing.keep(growing.rows.assign(schedule_us=0.0)), "as no call made a schedule"),
        (results, "--metric run: does not go with --y schedule"),
    ):
        options = Namespace(y="schedule", metric="run" if refused is results else None)
        with pytest.raises(BadInput, match=message):
            scaling.settle_vertical(options, refused)


def test_a_normal_distribution_over_the_histogram(write: Write, rows: Rows) -> None:
    """It has as many iterations as there are, and its peak at their mean."""
    times = np.random.default_rng(1).normal(100, 5, 400).tolist()
    results = load([str(write("a.csv", [*rows("ring", times), *rows("bruck", [90.0] * 9)]))])
    options = Namespace(metric="avg", normal=True)
    page = series.draw(results, series.series(results, options), options)
    _, ring, _, bruck = axes_of(page)
    curves = [
        [line for line in axes.lines if np.size(line.get_xdata()) > 2] for axes in (ring, bruck)
    ]
    assert [len(each) for each in curves] == [1, 0], "equal times have no spread"
    across, down = (np.asarray(values) for values in curves[0][0].get_data())
    assert 0.97 * 400 < down.sum() <= 400
    assert across[down.argmax()] == pytest.approx(np.mean(times), abs=1)
    said = texts(page)
    assert "normal distribution" in said
    assert any("none where all times are equal" in text for text in said)


@pytest.mark.slow
def test_variation(write: Write, rows: Rows) -> None:
    """ring: 20 %, 40 %, one without, and 1 % under one mapping alone, which is not united; with the
    mapping that is faster 9.9 % instead of 20 %."""
    cyclic = "allgather,{},regular,none,cyclic"

    def spread(percent: float, mean: float = 10.0) -> list[float]:
        off = mean * percent / 100 / 2**0.5  # of two values, with n - 1
        return [mean - off, mean + off]

    path = write(
        "a.csv", rows("ring", spread(20)), rows("ring", spread(40), size=2),
        rows("ring", [5], size=4), rows("ring", spread(9.9, 6), place=cyclic),
        rows("ring", spread(50, 90), size=2, place=cyclic), rows("ring", [9], size=4, place=cyclic),
        rows("ring", spread(1), size=8),
    )  # fmt: skip
    results = load([str(path)])
    options = Namespace(metric="avg", united=False, algorithms=[], top=None)
    found = variation.variations(results, options)
    both = found.xs("sequential", level="mapping")
    assert both["cv_percent"].tolist() == pytest.approx([20, 40, np.nan, 1], nan_ok=True)
    assert both["share"].tolist() == pytest.approx([2 / 3, 1, np.nan, 1 / 3], nan_ok=True)
    options = Namespace(metric="avg", united=True, algorithms=[], top=None)
    united = variation.variations(results, options)
    assert united["cv_percent"].tolist() == pytest.approx([9.9, 40, np.nan], nan_ok=True)
    page = variation.draw(results, united, options)
    said = texts(page)
    assert "allgather, regular, united mappings" in said
    assert any("Of 2 cases of an algorithm 1 are at or below 10 %." in text for text in said)
    line = axes_of(page)[0].lines[0]
    assert np.asarray(line.get_ydata()).tolist() == [0, 0.5, 1]
    assert np.asarray(line.get_xdata()).tolist() == pytest.approx([9.9, 9.9, 40])


@pytest.mark.slow
def test_series(tmp_path: Path) -> None:
    paths = [
        fake_arrivals.write(
            tmp_path / f"{launch}.csv",
            fake_arrivals.case("none", {"ring": [5.0, 99.0, 7.0]}, late={"ring": [1]}),
        )
        for launch in "ab"
    ]
    results = load([str(path) for path in paths])
    found = series.series(results, BY_AVG)
    assert found["avg_us"].tolist() == [5, 99, 7, 5, 99, 7]
    said = texts(series.draw(results, found, BY_AVG))
    assert "late: does not count" in said
    assert "next launch" in said
    assert any("allgather, sequential, regular, 4 ranks" in text for text in said)
    left, right = axes_of(series.draw(results, found, BY_AVG))
    dots, crosses = left.lines[0], left.lines[1]
    assert np.asarray(dots.get_ydata()).tolist() == [5, 7]
    assert np.asarray(crosses.get_xdata()).tolist() == [1]
    assert sum(patch.get_height() for patch in right.patches) == 4  # type: ignore[attr-defined]


def test_many_points_are_an_image(
    write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be most of a page as shapes."""
    monkeypatch.setattr(series, "MOST_SHAPES", 4)
    case = [*rows("ring", [10.0, 11.0, 12.0] * 2), *rows("bruck", [10.0, 11.0])]
    results = load([str(write("a.csv", case))])
    page = series.draw(results, series.series(results, BY_AVG), BY_AVG)
    many, few = (axes.lines[0] for axes in axes_of(page)[::2])
    assert many.get_rasterized() and not few.get_rasterized()


def test_one_iteration_chooses_no_case(write: Write, rows: Rows) -> None:
    outlier, wild = [*[10.0] * 39, 90000.0], [10.0, 15.0] * 20
    path = write("a.csv", rows("ring", outlier), rows("ring", wild, size=64))
    found = series.select_most_varied(load([str(path)]), BY_AVG)
    assert found is not None and found.rows["bytes"].unique().tolist() == [64]


@pytest.mark.slow
def test_one_iteration_sets_no_axis(write: Write, rows: Rows) -> None:
    steady = [10.0, 11.0] * 20
    case = [*rows("ring", [*steady, 5000.0]), *rows("bruck", steady)]
    results = load([str(write("a.csv", case))])
    page = series.draw(results, series.series(results, BY_AVG), BY_AVG)
    said = texts(page)
    assert any(text.endswith(", 1 beyond the axes, up to 5 ms") for text in said)
    assert sum("beyond the axes" in text for text in said) == 1
    assert "beyond the axis" in said
    left, right, *_ = axes_of(page)
    assert left.get_ylim()[1] < 20 and right.get_xlim()[1] < 20
    (triangle,) = [line for line in left.lines if line.get_marker() == "^"]
    assert np.asarray(triangle.get_xdata()).tolist() == [40]


@pytest.mark.slow
def test_series_is_of_one_case(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(example.with_name("a.png"))
    assert main(["series", str(example), "-o", output]) == 2
    said = capsys.readouterr().err
    assert "the filters leave 7 cases, and one is drawn; they differ in bytes" in said
    assert said.rstrip().endswith("choose with --bytes")
    assert main(["series", str(example), "--bytes", "1", "-o", output]) == 0


def test_series_has_no_row_of_a_case_without_times(write: Write, rows: Rows) -> None:
    """At 2 B ring was wrong in one launch, so what the other launch measured there counts for
    nothing; at 4 B it was late."""
    cases = [rows("ring", [10.0, 11.0])], [rows("ring", [12.0]), rows("ring", [99.0], size=2)]
    wrong = rows("ring", size=2, status="wrong", reason="byte 3")
    late = [line.replace(",ok,", ",late,") for line in rows("ring", [50.0], size=4)]
    files = write("a.csv", *cases[0], wrong, start="1"), write("b.csv", *cases[1], late, start="2")
    results = series.one_case(BY_AVG, load([str(file) for file in files]))
    assert series.series(results, BY_AVG)["avg_us"].tolist() == [10, 11, 12]


def test_one_iteration_a_launch_does_not_vary(write: Write, rows: Rows) -> None:
    files = [write(f"{us}.csv", rows("ring", [us]), start=str(us)) for us in (10.0, 12.0)]
    results = load([str(file) for file in files])
    said = texts(series.draw(results, series.series(results, BY_AVG), BY_AVG))
    assert "ring" in said
    assert not any("nan" in text or "coefficient of variation" in text for text in said)


def test_a_cycle_is_timed_once_a_turn(write: Write, rows: Rows) -> None:
    """24 iterations in turns of ten, of which two are whole."""
    path = write("a.csv", rows("ring", [10.0 + n for n in range(24)]))
    text = path.read_text().replace(f"{HEADER}\n", f"{HEADER},cycle_us\n")
    for place, line in enumerate(rows("ring", [10.0 + n for n in range(24)])):
        text = text.replace(line, f"{line},{20 + place if place % 10 == 9 else ''}")
    path.write_text(checksummed(text))
    results = load([str(path)])
    by_cycle = Namespace(metric="cycle", normal=True, united=False, algorithms=[], top=None)
    drawn = texts(series.draw(results, series.series(results, by_cycle), by_cycle))
    assert {"turn, launch after launch", "turns"} <= {*drawn}
    assert any(text.startswith("Cycle time of every turn") for text in drawn)
    spread = variation.draw(results, variation.variations(results, by_cycle), by_cycle)
    assert any("over all turns of a case" in text for text in texts(spread))
    options = Namespace(**{**vars(against("bytes")), "metric": "cycle"})
    lines = scaling.draw(results, scaling.table(results, options), options)
    assert any("no band below 6 turns" in text for text in texts(lines))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        one.name
        for one in commands.reports()
        # Figures of patterns, and of what goes on beside calls (test_beside.py), are left out.
        if one.draw
        and one.load == Module("cli.inputs").load_selected
        and one.name not in ("absorption", "impact")
    ],
)
def test_files_of_each_figure(example: Path, tmp_path: Path, command: str) -> None:
    """The files are SVG and PDF; test_stored_figures.py has PNG."""
    more = {"series": ["--bytes", "1"], "speedup": ["--baseline", "ring"]}.get(command, [])
    numbers = tmp_path / "numbers.csv"
    kinds, twice = (
        (ENDINGS, ENDINGS) if command in ("heatmap", "boxplot") else ((".svg", ".pdf"), (".svg",))
    )
    check_files(tmp_path, command, example, *more, "--csv", numbers, kinds=kinds, twice=twice)
    assert len(pd.read_csv(numbers)) > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("speedup {} -o a.png", "--baseline: 'native' is not an algorithm with times"),
        ("speedup {} -o a.png --algorithms ring", "--baseline: 'native' is not an algorithm"),
        ("speedup {} -o a.png --algorithms ring --baseline rink", "--baseline: 'rink' is not an"),
        ("speedup {} -o a.png --baseline ring --bytes 16 --algorithms bruk", "nearest: bruck"),
        ("scaling {} -o a.gif", "must end in one of"),
        ("selection {} -o a.png --united", "--united: only one mapping"),
        ("variation {} -o a.png --algorithms none", "'none' is not in these files"),
        ("venn {} -o a.png --algorithm rink", "nearest: ring"),
    ],
)
def test_bad_input(
    example: Path, arguments: str, said: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    drawn = list(sections(CHAPTERS, growing, contest, "avg"))
    assert [one.heading for one in drawn] == [
        "How many times as long ring takes as the best algorithm", "Speed-up over native", "Times",
        "Which algorithm to select",
        "Time against block size", "Time against ranks", "How much iterations vary",
        "The iterations of the case that varies most",
        "Where ring wins", "By how much", "", "Against some of the others only",
        "Fastest by min, avg and max",
    ]  # fmt: skip
    figures = [one for one in drawn if one.figure]
    assert [one for one in drawn if one not in figures] == [drawn[2], *drawn[10:12]], "the tables"
    assert all(one.figure.startswith(("<svg", "<div")) and one.caption for one in figures)
    assert all("http" not in re.sub(r"xmlns(:xlink)?=\S+", "", one.figure) for one in figures)
    folds = {"Loch" in one.fold for one in drawn[8:]}, {one.fold for one in drawn[:8]}
    assert folds == ({True}, {""})


@pytest.mark.parametrize("report", ["scaling", "speedup", "arrival"])
def test_times_of_zero_are_drawn_without_a_warning(
    write: Write, rows: Rows, tmp_path: Path, report: str
) -> None:
    """Python and matplotlib warned on standard error, with the paths of sources."""
    cases = []
    for size in (64, 128):
        kept = [*rows("native", 3 * [1], size=size), *rows("ring", 3 * [1], size=size)]
        cases.append([row.replace(",0,1,3,4,", ",0,0,0,0,") for row in kept])
        assert ",0,0,0,0," in cases[-1][0]
    output = tmp_path / "a.svg"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = main([report, str(write("a.csv", *cases)), "-o", str(output)])
    assert (code, output.exists()) in {(0, True), (2, False)}
    assert report == "speedup" or code == 0
