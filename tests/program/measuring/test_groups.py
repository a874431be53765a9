# SPDX-License-Identifier: BSD-3-Clause
"""Several collectives at once, each in a group of the ranks (--groups)."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main

from ..support.launch import Build, Ended
from ..support.refusals import refused

pytestmark = pytest.mark.slow

BENCH = "allgather_bench"
RUNNING = "ring,bruck,native"
FEW = ("-i", "9", "-x", "1", "--sizes", "16")


def rows_of(build: Build, folder: Path, *arguments: str, ranks: int = 5) -> pd.DataFrame:
    ended = build.run(BENCH, "--algorithms", RUNNING, *FEW, *arguments,
                      "--output", "out.csv", cwd=folder, ranks=ranks)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    return pd.read_csv(folder / "out.csv", comment="#", dtype={"group": str})


@dataclass(frozen=True)
class Grouped:
    """A launch of 5 ranks, every other one in a group; one algorithm cannot run in one of them."""

    ended: Ended
    folder: Path
    rows: pd.DataFrame


@pytest.fixture(scope="module")
def grouped(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Grouped:
    folder = tmp_path_factory.mktemp("grouped")
    ended = build.run(BENCH, "--algorithms", f"{RUNNING},recursive_doubling", *FEW, "--groups",
                      "mod:2", "--record", "ranks", "--output", "out.csv", cwd=folder,
                      ranks=5)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = pd.read_csv(folder / "out.csv", comment="#", dtype={"group": str})
    return Grouped(ended, folder, rows)


def test_each_group_has_rows_of_its_own_alone_and_beside_the_others(grouped: Grouped) -> None:
    rows = grouped.rows[grouped.rows["algorithm"] != "recursive_doubling"]
    assert set(rows["status"]) == {"ok"}
    sizes = rows.groupby("group")["ranks"].unique().map(list).to_dict()
    assert sizes == {"0": [3], "1": [2], "slowest": [3]}
    assert set(rows.loc[rows["group"] == "1", "total_bytes"]) == {32}
    for algorithm in RUNNING.split(","):
        for group in ("0", "1", "slowest"):
            some = rows[(rows["algorithm"] == algorithm) & (rows["group"] == group)]
            together = some[some["beside"] == "groups"]["iteration"].tolist()
            alone = some[some["beside"] == "nothing"]["iteration"].tolist()
            assert together == list(range(9)), algorithm
            assert alone == ([] if group == "slowest" else list(range(int(group), 9, 2)))
    ranks = pd.read_csv(grouped.folder / "out.ranks.csv", comment="#", dtype={"group": str})
    members = ranks.groupby("group")["rank"].unique().map(sorted).to_dict()
    assert members == {"0": [0, 2, 4], "1": [1, 3]}  # by their numbers in the launch


def test_the_slowest_is_the_group_with_the_largest_mean_of_each_iteration(grouped: Grouped) -> None:
    rows = grouped.rows[grouped.rows["status"] == "ok"]
    together = rows[rows["beside"] == "groups"]
    keys = ["algorithm", "iteration"]
    slowest = together[together["group"] == "slowest"].set_index(keys)["avg_us"]
    groups = together[together["group"] != "slowest"].groupby(keys)["avg_us"].max()
    pd.testing.assert_series_equal(slowest.sort_index(), groups.sort_index())


@pytest.mark.parametrize("seed", ["6", "11"])
def test_groups_settle_together(build: Build, seed: str) -> None:
    """With these seeds the groups ran different algorithms last in the warm-up, and one that is
    timed first in one of them: that group took its first call for settled, and all waited."""
    ended = build.run(BENCH, "--algorithms", "ring,bruck", "-i", "4", "-x", "1", "--sizes", "16",
                      "--groups", "mod:2", "--seed", seed, "--timeout", "20s")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr


def test_an_algorithm_runs_in_all_groups_or_in_none(grouped: Grouped) -> None:
    skipped = grouped.rows[grouped.rows["algorithm"] == "recursive_doubling"]
    assert set(skipped["status"]) == {"skipped"}
    reason = "needs a power-of-two number of ranks; ranks = 3 (group 0 of 3 ranks)"
    assert set(skipped["reason"]) == {reason}
    assert len(skipped) == 5  # both groups alone and together, and the slowest


def test_the_table_shows_the_slowest_group_and_the_impact(grouped: Grouped) -> None:
    said = grouped.ended.stdout
    assert "ranks: 3, mapping: as launched, groups: mod:2, the slowest" in said
    (line,) = [line for line in said.splitlines() if ": ring: alone" in line]
    assert " us, beside groups " in line and ": impact factor " in line


def test_a_launch_goes_on_with_the_same_groups_only(
    build: Build, grouped: Grouped, tmp_path: Path
) -> None:
    for name in ("out.csv", "out.ranks.csv"):
        shutil.copy(grouped.folder / name, tmp_path)
    ended = build.run(BENCH, "--algorithms", f"{RUNNING},recursive_doubling", *FEW, "--groups",
                      "div:2", "--record", "ranks", "--output", "out.csv", "--resume",
                      cwd=tmp_path, ranks=5)  # fmt: skip
    assert ended.exit_code == 2
    assert "its groups is 'mod:2', now it is 'div:2'" in ended.stderr


def test_the_report_draws_the_impact_of_each_group(grouped: Grouped, tmp_path: Path) -> None:
    data, figure = tmp_path / "impact.csv", tmp_path / "impact.svg"
    main(["impact", str(grouped.folder / "out.csv"), "-o", str(figure), "--csv", str(data)])
    found = pd.read_csv(data, dtype={"group": str}).set_index(["group", "algorithm"])["value"]
    rows = grouped.rows[grouped.rows["status"] == "ok"]
    medians = rows.groupby(["group", "algorithm", "beside"])["avg_us"].median()
    assert set(found.index.get_level_values("group")) == {"0", "1"}
    for group in ("0", "1"):
        for algorithm in RUNNING.split(","):
            both = medians[group, algorithm]
            factor = both["groups"] / both["nothing"]
            assert found[group, algorithm] == pytest.approx(factor, rel=1e-6)


def test_groups_by_node_and_by_a_file(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--groups", "node", "--ranks-per-node", "3")
    assert set(rows["group"]) == {"0", "1", "slowest"}
    (tmp_path / "out.csv").unlink()
    (tmp_path / "groups.txt").write_text("# whose\ntp-0\ntp-1\ntp-1\ntp-0\ntp-0\n")
    rows = rows_of(build, tmp_path, "--groups", "file:groups.txt")
    assert set(rows["group"]) == {"tp-0", "tp-1", "slowest"}
    assert "#@group_file=tp-0 tp-1 tp-1 tp-0 tp-0" in (tmp_path / "out.csv").read_text()


def test_back_to_back_no_group_is_alone(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--groups", "div:2", "--sync", "none")
    assert set(rows["beside"]) == {"groups"}


def test_groups_of_a_file_that_is_not_there(build: Build, tmp_path: Path) -> None:
    """tests/bench/plan/groups_test.cpp has the errors of what is in it, and of numbers."""
    ended = build.run(BENCH, *FEW, "--groups", "file:no", "--output", "out.csv", cwd=tmp_path,
                      ranks=4)  # fmt: skip
    assert refused(ended).startswith("--groups: 'no' cannot be read")
    assert list(tmp_path.iterdir()) == []


def test_a_root_is_in_every_group(build: Build) -> None:
    ended = build.run("bcast_bench", *FEW, "--groups", "div:3", "--root", "2", ranks=5)
    assert ended.exit_code == 2
    assert "--root: '2' is not between 0 and 1, the ranks of group 1" in ended.stderr
