# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/repeat.py says of made-up quickstarts."""

import sys
from pathlib import Path

import pytest

import repeat
from reports.conftest import lines, writer


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Returns the folders of two quickstarts of three launches each. native takes twice as long as
    ring at 1 byte, and as long at 4. At 2 bytes it takes 30 % more in the first quickstart, and 10
    % less in the second."""
    found = []
    for name, turned in (("one", 1.3), ("two", 0.9)):
        write = writer(tmp_path / name)
        for launch in range(3):
            times = {1: 20.0, 2: 10 * turned, 4: 10.0}
            cases = [
                [*lines("native", [us] * 8, size=size), *lines("ring", [10.0] * 8, size=size)]
                for size, us in times.items()
            ]
            write(f"{launch}.csv", *cases)
        found.append(tmp_path / name)
    return found


def test_a_claim_that_is_contradicted(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["repeat.py", *map(str, folders)])
    assert repeat.main() == 1
    told = capsys.readouterr().out.splitlines()
    assert told[2] == "| 4 | 3 | 1 | 33.3 | 100 % |"
    assert "in 33, 67 % of the cases; pairs differ by 33.3 points at most" in told[-2]
    assert told[-1] == "Of the 1 losses of 25 % the quickstart that called fewest called 100 %."


def test_equal_quickstarts_reach_the_goals(folders: list[Path]) -> None:
    one = repeat.quickstart(folders[0])
    assert one.called.tolist() == [True, True, False]
    assert repeat.report([one, one])[1]


def test_a_folder_without_a_partner_is_refused(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["repeat.py", *map(str, [*folders, folders[0]])])
    with pytest.raises(SystemExit) as leaving:
        repeat.main()
    assert leaving.value.code == 2
    assert "legal: an even number" in capsys.readouterr().err


def test_pairs_below_one_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["repeat.py", "build", "--pairs", "-1"])
    with pytest.raises(SystemExit) as leaving:
        repeat.main()
    assert leaving.value.code == 2
    assert "--pairs: '-1' is not legal; legal: 1 or more" in capsys.readouterr().err


def test_a_busy_process_is_ended() -> None:
    with repeat.busy_process() as process:
        assert process.poll() is None
    assert process.poll() is not None
