# SPDX-License-Identifier: BSD-3-Clause
"""Absorption and ratios of run times, of algorithms that absorb what is known."""

from argparse import Namespace
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agformats.errors import BadInput
from agreport.arrivals import absorption
from agreport.arrivals.absorption_table import (
    Comparison,
    absorption_table,
    fastest,
    find_missing_balanced,
    sample_tests,
    share_passing,
    warn_of_dependence,
    with_run_times,
)
from agreport.arrivals.absorption_table import absorption as absorption_of
from agreport.data.load import Results
from agreport.figure import looks
from agreport.figure.sheet import Sheet
from agreport.main import main

from ..support.commands import Capture, refused
from ..support.fake_arrivals import case, write
from ..support.loading import load
from ..support.sheets import check_files, texts

pytestmark = pytest.mark.slow

NOISE = np.random.default_rng(1).normal(0, 1, 60)
PAIRED = Comparison("all", True, 2000)


def drawn(imbalance: str = "normalised", x: str = "imbalance") -> Namespace:
    return Namespace(
        comparison=PAIRED, x=x, imbalance=imbalance, first=None, start=1, size_by="block"
    )


def rows(
    results: Results, comparison: Comparison = PAIRED
) -> dict[tuple[str, str], dict[Hashable, Any]]:
    records = absorption_table(results, comparison).reset_index().to_dict("records")
    return {(row["arrival"], row["algorithm"]): row for row in records}


def delayed(delay: int, imbalance: float, size: int = 1024) -> list[str]:
    """Run times of three algorithms that take 200, 210 and 220 us when balanced.

    `all` absorbs everything (no slowdown), `nothing` nothing, `worse` even adds 50 us.
    """
    return case(
        f"delayed:rank=3,delay={delay}us",
        {
            "all": 200 + NOISE,
            "nothing": 210 + NOISE + imbalance,
            "worse": 220 + NOISE + imbalance + 50,
        },
        imbalance=imbalance,
        asked=delay,
        size=size,
    )


def balanced() -> list[str]:
    return case("none", {"all": 200 + NOISE, "nothing": 210 + NOISE, "worse": 220 + NOISE})


@pytest.fixture
def known(tmp_path: Path) -> Path:
    return write(tmp_path / "a.csv", balanced(), delayed(100, 101), delayed(40, 41))


def test_absorption(known: Path) -> None:
    results = load([str(known)])
    found = rows(results)
    here = {name: found["delayed:rank=3,delay=100us", name] for name in ("all", "nothing", "worse")}
    assert here["all"]["absorbed_n"] == pytest.approx(here["all"]["imbalance_n"])
    assert here["all"]["imbalance_n"] == pytest.approx(101 / 200, rel=0.01)
    assert here["nothing"]["absorbed_us"] == pytest.approx(0, abs=1e-6)
    assert here["worse"]["absorbed_us"] == pytest.approx(-50)
    assert here["worse"]["absorbed_n"] == pytest.approx(-50 / 220, rel=0.01)
    for row in here.values():
        assert row["absorbed_n_low"] <= row["absorbed_n"] <= row["absorbed_n_high"]
        assert row["absorbed_n_high"] - row["absorbed_n_low"] < 0.01
    assert np.isnan(found["none", "all"]["absorbed_n"])
    assert find_missing_balanced(absorption_table(results, PAIRED)) == []


def test_a_random_pattern_is_another_in_each_iteration() -> None:
    """10, 20 and 60 us were absorbed; the difference of the medians is 110 - 150 + 100 = 60."""
    times = np.array([[200.0, 100.0], [150.0, 100.0], [130.0, 40.0]])
    balanced = np.array([[100.0, 0.0], [110.0, 0.0], [120.0, 0.0]])
    found = absorption_of(times, balanced)
    assert found["absorbed_us"] == 20
    assert found["absorbed_n"] == 20 / 110
    assert found["imbalance_n"] == 100 / 110


def test_ratios_to_the_reference(known: Path) -> None:
    found = rows(load([str(known)]))
    other = found["delayed:rank=3,delay=100us", "nothing"]
    assert other["ratio"] == pytest.approx(311 / 200, rel=0.01)
    assert other["p"] <= 0.001
    assert other["pairs"] == 60
    assert other["asked_imbalance_n"] == pytest.approx(100 / 200, rel=0.01)
    itself = found["delayed:rank=3,delay=100us", "all"]
    assert itself["ratio"] == 1
    assert np.isnan(itself["p"])
    unpaired = rows(load([str(known)]), Comparison("nothing", False, 2000))["none", "all"]
    assert unpaired["pairs"] == 0
    assert unpaired["ratio"] == pytest.approx(200 / 210, rel=0.01)


