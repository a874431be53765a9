# SPDX-License-Identifier: BSD-3-Clause
"""An old spelling does the same as the new one, and one line says what it is called now."""

import pytest

from agformats.cli.one_line_parser import OneLineParser
from agformats.former_names import add_former, current_name


def parser() -> OneLineParser:
    found = OneLineParser(prog="agreport")
    command = found.add_subparsers(dest="command").add_parser("speedup")
    baseline = command.add_argument("--baseline", required=True, choices=("native", "ring"))
    add_former(command, baseline, "--over", "--reference")
    versus = command.add_argument("--versus", action="append", default=[])
    add_former(command, versus, "--against")
    united = command.add_argument("--united", action="store_true")
    add_former(command, united, "--both")
    return found


def test_new_spellings_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    options = parser().parse_args(["speedup", "--baseline", "ring", "--versus", "bruck"])
    assert (options.baseline, options.versus, options.united) == ("ring", ["bruck"], False)
    assert capsys.readouterr().err == ""


def test_old_spellings_do_the_same_and_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["speedup", "--over=ring", "--against", "bruck", "--versus", "sparbit", "--both"]
    options = parser().parse_args(given)
    assert (options.baseline, options.united) == ("ring", True)
    assert options.versus == ["bruck", "sparbit"]
    assert capsys.readouterr().err.splitlines() == [
        "agreport: note: '--over' is now '--baseline'",
        "agreport: note: '--against' is now '--versus'",
        "agreport: note: '--both' is now '--united'",
    ]


def test_old_spellings_are_checked_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["speedup", "--reference", "linear"])
    assert "--reference: 'linear' is not legal" in capsys.readouterr().err


def test_old_spellings_are_not_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["speedup", "--help"])
    text = capsys.readouterr().out
    assert "--baseline" in text and "--over" not in text


def test_the_current_name_of_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert current_name("agreport", "thesis", {"thesis": "loch2021"}) == "loch2021"
    assert capsys.readouterr().err == "agreport: note: 'thesis' is now 'loch2021'\n"
    assert current_name("agreport", "ring", {"thesis": "loch2021"}) == "ring"
    assert capsys.readouterr().err == ""
