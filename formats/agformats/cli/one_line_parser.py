# SPDX-License-Identifier: BSD-3-Clause
"""An argument parser that says what is wrong in one line, without the usage in front of it."""

import sys
from argparse import Action, ArgumentError, ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from agformats.catalogue import catalogue
from agformats.errors import drop_unwritable
from agformats.errors import message as shown
from agformats.files.outputs import OutputFile, reads, same


def needs_figure(action: Action) -> None:
    """Marks an option that only the figure reads: the parser refuses it where no -o asks for
    one."""
    action.needs_figure = True  # type: ignore[attr-defined]


def explains_rest(parser: ArgumentParser, explain: Callable[[Any, Sequence[str]], str]) -> None:
    """Has the parser explain words that are no options. explain: gets what was understood, and
    these words; returns what to give in their place, or an empty text if it does not know."""
    parser.explain_rest = explain  # type: ignore[attr-defined]


class OneLineParser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {shown(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Prints as argparse does, which drops every OSError. On standard output that of a full
        disk is raised; a reader that has seen enough (head, less) is no error."""
        if file is None or file is not sys.stdout:
            super()._print_message(message, file)
            return
        try:
            file.write(message)
            file.flush()
        except BrokenPipeError:
            drop_unwritable()

    def _get_values(self, action: Action, arg_strings: list[str]) -> Any:
        """Gets values as argparse does, which makes an empty list of `--option=--`."""
        if action.nargs is None and action.option_strings and arg_strings == ["--"]:
            raise ArgumentError(action, "'--' is no value")
        return super()._get_values(action, arg_strings)

    def parse_known_args(
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parses as argparse does; an output must be neither an input nor another output, and
        what only a figure reads does not come without one."""
        found, rest = super().parse_known_args(args, namespace)
        explain = getattr(self, "explain_rest", None)
        if rest and explain and (text := explain(found, rest)):
            self.error(text)
        given = {action: getattr(found, action.dest, None) for action in self._actions}
        written = [action for action in given if isinstance(action.type, OutputFile)]
        for number, output in enumerate(written):
            if path := given[output]:
                self.require_apart(output, path, written[:number], given)
        if "output" in found and found.output is None:
            self.require_no_figure(given)
        return found, rest

    def require_no_figure(self, given: Mapping[Action, Any]) -> None:
        for action, value in given.items():
            if getattr(action, "needs_figure", False) and value not in (None, action.default):
                text = "no figure is asked for; legal: with -o FILE"
                self.error(str(ArgumentError(action, text)))

    def require_apart(
        self,
        output: Action,
        path: Path,
        others: Iterable[Action],
        given: Mapping[Action, Any],
    ) -> None:
        for other, value in given.items():
            if isinstance(other.type, OutputFile):
                what = "is that of" if other in others and value and same(value, path) else ""
            else:
                what = "is an input of" if reads(other, value, path) else ""
            if what:
                name = "/".join(other.option_strings) or other.metavar
                text = f"'{path}' {what} {name}; legal: another file"
                self.error(str(ArgumentError(output, text)))

    def _check_value(self, action: Action, value: Any) -> None:
        """Checks as argparse does, and names the word that was perhaps meant."""
        if action.choices is None or value in action.choices:
            return
        raise ArgumentError(action, unknown(str(value), map(str, action.choices)))

    def add_version(self) -> None:
        """Adds the option --version, which prints the program's name and the suite's version."""
        _, number = catalogue().suite.split()
        self.add_argument("--version", action="version", version=f"%(prog)s {number}")


def unknown(value: str, legal: Iterable[str]) -> str:
    """Returns the sentence about a name that is none of the legal ones."""
    names = list(legal)
    near = get_close_matches(value, names, n=1)
    meant = f" (did you mean '{near[0]}'?)" if near else ""
    return f"'{value}' is not legal{meant}; legal: {', '.join(names)}"
