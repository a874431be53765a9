# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the library's own all-gather loses, and the tables of times."""

from pathlib import Path

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.main import main
from agreport.stats.medians import BUS_BYTES

from ..support.commands import Capture, Rows, Write


@pytest.fixture
def measured(write: Write, rows: Rows) -> Path:
    """native is as good at 1, 3 % behind at 2, twice as slow at 4, the fastest at 8, alone at 16,
    missing at 32; medians: one outlier would make it last at 8 by means."""
    cases: list[dict[str, list[float]]] = [
        {"native": [10.0] * 8, "ring": [10.0] * 8},
        {"native": [10.3] * 8, "ring": [10.0] * 8},
        {"native": [20.0] * 8, "ring": [10.0] * 8, "bruck": [15.0] * 8},
        {"native": [*[10.0] * 7, 900.0], "ring": [15.0] * 8},
        {"native": [10.0] * 8},
        {"ring": [10.0] * 8},
    ]
    text = [
        [line for name, times in case.items() for line in rows(name, times, size=1 << power)]
        for power, case in enumerate(cases)
    ]
    return write("a.csv", *text)


def test_the_answer_in_words(measured: Path, capsys: Capture) -> None:
    """test_answer.py tests what it counts."""
    assert main(["loss", str(measured)]) == 0
    said = capsys.readouterr().out
    assert "native, the MPI library's own MPI_Allgather, is the fastest" in said
    assert " in 3 of 4 cases (75 %)" in said and "agreport tune" in said
    assert "times_as_long" in said
    assert main(["loss", str(measured), "--statistic", "mean"]) == 0
    assert " in 2 of 4 cases (50 %)" in capsys.readouterr().out, "121 us at 8 bytes"


def test_the_map_and_its_numbers(measured: Path, tmp_path: Path) -> None:
    figure, numbers = tmp_path / "loss.svg", tmp_path / "loss.csv"
    assert main(["loss", str(measured), "-o", str(figure), "--csv", str(numbers)]) == 0
    found = pd.read_csv(numbers).set_index("bytes")
    assert found["loss"].round(2).fillna(0).tolist() == [1.0, 1.03, 2.0, 1.0, 0.0, 0.0]
    assert found["best"].tolist()[2:4] == ["ring", "native"]
    assert found["near_tie"].tolist() == [True, True, False, True, False, False]


def test_an_algorithm_that_was_asked_for(measured: Path, capsys: Capture) -> None:
    assert main(["loss", str(measured), "--algorithm", "ring"]) == 0
    said = capsys.readouterr().out
    assert "ring is the fastest" in said and " in 3 of 4 cases (75 %)" in said
    assert "tune" not in said, "no rule of the library would help"


@pytest.mark.slow
def test_the_default_algorithm(write: Write, rows: Rows, capsys: Capture) -> None:
    """It is the one that is most often the fastest, if there is no native."""
    ring = [rows("ring", [9.0, 9.0], size=size) + rows("bruck", [10.0, 10.0], size=size)
            for size in (1, 2)]  # fmt: skip
    path = write("a.csv", *ring, rows("bruck", [1.0], size=4), rows("ring", [2.0], size=4))
    assert main(["table", str(path), "--metric", "avg"][:2]) == 0
    assert main(["loss", str(path)]) == 0
    assert capsys.readouterr().out.count("ring is the fastest") == 1


@pytest.mark.slow
def test_one_algorithm_alone(write: Write, rows: Rows, tmp_path: Path, capsys: Capture) -> None:
    """\"I just timed my MPI_Allgather\": the page reports it; what compares says why it cannot."""
    path = write("a.csv", rows("native", [1.0] * 8), rows("native", [2.0] * 8, size=64))
    page = tmp_path / "page.html"
    assert main(["page", str(path), "-o", str(page)]) == 0
    text = page.read_text()
    assert "Only native has times: there is nothing to compare it with." in text
    assert "Time against block size" in text and "as the best algorithm" not in text
    assert main(["loss", str(path)]) == 2
    assert "nothing to compare it with" in capsys.readouterr().err


