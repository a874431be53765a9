# SPDX-License-Identifier: BSD-3-Clause
"""Rows by group, launch and iteration, however they stand, and whatever part is looked at."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreport.stats import samples as module
from agreport.stats.launch_interval import PERCENTILES, statistics
from agreport.stats.samples import samples

KEYS = ["size", "name"]
Order = Callable[[pd.DataFrame], pd.DataFrame]


def rows(iterations: int) -> pd.DataFrame:
    """Three launches of four groups, a launch behind the other; of one group the second launch has
    none."""
    index = pd.MultiIndex.from_product(
        [range(3), [8, 64], ["ring", "bruck"], range(iterations)],
        names=["launch", *KEYS, "iteration"],
    )
    frame = index.to_frame(index=False)
    frame = frame[~(frame["launch"].eq(1) & frame["name"].eq("ring"))]
    kinds: dict[str, Any] = {"launch": np.int32, "iteration": float, "name": "category"}
    return frame.astype(kinds).assign(us=np.random.default_rng(1).lognormal(size=len(frame)))


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=1)


def resumed(frame: pd.DataFrame) -> pd.DataFrame:
    """Each launch has measured the second half of its iterations first."""
    late = frame["iteration"] < frame["iteration"].max() / 2
    return frame.assign(late=late).sort_values(["launch", "late"], kind="stable")


@pytest.mark.parametrize("order", [lambda frame: frame, shuffled, resumed])
@pytest.mark.parametrize("iterations", [1, 4, 40])
@pytest.mark.parametrize("most_rows", [1, 50, 1000])
def test_as_pandas_does(
    order: Order, iterations: int, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", most_rows)
    frame = order(rows(iterations))
    found = samples(frame, KEYS)
    sorted_rows = frame.sort_values([*KEYS, "launch", "iteration"])
    parts = list(found.parts(frame["us"].to_numpy()))
    assert np.concatenate([part.values for part in parts]).tolist() == sorted_rows["us"].tolist()
    assert len(parts) == (1 if most_rows == 1000 else 4 if most_rows == 1 else len(parts))
    groups = frame.groupby(KEYS, observed=True)
    launches = frame.groupby([*KEYS, "launch"], observed=True)
    assert np.concatenate([part.of_group for part in parts]).tolist() == groups.size().tolist()
    assert np.concatenate([part.of_sample for part in parts]).tolist() == launches.size().tolist()
    assert found.index.tolist() == groups.size().index.tolist()
    assert found.samples.tolist() == launches.size().index.tolist()
    assert found.iterations.tolist() == groups["iteration"].count().tolist()
    computed = statistics(found, frame["us"].to_numpy())
    np.testing.assert_allclose(computed.mean, groups["us"].mean())
    np.testing.assert_allclose(computed.deviation, groups["us"].std())
    np.testing.assert_allclose(computed.of_launches, launches["us"].median())
    for fraction in PERCENTILES:
        expected = groups["us"].quantile(fraction)
        np.testing.assert_allclose(computed.percentiles[fraction], expected)


def test_means_are_of_no_iteration() -> None:
    frame = rows(2)
    frame.loc[frame["launch"] == 0, "iteration"] = np.nan
    found = samples(frame, KEYS)
    counts = frame.groupby(KEYS, observed=True)["iteration"].count()
    assert found.iterations.tolist() == counts.tolist()


def test_no_rows_have_no_statistics() -> None:
    frame = rows(2)[:0]
    found = statistics(samples(frame, KEYS), frame["us"].to_numpy())
    assert len(found.median.value) == len(found.mean) == len(found.of_launches) == 0
