# SPDX-License-Identifier: BSD-3-Clause
"""The segmentation of series: what it finds, and that it does not find what is not there."""

import numpy as np
import pytest

from agreport.stats import change_points
from agreport.stats.arrays import Floats
from agreport.stats.change_points import find_changes, largest_arc, sizes


def noise(seed: int, versions: int = 40, cases: int = 10) -> Floats:
    return np.random.default_rng(seed).normal(0, 0.03, (versions, cases))


def test_step_is_found_where_it_is() -> None:
    for seed, at in enumerate((3, 7, 20, 37)):
        values = noise(seed)
        values[at:, 3] += 0.25
        (found,) = find_changes(values).changes
        assert (found.case, found.at) == (3, at) and found.p <= change_points.ALPHA


def test_two_steps_five_versions_apart() -> None:
    values = noise(1)
    values[20:25, 4] += 0.2
    found = find_changes(values)
    assert [(one.case, one.at) for one in found.changes] == [(4, 20), (4, 25)]
    assert found.bounds(4, 40) == [0, 20, 25, 40] and found.bounds(5, 40) == [0, 40]


def test_small_step_behind_a_large_one() -> None:
    """The large one is taken out before the rest is tested again."""
    values = noise(1)
    values[10:, 0] += 1.0
    values[25:, :2] += 0.12
    found = [(one.case, one.at) for one in find_changes(values).changes]
    assert found == [(0, 10), (0, 25), (1, 25)]


def test_nothing_is_found_in_noise() -> None:
    """One in a hundred histories would have something; these have not."""
    assert [seed for seed in range(12) if find_changes(noise(100 + seed)).changes] == []


def test_one_version_alone_is_odd() -> None:
    values = noise(3)
    values[17] += 0.5
    found = find_changes(values)
    assert found.changes == []
    assert np.argwhere(found.odd).tolist() == [[17, case] for case in range(10)]


def test_missing_values() -> None:
    values = noise(4)
    values[np.random.default_rng(5).random(values.shape) < 0.2] = np.nan
    values[:, 9] = np.nan
    values[20:, 3] += 0.25
    (found,) = find_changes(values).changes
    assert found.case == 3 and abs(found.at - 20) <= 1


def test_short_series_have_no_change() -> None:
    for versions in range(1, 4):
        assert find_changes(noise(0, versions)).changes == []


def test_size_is_a_t_statistic_of_known_deviation() -> None:
    values = np.array([[-1.0], [-1.0], [2.0], [2.0], [-1.0], [-1.0]])
    assert largest_arc(values)[:2] == (2, 4)
    found = sizes(values, np.array([2]), np.array([4]))
    assert found[0, 0] == pytest.approx(3 / np.sqrt(1 / 2 + 1 / 4))
