# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/history_worlds.py refuses, and what it gives to a library."""

import sys

import numpy as np
import pytest

import history_worlds
from agreport.stats.arrays import Floats
from agreport.stats.change_points import Series


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--worlds", "none"], "--worlds: no world has 'none'; worlds: no change, "),
        (["--histories", "0"], "--histories: 0 is not legal; legal: 1 and more"),
        (["--versions", "61"], "--versions: 61 is not legal; legal: 2 to 60"),
        (["--method", "ruptures"], "--method: 'ruptures' needs ruptures: pip install ruptures"),
        (["--method", "otava calm"], "'otava calm' needs apache-otava: pip install apache-otava"),
    ],
)
def test_what_is_refused(
    words: list[str],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    there = {"agreport": "there"}
    monkeypatch.setattr(history_worlds, "find_spec", there.get)
    monkeypatch.setattr(sys, "argv", ["history_worlds.py", *words])
    with pytest.raises(SystemExit, match="2"):
        history_worlds.main()
    assert named in capsys.readouterr().err.splitlines()[-1]


def test_a_library_gets_the_versions_that_a_case_has_and_its_places_are_of_all() -> None:
    values = np.zeros((10, 2))
    values[:4, 1] = np.nan

    def find(means: Floats, _: float) -> list[int]:
        assert not np.isnan(means).any()
        return [2]

    assert history_worlds.of_each(Series(values, np.arange(10)), find) == [2, 6]


def test_of_fewer_versions_the_newest_are_kept() -> None:
    world = history_worlds.calm(np.random.default_rng(1))
    kept = history_worlds.newest(world, 10)
    assert kept.versions == 10
    assert (kept.values == world.values[-50:]).all()
