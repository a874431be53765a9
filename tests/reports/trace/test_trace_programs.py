# SPDX-License-Identifier: BSD-3-Clause
"""agreport trace of several programs: the table and the figure, by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from agreport.main import main
from agreport.trace import calls as trace_calls
from agreport.trace import programs
from agreport.trace.figure import FACTORS
from agreport.trace.imbalance import MessageTimes, imbalances

from ..support.commands import Capture
from ..support.fake_trace import MESSAGES, Call, FakeTrace


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A message of 1 byte takes 1 us, one of 2001 bytes 3: worst factors 9 and 0.5; 4, 40 and 2."""
    one = [Call([0, 0, 0, 9]), Call([100, 100, 100, 101.5], bytes=2001)]
    two = [Call([0, 2, 0, 4]), Call([100, 100, 100, 140], site=1), Call([200, 200, 200, 202])]
    return FakeTrace(one).write(tmp_path / "one"), FakeTrace(two).write(tmp_path / "two")


def test_a_row_a_program(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Faraj 2006, tables 4.10 and 4.11: over all calls of all routines."""
    path = tmp_path / "table.csv"
    assert main(["trace", *map(str, folders), "--csv", str(path)]) == 0
    one, two = pd.read_csv(path).itertuples()
    assert (one.program, one.calls, one.small_calls, one.sites) == ("one", 2, 1, 1)
    assert (two.program, two.calls, two.small_calls, two.sites) == ("two", 3, 3, 2)
    assert (one.worst_us, two.worst_us) == pytest.approx(((9 + 1.5) / 2, (4 + 40 + 2) / 3))
    assert (one.worst_factor, two.worst_factor) == pytest.approx(((9 + 0.5) / 2, 46 / 3))
    # Distances from the mean arrival: 6.75 and three of 2.25; a sixth of that.
    assert one.average_factor == pytest.approx((3.375 + 3.375 / 18) / 2)
    assert (one.balanced_percent, two.balanced_percent) == (50, 0)


def test_programs_count_the_same(folders: tuple[Path, Path]) -> None:
    """Figure 4.12: however many calls each has. Figures 4.13 and 4.14: each alone."""
    kept = {
        folder.name: imbalances(trace_calls.load(folder), MessageTimes(None, MESSAGES))
        for folder in folders
    }
    page = programs.draw(kept)
    small, large = page.figure.axes
    heights = [bar.get_height() for bar in small.patches if isinstance(bar, Rectangle)]
    every, one, two = np.array(heights).reshape(3, len(FACTORS.name_intervals()))
    # below 1, 1-2, 2-4, 4-8, 8-16, 16-32, from 32 on
    assert one.tolist() == [0, 0, 0, 0, 100, 0, 0]
    assert two.tolist() == pytest.approx([0, 0, 100 / 3, 100 / 3, 0, 0, 100 / 3])
    assert every.tolist() == pytest.approx(((one + two) / 2).tolist())
    assert "more than 1000\N{NO-BREAK SPACE}B: 1 call" in large.get_title(loc="left")
    assert len([bar for bar in large.patches if isinstance(bar, Rectangle)]) == 2 * len(one)


def test_names_of_programs(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Two folders of one name are told apart by their paths."""
    other = tmp_path / "more" / "one"
    other.parent.mkdir()
    FakeTrace([Call([0, 0, 0, 9])]).write(other)
    path = tmp_path / "table.csv"
    assert main(["trace", str(folders[0]), str(other), "--csv", str(path)]) == 0
    assert pd.read_csv(path)["program"].tolist() == [str(folders[0]), str(other)]


@pytest.mark.parametrize("option", [("--site", "0"), ("--export", "t.txt"), ("--calls", "c.csv")])
def test_what_is_of_one_program(
    folders: tuple[Path, Path], tmp_path: Path, capsys: Capture, option: tuple[str, str]
) -> None:
    name, value = option
    given = value if value == "0" else str(tmp_path / value)
    assert main(["trace", *map(str, folders), name, given]) == 2
    assert f"{name}: is of one program; legal: one DIR" in capsys.readouterr().err
    assert not (tmp_path / value).exists()
    assert main(["trace", str(folders[0]), str(folders[0])]) == 2
    assert f"{folders[0]}: given twice" in capsys.readouterr().err
