# SPDX-License-Identifier: BSD-3-Clause
"""Drift, modes and the other reasons to doubt: found where they are, and not by chance."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.data.load import CASE, PAIR
from agreport.diagnostics.answers import answers
from agreport.diagnostics.arrival_caveats import clock_near_effect, leads, ranks_apart
from agreport.diagnostics.caveats import caveats
from agreport.figure.words import interval_of
from agreport.main import main
from agreport.stats.arrays import Floats
from agreport.stats.steadiness import drift_percent, is_drift, modes, quantile, steadiness
from agreport.stats.summary import summarise

from ..support import fake_arrivals
from ..support.commands import Rows, Write
from ..support.loading import load

TRIALS = 200


def drift(times: Floats) -> tuple[float, bool]:
    [percent] = drift_percent(times, np.array([len(times)]))
    return percent, is_drift(times, percent)


SHAPES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda random, n: random.normal(100, 10, n),
    "lognormal": lambda random, n: random.lognormal(3, 0.5, n),
    "exponential": lambda random, n: 10 + random.exponential(5, n),
    "uniform": lambda random, n: random.uniform(5, 20, n),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [50, 400])
def test_one_mode_without_drift_is_seldom_doubted(shape: str, count: int) -> None:
    random = np.random.default_rng(5)
    found = [SHAPES[shape](random, count) for _ in range(TRIALS)]
    assert sum(modes(times) is not None for times in found) <= 0.03 * TRIALS
    assert sum(drift(times)[1] for times in found) <= 0.01 * TRIALS


def test_two_modes() -> None:
    random = np.random.default_rng(6)
    for share in (0.25, 0.5, 0.75):
        slow = random.random(100) < share
        times = np.where(slow, random.normal(150, 5, 100), random.normal(100, 5, 100))
        assert modes(times) == pytest.approx((100, 150), rel=0.05)
    one_in_twenty = np.where(np.arange(100) % 20 == 0, 150.0, random.normal(100, 5, 100))
    assert modes(one_in_twenty) is None, "outliers are no mode"
    close = np.where(np.arange(400) % 2 == 0, 100.0, 105.0) + random.normal(0, 0.3, 400)
    assert modes(close) is None, "modes less than 10 % apart are no reason to doubt"
    assert modes(np.full(100, 5.0)) is None
    assert modes(np.zeros(100)) is None
    assert modes(np.tile([100.0, 150.0], 20)) is None, "fewer than 50 have no shape"


def test_drift() -> None:
    noise = np.random.default_rng(7).normal(0, 2, 90)
    percent, drifts = drift(np.linspace(100, 120, 90) + noise)
    assert drifts
    assert percent == pytest.approx(100 * (116.7 / 103.3 - 1), abs=2)
    step = np.repeat([100.0, 110.0], 45) + noise
    assert drift(step)[1]
    assert not drift(np.linspace(100, 104, 90) + noise)[1], "under 5 %"
    assert not drift(np.linspace(100, 120, 20))[1], "too few"
    assert drift(np.array([1.0, 2.0]))[1] is False


def test_quantiles_are_those_of_numpy() -> None:
    random = np.random.default_rng(3)
    for count in (1, 2, 3, 50, 101):
        ordered = np.sort(random.lognormal(size=count))
        for fraction in (0, 0.01, 0.25, 0.5, 0.75, 0.99, 1):
            assert quantile(ordered, fraction) == np.quantile(ordered, fraction)


def test_every_sample_has_its_own_launch(write: Write, rows: Rows) -> None:
    rising = np.linspace(10, 20, 60)
    flat = np.random.default_rng(8).permutation(np.linspace(10, 10.5, 60))
    one, two = write("a.csv", rows("ring", rising)), write("b.csv", rows("ring", flat))
    found = steadiness(load([str(one), str(two)]), "avg")
    assert found["drifts"].tolist() == [True, False]
    assert found["iterations"].tolist() == [60, 60]
    assert found["cv_percent"].tolist() == pytest.approx(
        [100 * times.std(ddof=1) / times.mean() for times in (rising, flat)]
    )


@pytest.mark.slow
def test_each_reason_says_what_to_do(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    rising = np.linspace(10, 20, 60)
    two = np.random.default_rng(9).permutation(np.repeat([10.0, 14.0], 60) + np.tile([0, 0.2], 60))
    path = write(
        "a.csv",
        rows("ring", rising),
        [*rows("ring", [10, 10.1] * 30, size=64), *rows("bruck", [12, 12.1] * 30, size=64)],
        rows("bruck", two, size=32),
        rows("sparbit", [1] * 6, size=2),
        rows("sparbit", np.random.default_rng(3).lognormal(3, 0.2, 60), size=8),
        oversubscribed="yes",
        **{"machine.governor": "powersave"},
    )
    other = write("b.csv", rows("ring", [10] * 40, size=4))
    results = load([str(path), str(other)])
    said = caveats(results, summarise(results, "avg"))
    for reason, advice in (
        ("Oversubscribed launches, with more ranks than cores: 1 of 2", "run no more ranks"),
        ("clock rate follows the load: 1 of 2 launches (governor powersave)", "governor perf"),
        ("Fewer than 30 iterations: 1 of 7 pairs", "measure more (-i)"),
        ("Coefficient of variation of avg over 10 %: 3 of 7 pairs", "Look at medians, not means"),
        ("Drift of over 5 %", "Warm up longer (-x)"),
        ("Two modes: 1 of 7 samples", "look at the histogram"),
    ):
        found = [sentence for sentence in said if reason in sentence]
        assert len(found) == 1, reason
        assert advice in found[0]
    assert any("of ring with blocks of 1 B on 4 ranks" in one for one in said)
    assert not any("One launch only" in sentence for sentence in said)
    assert main(["table", str(path), "--versus", "ring,bruck"]) == 0
    warned = capsys.readouterr().err.splitlines()
    assert any(line.startswith("agreport: warning: One launch only") for line in warned)
    alone = load([str(path)])
    single = [one for one in caveats(alone, summarise(alone, "avg")) if "One launch only" in one]
    assert "Repeat the launch" in single[0]


def test_launches_of_other_ranks_may_differ(write: Write, rows: Rows) -> None:
    """No case is pooled of both."""
    paths = [
        write(f"{ranks}.csv", rows("ring", [5] * 40, ranks=ranks), ranks=str(ranks), binding=text)
        for ranks, text in ((2, "0:0 1:1"), (4, "0-3:0-1"))
    ]
    results = load([str(path) for path in paths])
    assert not any("differ" in one for one in caveats(results, summarise(results, "avg")))


@pytest.mark.slow
def test_launches_that_differ(write: Write, rows: Rows) -> None:
    def said(other: float) -> list[str]:
        paths = [write(f"{us}.csv", rows("ring", [us] * 40)) for us in (10.0, other)]
        results = load([str(path) for path in paths])
        found = caveats(results, summarise(results, "avg"))
        return [sentence for sentence in found if "Launches differ" in sentence]

    assert said(10.9) == []
    assert "over 10 % apart in 1 of 1 pairs" in said(11.1)[0]
    assert "Measure more launches" in said(11.1)[0]


def test_clock_error_near_the_effect(tmp_path: Path) -> None:
    """It is tested with --sync window too, where no pattern is."""

    def said(clock: float) -> list[str]:
        times = {"ring": [100.0] * 6, "bruck": [110.0] * 6}
        path = tmp_path / f"{clock}.csv"
        fake_arrivals.write(path, fake_arrivals.case("none", times, clock=clock))
        return [one.text for one in clock_near_effect(load([str(path)]))]

    assert said(0) == said(4.9) == []
    assert "in 1 of 1 cases" in said(5.1)[0]
    assert "--sync barrier" in said(5.1)[0]


def test_leads_are_those_of_all_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    paths = [tmp_path / f"{number}.csv" for number in range(3)]
    for path in paths:
        cases = [
            fake_arrivals.case(
                arrival,
                {name: random.random(7) for name in ("ring", "bruck", "sparbit")},
                error=random.random(),
                size=size,
            )
            for arrival in ("none", "delayed:rank=1,delay=20us")
            for size in (1, 2)
        ]
        fake_arrivals.write(path, *cases)
    results = load([str(path) for path in paths])
    rows = results.timed()
    means = rows.groupby(PAIR, observed=True)["avg_us"].mean().unstack("algorithm")
    ordered = np.sort(means.to_numpy(), axis=1)
    lead, error = leads(results, "delay_error_us")
    assert lead.to_numpy() == pytest.approx(ordered[:, 1] - ordered[:, 0])
    expected = rows.groupby(CASE, observed=True)["delay_error_us"].median()
    assert error.index.equals(expected.index) and lead.index.equals(means.index)
    assert error.to_numpy() == pytest.approx(expected.to_numpy(), nan_ok=True)


def test_ranks_that_do_not_begin_together(tmp_path: Path) -> None:
    def said(imbalance: float, arrival: str = "none", compared: bool = False) -> list[str]:
        times = {"ring": [100.0] * 12, "bruck": [30.0] * 11 + [500.0]}
        path = tmp_path / f"{imbalance}{arrival}.csv"
        fake_arrivals.write(path, fake_arrivals.case(arrival, times, imbalance=imbalance))
        results = load([str(path)])
        return [one.text for one in ranks_apart(results, answers(results) if compared else None)]

    assert said(0) == said(3) == []
    assert "in 1 of 2 pairs" in said(3.3)[0] and "at most 11 % (bruck, 1024 B on" in said(3.3)[0]
    assert "in 2 of 2 pairs" in said(10.1)[0]
    assert "--sync dissemination" in said(10.1)[0]
    assert "at most 1.7 times as long (bruck" in said(50)[0], "no 167 %"
    assert said(69, compared=True) == [], "the times are 70 us apart"
    assert "in 1 of 2 pairs" in said(71, compared=True)[0]
    assert "It could turn round 1 of 1 called comparisons." in said(71, compared=True)[0]
    assert said(50, "uniform:max=50us") == [], "it was asked for"


def test_ranks_apart_are_a_diagnostic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    fake_arrivals.write(path, fake_arrivals.case("none", {"ring": [10.0] * 40}, imbalance=5))
    assert main(["diagnostics", str(path)]) == 0
    assert "- Ranks did not begin together" in capsys.readouterr().out


def test_doubts(
    write: Write, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = [10.0, 10.1] * 20
    path = write("a.csv", [*rows("ring", np.linspace(10, 20, 60)), *rows("bruck", flat)])
    numbers = tmp_path / "numbers.csv"
    assert main(["diagnostics", str(path), "--csv", str(numbers)]) == 0
    printed = capsys.readouterr().out
    assert "- One launch only" in printed
    assert "1 of 2 samples to look at" in printed
    assert printed.splitlines()[-1].endswith("  drifts")
    assert pd.read_csv(numbers)["drifts"].tolist() in ([True, False], [False, True])
    with pytest.raises(SystemExit):
        main(["diagnostics", str(path), "--rows", "0"])
    assert "'0' is no whole number of 1 or more" in capsys.readouterr().err


def test_nothing_to_doubt(
    write: Write, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = [10.0, 10.1] * 20
    launches = [
        str(write(f"{name}.csv", [*rows("ring", flat), *rows("bruck", flat)], start=name))
        for name in ("a", "b")
    ]
    assert main(["diagnostics", *launches]) == 0
    assert capsys.readouterr().out == "nothing to doubt: 4 samples\n"


def test_a_simulation_is_not_told_to_repeat(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("a.csv", [*rows("ring", [10]), *rows("bruck", [20])], simulated="yes")
    assert main(["diagnostics", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "Simulated launches: 1 of 1" in printed
    assert "One launch only" not in printed and "Fewer than" not in printed


@pytest.mark.parametrize("simulated", ["yes", "no"])
def test_times_without_noise_are_not_doubted_for_it(
    write: Write, rows: Rows, simulated: str
) -> None:
    """Iterations of a simulation may differ, by what went before them."""
    path = write("a.csv", rows("ring", np.linspace(10, 20, 60)), simulated=simulated)
    results = load([str(path)])
    said = " ".join(caveats(results, summarise(results, "avg")))
    assert ("Drift of over" in said) is (simulated == "no")
    assert interval_of(results).endswith("differ by more") is (simulated == "no")
