# SPDX-License-Identifier: BSD-3-Clause
"""Completion of a program's words in shells."""

from argparse import Action, ArgumentError, ArgumentParser, Namespace, _SubParsersAction
from pathlib import Path
from typing import Any

from agformats import paths
from agformats.cli.one_line_parser import unknown

SHELL_OPTION = "--print-completion"


class PrintCompletion(Action):
    """The action of --print-completion. Where a word is read as a path, the printed script
    completes the names of files."""

    def __call__(
        self, parser: ArgumentParser, _: Namespace, shell: Any, option: str | None = None
    ) -> None:
        import shtab  # here, since nearly no run of a program wants it

        if shell not in shtab.SUPPORTED_SHELLS:
            raise ArgumentError(self, unknown(shell, shtab.SUPPORTED_SHELLS))
        self.choices = shtab.SUPPORTED_SHELLS
        complete_files(parser, shtab.FILE)
        print(shtab.complete(parser, shell), flush=True)
        parser.exit()


def add_completion(parser: ArgumentParser) -> None:
    """Adds the option --print-completion SHELL, which prints a script that completes words."""
    parser.add_argument(SHELL_OPTION, metavar="SHELL", action=PrintCompletion,
                        help="print a script that completes this program's words")  # fmt: skip


def complete_files(parser: ArgumentParser, as_file: object) -> None:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                complete_files(command, as_file)
        elif action.type is Path or getattr(action.type, "__module__", "") == paths.__name__:
            action.complete = as_file  # type: ignore[attr-defined]
