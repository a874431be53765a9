# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: times in ticks of a coarse clock, of which medians are a few values."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.compare.comparison import Comparison, Rules, compare
from agreport.compare.log_ratios import find_units
from agreport.compare.percentiles import find_percentiles
from agreport.compare.sides import Sides, find_pairing
from agreport.compare.verdicts import CALLED, judge_cases
from agreport.data.load import PAIR
from agreport.stats.multiple_tests import assess
from agreport.stats.ticks import find_tick
from agreport.stats.units import Units
from worlds.whole import timed

from ..support import fake_launches
from ..support.compared import compared

ALTERNATED, DUETS = "note.pair", "duet_pair"
CASES = 12
RULES = Rules(0.05, 0.1)


def ticking(seed: int, key: str, slower: float = 0.0, **more: float | int) -> Sides:
    """Makes new slower in the first case. Calls of 2 to 9 us on a clock of 1 us."""
    change = np.where(np.arange(CASES) == 0, np.log1p(slower), 0.0)
    given = {"of_call": 0.12, "tick": 1.0, **more}
    return timed(np.random.default_rng(seed), change, key=key, **given)  # type: ignore[arg-type]


def judged(sides: Sides) -> Comparison:
    return compare(sides, find_pairing(sides), "avg", RULES)


def judge_medians(sides: Sides) -> pd.DataFrame:
    units, index = find_units(sides, find_pairing(sides), "avg")
    return judge_cases(assess(units, np.zeros(len(index), np.int64)), np.log(1.05))


def count_called(found: Comparison) -> int:
    verdicts = [each["verdict"] for each in (found.cases, found.tails, found.stalls)]
    return int(pd.concat(verdicts).isin(CALLED).sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 9, 16, 28])
def test_equal_sides_that_medians_told_apart(seed: int) -> None:
    """By plain medians, and an effect of the order by medians of five of them, each is called."""
    assert count_called(judged(ticking(seed, ALTERNATED))) == 0


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [8, 10])
def test_equal_sides_are_rarely_called(pairs: int) -> None:
    """Some four of 20 comparisons of each size were called before; 1 % is meant."""
    sides = [ticking(seed, ALTERNATED, base=pairs, new=pairs) for seed in range(100, 120)]
    called = sum(judge_medians(each)["verdict"].isin(CALLED).any() for each in sides)
    assert called <= 1, "more come by chance once in 60 times"


@pytest.mark.parametrize("key", [ALTERNATED, DUETS, ""])
@pytest.mark.parametrize("count", [3, 5])
def test_few_launches_that_read_the_same_are_not_sure(key: str, count: int) -> None:
    """Launches of a side agree in a tick by chance where the calls of a launch do not differ."""
    for seed in range(4):
        sides = ticking(seed, key, base=count, new=count, of_call=0.0)
        found = judge_medians(sides)
        assert not found["verdict"].isin(CALLED).any()
        assert (found["error"] > 0).all()


def test_as_many_ticks_apart_as_cannot_be_chance_are_called() -> None:
    """Ten pairs, all of whose calls take 3 and 9 us."""
    values = np.full((10, 1), np.log(3))
    unsure = np.full((10, 1), (1 / 3) ** 2 / 12 + (1 / 9) ** 2 / 12)
    found = judge_cases(assess(Units(values, unsure=unsure), np.zeros(1, np.int64)), np.log(1.05))
    assert found["verdict"].tolist() == ["regression"]
    assert found["error"][0] == pytest.approx(np.sqrt(unsure[0, 0] / 6)), "six pairs are kept"


@pytest.mark.slow
def test_ten_percent_within_a_tick_are_found() -> None:
    """Plain medians find two of five."""
    sides = [ticking(seed, ALTERNATED, slower=0.1) for seed in range(12)]
    assert sum((judge_medians(each)["verdict"] == "regression").any() for each in sides) >= 9


def times_of(sides: Sides, case: int, launch: int) -> "np.typing.NDArray[np.float64]":
    rows = sides.results.rows
    keys = rows[PAIR].drop_duplicates().sort_values(PAIR).iloc[case]
    own = rows[(rows["launch"] == launch) & (rows[PAIR] == keys).all(axis=1)]
    return np.sort(own["avg_us"].to_numpy(float))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_percentiles_of_times_that_all_differ_are_as_ever(share: float) -> None:
    sides = ticking(1, "", tick=0.0, calls=17)
    found = find_percentiles(sides, "avg_us", share)
    for case, launch in ((0, 3), (11, 19)):
        expected = np.quantile(times_of(sides, case, launch), share)
        assert found.us.iloc[case, launch] == pytest.approx(expected)
    assert (found.unsure.to_numpy() == 0).all() and (found.calls.to_numpy() == 17).all()


@pytest.mark.parametrize(
    ("times", "median"),
    [
        ([3.0, 3.0, 4.0, 4.0, 4.0], 3.5 + 1 / 6),  # half a call of the three that read 4
        ([3.0, 3.0, 4.0, 4.0], 3.5),
        ([2.0, 3.0, 3.0, 3.0, 4.0], 3.0),
        ([3.0, 3.0, 3.0, 3.0, 5.0], 3.125),  # other launches tell that 1 us is a tick
        ([4.0] * 5, 4.0),
    ],
)
def test_a_median_lies_within_its_tick(tmp_path: Path, times: list[float], median: float) -> None:
    names = []
    for name, each in (("base", times), ("new", [6.0, 7.0, 9.0])):
        path = fake_launches.launch(tmp_path / name, {("ring", 1): each, ("ring", 2): [3.0, 4.0]})
        names.append(str(path))
    case = compared([names[0]], [names[1]])["cases"][0]
    assert (case["base_us"], case["new_us"]) == (pytest.approx(median), pytest.approx(7))


@pytest.mark.parametrize(
    ("times", "tick"),
    [([3.0, 5.0, 4.0], 1.0), ([0.25, 1.5], 0.25), ([0.0, 0.3, 0.9], 0.3), ([0.0], 0.0), ([], 0.0)],
)
def test_a_tick_is_what_all_times_are_multiples_of(times: list[float], tick: float) -> None:
    assert find_tick(np.array(times)) == pytest.approx(tick)
