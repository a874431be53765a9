# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, each with what to do, and the samples that give them.

A sample is the average elapsed times of one algorithm in one case of one launch. The table lists
those that vary by more than 10 %, drift, or have two modes; --csv writes all.
"""

from argparse import Namespace
from collections.abc import Iterator
from textwrap import fill

import pandas as pd

from agreport.cli import arg_types
from agreport.cli import options as opt
from agreport.cli.render import Part
from agreport.cli.report import Report
from agreport.cli.rows import Row, value
from agreport.data.load import Results
from agreport.diagnostics.caveats import HIGHEST_CV_PERCENT, caveats
from agreport.figure.words import count_of, plural
from agreport.stats.steadiness import steadiness
from agreport.stats.summary import summarise

LINE = 100


add_rows = value(
    "--rows",
    "N",
    "of the table, the worst first (default: %(default)s)",
    type=arg_types.count,
    default=20,
)


def threshold(text: str, percent: float) -> Row:
    """percent: the default."""
    return value(
        "--threshold",
        "PERCENT",
        f"{text} (default: {percent:g}%%)",
        type=arg_types.percent,
        default=percent,
    )


def list_parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    sentences, listed = caveats(results, summarise(results, "avg")), find_doubtful(found)
    samples = plural(len(found), "sample", "samples")
    if not sentences and listed.empty:
        yield f"nothing to doubt: {samples}"
        return
    for sentence in sentences:
        yield fill(sentence, LINE, initial_indent="- ", subsequent_indent="  ")
    looked_at = f"\n{count_of(len(listed), len(found))} samples to look at"
    yield (looked_at, listed.head(options.rows).reset_index()) if len(listed) else looked_at


def find_doubtful(found: pd.DataFrame) -> pd.DataFrame:
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
    parts=list_parts,
)
