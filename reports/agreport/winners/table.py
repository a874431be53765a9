# SPDX-License-Identifier: BSD-3-Clause
"""Table of how often the chosen algorithm is the best, and by how much (Loch 2021, tables 6 to 8).

Table 6 is of each mapping; 7 is --united, the better of each algorithm's mappings; 8 is --united of
allgatherv, which has a line for each distribution.
"""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from agreport.data.load import CASE, PANEL, Results
from agreport.diagnostics.caveats import caveats
from agreport.figure.words import same_text
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.stats.summary import summarise
from agreport.stats.times import UNITED, is_partly_united


def count_wins(verdicts: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Counts per group of cases by these levels in how many the algorithm is the fastest and the
    best. fastest_in: strictly, as Loch counts; best_in: without the near-ties. Mean, median and
    highest improvement are over the cases in which the algorithm is the fastest."""
    verdicts = verdicts.assign(gain=verdicts[IMPROVEMENT].where(verdicts["won"]))
    grouped = verdicts.groupby(level=[*levels], observed=True)
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


def improvements(results: Results, contest: Contest) -> pd.DataFrame:
    """Counts wins per panel and metric, as count_wins does. With united mappings, retained_percent
    is fastest_in over that of the sequential mapping alone (Loch 2021, 6.2.5)."""
    found = count_wins(contest.all_verdicts(results), [*PANEL, "metric"])
    if contest.united:
        fastest = fastest_of_sequential(results, contest)
        found["retained_percent"] = 100 * found["fastest_in"] / fastest
    return found


def fastest_of_sequential(results: Results, contest: Contest) -> "pd.Series[float]":
    """Returns in how many of the united cases the chosen algorithm is the fastest under the
    sequential mapping alone; NaN where in none, empty if nothing is of that mapping."""
    united = results.rows.set_index(CASE)
    united = results.rows[~is_partly_united(united, results)]
    alone = results.keep(united[united["mapping"] == "sequential"])
    if alone.rows.empty:
        return pd.Series(dtype=float)
    verdicts = replace(contest, united=False).all_verdicts(alone)
    won = verdicts.groupby(level=[*PANEL, "metric"], observed=True)["won"].sum()
    counts = won.rename(index={"sequential": UNITED}, level="mapping").astype(float)
    return counts.where(counts > 0)


def doubts(results: Results, _: pd.DataFrame, options: Namespace) -> list[str]:
    """Returns the reasons to doubt the table, and which algorithms are not compared as others
    stand for them."""
    contest: Contest = options.contest
    means = contest.statistic == "mean"
    return [*caveats(results, summarise(results, "avg"), means, contest), *same_text(results)]
