# SPDX-License-Identifier: BSD-3-Clause
"""Tests which cases are on a cliff, and which algorithms fall."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from agreport.diagnostics.cliffs import FALLS, LEVELS, find_cliffs, neighbours
from agreport.main import main

from ..support.commands import Rows, Write
from ..support.loading import load

# 65552 B take so many times as long as 65536 B, by algorithm.
STEEP = {"native": 4.6, "ring": 3.2, "bruck": 1.03}
SIZES = (32768, 65536, 65552)


def launches(
    write: Write,
    rows: Rows,
    times: Mapping[str, float],
    count: int = 3,
    spread: float = 0.05,
    noise: float = 0.1,
    **metadata: str,
) -> list[str]:
    """Writes launches with times of each algorithm with blocks of SIZES, and returns their paths.
    spread: of the algorithms' ratios between launches."""
    random = np.random.default_rng(4)
    paths = []
    for number in range(count):
        cases = []
        for size in SIZES:
            own = []
            for name, steep in times.items():
                us = size / 4096 * (steep if size == 65552 else 1.0) * random.lognormal(0, spread)
                own += rows(name, us * random.lognormal(0, noise, 12), size=size, ranks=2)
            cases.append(own)
        said = {"start": str(number), "ranks": "2", **metadata}
        paths.append(str(write(f"{number}.csv", *cases, **said)))
    return paths


def test_neighbours_are_within_a_tenth() -> None:
    assert neighbours("bytes", [65552, 1, 2, 65536, 73000, 32768]) == [
        (65536, 65552),
        (65552, 65536),
    ]
    assert neighbours("buffer_offset", ["0,0", "0,16"]) == [("0,0", "0,16"), ("0,16", "0,0")]


def test_a_cliff_names_who_falls_and_who_does_not(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = launches(write, rows, STEEP)
    found = find_cliffs(load(paths), "avg")
    assert set(found["bytes"]) == {65552} and set(found["neighbour"]) == {65536}
    assert dict(zip(found["algorithm"], found["falls"], strict=True)) == {
        "native": FALLS,
        "ring": FALLS,
        "bruck": LEVELS,
    }
    assert main(["diagnostics", *paths]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "A cliff: with blocks of 65552 B instead of 65536 B (16 B more) native takes" in printed
    assert "times as long, ring 3." in printed and "; not so bruck (1" in printed
    assert "2 ranks" in printed and "a program's sizes are seldom powers of two." in printed
    assert "Cases on a cliff" in printed


def test_level_ground_is_no_cliff(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = launches(write, rows, {"native": 1.0, "ring": 1.3}, spread=0.19)
    assert find_cliffs(load(paths), "avg").empty
    assert main(["diagnostics", *paths]) == 0
    assert "cliff" not in capsys.readouterr().out


def test_one_launch_has_to_be_beyond_what_launches_spread_by(write: Write, rows: Rows) -> None:
    def falls(steep: float, oversubscribed: str) -> bool:
        own = {"native": steep}
        one = launches(write, rows, own, 1, 0.0, 0.01, oversubscribed=oversubscribed)
        return not find_cliffs(load(one), "avg").empty

    assert not falls(1.6, "no") and falls(1.8, "no")
    assert not falls(9.0, "yes")  # where ranks share processors one launch calls nothing


def test_a_launch_without_the_cliff_takes_it_back(write: Write, rows: Rows, tmp_path: Path) -> None:
    """Two launches of three have a cliff, by what else was on the machine."""
    paths = launches(write, rows, {"native": 2.0}, 2, 0.0)
    level = [rows("native", [size / 4096] * 12, size=size, ranks=2) for size in SIZES]
    paths.append(str(write("level.csv", *level, start="level", ranks="2")))
    assert find_cliffs(load(paths[:2]), "avg")["falls"].tolist() == [FALLS]
    assert find_cliffs(load(paths), "avg").empty
