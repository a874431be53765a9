# SPDX-License-Identifier: BSD-3-Clause
"""docs/studies/compare_parts.py leaves out what it names, and puts it back."""

import pytest

from compare_parts import PARTS, judge_calls, judge_units


@pytest.mark.parametrize(
    ("world", "part", "changed"),
    [
        ("pairs in the order a b b a, the first faster", "effect of the order", "all"),
        ("launches in turn, machine drifts by 30 %", "*own*", "one"),
        ("pairs, most cases 12 times noisier", "variances of another kind stay", "one"),
    ],
)
def test_without_a_part_less_is_called(world: str, part: str, changed: str) -> None:
    whole, less = (
        sum(judge_units(seed, world, each, changed) for seed in range(4))
        for each in ("nothing", part)
    )
    assert less < whole


def test_all_parts_are_back() -> None:
    asked = (3, "pairs, normal", "nothing", "one")
    found = judge_units(*asked)
    for part in PARTS:
        judge_units(3, "pairs, normal", part, "none")
    assert judge_units(*asked) == found == 1


@pytest.mark.parametrize(("part", "found"), [("nothing", 1.0), ("tails", 1.0), ("stalls", 0.0)])
def test_stalls_are_found_by_their_test_alone(part: str, found: float) -> None:
    assert judge_calls(5, "1 % of 200 calls take 20 times as long", part, "one") == found
