# SPDX-License-Identifier: BSD-3-Clause
"""Tests what only the reduction has: operators, predictions of who is late, and whoever asks who
is."""

from pathlib import Path

import pytest

from agreport.schedules import schedule

from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import Results, read_results
from .test_bcast import cost_of

pytestmark = pytest.mark.slow

BENCH = "reduce_bench"
FEW = ("-i", "2", "-x", "0")
DYNAMIC = "local_redirect"  # no schedule, and no call into the library


def run(build: Build, folder: Path, ranks: int, *arguments: str) -> Results:
    ended = build.run(BENCH, *FEW, "--output", "out.csv", *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return read_results(folder / "out.csv")


def test_an_operator_that_does_not_commute_needs_root_0(build: Build) -> None:
    ended = build.run(
        BENCH, *FEW, "--op", "compose", "--root", "1", "--algorithms", "binomial,native",
        "--sizes", "8", ranks=3,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert "skipped: binomial: needs root 0, or an operator that commutes; root = 1" in ended.stdout


def test_an_option_of_simulations_is_refused(build: Build) -> None:
    assert refused(build.alone(BENCH, "--gamma", "2.5e-10")).startswith(
        "--gamma: '2.5e-10' is for simulations, and this is none; legal:"
    )


@pytest.mark.parametrize("prediction", ["perfect", "sma", "wrong:reversed", "noise:1ms"])
def test_predictions(build: Build, tmp_path: Path, prediction: str) -> None:
    results = run(
        build, tmp_path, 3, "--algorithms", "clairvoyant:segments=4,binomial", "--sizes", "4K",
        "-c", "--arrival", "uniform:max=2ms", "--prediction", prediction,
    )  # fmt: skip
    assert results.metadata["prediction"] == prediction
    for row in results.rows:
        assert row["status"] == "ok", row
        predicts = row["algorithm"] != "binomial"
        assert (row["prediction_error_us"] != "") == predicts
        assert (row["schedule_us"] != "") == predicts


@pytest.mark.parametrize(("ranks", "flags"), [(1, ()), (3, ()), (5, ("--in-place",))])
def test_predictions_of_a_helper_thread(
    build: Build, tmp_path: Path, ranks: int, flags: tuple[str, ...]
) -> None:
    """Each rank extrapolates at half of its computation, and the schedule is made meanwhile."""
    results = run(
        build, tmp_path, ranks, "--algorithms", "clairvoyant:segments=4,clairvoyant,binomial",
        "--sizes", "4,64K", "-c", "--root", str(ranks // 2), "--arrival", "uniform:max=2ms",
        "--compute", "2ms", "--prediction", "edge", *flags,
    )  # fmt: skip
    assert results.metadata["prediction"] == "edge"
    assert {row["status"] for row in results.rows} == {"ok"}
    for row in results.rows:
        predicts = row["algorithm"] != "binomial"
        assert (row["prediction_error_us"] != "") == (row["helper_us"] != "") == predicts
        assert row["schedule_us"] == ""
        assert float(row["helper_us"] or 0) > 0 or not predicts


def test_late_ranks(build: Build, tmp_path: Path) -> None:
    """Other buffers in each call, and another rank that the others do not wait for."""
    patterns = [f"delayed:rank={late},delay=2ms" for late in range(4)]
    results = run(
        build, tmp_path, 4, "--algorithms", DYNAMIC, "--sizes", "8,256K", "-c", "--root", "1",
        "--buffers", "rotate:1M", "--arrival", ",".join(patterns),
    )  # fmt: skip
    assert {row["status"] for row in results.rows} == {"ok"}
    assert {row["arrival"] for row in results.rows} == {"none", *patterns}
    assert {row["prediction_error_us"] for row in results.rows} == {""}


def test_schedules_are_made_in_the_call_if_asked(build: Build, tmp_path: Path) -> None:
    for charge, is_made in [((), False), (("--charge-schedule",), True)]:
        folder = tmp_path / str(is_made)
        folder.mkdir()
        results = run(build, folder, 2, "--algorithms", "clairvoyant", "--sizes", "4K", *charge)
        # Without it that of the iteration before fits, where all are there at once.
        assert all((float(row["schedule_us"]) > 0) == is_made for row in results.rows)
        assert results.metadata["charge_schedule"] == ("yes" if is_made else "no")


@pytest.mark.quick
@pytest.mark.parametrize(
    "command",
    [
        f"show --algorithm {DYNAMIC} --ranks 4",
        f"prove --algorithms binomial,{DYNAMIC} --ranks 4",
        f"cost --algorithms {DYNAMIC} --ranks 4 --bytes 8 --model hockney:alpha=1e-5,beta=1e-9",
        f"time --algorithms {DYNAMIC} --ranks 4 --sizes 8 --model hockney:alpha=1e-5,beta=1e-9",
    ],
)
def test_what_asks_who_is_there_has_no_schedule(build: Build, command: str) -> None:
    ended = build.schedule(*command.split(), "--collective", "reduce")
    assert (ended.exit_code, ended.stdout) == (2, "")
    (message,) = ended.messages
    assert message.endswith(f"'{DYNAMIC}' finds out while it runs who is there: it has no schedule")


@pytest.mark.quick
def test_what_is_drawn_is_handed_over(build: Build) -> None:
    shown = build.schedule(
        "show", "--collective", "reduce", "--algorithm", "binomial", "--ranks", "4",
        "--root", "1", "--format", "json",
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.combines
    whole, nothing = frozenset({0}), frozenset[int]()
    first, second = drawn.rounds
    assert first.held == [nothing, whole, nothing, whole]
    assert second.held == [nothing, whole, nothing, nothing]


def test_cost_has_gamma(build: Build) -> None:
    """A binomial tree of four: the root takes in two vectors and combines them."""
    found = cost_of(build, "reduce", "--algorithms", "binomial", "--ranks", "4", "--bytes", "1000",
                    "--model", "hockney:alpha=1e-5,beta=1e-9,gamma=2e-9")  # fmt: skip
    assert found == pytest.approx(2 * (10 + 1000 * 3e-3))
