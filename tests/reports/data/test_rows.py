# SPDX-License-Identifier: BSD-3-Clause
"""Groups of rows that are found by their runs are those that pandas finds."""

import numpy as np
import pandas as pd
import pytest

from agreport.data.rows import FIRST, ROWS, grouped, runs_of

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
