# SPDX-License-Identifier: BSD-3-Clause
"""Labels of arrival patterns, taken apart."""

import pytest

from agreport.data.arrival_labels import parse


@pytest.mark.parametrize(
    ("label", "family", "size", "number", "unit"),
    [
        ("none", "none", "0", 0, "us"),
        ("uniform:max=5ms", "uniform", "5ms", 5000, "us"),
        ("uniform:max=1.5e-1ms", "uniform", "1.5e-1ms", 150, "us"),
        ("uniform:max=4t", "uniform", "4t", 4, "t"),
        ("delayed:rank=7,delay=10us", "delayed:rank=7", "10us", 10, "us"),
        ("delayed:delay=1s", "delayed", "1s", 1e6, "us"),
        ("bernoulli:delay=3us,probability=0.2", "bernoulli:probability=0.2", "3us", 3, "us"),
        ("alternating:even=0,odd=5ms", "alternating:even=0x,odd=1x", "5ms", 5000, "us"),
        ("alternating:even=2ms,odd=1ms", "alternating:even=1x,odd=0.5x", "2ms", 2000, "us"),
        ("normal:mean=2t,stddev=1t", "normal:mean=1x,stddev=0.5x", "2t", 2, "t"),
        ("gamma:shape=2,scale=1ms", "gamma:shape=2", "1ms", 1000, "us"),
        ("exponential:mean=1ms", "exponential", "1ms", 1000, "us"),
    ],
)
def test_known_patterns(label: str, family: str, size: str, number: float, unit: str) -> None:
    found = parse(label)
    assert (found.family, found.size, found.unit) == (family, size, unit)
    assert found.number == pytest.approx(number)
    assert found.us(12.5) == pytest.approx(number * (12.5 if unit == "t" else 1))


@pytest.mark.parametrize(
    "label",
    [
        "trace:a/b=c.txt",
        "uniform:max=x",
        "uniform:max=inft",
        "uniform:max=1e999t",
        "uniform:max=1.2.3ms",
        "normal:mean=2t,stddev=1ms",
        "new",
    ],
)
def test_what_has_no_size_is_a_family_of_its_own(label: str) -> None:
    found = parse(label)
    assert (found.family, found.size) == (label, "")
    assert found.number != found.number
    assert found.meaning == "asked imbalance"


def test_order() -> None:
    labels = ["uniform:max=50us", "uniform:max=10ms", "delayed:delay=1s", "uniform:max=9ms", "none"]
    assert sorted(labels, key=lambda label: parse(label).order) == [
        *("none", "delayed:delay=1s", "uniform:max=50us", "uniform:max=9ms", "uniform:max=10ms")
    ]
