# SPDX-License-Identifier: BSD-3-Clause
"""Tests the whole cycle of write, call and read, which is timed once a turn."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import agreport
from agreport.cli.settle import default_metric
from agreport.main import main
from agreport.stats.launch_interval import statistics_of
from shared.checksums import checksummed

from ..conftest import HEADER, METADATA, lines
from ..support.commands import Capture, refused
from ..support.loading import load

Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(name: str, cycles: dict[str, list[float]], place: str = "none") -> str:
        """Writes a file with ten calls a turn. A call takes 10 us, ring's 9; cycles are as
        given."""
        text = [*(f"#@{key}={value}" for key, value in METADATA.items()), f"{HEADER},cycle_us"]
        for algorithm, values in cycles.items():
            us = [9.0 if algorithm == "ring" else 10.0] * (10 * max(len(values), 1))
            where = f"allgather,{{}},regular,{place},sequential"
            for number, line in enumerate(lines(algorithm, us, place=where)):
                last = number % 10 == 9 and values
                text.append(f"{line},{values[number // 10] if last else ''}")
        path = tmp_path / name
        path.write_text(checksummed("\n".join([*text, "#@case_end=0"]) + "\n"))
        return str(path)

    return write


CYCLES = {"native": [20.0, 21.0, 22.0, 23.0, 24.0, 25.0], "ring": [40.0] * 6}


def test_statistics_are_of_the_rows_that_have_one(make: Make, capsys: Capture) -> None:
    path = make("a.csv", CYCLES)
    results = load([path])
    assert default_metric(results) == "cycle"
    found = statistics_of(results, "cycle_us")
    assert sorted(found.median.value.tolist()) == [22.5, 40]
    assert sorted(found.median.low.tolist()) == [20, 40]
    assert main(["summary", path, "--format", "csv"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    native = table[table["algorithm"] == "native"][["iterations", "median_us", "p99_us"]]
    assert native.to_numpy().tolist() == [[6, 22.5, 24.95]]
    assert set(table["metric"]) == {"cycle"}
    assert agreport.summary(path)["median_us"].max() == 10, "programs get what they asked for"
    assert agreport.summary(path, metric="cycle")["median_us"].max() == 40


def test_the_call_and_the_cycle_have_other_winners(make: Make, capsys: Capture) -> None:
    path = make("a.csv", CYCLES)
    for options, fastest in (([], "native"), (["--metric", "avg"], "ring")):
        assert main(["times", path, *options]) == 0
        names, values = capsys.readouterr().out.splitlines()[-2:]
        marked = [value.endswith("*") for value in values.split()]
        assert names.split()[marked.index(True)] == fastest


def test_a_sample_without_cycles_is_not_left_out(make: Make, capsys: Capture) -> None:
    """The default becomes the call, which is said; who asks for cycles is refused."""
    files = [make("a.csv", CYCLES), make("b.csv", {"native": [], "ring": []}, "uniform:max=1ms")]
    assert default_metric(load(files)) == "avg"
    assert main(["summary", *files]) == 0
    assert "2 of 4 samples have no cycle_us" in capsys.readouterr().err
    said = refused(capsys, "summary", *files, "--metric", "cycle")
    assert "b.csv has no cycle_us" in said and "legal: min, avg, max" in said
    assert main(["summary", *files, "--metric", "cycle", "--arrival", "none"]) == 0
    assert main(["summary", files[1]]) == 0
    assert "cycle_us" not in capsys.readouterr().err, "nothing to say where no sample has any"


def test_captions_say_which(make: Make, tmp_path: Path) -> None:
    path, figure = make("a.csv", CYCLES), tmp_path / "a.svg"
    for options, said in (
        ([], "whole cycle (write, call, read)"),
        (["--metric", "avg"], "call alone"),
    ):
        assert main(["loss", path, "-o", str(figure), *options]) == 0
        assert said in " ".join(figure.read_text().split())


def test_builds_are_compared_by_the_call(make: Make, capsys: Capture) -> None:
    sides = ["--baseline", make("a.csv", CYCLES), "--new", make("b.csv", CYCLES)]
    main(["compare", *sides, "--allow", "single-launch"])
    assert "medians of avg_us" in capsys.readouterr().out
    main(["compare", *sides, "--allow", "single-launch", "--metric", "cycle"])
    assert "medians of cycle_us" in capsys.readouterr().out
