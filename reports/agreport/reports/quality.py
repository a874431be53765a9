# SPDX-License-Identifier: BSD-3-Clause
"""The reports on how good a collective is here."""

from functools import partial

from agformats.files.beside_results import COUNTERS_SUFFIX, STEPS_SUFFIX
from agreport.cli import options as opt
from agreport.cli import program
from agreport.cli.later import Module
from agreport.cli.report import OnPage, Report
from agreport.cli.rows import Row, choice, count, flag, percent, together, value

inputs = Module("cli.inputs")
page = Module("page.command")
times = Module("times.times")
summary = Module("times.summary")
caveats = Module("diagnostics.caveats")
steadiness = Module("stats.steadiness")
slow_hosts = Module("diagnostics.slow_hosts")
data_counters = Module("data.counters")
nodes = Module("diagnostics.nodes")
steps = Module("diagnostics.steps")
counters = Module("diagnostics.counters")
export = Module("times.export")

add_page = together(
    opt.add_inputs,
    opt.add_contest,
    opt.METRIC.add,
    partial(opt.add_output, endings=[".html"]),
)

VALUES = {"time": "us", "bandwidth": "GB/s"}  # and their units

add_value = together(
    choice("--value", VALUES, "what the tables have; --csv has both"),
    flag(
        "--intervals",
        "also the 95 %% interval of each median: of what other launches give where there are two "
        "or more, else of the launch alone",
    ),
)

add_rows = value(
    "--rows",
    "N",
    "of the table, the worst first (default: %(default)s)",
    type=count,
    default=20,
)


def threshold(text: str, usual: float) -> Row:
    """Returns the option --threshold, in percent. text: its help without the default; usual: the
    default."""
    return value(
        "--threshold",
        "PERCENT",
        f"{text} (default: {usual:g}%%)",
        type=percent,
        default=usual,
    )


NODES_THRESHOLD = threshold(
    "by how much a slow host is over the median of the others in an algorithm", 5.0
)

STEPS_THRESHOLD = threshold("by how much a slow link's messages are over the first quartile", 100.0)

REPORTS = (
    Report("page", page, options=add_page, run=page.write),
    Report(
        "times",
        times,
        logs=True,
        needs=(
            opt.ALGORITHMS,
            opt.UNITED,
            opt.STATISTIC,
            opt.METRIC,
            opt.Need(add_value, times.check_intervals),
        ),
        table=times.table,
        parts=times.parts,
        on_page=(
            OnPage("Times", settings={"value": "time", "intervals": True}, select=times.of_medians),
        ),
    ),
    Report(
        "summary",
        summary,
        logs=True,
        needs=(opt.METRIC, opt.Need(program.add_program)),
        table=summary.table,
    ),
    Report(
        "diagnostics",
        caveats,
        needs=(opt.Need(add_rows),),
        table=lambda results, _: steadiness.steadiness(results, "avg"),
        parts=caveats.list_parts,
    ),
    Report(
        "nodes",
        nodes,
        needs=(opt.Need(add_rows), opt.Need(NODES_THRESHOLD), opt.START),
        load=nodes.load,
        table=lambda found, _: slow_hosts.tabulate(found.results, found.launches, found.ranks),
        draw=lambda _, table, options: nodes.draw(table, options),
        diagnostics=nodes.find_diagnostics,
        parts=nodes.list_parts,
        document=nodes.document,
    ),
    Report(
        "steps",
        steps,
        options=opt.add_companions("files of steps", STEPS_SUFFIX),
        needs=(
            opt.Need(opt.add_algorithms),
            opt.Need(add_rows),
            opt.Need(STEPS_THRESHOLD),
            opt.START,
        ),
        load=steps.load,
        table=lambda found, _: found.steps,
        draw=lambda found, _, options: steps.draw(found, options),
        diagnostics=steps.find_diagnostics,
        parts=steps.list_parts,
        document=steps.document,
    ),
    Report(
        "counters",
        counters,
        options=opt.add_companions("files of counters", COUNTERS_SUFFIX),
        load=lambda options: inputs.load_companions(
            options, data_counters.load_counters, "counters"
        ),
        table=lambda results, _: counters.tabulate(results),
        diagnostics=counters.find_diagnostics,
        parts=counters.list_parts,
        document=counters.document,
    ),
    Report(
        "export",
        export,
        options=together(opt.add_inputs, partial(opt.add_output, endings=[".json"])),
        run=export.run,
    ),
)
