# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: which launch of a pair was first, and launches in strict turn."""

from pathlib import Path

import numpy as np
import pytest

from agreport.compare.verdicts import judge_cases
from agreport.main import main
from agreport.stats.arrays import Flags, Floats
from agreport.stats.crossover import estimate_effects, take_out
from agreport.stats.multiple_tests import assess
from agreport.stats.units import Units

from ..support import fake_launches
from ..support.compared import compared, noise

THRESHOLD = np.log(1.05)
PAIRS, CASES = 10, 12
FIRST_FASTER = np.where(np.arange(CASES) % 2 == 1, 0.12, 0.06)  # of the cases


def pairs(first: Flags, change: Floats) -> Floats:
    """Log ratios of pairs in which the launch that is first is 6 or 12 % faster."""
    random = np.random.default_rng(3)
    order = FIRST_FASTER[: len(change)] * np.where(first, 1, -1)[:, np.newaxis]
    found: Floats = order + change + 0.025 * noise(random, len(first), len(change))
    return found


def in_turns(count: int = PAIRS) -> Flags:
    return np.array([number % 2 == 0 for number in range(count)])


def test_an_effect_of_the_order_hides_no_change() -> None:
    change = np.where(np.arange(CASES) == 3, np.log(1.1), 0.0)
    first = in_turns()
    values = pairs(first, change)
    effects = estimate_effects(values, first)
    assert effects == pytest.approx(FIRST_FASTER, abs=0.03)
    group = np.zeros(CASES, np.int64)
    before, after = (
        judge_cases(assess(Units(each), group), THRESHOLD)
        for each in (values, take_out(values, first, effects))
    )
    assert (before["verdict"] != "regression").all(), "it is taken for noise"
    assert (after["verdict"] == "regression").tolist() == (change > 0).tolist()


def test_what_is_left_varies_as_least_squares_would_have_it() -> None:
    """The effect of order on normal noise is known: the standard error of the intercept."""
    first = np.arange(9) < 3
    values = noise(np.random.default_rng(5), 9, 4000)
    effects = estimate_effects(values, first)
    left = take_out(values, first, effects)
    error = left.var(axis=0, ddof=1).mean() / 9
    assert error == pytest.approx(left.mean(axis=0).var(), rel=0.15)


@pytest.mark.filterwarnings("error")
def test_a_case_in_too_few_pairs_of_an_order_is_left_alone() -> None:
    first = in_turns()
    values = pairs(first, np.zeros(CASES))
    values[2::2, 0] = np.nan
    values[::2, 1] = np.nan
    effects = estimate_effects(values, first)
    assert (effects[:2] == 0).all() and (effects[2:] != 0).all()
    left = take_out(values, first, effects)
    assert left[:, :2] == pytest.approx(values[:, :2], nan_ok=True)
    values[0, 2] = np.nan
    assert np.isnan(take_out(values, first, effects)[0, 2])


def test_a_launch_that_lacks_cases_leaves_few_pairs_to_compare_one_case_with_the_others() -> None:
    """Of ten pairs two have ten cases, of which the effect of the order takes a degree of
    freedom."""
    first = in_turns()
    values = pairs(first, np.zeros(CASES))
    values[:8, :3] = np.nan
    effects = estimate_effects(values, first)
    units = Units(take_out(values, first, effects), of_order=effects)
    found = assess(units, np.zeros(CASES, np.int64)).observed
    assert np.isnan(found.own.error[3:]).all() and (found.own.error[:3] > 0).all()
    assert (found.total.error > 0).all()


def alternated(folder: Path, first: Flags, told: str, cases: int = CASES) -> list[str]:
    """Files of both sides; told: the order, by note.turn, or by start, or by neither."""
    for number, (base, row) in enumerate(zip(first, pairs(first, np.zeros(cases)), strict=True)):
        for side, ratio, is_first in (("base", -row / 2, base), ("new", row / 2, not base)):
            times = {
                ("ring", 2**case): [1000 * np.exp(each)] * 3 for case, each in enumerate(ratio)
            }
            second = 2 * number + (not is_first)
            ways = {
                "start": {"start": f"2026-01-02T03:04:{second:02}+0000"},
                "turn": {"note__turn": "A" if is_first else "B"},
            }
            fake_launches.launch(
                folder / side / f"{number:02}.csv", times, note__pair=f"p{number}",
                **ways.get(told, {}),
            )  # fmt: skip
    return [str(folder / "base"), str(folder / "new")]


@pytest.mark.slow
@pytest.mark.parametrize("told", ["turn", "start"])
def test_pairs_of_one_order_have_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: str
) -> None:
    base, new = alternated(tmp_path, np.ones(PAIRS, bool), told)
    asked = ["compare", "--baseline", base, "--new", new]
    assert main(asked) == 2
    said = capsys.readouterr().err
    assert said.startswith("agreport: no verdict: base was the first of the two in 10 of 10 pairs")
    assert said.count("\n") == 1 and "--allow order judges them all the same" in said
    assert main([*asked, "--allow", "order"]) == 1
    assert "Base was the first of the two in 10 of 10 pairs" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("told", ["turn", "start"])
def test_the_turn_is_a_factor(tmp_path: Path, told: str) -> None:
    base, new = alternated(tmp_path, in_turns(), told)
    found = compared([base], [new])
    assert found["exit_code"] == 0 and found["power"]["detectable_percent_in_half"] < 8
    said = [each for each in found["warnings"] if "whichever side it was of" in each]
    assert len(said) == 1 and said[0].startswith("The second launch of a pair was slower than the")


@pytest.mark.slow
def test_an_order_that_is_not_known_is_named(tmp_path: Path) -> None:
    base, new = alternated(tmp_path, in_turns(), "neither")
    warned = compared([base], [new])["warnings"]
    assert any("first is not known of 10 pairs" in each for each in warned)
