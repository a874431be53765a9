# SPDX-License-Identifier: BSD-3-Clause
"""Completion of a program's words in shells."""

from argparse import ArgumentParser, _SubParsersAction
from pathlib import Path

import shtab

from agformats import paths

SHELL_OPTION = "--print-completion"


def add_completion(parser: ArgumentParser) -> None:
    """--print-completion SHELL. What is read as a path is completed as a file's name."""
    shtab.add_argument_to(
        parser, SHELL_OPTION, help="print a script that completes this program's words"
    )
    complete_files(parser)


def complete_files(parser: ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                complete_files(command)
        elif action.type is Path or getattr(action.type, "__module__", "") == paths.__name__:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
