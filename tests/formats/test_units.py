# SPDX-License-Identifier: BSD-3-Clause
"""Tests sizes in words."""

import pytest

from agformats.units import exactly, in_percent


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1000, "1000 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (65536, "64 KiB"),
        (65552, "65552 B"),
        (1048592, "1048592 B"),
        (3 << 30, "3 GiB"),
    ],
)
def test_sizes_that_differ_have_different_names(size: int, text: str) -> None:
    assert exactly(size) == text


def test_percent() -> None:
    assert [in_percent(each) for each in (0.1234, 99.96, 999.4, 999.6, 1523.4, -2e4)] == [
        *("0.123 %", "100 %", "999 %", "1000 %", "1523 %", "-20000 %")
    ]
