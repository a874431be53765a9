# SPDX-License-Identifier: BSD-3-Clause
"""A program may make a communicator for each of its calls."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.main import main

from ..support.fake_trace import Call, FakeTrace

MANY = 50


def test_they_are_taken_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is not a table for each; what is found is what each alone would give."""
    calls = [Call([100 * n, 100 * n + n, 100 * n, 100 * n], communicator=n) for n in range(MANY)]
    folder = FakeTrace(calls).write(tmp_path / "t")
    made = []
    original = pd.DataFrame

    class Counted(original):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: object, **more: object) -> None:
            made.append(1)
            super().__init__(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr("agreport.trace.imbalance.pd.DataFrame", Counted)
        assert main(["trace", str(folder), "--calls", str(tmp_path / "calls.csv")]) == 0
    assert len(made) < MANY / 5
    rows = pd.read_csv(tmp_path / "calls.csv")
    assert rows["communicator"].diff().dropna().eq(1).all()
    assert rows["worst_us"].tolist() == pytest.approx([*range(MANY)])
    assert np.all(rows["call"] == 0)


def test_of_different_numbers_of_ranks(tmp_path: Path) -> None:
    """They are in the order of the calls, whichever group they are of."""
    calls = [
        Call([0, 3], communicator=1),
        Call([100, 100, 107, 100]),
        Call([200, 204], communicator=1),
        Call([300], communicator=2),  # alone: no imbalance
    ]
    folder = FakeTrace(calls, members={1: [1, 3], 2: [2]}).write(tmp_path / "t")
    assert main(["trace", str(folder), "--calls", str(tmp_path / "calls.csv")]) == 0
    rows = pd.read_csv(tmp_path / "calls.csv")
    assert rows["ranks"].tolist() == [2, 4, 2]
    assert rows["call"].tolist() == [0, 0, 1]
    assert rows["worst_us"].tolist() == pytest.approx([3, 7, 4])
