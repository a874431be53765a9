# SPDX-License-Identifier: BSD-3-Clause
"""Asked against achieved delays."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.arrivals import delays
from agreport.data.load import read_files
from agreport.data.rank_delays import load_delays
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import RANK_COLUMNS, case, delay_rows, write
from ..support.sheets import check_files, texts


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    """Rank 1 is 1 us late, 3 us in iteration 1; in iteration 2, which was late, 500 us."""
    path = write(
        tmp_path / "a.ranks.csv",
        [row for i, late in enumerate((1, 3, 500)) for row in delay_rows(UNIFORM, of(late), i)],
        [row.replace(",0.0,0.0", ",,") for row in delay_rows("none", [(0.0, 0.0)])],
        columns=RANK_COLUMNS,
    )
    write(tmp_path / "a.csv", case(UNIFORM, {"ring": [9, 9, 9]}, late={"ring": [2]}))
    return path


UNIFORM = "uniform:max=1ms"


def of(late: float) -> list[tuple[float, float]]:
    return [(0.0, 0.0), (200.0, 200.0 + late), (400.0, 399.0), (1000.0, 1000.0)]


def test_errors(ranks: Path, capsys: Capture) -> None:
    rows = load_delays([str(ranks)]).rows
    assert len(rows) == 8, "without the late iteration, and without arrival none"
    by_rank = delays.errors(rows, ["rank"])
    assert by_rank["median_us"].tolist() == pytest.approx([0, 2, -1, 0])
    assert by_rank["worst_us"].tolist() == pytest.approx([0, 3, -1, 0])
    assert by_rank["p95_us"].tolist() == pytest.approx([0, 2.9, -1, 0])
    assert main(["delays", str(ranks)]) == 0
    *_, short = capsys.readouterr().out.splitlines()
    # Sizes of the errors: 0, 0, 0, 0, 1, 1, 1, 3.
    assert short == (
        "8 delays: half are within 0.5 \N{MICRO SIGN}s of what was asked, 95 % within "
        "2.3 \N{MICRO SIGN}s; the worst is 3 \N{MICRO SIGN}s off (rank 1, iteration 1, "
        "uniform:max=1ms)."
    )


def test_without_the_result_file_late_ones_count(ranks: Path, capsys: Capture) -> None:
    (ranks.parent / "a.csv").unlink()
    assert len(load_delays([str(ranks)]).rows) == 12
    assert "a.csv is not beside it, so late iterations count" in capsys.readouterr().err


def test_result_files_and_directories_stand_for_those_beside(ranks: Path) -> None:
    for name in (ranks.parent, ranks.parent / "a.csv", ranks.parent / "*.csv"):
        assert len(load_delays([str(name), str(ranks)]).rows) == 8


def test_one_delay_sets_no_axis(tmp_path: Path) -> None:
    """200 that are half a microsecond late, and one that is 12 ms late."""
    late = [*(n % 10 + 0.5 for n in range(200)), 12000.0]
    iterations = [
        row
        for n, achieved in enumerate(late)
        for row in delay_rows("uniform:max=9us", [(0.0, 0.0), (float(n % 10), achieved)], n)
    ]
    path = write(tmp_path / "a.ranks.csv", iterations, columns=RANK_COLUMNS)
    sheet = delays.draw(load_delays([str(path)]).apart(None).rows, Namespace(first=None, start=1))
    left, right = sheet.figure.axes
    assert left.get_xlim()[1] < 12 and left.get_ylim()[1] < 12
    assert right.get_yscale() == "symlog"
    said = texts(sheet)
    assert any(text.endswith("worst 12 ms, 1 of 402 beyond") for text in said)
    assert any("Triangles: beyond the axis. Axes of errors that have powers" in t for t in said)
    assert not left.texts, "nothing lies upon the points"


@pytest.mark.slow
def test_the_figure(ranks: Path) -> None:
    other = write(
        ranks.parent / "b.ranks.csv",
        delay_rows("delayed:rank=1,delay=5us", [(0.0, 0.25), (5.0, 5.0)]),
        columns=RANK_COLUMNS,
    )
    rows = load_delays([str(ranks), str(other)]).apart(None).rows
    sheet = delays.draw(rows, Namespace(first=None, start=1))
    assert len(sheet.figure.axes) == 4
    said = texts(sheet)
    assert {
        "asked delay (ms)",
        "achieved delay (ms)",
        "achieved \N{MINUS SIGN} asked (\N{MICRO SIGN}s)",
        "as asked",
        "arrival delayed:rank=1,delay=5us, 2 ranks: error: median 0.125 \N{MICRO SIGN}s, 5 % to "
        "95 %: 0.0125 \N{MICRO SIGN}s to 0.237 \N{MICRO SIGN}s, worst 0.25 \N{MICRO SIGN}s",
    } <= set(said)
    assert sum(text.startswith("achieved delay") for text in said) == 2, "in one unit"
    assert not any("logarithmic" in text or "Triangles" in text for text in said)
    identity, points = sheet.figure.axes[2].get_lines()
    assert np.array_equal(np.asarray(identity.get_xdata()), np.asarray(identity.get_ydata()))
    both = zip(np.asarray(points.get_xdata()), np.asarray(points.get_ydata()), strict=True)
    assert sorted({(round(float(x), 4), round(float(y), 4)) for x, y in both}) == [
        *((0, 0), (0.2, 0.201), (0.2, 0.203), (0.4, 0.399), (1, 1))
    ]


@pytest.mark.slow
def test_files_of_each_kind(ranks: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    check_files(tmp_path, "delays", ranks, "--csv", numbers)
    assert pd.read_csv(numbers)["worst_us"].tolist() == pytest.approx([0, 3, -1, 0])


def test_bad_input(ranks: Path, capsys: Capture) -> None:
    (ranks.parent / "c.csv").write_text("a,b\n")
    old = ",".join(RANK_COLUMNS.split(",")[:-2])
    write(ranks.parent / "old.ranks.csv", columns=old)
    for name, said in [
        ("c.csv", "no per-rank times (*.ranks.csv); the benchmark writes them with --record ranks"),
        ("nowhere.ranks.csv", "no such file"),
        ("old.ranks.csv", "no delays (asked_us, achieved_us)"),
    ]:
        assert main(["delays", str(ranks.parent / name)]) == 2
        assert said in capsys.readouterr().err
    assert main(["delays", str(ranks), "--pattern", "delayed"]) == 2
    assert "--pattern: 'delayed'" in capsys.readouterr().err


@pytest.mark.slow
def test_launches_are_chosen_and_kept_apart(tmp_path: Path, capsys: Capture) -> None:
    """The per-rank files themselves say it: rank 1 is 1 us off with kernel 5, 9 with 6."""
    for kernel, late in (("5", 1), ("6", 9)):
        write(
            tmp_path / f"{kernel}.ranks.csv",
            delay_rows(UNIFORM, of(late)),
            columns=RANK_COLUMNS,
            kernel=kernel,
        )
        write(tmp_path / f"{kernel}.csv", case(UNIFORM, {"ring": [9]}), kernel=kernel)
    numbers = tmp_path.with_suffix(".numbers.csv")

    def worst(*options: str) -> dict[str, float]:
        assert main(["delays", str(tmp_path), *options, "--csv", str(numbers)]) == 0
        found = pd.read_csv(numbers)
        settings = found["setting"] if "setting" in found else pd.Series("", found.index)
        of_one = found.loc[found["rank"] == 1].assign(setting=settings)
        return dict(zip(of_one["setting"], of_one["worst_us"], strict=True))

    assert worst() == {"kernel=5": 1, "kernel=6": 9}
    said = capsys.readouterr()
    assert "launches differ in kernel, so they are kept apart" in said.err
    assert len([line for line in said.out.splitlines() if line.startswith("kernel=")]) == 2
    assert worst("--by", "kernel") == {"kernel=5": 1, "kernel=6": 9}
    assert worst("--pool", "kernel") == {"": 9}
    assert worst("--where", "kernel=5") == {"": 1}
    assert main(["delays", str(tmp_path), "--where", "kernel=7"]) == 2
    assert "--where kernel: '7' is not in these files; legal: 5, 6" in capsys.readouterr().err
    # The same of a page, whose launches may be fewer.
    results = read_files([str(tmp_path)])
    beside = delays.load_beside(results.apart(None), Namespace())
    assert beside is not None and set(beside["setting"]) == {"kernel=5", "kernel=6"}
    beside = delays.load_beside(results.only_launches([1]).apart(None), Namespace())
    assert beside is not None and delays.errors(beside, ["rank"])["worst_us"].tolist()[1] == 9
