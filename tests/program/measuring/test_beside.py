# SPDX-License-Identifier: BSD-3-Clause
"""Tests what goes on at the same time as a call: other traffic, a computation, the call before."""

from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main

from ..support.launch import Build
from ..support.refusals import refused

pytestmark = pytest.mark.slow

BENCH = "allgather_bench"
FEW = ("-i", "6", "-x", "2", "--sizes", "64")


def rows_of(build: Build, folder: Path, *arguments: str, ranks: int = 2) -> pd.DataFrame:
    ended = build.run(BENCH, *FEW, *arguments, "--output", "out.csv", cwd=folder, ranks=ranks)
    assert ended.exit_code == 0, ended.stderr
    return pd.read_csv(folder / "out.csv", comment="#")


@pytest.mark.parametrize("kind", ["reduce_scatter", "allreduce", "allgather", "alltoall"])
def test_rounds_with_traffic_and_without_alternate(build: Build, tmp_path: Path, kind: str) -> None:
    rows = rows_of(build, tmp_path, "--algorithms", "ring,native", "--beside", f"{kind}:4K",
                   "--validation")  # fmt: skip
    assert set(rows["status"]) == {"ok"}
    counts = rows.groupby(["algorithm", "beside"])["iteration"].apply(list)
    assert set(counts.index.get_level_values("beside")) == {"nothing", f"{kind}:4K"}
    assert all(numbers == list(range(6)) for numbers in counts)
    assert rows["period_us"].isna().all()  # calls are synchronised


def test_the_memory_of_traffic_is_refused_by_its_name(build: Build, tmp_path: Path) -> None:
    ended = build.run(BENCH, *FEW, "--beside", "alltoall:1G", "--mem-limit", "1M", cwd=tmp_path)
    message = refused(ended)
    assert message.startswith("memory: ") and "a smaller --beside" in message


def test_traffic_goes_with_groups(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--algorithms", "ring,bruck", "--beside", "reduce_scatter:1K",
                   "--groups", "mod:2", ranks=4)  # fmt: skip
    assert set(rows["beside"]) == {"nothing", "groups", "groups and reduce_scatter:1K"}


def test_ranks_that_congest_are_not_measured(build: Build, tmp_path: Path) -> None:
    """tests/bench/native has the other patterns."""
    text = "1,3:incast:4K"
    rows = rows_of(build, tmp_path, "--algorithms", "ring,native", "--congest", text,
                   "--validation", ranks=4)  # fmt: skip
    assert set(rows["status"]) == {"ok"}
    assert set(rows["ranks"]) == {2}
    counts = rows.groupby(["algorithm", "beside"])["iteration"].apply(list)
    assert set(counts.index.get_level_values("beside")) == {"nothing", text}
    assert all(numbers == list(range(6)) for numbers in counts)
    assert f"#@congest={text}" in (tmp_path / "out.csv").read_text()


def test_groups_are_congested_together(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--algorithms", "ring", "--congest", "4:5:shift:1K",
                   "--groups", "mod:2", "--sync", "window", ranks=6)  # fmt: skip
    assert set(rows["beside"]) == {"nothing", "groups", "groups and 4:5:shift:1K"}
    loaded = rows[rows["beside"] == "groups and 4:5:shift:1K"]
    assert set(loaded["group"]) == {"0", "1", "slowest"}


def test_a_computation_beside_the_call(build: Build, tmp_path: Path) -> None:
    algorithms = ("ring,pat,leader,shift_mpi_barrier,native_nonblocking,native_persistent,native,"
                  "adaptive")  # fmt: skip
    rows = rows_of(build, tmp_path, "--algorithms", algorithms, "--overlap", "3", "--validation",
                   ranks=4)  # fmt: skip
    # MPI_Allgather_init of MPICH 4.0.2 is wrong.
    ok = rows[rows["status"] == "ok"]
    assert {"ring", "pat", "leader", "shift_mpi_barrier"} <= set(ok["algorithm"])
    computes = ok["beside"] == "computation"
    assert set(ok.loc[~computes, "beside"]) == {"nothing"}
    assert ok.loc[~computes, "overlapped_us"].isna().all()
    assert (ok.loc[computes, "overlapped_us"] <= ok.loc[computes, "avg_us"] + 0.001).all()
    assert (ok.loc[computes, "overlapped_us"] > 0).all()
    skipped = rows[rows["status"] == "skipped"]
    assert {"native", "adaptive"} <= set(skipped["algorithm"])
    reasons = skipped.loc[skipped["algorithm"].isin(["native", "adaptive"]), "reason"]
    assert set(reasons) == {"cannot be begun and waited for apart (--overlap)"}


def test_the_report_has_osus_overlap(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--algorithms", "ring,bruck", "--overlap", "0")
    data = tmp_path / "overlap.csv"
    main(["overlap", str(tmp_path / "out.csv"), "--format", "csv", "-o", str(data)])
    found = pd.read_csv(data).set_index("algorithm")
    means = rows.groupby(["algorithm", "beside"])[["avg_us", "overlapped_us"]].mean()
    us, computed = means["avg_us"], means["overlapped_us"]
    for name in ("ring", "bruck"):
        left = us[name, "computation"] - computed[name, "computation"]
        hidden = 1 - left / us[name, "nothing"]
        assert found.loc[name, "overlap_percent"] == pytest.approx(max(0, 100 * hidden), abs=0.1)


def test_back_to_back_periods_are_those_of_the_run(build: Build, tmp_path: Path) -> None:
    rows = rows_of(build, tmp_path, "--algorithms", "ring,bruck", "--sync", "none")
    assert "#@buffers=same" in (tmp_path / "out.csv").read_text()
    known = rows.dropna(subset="period_us")
    assert 0 < len(known) < len(rows)  # the first call of a batch has none
    assert (known["period_us"] >= known["min_us"] - 0.001).all()


def test_long_calls_have_periods_too(build: Build, tmp_path: Path) -> None:
    """These calls are so long that a batch has no time for two of them."""
    long = ("--compute", "150ms", "--wait", "sleep")
    rows = rows_of(build, tmp_path, "--algorithms", "ring", "--sync", "none", *long)
    assert len(rows) == 6 and rows["period_us"].notna().sum() >= 3


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--beside", "sums:1M"], "--beside: 'sums:1M' is no collective with a size; legal: "),
        (["--congest", "1:2:incast:1K"], "has rank 2; legal: ranks 1 to 1 of this launch"),
    ],
)
def test_bad_values_are_refused_in_one_line(build: Build, arguments: list[str], fault: str) -> None:
    """tests/bench/native has all their errors."""
    assert fault in refused(build.run(BENCH, "-i", "2", "--sizes", "64", *arguments))


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_ranks_that_congest_need_memory_too(build: Build, more: tuple[str, ...]) -> None:
    """Rank 1 receives four messages of 1 MiB from rank 2; the calls need next to nothing."""
    text = "1:2:incast:1M"
    ended = build.run(BENCH, *FEW, "--algorithms", "ring", "--congest", text, "-M", "2M", *more,
                      ranks=3)  # fmt: skip
    assert refused(ended) == (
        f"--congest: '{text}' needs 4194304 bytes (4.0 MiB) on a rank; 2097152 bytes (2.0 MiB) are "
        "allowed: --mem-limit; legal: smaller messages, or fewer ranks"
    )
