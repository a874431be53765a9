# SPDX-License-Identifier: BSD-3-Clause
"""Options that several reports share. What they mean for the data is in inputs and settle."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agformats.catalogue import catalogue
from agformats.cli.keep_going import add_keep_going
from agformats.files.beside_results import SUFFIXES
from agformats.files.outputs import OutputFile
from agformats.files.result_file import CALL, METRICS
from agreport.cli import number_filter
from agreport.cli.later import Module
from agreport.cli.rows import (
    Row,
    choice,
    count,
    flag,
    legal,
    option,
    output,
    several,
    together,
    value,
)
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.filters import FILTERS
from agreport.figure.medium import DEFAULT, LEGAL_WIDTH, Medium, parse_width

settle = Module("cli.settle")

STATISTICS = ("median", "mean")  # the first is the default
TEXT, CSV, MARKDOWN, LATEX = FORMATS = ("text", "csv", "markdown", "latex")
NUMBERS = ("ranks", "bytes")  # filters by numbers; all others are by names

FILTER_HELP = {
    "ranks": f"only cases with these numbers of ranks: {number_filter.FORMS}; one number is also "
    "that of logs of other programs that do not say it",
    "pattern": "only arrival patterns of this name, such as uniform",
    "bytes": "only cases with these block sizes, likewise",
}

RESULT_FILES = (
    "result files, data sets (results.parquet), globs, or directories (every *.csv, *.csv.gz and "
    f"results.parquet below but {', '.join(f'*{suffix}' for suffix in SUFFIXES)})"
)


add_filters = together(
    *(
        several(
            f"--{column}",
            "NUMBERS" if column in NUMBERS else "NAME,...",
            FILTER_HELP.get(column, f"only cases with this {column}")
            + "; may be given several times",
        )
        for column in FILTERS
    )
)
add_where = several(
    "--where", "KEY=VALUE", "only launches with this fact or note, such as oversubscribed=no"
)
add_apart = together(
    option(
        "--by",
        action="append",
        metavar="KEY,...",
        help="keep launches apart by these: a metadata key, machine, nodes, log, or the KEY of a "
        "--note, also as note.KEY (default: by as few as it takes, where launches of one case "
        "differ in what must agree)",
    ),
    several("--pool", "KEY,...", "take launches together although they differ in these"),
    add_where,
)


def files(what: str) -> Row:
    return together(
        option("files", nargs="+", metavar="FILES", help=what),
        *(add_filters, add_apart, add_keep_going),
    )


add_inputs = files(RESULT_FILES)


def add_companions(what: str, suffix: str) -> Row:
    """Returns the options of add_inputs, but for files that stand beside result files. what: these
    files, as the help calls them; suffix: the end of their names."""
    return files(
        f"{what} (*{suffix}), result files that have one beside them, globs, or directories"
    )


def name_logs(parser: ArgumentParser) -> None:
    """Names logs in the help of a report that takes them."""
    from agformats.peers.formats import NAMES  # it imports what reads them

    logs = f"; or logs of other programs: {', '.join(NAMES)}"
    for action in parser._actions:
        if RESULT_FILES in str(action.help):
            action.help = str(action.help).replace(RESULT_FILES, RESULT_FILES + logs)


add_medium = together(
    flag(
        "--paper",
        "without title and caption, which go beside the figure as LaTeX (FILE.tex), and with names "
        "as people write them",
        figure=True,
    ),
    value(
        "--width",
        "LENGTH",
        f"of the figure, {LEGAL_WIDTH}; its fonts keep their size (default: {Medium.width_cm:g}cm)",
        type=legal(parse_width),
        default=Medium.width_cm,
        figure=True,
    ),
)


@dataclass(frozen=True)
class Need:
    """Options that several reports have, and what is done with the data because of them."""

    add: Row
    apply: Callable[[Namespace, Any], Any] = lambda _, data: data


add_united = flag("--united", "of each algorithm take the better of its mappings in each case")
STATISTIC = Need(
    choice("--statistic", STATISTICS, "over the iterations of a case, all launches together")
)


def add_metric(parser: Any, default: str | None = None) -> None:
    """Adds the option --metric. default: the metric that holds without it; None lets the data
    decide."""
    of_data = f"cycle where all that is shown has it, else {CALL}"
    parser.add_argument(
        "--metric",
        choices=[*METRICS],
        default=default,
        help="smallest, average or largest elapsed time of the call over the ranks; run: last exit "
        "minus first arrival; cycle: to write, call and read, mean over the ranks (default: "
        f"{default or of_data})",
    )


METRIC = Need(add_metric, settle.settle_metric)
add_algorithms = several(
    "--algorithms",
    "NAME,...",
    "only these algorithms, or sets of them (default: all that have times)",
)
add_contest = together(
    value(
        "--algorithm",
        "NAME",
        f"the algorithm that is compared with the best other one (default: {LIBRARY} if it has "
        "times, else the one that is most often the fastest)",
    ),
    several(
        "--versus",
        "NAME,...",
        "the others: algorithms, or sets of them (default: all that have times); sets: "
        + ", ".join(f"{each.name} ({each.text})" for each in catalogue().algorithm_sets),
    ),
    add_united,
    STATISTIC.add,
)
# Figures that may have too many panels for a page take this option.
START = Need(
    value(
        "--from",
        "NUMBER",
        "the first panel that is drawn, by the numbers of the caption, of too many for a page "
        "(default: %(default)s)",
        dest="start",
        type=count,
        default=1,
        figure=True,
    )
)


def x_axis(*axes: str) -> Row:
    return choice("--x", axes, "the horizontal axis of the figure", figure=True)


def medium_of(options: Namespace) -> Medium:
    """Returns the medium that the options describe, or DEFAULT for commands without figures, which
    have no options of a medium."""
    return Medium(options.width, options.paper) if "paper" in options else DEFAULT


def add_output(
    parser: ArgumentParser, endings: Sequence[str], what: str = "", required: bool = True
) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=OutputFile(endings),
        required=required,
        metavar="FILE",
        help=f"{what}{' or '.join(endings)}; an older one is replaced",
    )


CONTEST = Need(add_contest, settle.settle_contest)
UNITED = Need(add_united, settle.check_united)
ALGORITHMS = Need(add_algorithms, settle.only_algorithms)
add_csv = output("--csv", "also write the plotted data as CSV", ".csv")
add_json = output("--json", "also write all that was found as JSON")
add_table = together(
    choice("--format", FORMATS, "of the table"),
    option(
        "-o",
        "--output",
        type=OutputFile(),
        metavar="FILE",
        help="instead of standard output; an older one is replaced",
    ),
)
