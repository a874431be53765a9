# SPDX-License-Identifier: BSD-3-Clause
"""The commands of agsweep are the modules in its folder commands/."""

import pytest

from agsweep.main import main

from .sweeps import ROOT

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
