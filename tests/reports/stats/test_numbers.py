# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts, table and summary against numbers worked out by hand (see conftest.example)."""

from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.figure.words import size_label
from agreport.main import main
from agreport.stats.contest import Contest
from agreport.stats.median_interval import median_rank
from agreport.stats.summary import summarise
from agreport.winners.table import improvements

from ..support import fake_arrivals
from ..support.commands import Capture, Rows, Write
from ..support.loading import load

MEDIAN_RANKS = Path(__file__).parents[2] / "shared" / "median_ranks.csv"
AGAINST_BOTH = Contest("sparbit", ["ring", "bruck"], "mean")


def test_verdicts(example: Path) -> None:
    verdicts = AGAINST_BOTH.verdicts(load([str(example)]), "avg")
    verdicts = verdicts.droplevel([name for name in verdicts.index.names if name != "bytes"])
    assert verdicts.index.tolist() == [1, 2, 4, 8, 16, 32, 64, 128]
    best = ["sparbit", "sparbit", "ring", "ring", "ring", "sparbit", None, "sparbit"]
    assert [name if name == name else None for name in verdicts["fastest"]] == best
    assert verdicts.index[verdicts["won"]].tolist() == [1, 2]
    assert verdicts.index[verdicts["compared"]].tolist() == [1, 2, 4, 128]
    nan = np.nan
    np.testing.assert_allclose(
        verdicts["improvement_percent"], [20, 50, -50, nan, nan, nan, nan, 0], rtol=1e-12
    )


def test_against_limits_the_others(example: Path) -> None:
    results = load([str(example)])
    verdicts = Contest("sparbit", ["bruck"], "mean").verdicts(results, "avg")
    # Sizes 1, 2, 4, 128: 1 - 8/16, 1 - 5/12, 1 - 9/12, 1 - 10/12.
    expected = [50, 700 / 12, 25, 200 / 12]
    np.testing.assert_allclose(verdicts["improvement_percent"].dropna(), expected)
    assert verdicts["won"].sum() == 4


def test_table(example: Path) -> None:
    table = improvements(load([str(example)]), AGAINST_BOTH)
    assert table.index.get_level_values("metric").tolist() == ["min", "avg", "max"]
    assert table["cases"].tolist() == [4, 4, 4]
    assert table["not_compared"].tolist() == [4, 4, 4]
    assert table["fastest_in_percent"].tolist() == [50, 50, 50]
    # Two iterations make no interval, so nothing is called the best.
    assert table["best_in"].tolist() == [0, 0, 0]
    assert table["near_ties"].tolist() == [2, 2, 2]
    # min is avg - 1 and max avg + 2: 1 - 7/9 and 1 - 4/9; 20 and 50; 1 - 10/12 and 1 - 7/12.
    low, high = [200 / 9, 20, 200 / 12], [500 / 9, 50, 500 / 12]
    mean = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    np.testing.assert_allclose(table["mean_percent"], mean)
    np.testing.assert_allclose(table["median_percent"], mean)
    np.testing.assert_allclose(table["highest_percent"], high)


def test_median_instead_of_mean(write: Write, rows: Rows) -> None:
    path = write("a.csv", [*rows("sparbit", [1, 2, 90]), *rows("ring", [4, 4, 4])])
    results = load([str(path)])
    gain = {
        statistic: Contest("sparbit", ["ring"], statistic).verdicts(results, "avg").iloc[0]
        for statistic in ("mean", "median")
    }
    assert gain["median"]["improvement_percent"] == 50
    assert not gain["mean"]["won"]


def test_cases_differ_by_nodes_and_arrival(write: Write, rows: Rows) -> None:
    late = 'allgather,{},regular,"delayed:rank=3,delay=1ms",sequential'
    path = write("a.csv", rows("ring", [1]), rows("ring", [4], place=late))
    other = write("b.csv", rows("ring", [2], nodes=2), nodes="2")
    found = summarise(load([str(path), str(other)]), "avg")["mean_us"]
    assert found.tolist() == [1, 4, 2]
    assert found.index.get_level_values("setting").tolist() == ["1 node", "1 node", "2 nodes"]


