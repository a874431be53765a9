# SPDX-License-Identifier: BSD-3-Clause
"""The rows of reports: they name code that exists, and importing them imports nothing that is
slow to import."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from agreport import commands, reports
from agreport.cli import options
from agreport.cli import report as cli_report
from agreport.cli.later import Module

pytestmark = pytest.mark.slow

SLOW = ["matplotlib", "numpy", "pandas", "pyarrow", "scipy"]
# Prints which of the slow modules are there after each command.
PROGRAM = f"""
import contextlib, io, json, sys
from agreport.main import main
found = {{}}
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            main(command)
    found[" ".join(command)] = [name for name in {SLOW} if name in sys.modules]
print(json.dumps(found))
"""
HELP, REFUSED = "--help", "--not-an-option"


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    words = [[HELP], *([name, word] for name in commands.COMMANDS for word in (HELP, REFUSED))]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(words)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    found: dict[str, list[str]] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize("word", [HELP, REFUSED])
@pytest.mark.parametrize("name", commands.COMMANDS)
def test_options_need_nothing_slow(imported: dict[str, list[str]], name: str, word: str) -> None:
    assert imported[f"{name} {word}"] == []


def test_the_help_of_all_needs_nothing_slow(imported: dict[str, list[str]]) -> None:
    assert imported[HELP] == []


def files_of_rows() -> list[ModuleType]:
    (folder,) = reports.__path__
    names = sorted(path.stem for path in Path(folder).glob("[a-z]*.py"))
    return [import_module(f"agreport.reports.{name}") for name in names]


@pytest.mark.parametrize(
    "rows", [*files_of_rows(), options, cli_report], ids=lambda one: one.__name__
)
def test_rows_name_code_that_exists(rows: ModuleType) -> None:
    known = {name: value for name, value in vars(rows).items() if isinstance(value, Module)}
    named = {
        (known[node.value.id].path, node.attr)
        for node in ast.walk(ast.parse(Path(str(rows.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in known
    }
    assert named
    for path, name in named - {(one.path, "path") for one in known.values()}:
        assert callable(getattr(import_module(f"agreport.{path}"), name, None)), (path, name)


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_a_description_is_the_docstring_of_the_code(name: str) -> None:
    report = commands.report(name)
    assert report.text == import_module(f"agreport.{report.code.path}").__doc__
