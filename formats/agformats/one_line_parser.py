# SPDX-License-Identifier: BSD-3-Clause
"""An argument parser that says what is wrong in one line, without the usage in front of it."""

from argparse import Action, ArgumentError, ArgumentParser
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NoReturn

from agformats.catalogue import catalogue
from agformats.errors import in_one_line


class OneLineParser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {in_one_line(message)}\n")

    def _get_values(self, action: Action, arg_strings: list[str]) -> Any:
        """As argparse does, which makes an empty list of `--option=--`."""
        if action.nargs is None and action.option_strings and arg_strings == ["--"]:
            raise ArgumentError(action, "'--' is no value")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: Action, value: Any) -> None:
        """As argparse does, and with the name that was perhaps meant."""
        if action.choices is None or value in action.choices:
            return
        raise ArgumentError(action, unknown(str(value), map(str, action.choices)))

    def add_version(self) -> None:
        """--version: the suite's."""
        _, number = catalogue().suite.split()
        self.add_argument("--version", action="version", version=f"%(prog)s {number}")


def unknown(value: str, legal: Iterable[str]) -> str:
    """What is said of a name that is none of the legal ones."""
    names = list(legal)
    near = get_close_matches(value, names, n=1)
    meant = f" (did you mean '{near[0]}'?)" if near else ""
    return f"'{value}' is not legal{meant}; legal: {', '.join(names)}"