def test_summary(write: Write, rows: Rows) -> None:
    path = write("a.csv", rows("ring", [7, 1, 10, 2, 9, 3, 8, 4, 6, 5]), rows("bruck", [6, 10]))
    ring, bruck = (row for _, row in summarise(load([str(path)]), "avg").iterrows())
    assert ring["iterations"] == 10
    assert ring["mean_us"] == 5.5
    # The squares of -4.5 ... 4.5 add up to 82.5; divided by n - 1 = 9.
    assert ring["stddev_us"] == pytest.approx((82.5 / 9) ** 0.5)
    assert ring["cv_percent"] == pytest.approx(100 * (82.5 / 9) ** 0.5 / 5.5)
    assert ring["median_us"] == 5.5
    # Position (n - 1) * 0.9 = 8.1 from the first: 9 + 0.1 * (10 - 9).
    assert ring["p90_us"] == pytest.approx(9.1)
    assert ring["p99_us"] == pytest.approx(9.91)
    assert (ring["min_us"], ring["max_us"]) == (1, 10)
    # Binomial(10, 1/2): P(at most 1) = 11/1024 = 1.1 %, P(at most 2) = 56/1024 = 5.5 %.
    assert (ring["median_low_us"], ring["median_high_us"]) == (2, 9)
    assert bruck["stddev_us"] == pytest.approx(8**0.5)
    assert np.isnan(bruck["median_low_us"])
    assert np.isnan(bruck["median_high_us"])


def test_summary_by_another_metric(write: Write, rows: Rows) -> None:
    path = write("a.csv", rows("ring", [5, 7]))
    assert summarise(load([str(path)]), "min")["mean_us"].tolist() == [5]
    assert summarise(load([str(path)]), "max")["mean_us"].tolist() == [8]


def test_summary_counts_late_iterations(tmp_path: Path) -> None:
    """It counts those of an algorithm that has nothing else, too."""
    path = fake_arrivals.write(
        tmp_path / "a.csv",
        fake_arrivals.case("none", {"ring": [5, 99, 7]}, late={"ring": [1]}),
        fake_arrivals.case("none", {"ring": [5, 6]}, size=2048, late={"ring": [0, 1]}),
    )
    summary = summarise(load([str(path)]), "avg")
    assert summary[["iterations", "late"]].to_numpy().tolist() == [[2, 1], [0, 2]]
    assert summary["mean_us"].tolist() == pytest.approx([6, np.nan], nan_ok=True)
    assert summary["max_us"].tolist() == pytest.approx([7, np.nan], nan_ok=True)


def test_median_rank() -> None:
    # n = 5: P(0 below) = 1/32 > 2.5 %, no interval; n = 6: 1/64; the last two from tables.
    assert median_rank(np.array([1, 5, 6, 20, 50])).tolist() == [0, 0, 1, 6, 18]


def test_median_ranks_are_those_of_the_benchmark() -> None:
    """The table that the tests of the benchmark's own interval read too; exact: binomial."""
    table = pd.read_csv(MEDIAN_RANKS)
    counts = table["n"].to_numpy()
    assert counts.tolist() == list(range(6, 1001))
    assert median_rank(counts).tolist() == table["low"].tolist()
    assert (counts + 1 - median_rank(counts)).tolist() == table["high"].tolist()
    # The bounds come from sums: fewer than `low` of n fair coins show heads with at most 2.5 %, and
    # no fewer.
    for n, low in [(6, 1), (10, 2), (51, 19), (70, 27)]:
        chances = [comb(n, heads) / 2**n for heads in range(low + 1)]
        assert sum(chances[:-1]) <= 0.025 < sum(chances)
        assert table.loc[table["n"] == n, "low"].item() == low


@pytest.mark.parametrize(
    ("size", "label"),
    [
        *((0, "0"), (1, "1"), (1000, "1000"), (1024, "1K"), (1536, "1536"), (65536, "64K")),
        *((1 << 20, "1M"), (3 << 30, "3G")),
    ],
)
def test_size_label(size: int, label: str) -> None:
    assert size_label(size) == label


@pytest.mark.slow
def test_the_table_is_doubted_for_what_it_compares(
    write: Write, rows: Rows, capsys: Capture
) -> None:
    """native has two modes, which are of no matter where bruck is compared with ring; nor are
    outliers where medians are compared."""
    files = []
    for number in range(4):
        cases = [
            line
            for size, outlier in ((1, 44.0), (4, 26.0))
            for name, times in (
                ("native", [9.0, 9.0, 14.0] * 20),
                ("ring", [8.5] * 60),
                ("bruck", [*[8.0] * 59, outlier]),
            )
            for line in rows(name, times, size=size)
        ]
        files.append(str(write(f"{number}.csv", cases)))
    modes, means = "Two modes", "Look at medians, not means"
    for options, expected in (
        (["--algorithm", "native"], [modes]),
        (["--algorithm", "bruck"], [""]),
        (["--algorithm", "bruck", "--statistic", "mean"], [means]),
    ):
        assert main(["table", *files, *options]) == 0
        said = capsys.readouterr().err
        assert ([doubt for doubt in (modes, means) if doubt in said] or [""]) == expected
