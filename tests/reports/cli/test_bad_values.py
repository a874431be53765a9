# SPDX-License-Identifier: BSD-3-Clause
"""Every option of every command with values that make no sense: one line that names the option or
the value, or the exit code of success; never a traceback."""

from argparse import _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agreport import commands
from agreport.main import main, parser
from shared.bad_values import BAD, is_named, listing, some

from ..support.commands import Capture
from ..support.fake_trace import Call, FakeTrace


def options() -> Iterator[tuple[str, str]]:
    """Each command's, of those that take a value."""
    (known,) = (one for one in parser()._actions if isinstance(one, _SubParsersAction))
    for command in commands.COMMANDS:
        for action in known.choices[command]._actions:
            if action.option_strings and action.nargs != 0:
                yield command, action.option_strings[-1]


CASES = [*options()]
OF_SUMMARY, OF_TRACE = (
    [option for name, option in CASES if name == command] for command in ("summary", "trace")
)


@pytest.mark.slow
@pytest.mark.parametrize("command", commands.COMMANDS)
def test_bad_values_are_read_or_refused(command: str, capsys: Capture) -> None:
    reader = parser([command])

    def message(given: str) -> str:
        """Empty if it is read: what a file or a name is, shows later."""
        try:
            reader.parse_args([command, "example.csv", given])
        except SystemExit as leaving:
            assert leaving.code == 2
            (line,) = [x for x in capsys.readouterr().err.split("\n")[:-1] if ": note: " not in x]
            return line
        except (BadInput, OSError) as error:
            return str(error)
        return ""

    for name, option in CASES:
        for value in BAD if name == command else ():
            said = message(f"{option}={value}")
            assert "\n" not in said
            # Something else may be missing or too much in this command line.
            missing = "arguments" in said or "says no side" in said
            assert not said or option in said or missing or value[:9] in said


@pytest.mark.slow
@pytest.mark.parametrize(("number", "option"), enumerate(OF_SUMMARY))
def test_bad_values_of_a_whole_command(
    number: int, option: str, example: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(example.parent)
    for value in some(number, 8):
        try:
            code: object = main(["summary", "example.csv", f"{option}={value}"])
        except SystemExit as leaving:
            code = leaving.code
        errors = capsys.readouterr().err.splitlines()
        assert code in (0, 2), (value, errors)
        assert len([line for line in errors if "error: " in line]) == (code == 2), (value, errors)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "option"), enumerate(OF_TRACE))
def test_bad_values_of_a_trace(
    number: int, option: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have figures, tables and files, each of which is written or not."""
    monkeypatch.chdir(tmp_path)
    FakeTrace([Call([0, 0, 0, i % 7], bytes=i % 3) for i in range(20)]).write(tmp_path / "t")
    for value in some(number, 12):
        before = listing(tmp_path)
        try:
            code: object = main(["trace", "t", f"{option}={value}"])
        except SystemExit as leaving:
            code = leaving.code
        errors = [line for line in capsys.readouterr().err.split("\n")[:-1] if "note: " not in line]
        assert code in (0, 2), (value, errors)
        if code == 2:
            assert len(errors) == 1 and is_named(errors[0], option, value), (value, errors)
            assert listing(tmp_path) == before
