# SPDX-License-Identifier: BSD-3-Clause
"""Tests what only the all-reduce has: ranks keep what they send, and its parts are other
collectives'."""

from pathlib import Path

import pytest

from agreport.schedules import schedule
from agreport.schedules.source import remarks

from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import read_results
from .test_bcast import cost_of

pytestmark = pytest.mark.slow

BENCH = "allreduce_bench"
MODEL = "hockney:alpha=1e-5,beta=1e-9,gamma=2e-9"


@pytest.mark.parametrize(
    ("ranks", "more"),
    [
        (3, ("--prediction", "perfect")),
        (4, ("--prediction", "wrong:reversed", "--in-place")),
        (5, ("--prediction", "edge", "--compute", "2ms")),
    ],
)
def test_predictions(build: Build, tmp_path: Path, ranks: int, more: tuple[str, ...]) -> None:
    ended = build.run(
        BENCH, "-i", "2", "-x", "0", "-c", "--algorithms", "clairvoyant:segments=4,ring",
        "--sizes", "4,4K", "--arrival", "uniform:max=2ms", "--output", "out.csv", *more,
        ranks=ranks, cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    for row in read_results(tmp_path / "out.csv").rows:
        assert row["status"] == "ok", row
        assert (row["prediction_error_us"] != "") == row["algorithm"].startswith("clairvoyant")


def test_buffers_that_change(build: Build, tmp_path: Path) -> None:
    ended = build.run(
        BENCH, "-i", "3", "-x", "1", "-c", "--algorithms", "all", "--sizes", "8,12K", "--buffers",
        "rotate:1M", "--output", "out.csv", ranks=3, cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"ok"}


def test_it_has_no_root(build: Build) -> None:
    message = refused(build.alone(BENCH, "--root", "0"))
    assert message.startswith("command line: '--root' is no option")


@pytest.mark.quick
def test_an_inner_algorithm_that_does_not_exist_is_refused(build: Build) -> None:
    message = refused(
        build.schedule(
            "prove", "--collective", "allreduce", "--algorithms", "rabenseifner:inner=pairs",
            "--ranks", "4",
        )
    )  # fmt: skip
    assert "'pairs'" in message and "did you mean 'pair'" in message


@pytest.mark.quick
def test_what_is_drawn_is_kept(build: Build) -> None:
    shown = build.schedule(
        "show", "--collective", "allreduce", "--algorithm", "recursive_doubling", "--ranks", "3",
        "--format", "json",
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.combines
    assert [one.held for one in drawn.rounds] == 3 * [[frozenset({0})] * 3]


@pytest.mark.quick
def test_what_is_combined_at_the_end_is_drawn_as_gathered(build: Build) -> None:
    shown = build.schedule(
        "show", "--collective", "allreduce", "--algorithm", "allgather_reduce:inner=ring",
        "--ranks", "3", "--format", "json",
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.combines_at_end and not drawn.combines
    assert [one.held[0] for one in drawn.rounds] == [{0, 2}, {0, 1, 2}]
    assert remarks(drawn).endswith("each rank combines all blocks, in the order of ranks.")


@pytest.mark.quick
def test_its_time_is_that_of_its_steps(build: Build) -> None:
    """Recursive doubling of four: two vectors come in, and both are combined."""
    found = cost_of(build, "allreduce", "--algorithms", "recursive_doubling", "--ranks", "4",
                    "--bytes", "1000", "--model", MODEL)  # fmt: skip
    assert found == pytest.approx(2 * (10 + 1000 * 3e-3))


@pytest.mark.quick
def test_its_simulated_times(build: Build) -> None:
    ended = build.schedule(
        "time", "--collective", "allreduce", "--algorithms", "ring,clairvoyant", "--ranks", "4",
        "--sizes", "4000", "--model", MODEL, "--arrival", "delayed:rank=1,delay=1ms",
    )  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "allreduce" in ended.stdout
