# SPDX-License-Identifier: BSD-3-Clause
"""reduce_bench: every algorithm combines every byte at any root; what it prints and writes."""

import re
from pathlib import Path

import pytest

from agreport.schedules import schedule

from .support.algorithms import LIBRARY_CALLS, REDUCTIONS
from .support.launch import Build
from .support.refusals import refused
from .support.results import Results, read_results, read_tables

BENCH = "reduce_bench"
FEW = ("-i", "2", "-x", "0")
DYNAMIC = "local_redirect"  # no schedule, and no call into the library
IN_ORDER = ["binomial", "linear_pipeline", "native"]


def run(build: Build, folder: Path, ranks: int, *arguments: str) -> Results:
    ended = build.run(BENCH, *FEW, "--output", "out.csv", *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return read_results(folder / "out.csv")


def test_list(build: Build) -> None:
    ended = build.run(BENCH, "--list")
    assert ended.exit_code == 0
    names = ended.stdout.split("\n\n")[0]
    listed = [name for name in re.findall(r"^  ([\w:]+)", names, re.M)[1:] if ":" not in name]
    assert listed == [*REDUCTIONS, *LIBRARY_CALLS]
    assert "not here" not in names or "native:NAME" in names  # none of them needs a thread


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_every_algorithm_is_right(build: Build, tmp_path: Path, ranks: int) -> None:
    for number, (root, in_place) in enumerate(
        [(0, ()), (ranks // 2, ("--in-place",)), (ranks - 1, ())]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        results = run(
            build, folder, ranks, "--algorithms", "all,linear_pipeline:segments=3",
            "--sizes", "8,104,20K", "-c", "--root", str(root), *in_place,
        )  # fmt: skip
        assert results.metadata["root"] == str(root)
        assert (results.metadata["op"], results.metadata["type"]) == ("sum", "int")
        assert results.metadata["gamma"] == "none"
        for row in results.rows:
            assert row["status"] == "ok", row
            assert row["collective"] == "reduce"


@pytest.mark.slow
@pytest.mark.parametrize("element", ["char", "int", "long", "float", "double"])
def test_every_operator_of_every_type(build: Build, tmp_path: Path, element: str) -> None:
    """A wrong bit ends the program with 1."""
    integers = ["band", "bor", "bxor", "land", "lor", "lxor", "compose"]
    for op in ["sum", "prod", "min", "max", *(integers if element in "char int long" else [])]:
        folder = tmp_path / op
        folder.mkdir()
        results = run(
            build, folder, 4, "--algorithms", "all", "--sizes", "8,4K", "-c",
            "--op", op, "--type", element,
        )  # fmt: skip
        for row in results.rows:
            runs = op != "compose" or row["algorithm"] in IN_ORDER
            assert row["status"] == ("ok" if runs else "skipped"), row
            assert runs or row["reason"] == "needs an operator that commutes"


def test_an_operator_that_does_not_commute_needs_root_0(build: Build) -> None:
    ended = build.run(
        BENCH, *FEW, "--op", "compose", "--root", "1", "--algorithms", "binomial,native",
        "--sizes", "8", ranks=3,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert "skipped: binomial: needs root 0, or an operator that commutes; root = 1" in ended.stdout


def test_columns_are_those_of_osu_reduce(build: Build) -> None:
    ended = build.run(
        BENCH, "-m", "8:32", "--algorithms", "binomial", "-i", "3", "-x", "1", "-f", "-c",
        "--type", "double",
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    (table,) = read_tables(ended.stdout)
    assert table.title.startswith("# OSU-style MPI Reduce Latency Test, gatherbench ")
    assert "# Datatype: MPI_DOUBLE." in ended.stdout
    assert table.header == (
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"
        "        Validation"
    )
    assert [int(row.split()[0]) for row in table.rows] == [8, 16, 32]


def test_an_option_of_simulations_is_refused(build: Build) -> None:
    assert refused(build.run(BENCH, "--gamma", "2.5e-10", ranks=2)).startswith(
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


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("flags", [(), ("--in-place",)])
def test_predictions_of_a_helper_thread(
    build: Build, tmp_path: Path, ranks: int, flags: tuple[str, ...]
) -> None:
    """Each rank extrapolates at half of its computation, and the schedule is made meanwhile."""
    results = run(
        build, tmp_path, ranks, "--algorithms", "clairvoyant:segments=4,clairvoyant,binomial",
        "--sizes", "4,4K,256K", "-c", "--root", str(ranks // 2), "--arrival", "uniform:max=2ms",
        "--compute", "4ms", "--prediction", "edge", *flags,
    )  # fmt: skip
    assert results.metadata["prediction"] == "edge"
    assert {row["status"] for row in results.rows} == {"ok"}
    for row in results.rows:
        predicts = row["algorithm"] != "binomial"
        assert (row["prediction_error_us"] != "") == (row["helper_us"] != "") == predicts
        assert row["schedule_us"] == ""
        assert float(row["helper_us"] or 0) > 0 or not predicts


@pytest.mark.parametrize("late", [0, 1, 2, 3])
def test_late_ranks(build: Build, tmp_path: Path, late: int) -> None:
    """Other buffers in each call, and another rank that the others do not wait for."""
    results = run(
        build, tmp_path, 4, "--algorithms", DYNAMIC, "--sizes", "8,256K", "-c", "--root", "1",
        "--buffers", "rotate:1M", "--arrival", f"delayed:rank={late},delay=2ms",
    )  # fmt: skip
    assert {row["status"] for row in results.rows} == {"ok"}
    assert {row["arrival"] for row in results.rows} == {"none", f"delayed:rank={late},delay=2ms"}
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
def test_every_schedule_is_proven(build: Build) -> None:
    proven = build.run(
        "allgather_schedule", "prove", "--collective", "reduce", "--ranks", "1:12",
        "--algorithms", "all", ranks=1,
    )  # fmt: skip
    assert proven.exit_code == 0, proven.stdout + proven.stderr
    assert len(proven.stdout.splitlines()) == 1 + len(REDUCTIONS) - 1
    assert DYNAMIC not in proven.stdout


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
    shown = build.run(
        "allgather_schedule", "show", "--collective", "reduce", "--algorithm", "binomial",
        "--ranks", "4", "--root", "1", "--format", "json", ranks=1,
    )  # fmt: skip
    drawn = schedule.read("show", shown.stdout)
    assert drawn.combines
    whole, nothing = frozenset({0}), frozenset[int]()
    first, second = drawn.rounds
    assert first.held_before == [whole, whole, whole, whole]
    assert first.handed_over == [whole, nothing, whole, nothing]
    assert second.held_before == [nothing, whole, nothing, whole]
    assert second.handed_over == [nothing, nothing, nothing, whole]


def test_cost_has_gamma(build: Build) -> None:
    """A binomial tree of four: the root takes in two vectors and combines them."""
    ended = build.schedule(
        "cost", "--collective", "reduce", "--algorithms", "binomial", "--ranks", "4",
        "--bytes", "1000", "--model", "hockney:alpha=1e-5,beta=1e-9,gamma=2e-9",
    )  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (0, "")
    *_, head, row = ended.stdout.splitlines()
    microseconds = float(dict(zip(head.split(","), row.split(","), strict=True))["cost"])
    assert microseconds == pytest.approx(2 * (10 + 1000 * 3e-3))
