# SPDX-License-Identifier: BSD-3-Clause
"""Many versions in their order: since when is what slower or faster, and what changed with it.

A version is the MPI library by default, or a note of each launch (--by note.commit). The sample is
the versions, each with the median of its launches. docs/background/history_statistics.md says how
changes are found, and how often that is right.
"""

import sys
from argparse import Namespace
from functools import partial

import numpy as np

from agformats.cli.keep_going import add_keep_going
from agformats.files.outputs import write_text
from agformats.files.result_file import CALL
from agreport.cli import inputs, render
from agreport.cli import options as opt
from agreport.cli.options import add_medium
from agreport.cli.report import Report
from agreport.cli.rows import flag, option, output, percent, several, together, value
from agreport.data.load import Results, read_files
from agreport.figure.sheet import ENDINGS

from . import figure, texts
from .findings import find_history
from .versions import find_versions

TEXTS = {
    "markdown": texts.markdown,
    "json": texts.to_json,
    "junit": texts.junit,
    "csv": texts.csv,
}

add_options = together(
    option("files", nargs="+", metavar="FILES", help=inputs.RESULT_FILES),
    inputs.add_filters,
    several("--where", "KEY=VALUE", "only launches with this fact or note"),
    value(
        "--by",
        "KEY",
        "what the versions are: a metadata key, such as note.commit (default: the MPI library, its "
        "path and build id)",
        default="",
    ),
    value(
        "--order",
        "ORDER",
        "of the versions: git:REPOSITORY, as its commits follow each other, or list:FILE, a name a "
        "line (default: that of their first launches)",
        default="",
    ),
    value(
        "--threshold",
        "PERCENT",
        "the smallest change that is told (default: 2%%)",
        type=partial(percent, least=0.01),
        default=2.0,
    ),
    flag(
        "--gate",
        "exit with 1 if the newest version is slower than those before it, and with 2 if that "
        "cannot be told",
    ),
    *(output(f"--{name}", f"write it as {name} too") for name in TEXTS),
    partial(opt.add_output, endings=ENDINGS, what="a panel a case: ", required=False),
    add_keep_going,
    add_medium,
)  # fmt: skip


def load(options: Namespace) -> Results:
    """The launches of all versions. Those on other numbers of nodes are other cases; what else
    differs is what a history is about."""
    results = read_files(
        options.files, keep_going=options.keep_going, rules=inputs.log_rules(options)
    )
    options.left_out = results.left_out
    chosen = inputs.of_launches(options, results)
    rows, given = inputs.filter_rows(options, chosen.rows)
    kept = sorted({int(number) for number in rows["launch"].unique()})
    found = chosen.keep(rows).only_launches(kept).apart(["nodes"], pooled=None)
    return inputs.require_times(found, given, options.files)


def run(options: Namespace) -> int:
    results = load(options)
    versions = find_versions(results.launches, options.by, options.order)
    threshold = float(np.log1p(options.threshold / 100))
    history = find_history(results, versions, options.metric, threshold, options.by)
    for name, text in TEXTS.items():
        if path := getattr(options, name):
            write_text(path, text(history))
    if options.output:
        figure.draw(history).write(options.output)
    try:
        sys.stdout.write(texts.text(history))
        sys.stdout.flush()
    except BrokenPipeError:
        render.drop_output()
    if not options.gate:
        return 0
    return 2 if history.newest is None else int(history.is_newest_slower)


METRIC = opt.Need(partial(opt.add_metric, default=CALL))
REPORT = Report("history", __doc__, options=add_options, needs=(METRIC,), run=run, logs=True)