def test_times_side_by_side(measured: Path, capsys: Capture) -> None:
    assert main(["times", str(measured)]) == 0
    one, marks, _, _, *lines = capsys.readouterr().out.splitlines()
    assert one.startswith("One launch: differences below 1")
    assert marks.startswith("* the fastest, ~ a near-tie with it: less than 2 % apart")
    assert lines[0].split() == ["bytes", "ring", "native", "bruck"]
    assert lines[3].split() == ["4", "10*", "20", "15"]
    assert lines[1].split() == ["1", "10*", "10~", "-"]
    assert lines[5].split() == ["16", "-", "10*", "-"]


def test_bandwidth(write: Write, rows: Rows, tmp_path: Path, capsys: Capture) -> None:
    """4 ranks receive 3 blocks of 1000 bytes in 10 us: 0.3 GB/s."""
    path = write("a.csv", rows("native", [10.0] * 8, size=1000, ranks=4))
    numbers = tmp_path / "times.csv"
    arguments = ["times", str(path), "--value", "bandwidth", "--csv", str(numbers)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines()[4].split() == ["1000", "0.3*"]
    assert pd.read_csv(numbers)["bandwidth_gbs"].tolist() == [0.3]


@pytest.mark.parametrize(
    ("collective", "gbs"),
    [("allgatherv", 0.3), ("alltoall", 0.3), ("bcast", 0.1), ("reduce", 0.1), ("allreduce", 0.15)],
)
def test_bandwidth_is_that_of_nccl_tests(
    write: Write, rows: Rows, tmp_path: Path, collective: str, gbs: float
) -> None:
    """Of one vector of 1000 bytes in 10 us, 1000 bytes count, or 2 * 3/4 of them."""
    place = f"{collective},{{}},regular,none,sequential"
    path = write("a.csv", rows("native", [10.0] * 8, size=1000, ranks=4, place=place))
    numbers = tmp_path / "times.csv"
    for command in (["times", "--value", "bandwidth"], ["scaling", "--y", "bandwidth"]):
        figure = ["-o", str(tmp_path / "a.png")] if "scaling" in command else []
        assert main([*command, str(path), "--csv", str(numbers), *figure]) == 0
        found = pd.read_csv(numbers)
        column = "bandwidth_gbs" if "bandwidth_gbs" in found else "value"
        assert found[column].tolist() == pytest.approx([gbs])


def test_each_collective_has_a_known_bandwidth() -> None:
    assert {each.bandwidth_factor for each in catalogue().collectives} == {*BUS_BYTES}


@pytest.mark.slow
def test_intervals_are_of_medians(measured: Path, capsys: Capture) -> None:
    assert main(["times", str(measured), "--intervals", "--statistic", "mean"]) == 2
    assert "legal: --statistic median" in capsys.readouterr().err
    assert main(["times", str(measured), "--intervals"]) == 0
    assert "(10 to 900)" in capsys.readouterr().out


def test_bandwidth_says_what_it_leaves_out(write: Write, rows: Rows, capsys: Capture) -> None:
    spike = "allgatherv,{},spike,none,cyclic"
    path = write("a.csv", rows("ring", [10.0] * 8), rows("ring", [10.0] * 8, place=spike))
    assert main(["times", str(path), "--value", "bandwidth"]) == 0
    assert "Left out: 1 time of blocks of different sizes." in capsys.readouterr().out
    assert main(["scaling", str(path), "--y", "bandwidth", "-o", str(path.parent / "a.png")]) == 2
    assert "--y bandwidth: blocks of distribution 'spike' differ" in capsys.readouterr().err


def test_what_cannot_be_told_is_no_loss(write: Write, rows: Rows, capsys: Capture) -> None:
    """Three iterations have no interval."""
    path = write("a.csv", [*rows("native", [29.0] * 3), *rows("ring", [10.0] * 3)])
    assert main(["loss", str(path)]) == 0
    said = capsys.readouterr().out
    assert "in 1 the difference cannot be called" in said
    assert "The largest losses" not in said and "agreport tune" not in said


@pytest.mark.slow
@pytest.mark.parametrize("command", ["page", "speedup", "scaling --y ratio", "loss"])
def test_a_time_of_0_is_a_time(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture, command: str
) -> None:
    """min is 1 us below avg in these rows."""
    case = [*rows("native", [3.0] * 8), *rows("ring", [1.0] * 8), *rows("bruck", [2.0] * 8)]
    path = write("a.csv", case)
    output = tmp_path / ("a.html" if command == "page" else "a.png")
    arguments = [*command.split(), str(path), "--metric", "min", "-o", str(output)]
    assert main(arguments) in (0, 2)
    printed = capsys.readouterr()
    assert " inf" not in printed.out and printed.err.count("\n") <= 1


def test_rules_are_written_together_or_not_at_all(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    path = write("a.csv", [*rows("native", [3.0] * 8), *rows("native:ring", [1.0] * 8)])
    rules = tmp_path / "rules.conf"
    command = ["tune", str(path), "--openmpi", str(rules), "--mpich", str(tmp_path / "s.json")]
    assert main(command) == 2
    assert "--mpich-library LIBMPICH.SO: legal: both or neither" in capsys.readouterr().err
    assert not rules.exists()


def test_what_takes_no_time_has_no_quotient(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """A root that sends eagerly leaves a broadcast at once, in a model; min is 1 us below avg. At 1
    byte the other one takes 0, at 2 both do, and at 4 native does."""
    cases = [
        [*rows("native", [native] * 8, size=size), *rows("ring", [ring] * 8, size=size)]
        for size, native, ring in ((1, 3.0, 1.0), (2, 1.0, 1.0), (4, 1.0, 3.0))
    ]
    path, figure, numbers = write("a.csv", *cases), tmp_path / "a.svg", tmp_path / "numbers.csv"
    command = ["loss", "--metric", "min", "-o", str(figure), "--csv", str(numbers)]
    assert main([*command, str(path)]) == 0
    said = capsys.readouterr().out
    assert pd.read_csv(numbers)["loss"].fillna(0).tolist() == [0.0, 1.0, 1.0]
    assert "In 1 further case native takes longer than 0 µs, and the best algorithm 0 µs." in said
    assert "in 2 of 2 cases" in said and "The library is nowhere else slower" in said
    assert "the best takes 0: there is no quotient" in figure.read_text()
    assert main([*command, str(write("b.csv", cases[0]))]) == 0
    said = capsys.readouterr().out
    assert "In 1 case native takes longer than 0 µs" in said and "No case has times" not in said


@pytest.mark.parametrize(
    ("distribution", "arrival"),
    [("spike", "none"), ("spike", "uniform:max=1ms"), ("regular", "none")],
)
def test_the_advice_is_a_command_that_runs(
    write: Write, rows: Rows, capsys: Capture, distribution: str, arrival: str
) -> None:
    place = f"allgatherv,{{}},{distribution},{arrival},sequential"
    times = {"native": 30.0, "native:ring": 9.0}
    path = str(write("a.csv", *(rows(name, [us] * 8, place=place) for name, us in times.items())))
    filters = ["--distribution", distribution, "--arrival", arrival]
    assert main(["loss", path]) == 0
    assert f"`agreport tune FILES {' '.join(filters)}` says" in capsys.readouterr().out
    assert main(["tune", path, *filters]) == 0
    assert "native:ring" in capsys.readouterr().out


@pytest.mark.parametrize("report", ["times", "loss", "selection"])
def test_what_a_time_is(example: Path, capsys: Capture, report: str) -> None:
    """Tables of the call alone and of the whole cycle look alike."""
    assert main([report, str(example), "--metric", "max", "--statistic", "mean"]) == 0
    said = "A time is the mean of the max elapsed time over the ranks (call alone)."
    assert said in capsys.readouterr().out.splitlines()


def test_what_a_time_of_a_table_alone_is(example: Path, capsys: Capture) -> None:
    assert main(["against-sets", str(example), "--metric", "min"]) == 0
    assert "A time is the median of the min elapsed time" in capsys.readouterr().err
