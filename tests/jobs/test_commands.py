# SPDX-License-Identifier: BSD-3-Clause
"""The commands of agsweep are the modules in its folder commands/."""

from pathlib import Path

import pytest

from agsweep.main import main
from program.support.folders import ROOT

COMMANDS = sorted(
    path.stem
    for path in (ROOT / "jobs" / "agsweep" / "commands").glob("*.py")
    if path.stem != "__init__"
)


def text_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    return " ".join(capsys.readouterr().out.split())


def test_all_are_listed_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    listed = text_of(capsys, "--help")
    assert COMMANDS
    for name in COMMANDS:
        source = (ROOT / "jobs" / "agsweep" / "commands" / f"{name}.py").read_text()
        first_line = source.partition('"""')[2].partition("\n")[0].removesuffix('"""')
        assert f" {name} {first_line} " in listed


@pytest.mark.parametrize("name", COMMANDS)
def test_each_has_a_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert text_of(capsys, name, "--help").startswith(f"usage: agsweep {name} ")


def test_another_is_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["options"])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "'options'" in line and all(name in line for name in COMMANDS)


@pytest.mark.parametrize(
    ("command", "ready"), [("plan", "jobs/sweeps/"), ("platform", "jobs/platforms/")]
)
def test_a_file_that_is_not_there(
    command: str, ready: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nothing is looked up elsewhere; the line says what is wanted, and where there are some."""
    absent = tmp_path / "loch2021.toml"
    assert main([command, str(absent)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"agsweep: error: there is no file '{absent}'; legal: ")
    assert ready in line
