# SPDX-License-Identifier: BSD-3-Clause
"""Tests which ticks logarithmic axes have."""

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from agreport.figure.scales import label, logarithmic_ticks, with_plain_labels

MOST = 10  # labels that have room


@pytest.mark.parametrize("top", [1.3, 1.6, 3.0, 10.0, 1000.0, 1e9])
@pytest.mark.parametrize("low", [0.03, 0.5, 1.0, 700.0])
def test_labels_do_not_meet(top: float, low: float) -> None:
    found = logarithmic_ticks(low, low * top, MOST)
    assert found
    assert all(low <= value <= low * top for value in found)
    assert len(found) <= MOST + 1
    assert all(b / a >= 0.99 * top ** (1 / MOST) for a, b in pairwise(found))


@pytest.mark.parametrize(("low", "high"), [(6.09, 7.37), (8.1, 9.85), (1.31, 1.39)])
def test_a_short_axis_has_numbers(low: float, high: float) -> None:
    assert logarithmic_ticks(low, high, MOST)


def test_a_speed_up_of_20_percent_can_be_read() -> None:
    """One is always on the axis."""
    assert {0.8, 1.0, 1.2} <= {round(tick, 6) for tick in logarithmic_ticks(0.75, 1.4, MOST)}
    assert {0.5, 1.0, 2.0} <= set(logarithmic_ticks(0.4, 2.5, MOST))
    assert {0.1, 1.0, 5.0, 10.0} <= set(logarithmic_ticks(0.05, 20, MOST))


def test_ticks_are_of_one_kind() -> None:
    assert logarithmic_ticks(0.7, 1300, MOST) == pytest.approx([1, 3, 10, 30, 100, 300, 1000])
    assert logarithmic_ticks(0.7, 30, MOST) == pytest.approx([1, 2, 5, 10, 20])
    assert logarithmic_ticks(0.5, 1.5e12, 3) == pytest.approx([1, 1e5, 1e10])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.05, "0.05"), (1.25, "1.25"), (2000, "2000"), (1e6, "1e6"), (1e-4, "0.0001")],
)
def test_labels(value: float, text: str) -> None:
    assert label(value) == text


def test_ticks_of_matplotlib_have_plain_numbers() -> None:
    """Its own labels are TeX, which no text of a figure is. It labels the powers, and others where
    there is one power alone."""
    axes = Figure().add_subplot()
    axes.set(xscale="log", xlim=(0.5, 3e3), yscale="log", ylim=(1.5, 7.0))
    with_plain_labels(axes)
    powers, others = (
        [tick.get_text() for tick in ticks if tick.get_text()]
        for ticks in (axes.get_xticklabels(), axes.get_yticklabels(minor=True))
    )
    assert {"1", "10", "100", "1000"} <= {*powers} and {"2", "3", "4", "6"} <= {*others}
    assert not any("$" in text for text in (*powers, *others))