def test_alike_algorithms_do_not_differ_significantly(tmp_path: Path) -> None:
    other = np.random.default_rng(2).normal(0, 1, 60)
    path = write(
        tmp_path / "a.csv",
        case("uniform:max=9us", {"all": 200 + NOISE, "same": 200 + NOISE, "like": 200 + other}),
    )
    for paired in (True, False):
        found = rows(load([str(path)]), Comparison("all", paired, 20_000))
        assert found["uniform:max=9us", "same"]["p"] == 1
        assert found["uniform:max=9us", "like"]["p"] > 0.05


def of_simulation(folder: Path) -> Path:
    """`slow` takes 3.5 times as long, in each iteration."""
    times = {"all": [200.0] * 20, "slow": [700.0] * 20}
    late = case("delayed:rank=3,delay=40us", times, imbalance=40, asked=40)
    return write(folder / "a.csv", case("none", times), late, simulated="yes")


def test_times_without_noise_are_not_tested(tmp_path: Path, capsys: Capture) -> None:
    results = load([str(of_simulation(tmp_path))])
    found = rows(results)["delayed:rank=3,delay=40us", "slow"]
    assert found["ratio"] == 3.5
    assert np.isnan([found[name] for name in ("p", "absorbed_n_low", "absorbed_n_high")]).all()
    assert found["absorbed_us"] == 40
    sheet = absorption.draw(results, absorption_table(results, PAIRED), drawn())
    assert not [text for text in texts(sheet) if "significant" in text or text.startswith("p ")]
    assert "no noise, so nothing is tested" in sheet.caption
    points = [np.asarray(line.get_xdata()).size for line in sheet.figure.axes[0].get_lines()]
    assert points and 1 not in points, "a marker of significance"
    output = tmp_path / "a.png"
    assert main(["absorption", str(tmp_path / "a.csv"), "-o", str(output)]) == 0
    printed = capsys.readouterr()
    assert "samples" not in printed.out + printed.err


