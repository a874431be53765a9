# SPDX-License-Identifier: BSD-3-Clause
"""Figures, tables and pages from the result files of allgather_bench and allgatherv_bench, from
what allgather_schedule knows without a run, and from traces by libagtrace.so."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Protocol

from agformats.errors import BadInput
from agformats.one_line_parser import OneLineParser
from agreport import compare
from agreport.arrivals import absorption, arrival, delays
from agreport.cli import render
from agreport.diagnostics import command as doubts
from agreport.page import command as page
from agreport.schedules import cost_figure, distributions, schedule_figure
from agreport.times import scaling, series, speedup, summary, variation
from agreport.trace import command as trace
from agreport.tune import command as tune
from agreport.winners import against_sets, boxplot, heatmap, selection, table, venn


class Report(Protocol):
    """What the module of a command has; the first line of its text is the command's help.

    run returns the exit code, if it has one.
    """

    __doc__: str | None

    def add_options(self, parser: ArgumentParser, /) -> None: ...
    def run(self, options: Namespace, /) -> int | None: ...


REPORTS: dict[str, Report] = {
    "heatmap": heatmap,
    "boxplot": boxplot,
    "venn": venn,
    "selection": selection,
    "scaling": scaling,
    "speedup": speedup,
    "series": series,
    "variation": variation,
    "table": table,
    "stripped": against_sets,
    "summary": summary,
    "compare": compare,
    "doubts": doubts,
    "arrival": arrival,
    "absorption": absorption,
    "delays": delays,
    "html": page,
    "schedule": schedule_figure,
    "distributions": distributions,
    "placement": cost_figure,
    "trace": trace,
    "tune": tune,
}


# Done, but files named on standard error are not in it; 2 is: nothing was done.
INCOMPLETE = 3


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    code: int | None = None
    try:
        code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        render.drop_output()
    except (BadInput, OSError) as error:
        print(f"agreport: error: {error}", file=sys.stderr)
        return 2
    return code or (INCOMPLETE if options.left_out else 0)


def parser() -> ArgumentParser:
    top = OneLineParser(prog="agreport", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, report in REPORTS.items():
        text = report.__doc__ or ""
        command = commands.add_parser(
            name,
            help=text.partition("\n")[0],
            description=text,
            formatter_class=RawDescriptionHelpFormatter,
        )
        report.add_options(command)
        command.set_defaults(run=report.run, left_out=[])
    return top


if __name__ == "__main__":
    sys.exit(main())
