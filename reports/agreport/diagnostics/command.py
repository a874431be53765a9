# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, each with what to do, and the samples that give them.

A sample is the average elapsed times of one algorithm in one case of one launch. The table lists
those that vary by more than 10 %, drift, or have two modes; --csv writes all.
"""

from argparse import ArgumentParser, Namespace
from textwrap import fill

import pandas as pd

from agreport.cli import options as opt
from agreport.cli import render
from agreport.diagnostics.caveats import HIGHEST_CV_PERCENT, caveats
from agreport.figure.words import plural
from agreport.stats.steadiness import steadiness
from agreport.stats.summary import summarise

LINE = 100


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    parser.add_argument(
        "--rows",
        type=opt.count,
        default=20,
        metavar="N",
        help="of the table, the worst first (default: %(default)s)",
    )
    opt.add_csv(parser)


def run(options: Namespace) -> None:
    results = opt.load_selected(options)
    found = steadiness(results, "avg")
    for sentence in caveats(results, summarise(results, "avg")):
        print(fill(sentence, LINE, initial_indent="- ", subsequent_indent="  "))
    listed = doubtful(found)
    print(f"\n{plural(len(listed), 'sample', 'samples')} of {len(found)} to look at")
    if len(listed):
        print(render.text(listed.head(options.rows).reset_index()), end="")
    if options.csv:
        found.to_csv(options.csv)


def doubtful(found: pd.DataFrame) -> pd.DataFrame:
    """Those with a reason, which is named; the most varied first."""
    reasons = {
        "varies": found["cv_percent"] > HIGHEST_CV_PERCENT,
        "drifts": found["drifts"],
        "two modes": found["low_mode_us"].notna(),
    }
    flags = pd.DataFrame(reasons)
    listed = found[flags.any(axis=1)].drop(columns="drifts")
    named = flags.loc[listed.index].apply(lambda row: ", ".join(row.index[row]), axis=1)
    return listed.assign(reasons=named).sort_values("cv_percent", ascending=False, kind="stable")
