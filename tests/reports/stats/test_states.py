# SPDX-License-Identifier: BSD-3-Clause
"""Tests that two states of a machine are found where they are, and not where there is one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agreport.stats.arrays import Floats
from agreport.stats.states import find_machines, split, states_of_samples

from ..support import fake_states
from ..support.loading import load

Random = np.random.Generator


def with_outliers(random: Random, count: int) -> Floats:
    """Returns times of one state; a few of a hundred are longer, by other processes."""
    far = np.where(random.random(count) < 0.009, random.uniform(3, 30, count), 1.0)
    found: Floats = 0.1 * random.lognormal(0, 0.2, count) * far
    return found


def correlated(random: Random, count: int) -> Floats:
    steps = random.normal(0, 0.2 * np.sqrt(1 - 0.9**2), count)
    walk = [0.0]
    for step in steps[1:]:
        walk.append(0.9 * walk[-1] + step)
    found: Floats = 0.1 * np.exp(np.array(walk))
    return found


ONE_STATE: dict[str, Callable[[Random, int], Floats]] = {
    "noise of 20 %": lambda random, n: 0.1 * random.lognormal(0, 0.2, n),
    "outliers": with_outliers,
    "noise of 40 %": lambda random, n: 0.1 * random.lognormal(0, 0.4, n),
    "a long tail": lambda random, n: 0.1 * (1 + random.pareto(1.5, n)),
    "uniform": lambda random, n: random.uniform(0.1, 0.4, n),
    "correlated": correlated,
    "a clock of 0.04 us": lambda random, n: 0.04 * np.round(2.5 * random.lognormal(0, 0.2, n)),
}


@pytest.mark.parametrize("world", ONE_STATE)
@pytest.mark.parametrize("count", [20, 50, 400, 4000])
def test_one_state_is_hardly_ever_called_two(world: str, count: int) -> None:
    random = np.random.default_rng(5)
    trials = 200 if count > 1000 else 500
    found = sum(split(ONE_STATE[world](random, count)) is not None for _ in range(trials))
    assert found <= 0.01 * trials


def test_two_states() -> None:
    random = np.random.default_rng(6)
    for share in (0.15, 0.5, 0.85):
        slow = random.random(400) < share
        found = split(np.where(slow, 0.45, 0.1) * random.lognormal(0, 0.1, 400))
        assert found is not None
        assert (found.fast_us, found.slow_us) == pytest.approx((0.1, 0.45), rel=0.05)
        assert found.slow_share == pytest.approx(slow.mean(), abs=0.01)
        assert found.apart == pytest.approx(4.5, rel=0.07)
    near = np.where(random.random(400) < 0.5, 0.1, 0.14) * random.lognormal(0, 0.02, 400)
    assert split(near) is None, "less than 1.5 times apart"
    rare = np.where(np.arange(400) % 20 == 0, 0.45, 0.1) * random.lognormal(0, 0.1, 400)
    assert split(rare) is None, "one in twenty is no state"
    assert split(np.array([0.1, 0.45] * 9)) is None, "too few"
    assert split(np.full(100, 0.1)) is None
    assert split(np.zeros(100)) is None
    assert split(np.array([])) is None


def test_iterations_across_a_change_are_of_neither_state(tmp_path: Path) -> None:
    path = fake_states.launch(tmp_path / "a.csv", fake_states.flips(8))
    results = load([path])
    (machine,) = find_machines(results)
    assert machine.ranks == 4 and machine.hosts == "h"
    found = states_of_samples(results, "avg_us")
    assert found[["fast", "slow", "across"]].sum().tolist() == [350, 350, 100]


def test_hosts_are_looked_at_apart(tmp_path: Path) -> None:
    """One host always takes four times as long as the other one: none had two states."""

    def takes(us: float) -> fake_states.Lines:
        return lambda _, random: (us * random.lognormal(0, 0.05), us * random.lognormal(0, 0.05))

    paths = [
        fake_states.launch(tmp_path / f"{n}.csv", takes(us), seed=n, hosts=f"h{n}")
        for n, us in enumerate((0.1, 0.4))
    ]
    assert find_machines(load(paths)) == []


def test_files_without_the_columns(
    write: Callable[..., Path], rows: Callable[..., list[str]]
) -> None:
    assert find_machines(load([str(write("a.csv", rows("ring", [5] * 40)))])) == []
