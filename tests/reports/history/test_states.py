# SPDX-License-Identifier: BSD-3-Clause
"""A machine with two states: they are no changes, and hide none."""

from pathlib import Path

import numpy as np
import pytest

from agreport.main import main
from shared.checksums import checksummed

from ..support import fake_states
from ..support.commands import Capture
from ..support.fake_states import Lines

LAUNCHES = 8
FAST_US, SLOW_US = 0.1, 0.45


def steady(line_us: float) -> Lines:
    def found(number: int, random: np.random.Generator) -> tuple[float, float]:
        del number
        before, after = line_us * random.lognormal(0, 0.05, 2)
        return float(before), float(after)

    return found


def write(folder: Path, slow: list[list[int]], step: float = 1.0) -> str:
    """Writes LAUNCHES of each version, those in the slow state of which take three times as long,
    and those of the last half of the versions `step` times as long.

    slow: by version, which of its launches are in the slow state.
    """
    folder.mkdir()
    for version, of_version in enumerate(slow):
        factor = step if version >= len(slow) / 2 else 1.0

        def time_of(_name: str, _size: int, us: float, by: float = factor) -> float:
            return (30.0 if us > 0.2 else 10.0) * by

        for number in range(LAUNCHES):
            line_us = SLOW_US if number in of_version else FAST_US
            path, seed = folder / f"{version}_{number}.csv", 10 * version + number + 1
            fake_states.launch(
                path,
                steady(line_us),
                seed=seed,
                batches=3,
                times=time_of,
                metadata={"note.commit": f"c{version}"},
            )
            start = f"2026-11-{version + 1:02}T0{number}:00:00+0000"
            text = path.read_text().replace(f"#@start={seed}\n", f"#@start={start}\n")
            path.write_text(checksummed(text))
    return str(folder)


EVERY = [*range(LAUNCHES)]


@pytest.mark.parametrize(
    "slow",
    [
        [[], [0], [], EVERY, [0, 1, 2], EVERY],
        [[], [], [], EVERY, EVERY, EVERY],
        [[], [], EVERY, EVERY, EVERY, []],
    ],
)
def test_a_state_of_the_machine_is_no_change(
    slow: list[list[int]], tmp_path: Path, capsys: Capture
) -> None:
    files = write(tmp_path / "data", slow)
    assert main(["history", files, "--by", "note.commit"]) == 0
    said = capsys.readouterr().out
    assert "no change was found" in said
    assert "The machine had two states: a cache line went" in said
    assert "0.1 us or in 0.45 us" in said


def test_a_newest_version_in_the_other_state_is_not_judged(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path / "data", [[], [], [], [], EVERY])
    assert main(["history", files, "--by", "note.commit", "--gate"]) == 2
    assert "too few versions or launches to judge the newest version" in capsys.readouterr().err


def test_a_change_is_found_in_both_states(tmp_path: Path, capsys: Capture) -> None:
    """By a third, which is less than what the states differ by, in any order of them."""
    slow = [[0, 2, 4, 5], [], [1, 2, 3, 7], [0, 4, 6], [1, 3], EVERY]
    files = write(tmp_path / "data", slow, step=1.33)
    table = tmp_path / "changes.csv"
    words = ["--by", "note.commit", "--csv", str(table), "--gate"]
    assert main(["history", files, *words]) == 1
    said = capsys.readouterr().out
    assert "since c3" in said and "8 of 8 cases slower" in said
    lines = table.read_text().splitlines()
    place = lines[0].split(",").index("state")
    assert sorted(line.replace('"0,0"', "0").split(",")[place] for line in lines[1:]) == (
        ["fast"] * 4 + ["slow"] * 4
    )


def test_one_state_is_not_named(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path / "data", [[], [], [], []])
    assert main(["history", files, "--by", "note.commit"]) == 0
    assert "state" not in capsys.readouterr().out
