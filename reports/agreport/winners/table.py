# SPDX-License-Identifier: BSD-3-Clause
"""Table of how often the chosen algorithm is the best, and by how much (Loch 2021, tables 6 to 8).

Table 6 is of each mapping; 7 is --united, the better of each algorithm's mappings; 8 is --united of
allgatherv, which has a line for each distribution.
"""

import sys
from argparse import Namespace

import pandas as pd

from agreport.cli import options as opt
from agreport.cli.report import Report
from agreport.data.load import PANEL, Results
from agreport.diagnostics.caveats import caveats
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.stats.summary import summarise


def improvements(results: Results, contest: Contest) -> pd.DataFrame:
    """Per panel and metric. fastest_in: strictly, as Loch counts; best_in: without the near-ties.

    Mean, median and highest are over the cases that it is the fastest in.
    """
    verdicts = contest.all_verdicts(results)
    verdicts["gain"] = verdicts[IMPROVEMENT].where(verdicts["won"])
    grouped = verdicts.groupby(level=[*PANEL, "metric"], observed=True)
    cases, won, best = (grouped[column].sum() for column in ("compared", "won", "clear"))
    return pd.DataFrame(
        {
            "cases": cases,
            "not_compared": grouped["compared"].size() - cases,
            "fastest_in": won,
            "fastest_in_percent": 100 * won / cases,
            "near_ties": won - best,
            "best_in": best,
            "best_in_percent": 100 * best / cases,
            "mean_percent": grouped["gain"].mean(),
            "median_percent": grouped["gain"].median(),
            "highest_percent": grouped["gain"].max(),
        }
    )


def warn(_: Namespace, results: Results) -> Results:
    for caveat in caveats(results, summarise(results, "avg")):
        print(f"agreport: warning: {caveat}", file=sys.stderr)
    return results


REPORT = Report(
    "table",
    __doc__,
    needs=(opt.Need(lambda _: None, warn), opt.CONTEST),
    table=lambda results, options: improvements(results, options.contest),
)
