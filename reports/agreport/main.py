# SPDX-License-Identifier: BSD-3-Clause
"""Figures, tables and pages from the result files of the benchmarks, from
what allgather_schedule knows without a run, and from traces by libagtrace.so."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from pathlib import Path

from agformats.cli.completion import SHELL_OPTION, add_completion
from agformats.cli.one_line_parser import OneLineParser
from agformats.errors import INTERRUPTED, BadInput, ended_badly
from agformats.files import outputs
from agformats.notes import tell
from agformats.terminal import printable_only
from agreport import commands

# The exit code if files that are named on standard error were left out, and the rest was done.
# The code 2 says that nothing was done.
INCOMPLETE = 3
FEW = 3  # files that are named at most


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    needed = commands.COMMANDS if SHELL_OPTION in given else given[:1]
    try:
        return run(parser(needed).parse_args(given))
    except (BadInput, OSError, MemoryError) as error:
        return ended_badly("agreport", error)
    except KeyboardInterrupt:
        print("agreport: interrupted", file=sys.stderr)
        return INTERRUPTED


def run(options: Namespace) -> int:
    """Runs a command with the settings that every figure has."""
    from agreport.figure.plain_matplotlib import import_matplotlib, settings_of_figures

    import_matplotlib()  # before the modules of reports do

    import pandas as pd
    import pyarrow as pa

    from agreport.cli import render
    from agreport.cli.missing_letters import missing_letters_named
    from agreport.cli.options import medium_of
    from agreport.figure.medium import drawn_for
    from agreport.figure.sheet import STYLE

    pa.set_memory_pool(pa.system_memory_pool())  # this pool takes back what loading gives away
    # This is what pandas 3 always does: a table with another column shares the others.
    older = pd.__version__ < "3"
    shared = pd.option_context("mode.copy_on_write", True) if older else nullcontext()
    code: int | None = None
    try:
        with (
            settings_of_figures(STYLE),
            drawn_for(medium_of(options)),
            printable_only(),
            missing_letters_named(),
            shared,
        ):
            outputs.written.clear()
            code = options.run(options)
            sys.stdout.flush()
            if getattr(options, "output", None):
                tell_written(outputs.written)
    except BrokenPipeError:
        render.drop_output()
    return code or (INCOMPLETE if options.left_out else 0)


def tell_written(files: Sequence[Path]) -> None:
    """Writes one line on standard error that names the files, since -o leaves no sign on the
    terminal. Of more than FEW files, the line names the last one, which is the page of all, and
    says how many others there are. Without files nothing is written."""
    if files:
        names = [str(path) for path in dict.fromkeys(files)]
        few = len(names) <= FEW
        found = ", ".join(names) if few else f"{names[-1]} and {len(names) - 1} other files"
        tell(f"agreport: wrote {found}")


def parser(needed: Collection[str] = tuple(commands.COMMANDS)) -> ArgumentParser:
    """Returns the parser of the command line.

    needed: the commands whose options are wanted; of the others the parser has the names only.
    """
    top = OneLineParser(
        prog="agreport",
        description=__doc__,
        epilog="\n".join(commands.listing()),
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_version()
    known = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", help="one of those below"
    )
    for name in commands.COMMANDS:
        if name not in needed:
            known.add_parser(name)
            continue
        report = commands.report(name)
        command = known.add_parser(
            name,
            help=commands.help_of(name),  # without it no option of the command is completed
            description=report.text,
            formatter_class=RawDescriptionHelpFormatter,
        )
        report.add_options(command)
    add_completion(top)
    return top


if __name__ == "__main__":
    sys.exit(main())
