# SPDX-License-Identifier: BSD-3-Clause
"""The reports on a build against another, and on many of them."""

from argparse import ArgumentTypeError
from functools import partial
from pathlib import Path

from agformats import paths
from agformats.cli.keep_going import add_keep_going
from agformats.cli.one_line_parser import explains_rest
from agformats.files.result_file import CALL
from agreport.cli import options as opt
from agreport.cli.later import Module
from agreport.cli.report import Report
from agreport.cli.rows import flag, option, output, percent, several, together, value
from agreport.figure.medium import ENDINGS

compare = Module("compare.command")
missing_sides = Module("compare.missing_sides")
history = Module("history.command")

TEXTS = ("markdown", "json", "junit", "csv")  # the options are called so
SIDES = ("baseline", "new")  # these, too
SINGLE, MISSING, BLOCKS, ORDER = "single-launch", "missing", "blocks", "order"  # of --allow
GATE = "detectable"


def read_gate(text: str) -> float:
    """Returns the percentage of a rule such as detectable=10%. Raises ArgumentTypeError for any
    other text."""
    key, equals, value = text.partition("=")
    if key.strip() != GATE or not equals:
        raise ArgumentTypeError(f"'{text}' is no rule of a gate; legal: {GATE}=PERCENT")
    return percent(value)


add_compared = together(
    partial(explains_rest, explain=missing_sides.ask_for_sides),
    option(
        "--baseline",
        nargs="+",
        metavar="FILES",
        help=f"before: {opt.RESULT_FILES}; or the name of a baseline that was saved",
    ),
    option("--new", nargs="+", metavar="FILES", help=f"after: {opt.RESULT_FILES}"),
    value(
        "--save-baseline",
        "NAME",
        "compare nothing, but keep copies of the files of --baseline under this name",
    ),
    value(
        "--baselines",
        "FOLDER",
        "where baselines are kept (default: %(default)s)",
        type=paths.folder,
        default=Path("baselines"),
    ),
    opt.add_filters,
    opt.add_where,
    value(
        "--threshold",
        "PERCENT",
        "the smallest change that matters (default: 5%%)",
        type=partial(percent, least=0.01),
        default=5.0,
    ),
    value(
        "--gate",
        f"{GATE}=PERCENT",
        "exit with 2 unless a change of PERCENT would be called in every case (without this: one "
        "of twice the threshold in some case)",
        type=read_gate,
    ),
    several(
        "--allow",
        "KEY,...",
        f"compare although this differs between the launches; or {SINGLE}: call verdicts by one "
        f"launch a side; or {MISSING}: judge what there is where a side lacks cases; or {BLOCKS}: "
        f"judge launches that did not take turns, as of a stored baseline; or {ORDER}: judge pairs "
        "of which one side was always first, or launches in strict turn",
    ),
    *(output(f"--{name}", f"write it as {name} too") for name in TEXTS),
    add_keep_going,
    partial(
        opt.add_output,
        endings=ENDINGS,
        what="the ratios and the worst cases as a figure: ",
        required=False,
    ),
    opt.add_medium,
)

# Builds of one call are compared, so the call alone is the default.
METRIC = opt.Need(partial(opt.add_metric, default=CALL))

LIBRARY = "library"  # the default of --by

ORDERS = ("launch", "git:REPOSITORY", "list:FILE")

PAGE = ".html"

add_history = together(
    option("files", nargs="+", metavar="FILES", help=opt.RESULT_FILES),
    value(
        "--by",
        "KEY",
        "what a version is: a note such as note.commit, or a metadata key such as mpi (default: "
        "the MPI library's version, build id and path)",
        default=LIBRARY,
    ),
    value(
        "--order",
        "ORDER",
        f"of the versions: {', '.join(ORDERS)} (default: launch, by the first launch of each)",
        default=ORDERS[0],
    ),
    opt.add_filters,
    opt.add_where,
    several(
        "--pool", "KEY,...", "take launches of one version together although they differ in these"
    ),
    value(
        "--threshold",
        "PERCENT",
        "the smallest change of a case that is told (default: 2%%)",
        type=percent,
        default=2.0,
    ),
    flag(
        "--gate",
        "exit with 1 if the newest version is slower than what was before it or has wrong results, "
        "and with 2 if that cannot be told, or it lacks cases",
    ),
    *(output(f"--{name}", f"write it as {name} too") for name in TEXTS),
    output(
        "--cache",
        "keep the medians of each launch in this file, by the hash of its result file: the next "
        "call reads only what is new",
    ),
    add_keep_going,
    partial(
        opt.add_output,
        endings=[PAGE, *ENDINGS],
        what="the history as a page or a figure: ",
        required=False,
    ),
    opt.add_medium,
)

REPORTS = (
    Report("compare", compare, options=add_compared, needs=(METRIC,), run=compare.run, logs=True),
    Report("history", history, options=add_history, needs=(METRIC,), run=history.run),
)