def test_launches_are_not_paired_with_each_other(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", case("none", {"all": 200 + NOISE}))
    two = write(tmp_path / "b.csv", case("none", {"other": 300 + NOISE}))
    row = rows(load([str(one), str(two)]))["none", "other"]
    assert row["pairs"] == 0
    assert row["p"] <= 0.001


def test_the_default_reference_is_the_fastest(known: Path) -> None:
    assert fastest(load([str(known)])) == "all"


def test_late_iterations_never_count(tmp_path: Path) -> None:
    slow = np.where(np.arange(60) % 3 == 0, 1e6, 200 + NOISE)
    late = {"all": np.flatnonzero(slow == 1e6).tolist()}
    path = write(
        tmp_path / "a.csv",
        case("none", {"all": slow}, late=late),
        case("delayed:rank=3,delay=5us", {"all": slow + 5}, imbalance=5, late=late),
    )
    found = rows(load([str(path)]))
    assert [row["iterations"] for row in found.values()] == [40, 40]
    assert found["delayed:rank=3,delay=5us", "all"]["absorbed_us"] == pytest.approx(0)
    assert max(row["run_us"] for row in found.values()) < 210


def test_a_missing_balanced_run_is_named(tmp_path: Path, capsys: Capture) -> None:
    path = write(
        tmp_path / "a.csv",
        case("none", {"all": 200 + NOISE, "nothing": 210 + NOISE}),
        delayed(40, 41),
        delayed(40, 41, size=4096),
    )
    output, numbers = tmp_path / "a.png", tmp_path / "a.csv.csv"
    assert main(["absorption", str(path), "-o", str(output), "--csv", str(numbers)]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "no balanced run" in line]
    where = "allgather, sequential, regular, 4 ranks, blocks of"
    assert said == [
        f"agreport: warning: worse: no balanced run (arrival none) of {where} 1 KiB",
        f"agreport: warning: all, nothing, worse: no balanced run (arrival none) of {where} 4 KiB",
    ]
    frame = pd.read_csv(numbers)
    lacking = frame[frame["absorbed_n"].isna() & (frame["arrival"] != "none")]
    assert lacking["algorithm"].tolist() == ["worse", "all", "nothing", "worse"]
    results = load([str(path)])
    sheet = absorption.draw(results, absorption_table(results, PAIRED), drawn())
    assert "no balanced run" in texts(sheet)
    assert "asked imbalance (\N{MICRO SIGN}s)" in texts(sheet), "cannot be normalised"
    assert "asked imbalance / t(balanced) of all" in texts(sheet)


def test_rows_without_a_common_clock_are_left_out(known: Path) -> None:
    results = load([str(known)])
    with pytest.raises(BadInput, match="the ranks had no common clock"):
        with_run_times(results.keep(results.rows.assign(run_us=np.nan)))
    some = results.rows["run_us"].where(results.rows["algorithm"] != "worse")
    kept = with_run_times(results.keep(results.rows.assign(run_us=some)))
    assert set(kept.rows["algorithm"]) == {"all", "nothing"}


def lines(sheet: Sheet, panel: int) -> list[list[tuple[float, float]]]:
    """Returns the line of each algorithm of a panel, without markers and the ends of bars."""
    found: dict[str, list[tuple[float, float]]] = {}
    for line in sheet.figure.axes[panel].get_lines():
        points = [
            (float(x), float(y)) for x, y in zip(*map(np.asarray, line.get_data()), strict=True)
        ]
        if len(points) > 1:
            found.setdefault(str(line.get_color()), points)
    return list(found.values())


def hollow(sheet: Sheet) -> list[tuple[str, int]]:
    """The marker of each algorithm that has hollow points, and how many."""
    found = [
        (str(line.get_marker()), len(np.atleast_1d(line.get_xdata())))
        for line in sheet.figure.axes[0].get_lines()
        if line.get_markerfacecolor() == "white"
    ]
    return [(marker, count) for marker, count in found if count]


def test_the_figure(known: Path) -> None:
    results = load([str(known)])
    found = absorption_table(results, PAIRED)
    sheet = absorption.draw(results, found, drawn())
    reference, *_ = lines(sheet, 0)
    assert [y for _, y in reference] == [1, 1, 1]
    assert [x for x, _ in reference] == pytest.approx([0, 40 / 200, 100 / 200], rel=0.01)
    everything, nothing, _, identity = lines(sheet, 1)
    for line in (everything, identity):
        assert [y for _, y in line] == pytest.approx([x for x, _ in line])
    assert [y for _, y in nothing] == pytest.approx([0, 0], abs=1e-6)
    assert hollow(sheet) == [], "two others at three imbalances are surely slower"
    shapes = [{str(one.get_marker()) for one in axes.get_lines()} for axes in sheet.figure.axes]
    assert len((shapes[0] & shapes[1]) - {"None", ""}) == 3, "an algorithm has one in all panels"
    said = texts(sheet)
    assert "hollow: not significant" not in said, "a legend has what is there"
    assert {
        "filled: p \N{LESS-THAN OR EQUAL TO} 0.05",
        "median run time / all's",
        "imbalance I / t(balanced)",
        "absorption A / t(balanced)",
    } <= set(said)
    assert any("exchanging the two values of an iteration" in text for text in said)
    asked = absorption.draw(results, found, drawn("asked"))
    assert "asked imbalance (\N{MICRO SIGN}s)" in texts(asked)
    assert [x for x, _ in lines(asked, 0)[0]] == [0, 40, 100]


def test_the_largest_absorption_by_size(tmp_path: Path) -> None:
    """The largest absorption counts, of two delays: all of 101 us for 41, at either size."""
    every = {"all": 200 + NOISE, "nothing": 210 + NOISE, "worse": 220 + NOISE}
    path = write(
        tmp_path / "a.csv",
        *(case("none", every, size=size) for size in (1024, 4096)),
        *(delayed(delay, delay + 1, size) for delay in (100, 40) for size in (1024, 4096)),
    )
    results = load([str(path)])
    sheet = absorption.draw(results, absorption_table(results, PAIRED), drawn(x="bytes"))
    everything, nothing, worse, _ = lines(sheet, 0)
    assert [x for x, _ in everything] == [1024, 4096]
    assert [y for _, y in everything] == pytest.approx([101 / 200] * 2, rel=0.01)
    assert [y for _, y in nothing] == pytest.approx([0, 0], abs=1e-6)
    assert [y for _, y in worse] == pytest.approx([-50 / 220] * 2, rel=0.01)
    assert "largest absorption A / t(balanced)" in texts(sheet)


def test_without_a_balanced_run_no_size_absorbs(tmp_path: Path, capsys: Capture) -> None:
    path = write(tmp_path / "a.csv", delayed(100, 101))
    figure = tmp_path / "a.png"
    assert main(["absorption", str(path), "--x", "bytes", "-o", str(figure)]) == 2
    assert "--x bytes: no case has both delays and a balanced run" in capsys.readouterr().err
    assert not figure.exists()


def test_the_reference_is_not_compared_with_itself(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        case("none", {"all": 200 + NOISE, "same": 200 + NOISE, "slow": 300 + NOISE}),
    )
    results = load([str(path)])
    sheet = absorption.draw(results, absorption_table(results, PAIRED), drawn())
    ((marker, count),) = hollow(sheet)
    assert count == 1, "same, which takes as long; slow is filled"
    look = looks.lines(["all", "same", "slow"], results.catalogue)
    assert marker == look["same"]["marker"]
    said = texts(sheet)
    assert {"no arrival pattern", "hollow: not significant"} <= set(said)
    assert not any("Absorption A =" in text for text in said), "nothing is absorbed here"


def test_samples(tmp_path: Path, capsys: Capture) -> None:
    """Half of zigzag's samples alternate, and swell's variance grows; the others are random."""
    random = np.random.default_rng(3)
    zigzag = np.tile([1.0, 2.0], 50) + random.normal(0, 0.01, 100)
    swell = 100 + random.normal(0, 1, 100) * np.repeat([1, 9], 50)
    calm = [100 + random.normal(0, 1, 100) for _ in range(6)]
    path = write(
        tmp_path / "a.csv",
        case("none", {"zigzag": zigzag, "swell": swell}),
        case("uniform:max=1us", {"zigzag": calm[0], "swell": swell}),
        case("uniform:max=2us", {"zigzag": calm[1]}, size=4096),
        case("uniform:max=3us", {"zigzag": calm[2][:9], "swell": swell}, size=4096),
    )
    tested = sample_tests(load([str(path)]))
    assert tested["runs_p"].isna().sum() == 1
    table = share_passing(tested, "runs_p").set_index("algorithm")
    assert list(table.loc["zigzag"]) == [0.5, 1]
    variance = share_passing(tested, "halves_p").set_index("algorithm")
    assert list(variance.loc["swell"]) == [0, 0]
    said = list(warn_of_dependence(tested))
    assert any("1 of 7 samples are too short for the runs test" in one for one in said)
    assert any("3 of 6 samples have a changing variance" in one for one in said)
    assert main(["absorption", str(path), "--permutations", "1000"]) == 0
    printed = capsys.readouterr().out
    assert (
        "Share of samples that pass the runs test around the median, by block size (7 samples, "
        "4 arrival patterns)\nalgorithm    1K    4K\n"
    ) in printed
    assert "zigzag     0.50  1.00\n" in printed
    assert "Levene test" in printed


def test_a_sample_is_of_one_launch(tmp_path: Path) -> None:
    """Two launches of another speed are no trend."""
    files = [
        write(tmp_path / f"{speed}.csv", case("none", {"all": speed + NOISE}))
        for speed in (100, 200)
    ]
    tested = sample_tests(load([str(path) for path in files]))
    assert len(tested) == 2
    assert (tested["runs_p"] > 0.05).all()


def test_files_of_each_kind(known: Path, tmp_path: Path) -> None:
    check_files(tmp_path, "absorption", known, "--permutations", "1000")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--baseline al", "--baseline: 'al' is not an algorithm with times here; legal: "),
        ("--baseline=", "--baseline: '' is not an algorithm with times here; legal: "),
        ("--permutations 999", "--permutations: '999' is no whole number of 1000 or more"),
        ("--permutations many", "--permutations: 'many' is no whole number of 1000 or more"),
        ("--arrival nine", "--arrival: 'nine'"),
    ],
)
def test_bad_input(known: Path, capsys: Capture, options: str, said: str) -> None:
    assert said in refused(capsys, "absorption", known, *options.split())


