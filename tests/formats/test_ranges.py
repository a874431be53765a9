# SPDX-License-Identifier: BSD-3-Clause
"""Tests which numbers 8:256:8 are, and the one line for what is no range."""

import pytest

from agformats.errors import BadInput, read_option
from agformats.notes import note
from agformats.ranges import numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", [8]),
        ("2,4,7", [2, 4, 7]),
        ("3:6", [3, 4, 5, 6]),
        ("2:9:3", [2, 5, 8]),
        ("5:5", [5]),
        ("4,1:3, 8:16:8", [4, 1, 2, 3, 8, 16]),
        ("2:6:2,5,5:7", [2, 4, 6, 5, 7]),  # each once
    ],
)
def test_numbers(text: str, expected: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    assert list(numbers(text)) == expected
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "now"), [("8..24 step 8", "8:24:8"), ("3..6", "3:6"), ("5 ..  7 step 2", "5:7:2")]
)
def test_the_spelling_of_010(text: str, now: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is read, and once it is said how it is written now."""
    note.cache_clear()
    assert numbers(text) == numbers(text) == numbers(now)
    assert capsys.readouterr().err == f"note: the range '{text}' is written '{now}' now\n"


@pytest.mark.parametrize("text", ["", "8,", "a", "-1", "1:2:3:4", "1:", ":8", "8;2", "1.5", "1K"])
def test_no_ranges(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_option("--ranks", text, numbers)
    assert str(caught.value).startswith(f"--ranks: '{text}' is not legal; legal: whole numbers")
    assert "8:256:8 (MIN:MAX:STEP)" in str(caught.value)


@pytest.mark.parametrize("text", ["8:2", "0:4", "0", "1:4:0", "8..2"])
def test_ranges_go_up(text: str) -> None:
    with pytest.raises(BadInput, match=r"a range goes up, from 1 at least, by a step of 1"):
        read_option("--ranks", text, numbers)
