# SPDX-License-Identifier: BSD-3-Clause
"""Every option of every command of agsweep, and every key of a sweep file, with values that make no
sense: legal, or refused in one line that names the option or the file, and no file left behind."""

import dataclasses
from argparse import Action, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.main import main, parser
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import load
from agsweep.sweep.tables import Bench, Budget, Build, Points, Resources, Simulation, Top
from shared.bad_values import BAD, is_named, listing
from shared.bounded import within

pytestmark = pytest.mark.slow

Capture = pytest.CaptureFixture[str]
Limited = pytest.MonkeyPatch

LIMIT_S = 120  # of a command; none comes near to it
SWEEP = '[[builds]]\nname = "a"\nfolder = "build"\nmpirun = "build/mpirun"\n' \
        '[[points]]\nranks = 2\n[[bench]]\nprogram = "allgather_bench"\n'  # fmt: skip
MACHINE = 'name = "m"\n[[switches]]\nname = "s"\nhosts = "h[0-3]"\n' \
          + "".join(f'[{link}]\nbandwidth = "1Gbps"\nlatency = "1us"\n'
                    for link in ("host_link", "switch_link", "loopback"))  # fmt: skip
# Stand for a build: they answer what agsweep asks, and measure nothing.
PROGRAMS = {
    "bin/allgather_bench": 'echo "  --sizes LIST"',
    "bin/allgather_schedule": "echo .csv",
    "mpirun": 'echo "mpirun (Open MPI) 4.1.4"',
}


def commands() -> dict[str, list[Action]]:
    (known,) = (one for one in parser()._actions if isinstance(one, _SubParsersAction))
    return {name: command._actions for name, command in known.choices.items()}


def cases() -> Iterator[tuple[str, str]]:
    """A command, and an option of it; or what stands in its help for a file."""
    for command, actions in commands().items():
        for action in actions:
            if "--help" not in action.option_strings:
                yield command, (action.option_strings or [str(action.metavar)])[-1]


def prepared(folder: Path) -> None:
    folder.mkdir()
    (folder / "sweep.toml").write_text(SWEEP)
    (folder / "machine.toml").write_text(MACHINE)
    for name, does in PROGRAMS.items():
        program = folder / "build" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{does}\n")
        program.chmod(0o755)


def words_of(command: str, option: str, value: str) -> list[str]:
    file = "machine.toml" if command == "platform" else "sweep.toml"
    if not option.startswith("-"):
        return [command, "--", value]
    more = ["--dry-run"] if command == "submit" and option != "--dry-run" else []
    return [command, file, *more, f"{option}={value}"]


@pytest.mark.parametrize(("command", "option"), [*cases()])
def test_options(
    command: str, option: str, tmp_path: Path, capsys: Capture, monkeypatch: Limited
) -> None:
    for number, value in enumerate(BAD):
        if value.startswith("/"):
            continue  # a folder of results that could be made
        folder = tmp_path / str(number)
        prepared(folder)
        monkeypatch.chdir(folder)
        before = listing(folder)
        try:
            with within(LIMIT_S):
                code: object = main(words_of(command, option, value))
        except SystemExit as leaving:
            code = leaving.code
        # Notes of new names are no errors.
        errors = [
            line for line in capsys.readouterr().err.split("\n")[:-1] if " note: " not in line
        ]
        errors = [line for line in errors if not line.startswith("note: ")]
        # To git bisect run, 2 would say that a commit is bad.
        refused = 128 if command == "bisect" else 2
        assert code in (0, refused, 3), (value, errors)
        if code == refused:
            assert len(errors) == 1, (value, errors)
            named = "sweep.toml" in errors[0] or is_named(errors[0], option, value)
            assert named, (value, errors)
            assert listing(folder) == before, (value, errors)


TABLES = {
    "": Top,
    "[[builds]]": Build,
    "[[points]]": Points,
    "[[bench]]": Bench,
    "[resources]": Resources,
    "[budget]": Budget,
    "[simulation]": Simulation,
}
TOML_VALUES = (
    *('""', '"\\n"', '"--"', "-1", "0", "nan", "inf", "1e999", "9" * 400, f'"{"a" * 300}"'),
    *("true", "[]", "[[]]", "{}", "{ a = {} }", '{ "" = 1 }', "1979-05-27", '"1:999999999"'),
    *('[""]', "[nan]", '"9e99d"', "2147483648", "9223372036854775807", '"%s%n"', '"/"'),
)


def keys() -> Iterator[tuple[str, str]]:
    for table, kind in TABLES.items():
        for each in dataclasses.fields(kind):
            yield table, each.name


@pytest.mark.parametrize(("table", "key"), [*keys()])
def test_keys_of_a_sweep_file(table: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    for value in TOML_VALUES:
        line = f"{key} = {value}\n"
        known = [each for each in SWEEP.splitlines(keepends=True) if not each.startswith(f"{key} ")]
        if table and f"{table}\n" in known:
            known.insert(known.index(f"{table}\n") + 1, line)
        elif table:
            known += [f"{table}\n", line]
        else:
            known.insert(0, line)
        file.write_text("".join(known))
        try:
            with within(LIMIT_S):
                plan(load(file))
        except BadInput as error:
            assert str(file) in str(error) and "\n" not in str(error), (value, str(error))
            assert key in str(error) or value[:9].strip('"') in str(error), (value, str(error))


@pytest.mark.parametrize("key", ["folder", "venv"])
@pytest.mark.parametrize("path", ["~nosuchuser/build", "a" * 300], ids=["no_user", "too_long"])
def test_folders_of_a_build(
    key: str, path: str, tmp_path: Path, capsys: Capture, monkeypatch: Limited
) -> None:
    """Commands that need a build refuse it if its folder or venv is a path that there cannot be."""
    folder = tmp_path / "here"
    prepared(folder)
    monkeypatch.chdir(folder)
    lines = [line for line in SWEEP.splitlines() if not line.startswith(f"{key} ")]
    lines.insert(1, f'{key} = "{path}"')
    (folder / "sweep.toml").write_text("\n".join(lines))
    before = listing(folder)
    for words in (["plan"], ["run"], ["simulate"], ["submit", "--dry-run"]):
        assert main([words[0], "sweep.toml", *words[1:]]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"sweep.toml: build a: {key}" in line and f"'{path[:20]}" in line
        assert "; legal: " in line
        assert listing(folder) == before
