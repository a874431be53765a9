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
from agreport.cli.report import Report
from agreport.data.load import Results
from agreport.diagnostics.caveats import HIGHEST_CV_PERCENT, caveats
from agreport.figure.words import plural
from agreport.stats.steadiness import steadiness
from agreport.stats.summary import summarise

LINE = 100


def add_rows(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--rows",
        type=opt.count,
        default=20,
        metavar="N",
        help="of the table, the worst first (default: %(default)s)",
    )


def show(results: Results, found: pd.DataFrame, options: Namespace) -> None:
    sentences, listed = caveats(results, summarise(results, "avg")), doubtful(found)
    samples = plural(len(found), "sample", "samples")
    if not sentences and listed.empty:
        print(f"nothing to doubt: {samples}")
        return
    for sentence in sentences:
        print(fill(sentence, LINE, initial_indent="- ", subsequent_indent="  "))
    print(f"\n{len(listed)} of {samples} to look at")
    if len(listed):
        print(render.text(listed.head(options.rows).reset_index()), end="")


def doubtful(found: pd.DataFrame) -> pd.DataFrame:
    """Those with a reason, which is named; the most varied first."""
    reasons = {
        "varies": found["cv_percent"] > HIGHEST_CV_PERCENT,
        "drifts": found["drifts"],
        "two modes": found["low_mode_us"].notna(),
    }
    flags = pd.DataFrame(reasons)
    listed = flags.any(axis=1)
    named = [", ".join(flags.columns[row]) for row in flags[listed].to_numpy(bool)]
    shown = found[listed].drop(columns="drifts").assign(reasons=named)
    return shown.sort_values("cv_percent", ascending=False, kind="stable")


REPORT = Report(
    "diagnostics",
    __doc__,
    needs=(opt.Need(add_rows),),
    table=lambda results, _: steadiness(results, "avg"),
    show=show,
    formerly=("doubts",),
)
