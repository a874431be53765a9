# SPDX-License-Identifier: BSD-3-Clause
"""Tests algorithms that predict arrivals: every byte is right under every pattern, and they say
what they need."""

from pathlib import Path

import pytest

from ..conftest import compile_planted
from ..support.algorithms import ARRIVAL_AWARE
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV
from ..support.results import PREDICTION, Results, read_results

pytestmark = pytest.mark.slow

ITERATIONS = 2
PATTERNS = ["none", "uniform:max=2ms", "delayed:rank=0,delay=1ms"]
CASES = {
    GATHER: ["--sizes", "64,40000"],
    GATHERV: ["--sizes", "640", "--distributions", "broadcast,half_full"],
}


@pytest.fixture(scope="session")
def library(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_planted(build, "planted_threads", tmp_path_factory)


def check_predictions(results: Results) -> None:
    for row in results.rows:
        told = [row[column] for column in PREDICTION]
        if row["algorithm"].partition(":")[0] in ARRIVAL_AWARE and row["status"] == "ok":
            assert all(float(value) >= 0 for value in told)
            assert float(row["helper_us"]) > 0
        else:
            assert told == ["", ""]


@pytest.mark.parametrize(
    ("bench", "cases", "ranks"),
    [
        (GATHER, 2, 1),
        (GATHER, 2, 2),
        (GATHERV, 2, 3),
        (GATHER, 2, 4),
        (GATHERV, 2, 4),
        (GATHERV, 2, 7),
    ],
)
def test_every_byte_is_right(
    build: Build, tmp_path: Path, bench: str, cases: int, ranks: int
) -> None:
    ended = build.run(bench, "--algorithms", "arrival_aware,ring,bslb:head=16", *CASES[bench], "-i",
                      str(ITERATIONS), "-x", "1", "-c", "--arrival", ",".join(PATTERNS),
                      "--compute", "1ms", "--wait", "sleep", "--output", "out.csv", ranks=ranks,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert len(results.cases) == len(PATTERNS) * cases
    assert {row["status"] for row in results.rows} == {"ok"}
    assert len(results.counts()) == (len(ARRIVAL_AWARE) + 2) * len(results.cases)
    assert set(results.counts().values()) == {ITERATIONS}
    assert results.metadata["thread_level"] == "multiple"
    check_predictions(results)


def test_only_who_predicts_asks_for_threads_and_computes(build: Build, tmp_path: Path) -> None:
    for algorithms, level, compute in (
        ("ring", "single", "0 us"),
        ("ring,bdr", "multiple", "200000 us"),
    ):
        name = f"{algorithms}.csv"
        ended = build.run(GATHER, "--algorithms", algorithms, "--sizes", "8", "-i", "1", "-x", "0",
                          "--output", name, cwd=tmp_path)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        metadata = read_results(tmp_path / name).metadata
        assert (metadata["thread_level"], metadata["compute"]) == (level, compute)


def test_skipped_without_threads(build: Build, library: Path, tmp_path: Path) -> None:
    env = {"LD_PRELOAD": str(library), "PLANTED_LEVEL": "serialized"}
    ended = build.run(GATHER, "--algorithms", "ring,arrival_aware", "--sizes", "8", "-i",
                      "2", "--output", "out.csv", env=env, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    skipped = [row for row in results.rows if row["status"] == "skipped"]
    assert [row["algorithm"] for row in skipped] == ARRIVAL_AWARE
    for row in skipped:
        assert row["reason"].startswith("needs MPI_THREAD_MULTIPLE; ")
        assert row["reason"].endswith("MPI_THREAD_SERIALIZED")
    assert list(results.counts().values()) == [2]


def test_an_error_in_the_helper_thread_ends_the_run(
    build: Build, library: Path, tmp_path: Path
) -> None:
    """The file keeps what was measured, and the launch does not hang."""
    env = {"LD_PRELOAD": str(library), "PLANTED_EXCHANGE": "10"}
    ended = build.run(GATHER, "--algorithms", "bdr:tau=10us", "--sizes", "8,16,32", "-i", "6",
                      "-x", "0", "--compute", "1ms", "--output", "out.csv", ranks=3, env=env,
                      cwd=tmp_path)  # fmt: skip
    assert "planted: exchange 10 fails" in ended.stderr
    assert ended.exit_code == 3
    assert any("MPI_Iallgather" in message for message in ended.messages), ended.stderr
    results = read_results(tmp_path / "out.csv")
    # The check of a case is an exchange too.
    assert [case.split(",")[-1] for case in results.cases] == ["8"]
    assert set(results.counts().values()) == {6}


PREDICTIONS = ["sma", "perfect", "wrong:shuffled", "wrong:reversed", "noise:0.5t"]


@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_whatever_is_predicted(build: Build, tmp_path: Path, prediction: str) -> None:
    """Every byte is right; and what is wrong on purpose is wrong."""
    ended = build.run(GATHER if prediction != "perfect" else GATHERV, "--prediction", prediction,
                      "--algorithms", "arrival_aware,ring", "--sizes", "30000", "-i", "3", "-x",
                      "1", "-c", "--arrival", "delayed:rank=0,delay=40ms", "--compute", "3ms",
                      "--wait", "sleep", "--output", "out.csv", ranks=4, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} == {"ok"}
    assert results.metadata["prediction"] == prediction
    check_predictions(results)
    if prediction != "wrong:reversed":
        return
    for row in results.rows:
        if row["arrival"] != "none" and row["algorithm"] != "ring":
            # Rank 0 is believed to be 40 ms early, and all others 40 ms late.
            assert float(row["prediction_error_us"]) > 20000
