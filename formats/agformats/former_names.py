# SPDX-License-Identifier: BSD-3-Clause
"""Old spellings: they still work, and each says on standard error what it is called now."""

import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, Protocol


class TakesOptions(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *names: str, **described: Any) -> Action: ...


def announce(program: str, old: str, new: str) -> None:
    print(f"{program}: note: '{old}' is now '{new}'", file=sys.stderr)


class FormerOption(Action):
    """Does what the option does that it is called now."""

    def __init__(self, *, new: Action, **described: Any) -> None:
        like_new: Any = {"nargs": new.nargs, "type": new.type, "choices": new.choices}
        super().__init__(**described, **like_new)
        self.new = new

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        announce(parser.prog.split()[0], str(option_string), self.new.option_strings[-1])
        self.new(parser, namespace, values, option_string)
        self.new.required = False  # it is given now


def add_former(parser: TakesOptions, new: Action, *old: str) -> None:
    """`new` is what parser.add_argument returned; `old` are options that it was once."""
    for option in old:
        parser.add_argument(
            option, action=FormerOption, new=new, dest=new.dest, default=SUPPRESS, help=SUPPRESS
        )


def current_name(program: str, given: str, former: dict[str, str]) -> str:
    """What a name is called now; one that was never renamed is returned as it is."""
    new = former.get(given)
    if new is None:
        return given
    announce(program, given, new)
    return new
