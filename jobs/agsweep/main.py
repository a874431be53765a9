# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of the benchmarks: rank counts, mappings, MPI builds, and launches of each, from one TOML
file; here, under Slurm, or simulated."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Protocol

from agformats.errors import BadInput
from agformats.one_line_parser import OneLineParser
from agsweep import collect, plan, platform, resume, run, simulate, status, submit


class Command(Protocol):
    """What the module of a command has; the first line of its text is the command's help."""

    __doc__: str | None

    def add_options(self, parser: ArgumentParser, /) -> None: ...
    def run(self, options: Namespace, /) -> int: ...


COMMANDS: dict[str, Command] = {
    "plan": plan,
    "submit": submit,
    "run": run,
    "simulate": simulate,
    "platform": platform,
    "status": status,
    "resume": resume,
    "collect": collect,
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except (BadInput, OSError) as error:
        print(f"agsweep: error: {error}", file=sys.stderr)
        return 2
    return code


def parser() -> ArgumentParser:
    top = OneLineParser(prog="agsweep", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        text = module.__doc__ or ""
        command = commands.add_parser(
            name,
            help=text.partition("\n")[0],
            description=text,
            formatter_class=RawDescriptionHelpFormatter,
        )
        module.add_options(command)
        command.set_defaults(run=module.run)
    return top


if __name__ == "__main__":
    sys.exit(main())
