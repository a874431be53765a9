# SPDX-License-Identifier: BSD-3-Clause
"""Many versions of a build: since when what is slower, and what changed with it.

Versions are in the order of their first launch. What is tested is the version, or the launch where
there are few versions, over all cases together. docs/background/history_statistics.md says how,
and how often that is right.
"""

import sys
from argparse import Namespace

import numpy as np

from agformats.errors import check_known
from agformats.files.outputs import write_text
from agformats.files.result_file import CYCLE
from agreport.cli import inputs, render
from agreport.compare.comparability import POOLED, check_pooled
from agreport.data.load import read_files
from agreport.reports.builds import PAGE, TEXTS

from . import figure, page, texts, words
from .findings import History, find_history
from .measured import take_wrong
from .summaries import Summaries
from .versions import find_versions

TEXT_OF = dict(zip(TEXTS, (texts.markdown, texts.json_text, texts.junit, texts.csv), strict=True))
EXIT_WORSE, EXIT_UNDECIDED = 1, 2


def run(options: Namespace) -> int:
    history = load(options)
    for name, text in TEXT_OF.items():
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
