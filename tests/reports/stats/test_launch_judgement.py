# SPDX-License-Identifier: BSD-3-Clause
"""Tests that launches judge: what one launch is sure of, another one may turn round."""

import numpy as np
import pandas as pd
import pytest

from agreport.data.load import Results
from agreport.figure.words import one_launch
from agreport.stats.arrays import Flags, Floats
from agreport.stats.contest import Contest
from agreport.stats.launch_judgement import judge
from agreport.stats.times import times_of

from ..support.commands import Rows, Write
from ..support.loading import load


def judged(logs: Floats, shared: bool = False) -> Flags:
    """Returns which algorithms are surely slower than the fastest of their case. logs: of times, by
    launch, case and algorithm."""
    launches, cases, algorithms = logs.shape
    names = pd.Index([*map(str, range(algorithms))])
    index = pd.Index(range(cases), name="case")
    us = pd.DataFrame(np.exp(np.median(logs, axis=0)), index, names)
    whole = pd.MultiIndex.from_product([range(launches), index], names=["launch", "case"])
    of_launches = pd.DataFrame(np.exp(logs.reshape(-1, algorithms)), whole, names)
    of_launches = of_launches.reorder_levels(["case", "launch"])
    base = us.to_numpy().argmin(axis=1)
    return judge(us, of_launches, base, np.full(cases, shared)).slower


def world(seed: int, launches: int, cases: int, slower: Floats, spread: float) -> Floats:
    """Returns normal logarithms of times by launch, case and algorithm; the algorithms of a launch
    have its slowness in common."""
    random = np.random.default_rng(seed)
    noise = random.normal(0, spread, (launches, cases, len(slower)))
    return slower + noise + random.normal(0, 0.2, (launches, 1, 1))


@pytest.fixture
def one(write: Write, rows: Rows) -> Results:
    """Returns one launch, in which each time is known to a percent; native takes 8 % more."""
    times = [10.0, 10.1, 9.9] * 20
    case = [rows("native", [1.08 * us for us in times]), rows("ring", times),
            rows("bruck", [2 * us for us in times])]  # fmt: skip
    return load([str(write("a.csv", [line for part in case for line in part]))])


def test_one_launch_calls_no_eight_percent(one: Results) -> None:
    contest = Contest("native", ["ring", "bruck"], "median")
    verdict = contest.verdicts(one, "avg").iloc[0]
    assert verdict["fastest"] == "ring" and verdict["near"] == "native"
    (said,) = one_launch(contest.times(one, "avg"))
    assert said == (
        "One launch: differences below 14 % are not called, since launches differ by that much."
    )


def test_one_launch_of_ranks_that_share_processors_calls_nothing(write: Write, rows: Rows) -> None:
    """Whatever its size, the next launch turns such a difference round too often."""
    case = [*rows("native", [20.0] * 20), *rows("ring", [10.0] * 20)]
    results = load([str(write("a.csv", case, oversubscribed="yes"))])
    times = times_of(results, "avg", "median")
    assert times.near_names().tolist() == ["native"]
    (said,) = one_launch(times)
    assert "nothing is called where ranks share processors" in said


def test_a_launch_that_turns_round_is_heard(write: Write, rows: Rows) -> None:
    """native is 30 % slower in four launches, and 2 % faster in the fifth."""
    files = []
    for number in range(5):
        odd = 9.8 if number == 2 else 13.0 + 0.01 * number
        cases = [
            [*rows("native", [us] * 9, size=size), *rows("ring", [10.0] * 9, size=size)]
            for size, us in ((1, odd), (2, 13.0 + 0.01 * number))
        ]
        files.append(str(write(f"{number}.csv", *cases)))
    times = times_of(load(files), "avg", "median")
    assert times.near_names().tolist() == ["native", ""]
    assert one_launch(times) == []


