# SPDX-License-Identifier: BSD-3-Clause
"""Tests that what only a figure reads is refused where none is asked for, whichever command it is
of."""

from argparse import Action, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreport import commands
from agreport.main import main, parser

# Each option has here a value that is not its default.
VALUES = {
    "--paper": [],
    "--width": ["9cm"],
    "--from": ["2"],
    "--x": ["bytes"],
    "--wins": [],
    "--imbalance": ["asked"],
    "--steps": ["0"],
    "--near-ties": ["none"],
}
ONLY_DRAWN = [
    *[("arrival", option) for option in ("--x", "--wins")],
    ("absorption", "--imbalance"),
    *[("mapping", "--steps"), ("rings", "--steps")],
    ("selection", "--near-ties"),
]


def actions_of(command: str) -> list[Action]:
    (known,) = (one for one in parser()._actions if isinstance(one, _SubParsersAction))
    found: list[Action] = known.choices[command]._actions
    return found


def cases() -> Iterator[tuple[str, str]]:
    """Yields cases of commands that print something, and draw a figure if one is asked for."""
    yield from ONLY_DRAWN
    for report in commands.reports():
        if report.draw is None or report.parts is None:
            continue
        names = {name for action in actions_of(report.name) for name in action.option_strings}
        yield from (
            (report.name, name) for name in ("--paper", "--width", "--from") if name in names
        )


@pytest.mark.parametrize(("command", "option"), cases())
def test_what_only_a_figure_reads(
    command: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("1").touch()  # a number, and a file
    required = [
        word
        for action in actions_of(command)
        if action.required
        for word in (*action.option_strings[-1:], "1")
    ]
    with pytest.raises(SystemExit) as ended:
        main([command, *required, option, *VALUES[option]])
    found = capsys.readouterr()
    assert ended.value.code == 2 and found.out == ""
    assert f"argument {option}: no figure is asked for; legal: with -o FILE" in found.err
    assert found.err.count("\n") == 1
