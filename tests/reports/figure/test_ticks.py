# SPDX-License-Identifier: BSD-3-Clause
"""Tests which ticks logarithmic axes have."""

from itertools import pairwise

import numpy as np
import pytest

from agreport.figure.scales import label, logarithmic_ticks

AXIS_PT = 85.0  # an axis of 3 cm


def ticks(
    low: float, high: float, quotients: bool = False, long_pt: float = AXIS_PT
) -> list[float]:
    return logarithmic_ticks(low, high, long_pt, lambda _: 8.0, quotients)


@pytest.mark.parametrize("top", [1.3, 1.6, 3.0, 10.0, 1000.0])
@pytest.mark.parametrize("low", [0.03, 0.5, 1.0, 700.0])
@pytest.mark.parametrize("quotients", [False, True])
def test_labels_do_not_meet(top: float, low: float, quotients: bool) -> None:
    found = ticks(low, low * top, quotients)
    assert found
    assert all(low <= value <= low * top for value in found)
    at_pt = [AXIS_PT * np.log(value) / np.log(top) for value in found]
    assert all(b - a >= 8 for a, b in pairwise(at_pt))


@pytest.mark.parametrize(("low", "high"), [(6.09, 7.37), (8.1, 9.85), (1.31, 1.39)])
def test_a_short_axis_has_numbers(low: float, high: float) -> None:
    assert ticks(low, high)


def test_a_speed_up_of_20_percent_can_be_read() -> None:
    assert {0.8, 0.9, 1.0, 1.1, 1.25} <= set(ticks(0.75, 1.4, quotients=True))
    assert {0.5, 0.8, 1.0, 1.25, 2.0} <= set(ticks(0.4, 2.5, quotients=True))
    assert {0.1, 1.0, 10.0} <= set(ticks(0.05, 20, quotients=True))


def test_ticks_are_of_one_kind() -> None:
    assert ticks(0.7, 1300) == pytest.approx([1, 3, 10, 30, 100, 300, 1000])
    assert ticks(0.7, 30) == pytest.approx([1, 2, 5, 10, 20])
    assert ticks(1.1, 3.5) == pytest.approx([1.2, 1.5, 2, 2.5, 3])
    assert ticks(0.5, 1.5e12, long_pt=20) == pytest.approx([1, 1e8])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.05, "0.05"), (1.25, "1.25"), (2000, "2000"), (1e6, "1e6"), (1e-4, "0.0001")],
)
def test_labels(value: float, text: str) -> None:
    assert label(value) == text
