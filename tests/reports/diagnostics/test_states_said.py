# SPDX-License-Identifier: BSD-3-Clause
"""Tests what reports say of a machine with two states, and that they say nothing of one state."""

from pathlib import Path

import pytest

from agreport.main import main

from ..support import fake_states

Capture = pytest.CaptureFixture[str]


def diagnostics(capsys: Capture, *paths: str) -> str:
    assert main(["diagnostics", *paths]) == 0
    return " ".join(capsys.readouterr().out.split())


def turning(algorithm: str, size: int, line_us: float) -> float:
    """Returns times of which ring's are faster in the fast state and bruck's in the slow one."""
    del size
    return {"ring": 10.0 + 100 * (line_us > 0.2), "bruck": 20.0}[algorithm]


def test_nothing_is_said_of_one_state(tmp_path: Path, capsys: Capture) -> None:
    paths = [
        fake_states.launch(tmp_path / f"{seed}.csv", fake_states.one_state, seed=seed)
        for seed in (1, 2)
    ]
    said = diagnostics(capsys, *paths)
    assert "state" not in said and "cache line" not in said


def test_two_states_are_said(tmp_path: Path, capsys: Capture) -> None:
    path = fake_states.launch(tmp_path / "a.csv", fake_states.flips(8), times=turning)
    said = diagnostics(capsys, path)
    assert (
        "This machine had two states: a cache line went to another core and back in 0.1 us in 50 % "
        "of the measurements beside the calls on 4 ranks, and in 0.45 us in the others (4.5 times "
        "as long)." in said
    )
    assert "2 cases were measured in both." in said
    assert "100 of 800 iterations lie across a change of the state" in said
    assert "The state of each case in each launch, in iterations" in said
    assert "Medians in either state" in said


def test_cases_of_one_state_are_named(tmp_path: Path, capsys: Capture) -> None:
    """A case has 40 batches, so the first case is in the fast state and the second in the slow
    one."""
    path = fake_states.launch(tmp_path / "a.csv", fake_states.flips(40))
    said = diagnostics(capsys, path)
    assert "0 cases were measured in both" in said
    assert "1 only in the slow one (allgather, regular, 1 KiB on 4 ranks)" in said
    assert "1 only in the fast one (allgather, regular, 64 B on 4 ranks)" in said


def test_a_comparison_that_a_state_turns_round_is_counted(tmp_path: Path, capsys: Capture) -> None:
    paths = [
        fake_states.launch(
            tmp_path / f"{seed}.csv", fake_states.flips(6, 3), seed=seed, times=turning, batches=18
        )
        for seed in (1, 2, 3)
    ]
    said = diagnostics(capsys, *paths)
    assert "It could turn round 2 of 2 called comparisons." in said


def compared(
    tmp_path: Path, capsys: Capture, base: fake_states.Lines, new: fake_states.Lines
) -> str:
    """Returns what compare prints; in the slow state all calls take twice as long."""

    def slow(algorithm: str, size: int, line_us: float) -> float:
        del algorithm, size
        return 20.0 if line_us > 0.2 else 10.0

    paths: dict[str, list[str]] = {"base": [], "new": []}
    for seed in range(1, 9):
        for place, (side, lines) in enumerate((("base", base), ("new", new))):
            name = tmp_path / f"{side}{seed}.csv"
            number = 2 * seed + place
            note = {"note.pair": str(seed)}
            paths[side].append(
                fake_states.launch(name, lines, seed=number, times=slow, metadata=note)
            )
    main(["compare", "--baseline", *paths["base"], "--new", *paths["new"], "--allow", "order"])
    printed = capsys.readouterr()
    return " ".join((printed.out + printed.err).split())


def test_compare_says_that_sides_were_in_other_states(tmp_path: Path, capsys: Capture) -> None:
    said = compared(tmp_path, capsys, fake_states.flips(8, 4), fake_states.flips(8))
    assert "18 % of base's iterations and 50 % of new's were in the slow one" in said
    assert "In the slow state the median case takes 2 times as long" in said


def test_compare_says_nothing_of_equal_shares(tmp_path: Path, capsys: Capture) -> None:
    said = compared(tmp_path, capsys, fake_states.flips(8), fake_states.flips(8))
    assert "two states" not in said
