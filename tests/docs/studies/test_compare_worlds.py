# SPDX-License-Identifier: BSD-3-Clause
"""The made-up launches of docs/studies/compare_worlds.py are what their names say."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "compare_worlds.py"
CASES = 12


@pytest.fixture(autouse=True)
def studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY.parent))


def test_every_world_has_all_cases_and_is_slower_by_what_is_asked() -> None:
    from worlds.table import WORLDS

    change = np.linspace(0, 0.3, CASES)
    for name, world in WORLDS.items():
        same, slower = (world(np.random.default_rng(1), each) for each in (0 * change, change))
        columns = same.values.shape[1]
        assert columns % CASES == 0, name
        new = np.ones(len(same), bool) if same.new is None else same.new
        known = ~np.isnan(same.values)
        difference = (slower.values - same.values)[new][known[new]]
        expected = np.broadcast_to(np.resize(change, columns), same.values.shape)[new][known[new]]
        assert difference == pytest.approx(expected), name
        assert (slower.values[~new] == same.values[~new]).all(), name


@pytest.mark.parametrize("counted", ["5 pairs", "12 launches against 7"])
def test_worlds_of_calls_have_all_launches_and_are_slower_by_what_is_asked(counted: str) -> None:
    """The new side is slower by that much; in the world with ticks by that or by a tick."""
    from worlds.table import WORLDS_OF_CALLS

    change = np.repeat([0.0, 0.7], CASES // 2)
    counts = {"5 pairs": [5, 5], "12 launches against 7": [12, 7]}[counted]
    for name, world in WORLDS_OF_CALLS.items():
        if not name.endswith(f", {counted}"):
            continue
        same, slower = (world(np.random.default_rng(2), each) for each in (0 * change, change))
        assert [len(slower.numbers(side)) for side in (False, True)] == counts, name
        rows = slower.results.rows
        assert (rows["bytes"].nunique(), rows["algorithm"].nunique()) == (CASES / 4, 4), name
        before, after = (each.results.rows["avg_us"].to_numpy(float) for each in (same, slower))
        number = 4 * np.log2(rows["bytes"] / 8) + rows["algorithm"].cat.codes
        slowed = slower.new[rows["launch"]] & (number >= CASES / 2)
        ticks = 0.5 * (1 + np.exp(0.7)) * ("ticks" in name)
        expected = before * np.where(slowed, np.exp(0.7), 1)
        assert after == pytest.approx(expected, abs=ticks + 1e-9), name


@pytest.mark.parametrize("by", [0.1, 0.3])
def test_drift_is_between_launches_in_turn(by: float) -> None:
    from worlds.launches import drift, in_turn

    random = np.random.default_rng(2)
    levels = drift(random, 20, by)
    assert np.exp(levels[-1] - levels[0]) == pytest.approx(1 + by)
    units = in_turn(random, np.zeros(2000), wander=lambda *_: levels)
    assert units.values.mean(axis=1) == pytest.approx(levels[1::2] - levels[::2], abs=0.003)


def test_a_launch_keeps_nine_tenths_of_how_far_off_the_one_before_was() -> None:
    from worlds.launches import autoregress

    found = autoregress(np.random.default_rng(3), 20000)
    assert found.std() == pytest.approx(0.05, rel=0.1)
    assert np.corrcoef(found[1:], found[:-1])[0, 1] == pytest.approx(0.9, abs=0.02)


def test_tails_are_percentiles_of_calls() -> None:
    """A stall moves the P99 of a launch, and with one call in twenty P90 does not."""
    from worlds.launches import tails

    quiet, stalled = (
        tails(np.random.default_rng(4), np.zeros(CASES), stalls=share, paired=False)
        for share in (0.0, 0.05)
    )
    moved = (stalled.values - quiet.values).reshape(20, 2, CASES).mean(axis=(0, 2))
    assert moved[0] < 0.1 and moved[1] > 1


def test_none_found_is_said_with_what_it_may_be_all_the_same() -> None:
    """Clopper and Pearson: 1 - 0.025^(1/200) is 1.83 %."""
    from compare_worlds import to_percent

    assert to_percent(np.zeros(200)) == "0 (to 1.8)"
    assert to_percent(np.repeat([1.0, 0.0], [3, 197])) == "1.5"


@pytest.mark.slow
def test_prints_a_row_a_world() -> None:
    command = [sys.executable, str(STUDY), "--sets", "2", "--cases", "2", "--slower", "one"]
    command += ["--by", "detectable", "--only", "5 pairs, normal", "3 pairs"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    header, _, *rows = found.splitlines()
    assert header.startswith("| world | sets | called a regression, %")
    assert [row.split("|")[1].strip() for row in rows] == [
        "5 pairs, normal",
        "3 pairs, launches in two modes",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("world", ["a slow node, pairs", "a slow node, launches"]),
        ("count", ["5 pairs", "10 pairs"]),
    ],
)
def test_rows_are_of_several_worlds_of_calls(by: str, rows: list[str]) -> None:
    only = {
        "world": ["slow node, 5 pairs", "slow node, 10 pairs", "slow node, 5 launches against 20"],
        "count": ["a slow node, 5 pairs", "a slow node, 10 pairs", "ticks of 1 us, 5 pairs"],
    }
    command = [sys.executable, str(STUDY), "--calls", "--sets", "2", "--cases", "12"]
    command += ["--rows", by, "--slower", "all", "--by", "0.5", "--only", *only[by]]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    cells = [[cell.strip() for cell in row.split("|")] for row in found.splitlines()[2:]]
    sets = {"world": ["4", "2"], "count": ["4", "2"]}
    assert [row[1] for row in cells] == rows and [row[2] for row in cells] == sets[by]
    assert all(float(row[3]) > 0 for row in cells), "a half slower is found"