@pytest.mark.parametrize("launches", [2, 5, 7])
@pytest.mark.parametrize("algorithms", [2, 20])
def test_the_luckiest_of_equals_is_not_called(launches: int, algorithms: int) -> None:
    """In a case without any difference the fastest is best by luck. A case counts if it is called
    faster than any other: 95 % of cases are to have no such call, whatever the number of others."""
    logs = world(1, launches, 300, np.zeros(algorithms), 0.1)
    assert judged(logs).any(axis=1).mean() <= 0.05


def test_what_differs_by_25_percent_is_called() -> None:
    logs = world(2, 7, 300, np.array([0.0, np.log(1.25), np.log(1.25)]), 0.05)
    assert judged(logs)[:, 1:].mean() > 0.8


def test_a_case_borrows_the_spread_of_the_others() -> None:
    """Two launches alone are alike by luck once in a while; the other cases know better."""
    slower = np.array([0.0, 0.06])
    lucky = world(3, 2, 400, slower, 0.1)
    same = np.abs(np.diff(lucky[..., 1] - lucky[..., 0], axis=0)) < 0.01
    lucky_cases = np.flatnonzero(same[0])
    assert len(lucky_cases) > 3
    alone = [judged(lucky[:, [case]]).any() for case in lucky_cases]
    assert np.mean(alone) > judged(lucky)[lucky_cases].any(axis=1).mean()


def test_one_launch_of_a_case_takes_the_spread_of_the_others() -> None:
    """The stated spread is 6 %; here launches differ by 1 %, and so 8 % are called."""
    logs = world(4, 6, 60, np.array([0.0, np.log(1.08)]), 0.01)
    logs[1:, 0] = np.nan
    logs[0, 0] = [0.0, np.log(1.08)]
    index = pd.Index(range(60), name="case")
    us = pd.DataFrame(np.exp(np.nanmedian(logs, axis=0)), index, ["a", "b"])
    whole = pd.MultiIndex.from_product([range(6), index], names=["launch", "case"])
    of_launches = pd.DataFrame(np.exp(logs.reshape(-1, 2)), whole, ["a", "b"])
    of_launches = of_launches.reorder_levels(["case", "launch"])
    found = judge(us, of_launches, np.zeros(60, np.int64), np.zeros(60, bool))
    assert found.launches[0].tolist() == [1, 1]
    assert found.slower[0, 1]
    alone = judge(us[:1], of_launches[:1], np.zeros(1, np.int64), np.zeros(1, bool))
    assert not alone.slower[0, 1]


def test_less_than_two_percent_is_never_called(write: Write, rows: Rows) -> None:
    """The launches of the other cases differ by next to nothing."""
    files = []
    for number in range(6):
        slower = 10.5 + 0.001 * (number % 3)
        cases = [[*rows("native", [slower + 0.001 * size] * 9, size=size),
                  *rows("ring", [10.0 + 0.001 * (number % 2)] * 9, size=size)]
                 for size in range(1, 8)]  # fmt: skip
        if number == 0:
            cases.append(rows("native", [10.15] * 9, size=64) + rows("ring", [10.0] * 9, size=64))
        files.append(str(write(f"{number}.csv", *cases)))
    times = times_of(load(files), "avg", "median")
    assert times.near_names().tolist()[-1] == "native"
    (said,) = one_launch(times)
    assert said.startswith("One launch in 1 of 8 cases: differences below 2 % are not called")


def test_launches_with_an_algorithm_each_are_several(write: Write, rows: Rows) -> None:
    """Open MPI takes one native:NAME of MPI_Allgatherv in a launch. A single launch of the fastest
    is one all the same."""
    files = [
        str(write(f"{name}{number}.csv", rows(name, [us + 0.1 * number] * 9)))
        for name, us in (("ring", 8.0), ("native", 10.0))
        for number in range(3)
    ]
    assert one_launch(times_of(load(files), "avg", "median")) == []
    (said,) = one_launch(times_of(load(files[2:]), "avg", "median"))
    assert said.startswith("One launch: differences below 18 % are not called")
