# SPDX-License-Identifier: BSD-3-Clause
"""Tests how long 5ms are, and the one line for what is no duration."""

import pytest

from agformats.durations import microseconds, seconds
from agformats.errors import BadInput, Illegal, read_option


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", 90), ("2h30m", 9000), ("1d", 86400), ("1m30s", 90), ("1min", 60), ("500ms", 0.5),
        ("1.5h", 5400), ("0.3s", 0.3), (".5s", 0.5), ("2.s", 2), ("1e3s", 1000), ("0s", 0),
        ("5us", 5e-6), ("20ns", 2e-8), ("1d2h3m4s5ms6us7ns", 93784.005006007),
    ],
)  # fmt: skip
def test_seconds(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5ms", 5000), ("1.5us", 1.5), ("0.3ms", 300), ("20ns", 0.02), ("2s", 2e6), ("1e-3ms", 1)],
)
def test_microseconds(text: str, expected: float) -> None:
    assert microseconds(text) == expected


def test_a_number_without_a_unit() -> None:
    """Only where the caller says which unit it has."""
    assert seconds("30", without_unit="s") == 30
    assert microseconds("2.5", without_unit="us") == 2.5
    assert seconds("30ms", without_unit="s") == 0.03
    with pytest.raises(Illegal):
        seconds("30")


@pytest.mark.parametrize(
    "text",
    ["", "s", "soon", "5 ms", "5ms ", "-5ms", "5MS", "5t", "30m2h", "1s1s", "1..2s", "1e999s",
     "\u0665s"],
)  # fmt: skip
def test_no_durations(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_option("--message-time", text, microseconds)
    line = str(caught.value)
    assert line.startswith(f"--message-time: '{text}' is not legal; legal: ")
    assert all(f"{unit}" in line.partition("units: ")[2] for unit in ("d", "h", "s", "us", "ns"))
