# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of the benchmarks: rank counts, mappings, MPI builds, and launches of each, from one TOML
file; here, under Slurm, or simulated."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from agformats.cli.completion import add_completion
from agformats.cli.one_line_parser import OneLineParser
from agformats.errors import INTERRUPTED, BadInput, ended_badly
from agformats.terminal import printable_only
from agsweep import commands
from agsweep.commands import bisect


class Command(Protocol):
    """A module in commands/; the first line of its text is the command's help."""

    __doc__: str | None

    def add_options(self, parser: ArgumentParser, /) -> None: ...
    def run(self, options: Namespace, /) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = parser().parse_args(given)
        with printable_only():
            code: int = options.run(options)
            sys.stdout.flush()
    except (BadInput, OSError, MemoryError) as error:
        return ended_badly("agsweep", error)
    except KeyboardInterrupt:
        print("agsweep: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as ending:
        # git bisect run would take the exit code of bad options for a bad commit.
        if ending.code and [*given[:1]] == ["bisect"]:
            raise SystemExit(bisect.EXIT_ENDS_BISECTION) from ending
        raise
    return code


def parser() -> ArgumentParser:
    top = OneLineParser(prog="agsweep", description=__doc__)
    top.add_version()
    below = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in modules():
        text = module.__doc__ or ""
        command = below.add_parser(
            name,
            help=text.partition("\n")[0],
            description=text,
            formatter_class=RawDescriptionHelpFormatter,
        )
        module.add_options(command)
        command.set_defaults(run=module.run)
    add_completion(top)
    return top


def modules() -> Iterator[tuple[str, Command]]:
    for found in iter_modules(commands.__path__):
        yield found.name, cast(Command, import_module(f"{commands.__name__}.{found.name}"))


if __name__ == "__main__":
    sys.exit(main())
