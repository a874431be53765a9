# SPDX-License-Identifier: BSD-3-Clause
"""Groups of rows that are found by their runs are those that pandas finds; names have one order."""

import numpy as np
import pandas as pd
import pytest

from agreport.data.rows import FIRST, ROWS, grouped, place_in_order, runs_of

KEYS = ["name", "size", "launch"]


def rows(count: int, alike: int) -> pd.DataFrame:
    """Runs of rows that are alike, in an order of their own."""
    random = np.random.default_rng(count + alike)
    runs = -(-count // alike)
    name = random.choice(["ring", "bruck", "linear"], runs)
    frame = pd.DataFrame({
        "name": pd.Categorical(name, ["sparbit", "ring", "linear", "bruck"]),
        "size": random.integers(0, 3, runs),
        "launch": random.integers(0, 2, runs).astype(np.int32),
    })  # fmt: skip
    frame = frame.loc[np.repeat(np.arange(runs), alike)][:count]
    return frame.assign(value=random.random(count))


@pytest.mark.parametrize("alike", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize("keys", [KEYS, KEYS[:1], KEYS[1:]])
def test_as_pandas_does(count: int, alike: int, keys: list[str]) -> None:
    frame = rows(count, alike)
    expected = frame.groupby(keys, observed=True)
    found = grouped(frame, keys)
    assert found.number.tolist() == expected.ngroup().tolist()
    assert found.index.tolist() == expected.size().index.tolist()
    assert found.index.names == keys
    runs = runs_of(frame, keys)
    assert runs[ROWS].sum() == count
    again = frame[keys].iloc[np.repeat(runs[FIRST], runs[ROWS])]
    assert again.to_numpy().tolist() == frame[keys].to_numpy().tolist()


def test_patterns_that_say_the_same_have_one_order() -> None:
    """That of a set, in which they come, is another in each process."""
    labels = ["uniform:max=1ms", "uniform:max=1000us", "none", "uniform:max=2us"]
    for order in (labels, labels[::-1]):
        found = sorted(order, key=lambda label: place_in_order("arrival", label))
        assert found == ["none", "uniform:max=2us", "uniform:max=1000us", "uniform:max=1ms"]