def test_without_an_imbalance_nothing_is_computed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(absorption, "absorption_table")
    path = write(tmp_path / "a.csv", balanced())
    assert main(["absorption", str(path)]) == 2
    assert capsys.readouterr() == (
        "",
        f"agreport: error: {path}: no arrival patterns, so no imbalance to absorb; "
        "legal: launches with --arrival PATTERN\n",
    )


def test_a_delay_of_nothing(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv", balanced(), case("uniform:max=0us", {"all": 200 + NOISE}, asked=0)
    )
    assert main(["absorption", str(path), "-o", str(tmp_path / "a.png")]) == 0
    found = rows(load([str(path)]))["uniform:max=0us", "all"]
    assert (found["imbalance_n"], found["absorbed_n"]) == pytest.approx((0, 0), abs=1e-9)


def test_too_many_groups(tmp_path: Path) -> None:
    many = 4
    path = write(
        tmp_path / "a.csv",
        *(case("uniform:max=1us", {"all": [1.0]}, size=2**k) for k in range(many)),
    )
    results = load([str(path)])
    found = absorption_table(results, PAIRED)
    sheet = absorption.draw(results, found, drawn("normalised"))
    assert len(sheet.figure.axes) == 2 * 3
    first, last = "Drawn: 1 to 3 of 4 lines of panels", "agreport absorption --from 4 draws more."
    assert any(first in text and text.endswith(last) for text in texts(sheet))
    assert sheet.figure.get_figheight() * 2.54 <= 24
