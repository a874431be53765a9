# SPDX-License-Identifier: BSD-3-Clause
"""Many versions of a build: since when what is slower, and what changed with it.

Versions are in the order of their first launch. What is tested is the version, or the launch where
there are few versions, over all cases together. docs/background/history_statistics.md says how,
and how often that is right.
"""

import sys
from argparse import Namespace
from functools import partial

import numpy as np

from agformats.cli.keep_going import add_keep_going
from agformats.errors import check_known
from agformats.files.outputs import write_text
from agformats.files.result_file import CALL, CYCLE
from agreport.cli import inputs, render
from agreport.cli import options as opt
from agreport.cli.report import Report
from agreport.cli.rows import flag, option, output, percent, several, together, value
from agreport.compare.comparability import POOLED, check_pooled
from agreport.data.load import read_files
from agreport.figure.sheet import ENDINGS

from . import figure, page, texts, words
from .findings import History, find_history
from .measured import take_wrong
from .summaries import Summaries
from .versions import LIBRARY, ORDERS, find_versions

TEXTS = {
    "markdown": texts.markdown,
    "json": texts.json_text,
    "junit": texts.junit,
    "csv": texts.csv,
}
PAGE = ".html"
EXIT_WORSE, EXIT_UNDECIDED = 1, 2

add_options = together(
    option("files", nargs="+", metavar="FILES", help=inputs.RESULT_FILES),
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
    inputs.add_filters,
    inputs.add_where,
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


def run(options: Namespace) -> int:
    history = load(options)
    for name, text in TEXTS.items():
        if path := getattr(options, name):
            write_text(path, text(history))
    if options.output and options.output.suffix.lower() == PAGE:
        write_text(options.output, page.text(history))
    elif options.output:
        figure.draw(history).write(options.output)
    try:
        sys.stdout.write(texts.text(history))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough changes no verdict
        render.drop_output()
    if not options.gate:
        return 0
    if history.failed:
        return EXIT_WORSE
    if history.lost or not history.decides:
        print(f"agreport: no {words.verdict(history)}", file=sys.stderr)
        return EXIT_UNDECIDED
    return 0


def load(options: Namespace) -> History:
    """Reads the result files and returns the history of their versions. Launches of one version are
    taken together, and so must agree in what tells the times of launches apart; what differs
    between versions is told, and keeps none of them out."""
    pooled = inputs.split_list(options.pool)
    check_known("--pool", pooled, POOLED, "what launches must agree in to be taken together")
    summaries = Summaries(options.cache)
    results = read_files(
        options.files,
        skip_bad_files=True,
        keep_going=options.keep_going,
        rules=inputs.log_rules(options),
        read=summaries.read,
    )
    summaries.keep()
    options.left_out = results.left_out
    rows, given = inputs.filter_rows(options, results.rows)
    if options.where:
        rows = rows[rows["launch"].isin(inputs.find_launches(options, results))]
        given += [f"--where {text}" for text in options.where]
    measured = {*rows["launch"].unique()}
    results, wrong = take_wrong(results.keep(rows).apart(["nodes"], pooled=None))
    results = inputs.require_times(results, given)
    if options.metric == CYCLE:
        column = results.column_of(CYCLE)
        results = results.keep(results.rows[results.rows[column].notna()])
    versions = [
        each.only(measured) for each in find_versions(results.launches, options.by, options.order)
    ]
    parts = {f"version {each.name}": each.launches for each in versions}
    results = check_pooled(results, parts, "--pool", pooled)
    threshold = float(np.log1p(options.threshold / 100))
    return find_history(results, wrong, options.metric, options.by, versions, threshold)


METRIC = opt.Need(partial(opt.add_metric, default=CALL))
REPORT = Report("history", __doc__, options=add_options, needs=(METRIC,), run=run)
