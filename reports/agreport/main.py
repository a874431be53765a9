# SPDX-License-Identifier: BSD-3-Clause
"""Figures, tables and pages from the result files of allgather_bench and allgatherv_bench, from
what allgather_schedule knows without a run, and from traces by libagtrace.so."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence

import matplotlib as mpl
import pyarrow as pa

from agformats.errors import BadInput
from agformats.former_names import current_name
from agformats.one_line_parser import OneLineParser
from agreport.arrivals import absorption, arrival, delays
from agreport.cli import render
from agreport.compare import command as compare
from agreport.diagnostics import command as diagnostics
from agreport.figure.sheet import STYLE
from agreport.page.command import page_of
from agreport.schedules import cost_figure, distributions, schedule_figure
from agreport.times import scaling, series, speedup, summary, variation
from agreport.trace import command as trace
from agreport.tune import command as tune
from agreport.winners import against_sets, boxplot, heatmap, selection, table, venn

# Of result files, in the order of the page.
RESULT_REPORTS = (
    *(heatmap.REPORT, boxplot.REPORT, selection.REPORT),
    *(scaling.REPORT, speedup.REPORT, venn.REPORT, variation.REPORT, series.REPORT),
    *(table.REPORT, against_sets.REPORT, summary.REPORT, diagnostics.REPORT),
    *(arrival.REPORT, absorption.REPORT, delays.REPORT),
)
REPORTS = (
    *RESULT_REPORTS,
    page_of(RESULT_REPORTS),
    compare.REPORT,
    *(schedule_figure.REPORT, distributions.REPORT, cost_figure.REPORT),
    *(trace.REPORT, tune.REPORT),
)
FORMER_NAMES = {old: report.name for report in REPORTS for old in report.formerly}

# Done, but files named on standard error are not in it; 2 is: nothing was done.
INCOMPLETE = 3


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    given[:1] = [current_name("agreport", name, FORMER_NAMES) for name in given[:1]]
    options = parser().parse_args(given)
    pa.set_memory_pool(pa.system_memory_pool())  # it takes back what loading gives away
    code: int | None = None
    try:
        with mpl.rc_context(STYLE):
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
    for report in REPORTS:
        command = commands.add_parser(
            report.name,
            help=report.help,
            description=report.text,
            formatter_class=RawDescriptionHelpFormatter,
        )
        report.add_options(command)
    return top


if __name__ == "__main__":
    sys.exit(main())
