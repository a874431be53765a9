# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so on two emulated hosts."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ..support.agstar import assert_right, preload, tried
from ..support.cluster import Cluster
from ..support.launch import Build

pytestmark = pytest.mark.slow

Run = Callable[..., pd.DataFrame]


@pytest.fixture
def run(build: Build, gathering_program: Path, cluster: Cluster, tmp_path: Path) -> Run:
    """Runs a scenario with half of the ranks on each host; returns its report."""

    def launch(ranks: int, scenario: str, **agstar: str) -> pd.DataFrame:
        agstar = {"AGSTAR_LOG": "log", "AGSTAR_REPORT": "report.csv", **agstar}
        env = " ".join(f"{name}={value}" for name, value in agstar.items())
        preloaded = f"env LD_PRELOAD={preload(build)} {env}"
        script = f"$bin/mpirun_here {ranks} {preloaded} {gathering_program} {scenario}"
        slots = ("--slots", str(ranks // 2))
        assert_right(cluster.shell("2", script, *slots, cwd=tmp_path))
        return pd.read_csv(tmp_path / "report.csv")

    return launch


@pytest.mark.parametrize("policy", ["random:3", "fixed:leader:via=window"])
def test_copies_within_each_and_messages_between_them(
    run: Run, tmp_path: Path, policy: str
) -> None:
    report = run(4, "mix 200", AGSTAR_POLICY=policy)
    if policy.startswith("fixed"):
        assert set(report["algorithm"]) == {"leader:via=window"}
    else:
        assert sum(name.endswith(":via=window") for name in tried(tmp_path)) > 10


def test_ranks_count_what_they_spend(run: Run) -> None:
    """Rank 1 waits for half a second in each call, so the two spend a quarter, on average."""
    (native_ns,) = run(2, "late 17", AGSTAR="observe")["native_ns"]
    assert native_ns > 100_000_000
