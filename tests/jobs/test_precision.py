# SPDX-License-Identifier: BSD-3-Clause
"""A sweep adds launches until its medians are precise enough."""

from pathlib import Path

import numpy as np
import pytest

from agsweep.launch_log import END, EXIT_CODE, try_line
from agsweep.precision import grown_plan, half_width_percent
from agsweep.results_folder import Folder
from agsweep.sweep.points import Launch
from agsweep.sweep.sweep_file import load
from program.support.launch import Build
from reports.conftest import HEADER, METADATA, lines

from .sweeps import Sweep, bench, build_table, two_ranks, written

TOP = 'launches = 2\nprecision = "5%"\nmost_launches = 6'


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    return written(tmp_path, TOP, build_table("mine", tmp_path), "[[points]]\nranks = [2, 3]\n",
                   bench())  # fmt: skip


def launches(sweep: Sweep) -> dict[int, list[Launch]]:
    """Returns the launches of the plan as it has grown, by ranks."""
    found: dict[int, list[Launch]] = {}
    for each in grown_plan(load(sweep.file), Folder(sweep.results)).launches:
        found.setdefault(each.point.ranks, []).append(each)
    return found


def done(sweep: Sweep, launch: Launch, us: float, exit_code: int = 0) -> None:
    folder = Folder(sweep.results)
    folder.file(launch, ".log").parent.mkdir(parents=True, exist_ok=True)
    folder.file(launch, ".log").write_text(
        f"{try_line('2026-01-01T00:00:00Z', 'process 1 on h')}\n"
        f"{END}2026-01-01T00:00:01Z{EXIT_CODE}{exit_code}\n"
    )
    head = [f"#@{key}={value}" for key, value in METADATA.items()]
    rows = lines("ring", [us, us, us]) + lines("bruck", [10.0, 10.0])
    text = [*head, HEADER, *rows, "#@case_end=0", ""]
    folder.file(launch, ".csv").write_text("\n".join(text))


def numbers(sweep: Sweep, ranks: int) -> list[int]:
    return [each.number for each in launches(sweep)[ranks]]


def test_a_point_that_is_not_precise_gets_another_launch(sweep: Sweep) -> None:
    """Half a width of Student's interval: 25.5 s / sqrt(2) with 2 launches, 6.21 s / sqrt(3) with
    3, 4.18 s / sqrt(4) with 4, 3.50 s / sqrt(5) with 5; s of the logarithms is 0.024 to 0.035."""
    assert (numbers(sweep, 2), numbers(sweep, 3)) == ([0, 1], [0, 1])
    times = [10.0, 10.5, 10.0, 10.25, 10.1, 10.2]
    for number, us in enumerate(times[:5]):
        assert numbers(sweep, 2) == list(range(max(2, number + 1)))
        done(sweep, launches(sweep)[2][number], us)
    # 3.50 * 0.021 / sqrt(5) = 3.3 %: precise.
    assert numbers(sweep, 2) == [0, 1, 2, 3, 4]
    assert numbers(sweep, 3) == [0, 1]


@pytest.mark.parametrize(("spread", "percent"), [(0.03, 2.0), (0.05, 5.0), (0.05, 3.0)])
def test_as_precise_as_asked_for_when_it_stops(spread: float, percent: float) -> None:
    """Whoever looks after each launch stops when launches happen to be alike: with the 95 %
    interval the true median was within 2 % in 92.6 % of the sweeps."""
    logs = np.random.default_rng(3).normal(0, spread, (8000, 40))
    stopped = np.zeros(len(logs), bool)
    held = np.zeros(len(logs), bool)
    for count in range(2, logs.shape[1] + 1):
        so_far = logs[:, :count]
        width = half_width_percent(so_far.std(axis=1, ddof=1), np.full(len(logs), count))
        stops = ~stopped & (width <= percent)
        held[stops] = np.abs(so_far[stops].mean(axis=1)) <= np.log1p(percent / 100)
        stopped |= stops
    assert stopped.mean() > 0.95
    assert held[stopped].mean() >= 0.95


def test_no_more_than_most_launches(sweep: Sweep) -> None:
    for number in range(6):
        assert numbers(sweep, 3) == list(range(max(2, number + 1)))
        done(sweep, launches(sweep)[3][number], 10.0 * 2**number)
    assert numbers(sweep, 3) == [0, 1, 2, 3, 4, 5]


def test_a_launch_that_failed_has_to_be_done_first(sweep: Sweep) -> None:
    first, second = launches(sweep)[2]
    done(sweep, first, 10.0)
    done(sweep, second, 20.0, exit_code=1)
    assert numbers(sweep, 2) == [0, 1]


def test_without_precision_none_are_added(sweep: Sweep) -> None:
    sweep.file.write_text(sweep.file.read_text().replace('precision = "5%"', ""))
    for each, us in zip(launches(sweep)[2], (10.0, 20.0), strict=True):
        done(sweep, each, us)
    assert numbers(sweep, 2) == [0, 1]


@pytest.mark.slow
def test_run_adds_them(build: Build, tmp_path: Path) -> None:
    """No two launches measure the same to a millionth."""
    top = 'precision = "0.0001%"\nmost_launches = 3'
    sweep = two_ranks(tmp_path, build, top=top)
    assert "3 of 3 launches are done" in sweep.ok("run")
    assert len(sweep.names(".csv.gz")) == 3
    assert "done 3  running 0" in sweep.ok("status")
    assert "3 of 3 launches are done" in sweep.ok("resume")
    sweep.ok("collect")
    assert len(sweep.manifest()["files"]) == 3


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ('precision = "5"', "precision: '5' is not legal; legal: a text such as \"5%\""),
        ('precision = "0%"', "precision: '0%' is not legal"),
        ("precision = 5", "precision: 5 is not legal"),
        ('precision = "5%"\nlaunches = 9\nmost_launches = 8', "most_launches: 8 is not legal"),
        ("most_launches = 1", "most_launches: 1 is not legal; legal: a whole number from 2"),
    ],
)
def test_refused(tmp_path: Path, top: str, said: str) -> None:
    sweep = written(tmp_path, top, build_table("mine", tmp_path), "[[points]]\nranks = 2\n",
                    bench())  # fmt: skip
    ended = sweep.run("plan")
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_pairings_have_their_own_end(tmp_path: Path) -> None:
    sweep = written(
        tmp_path, 'pairing = "duet"\nprecision = "5%"', build_table("a", tmp_path),
        build_table("b", tmp_path), "[[points]]\nranks = 2\n", bench(),
    )  # fmt: skip
    ended = sweep.run("plan")
    assert ended.exit_code == 2
    assert "agreport compare says how many more pairs it takes" in ended.stderr
