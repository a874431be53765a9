# SPDX-License-Identifier: BSD-3-Clause
"""Tables 6 to 8 and figures 23 to 33 of Loch (2021, chapter 6), from one data set.

They go into a folder in his order, with an index page. Tables are written as CSV, Markdown and
LaTeX. What the data set has no cases for is named there.
"""

import pandas as pd

from agreport.data import algorithm_sets
from agreport.data.load import PANEL, Results
from agreport.data.settings import without_empty
from agreport.page.publication import Item, Publication
from agreport.stats.contest import Contest
from agreport.times import variation
from agreport.winners import boxplot, heatmap, table, venn

GATHER, GATHERV = ("--collective", "allgather"), ("--collective", "allgatherv")
VERSUS = ("--algorithm", "sparbit", "--versus", "loch2021", "--statistic", "mean")  # as he has it
SEQUENTIAL, CYCLIC, UNITED = ("--mapping", "sequential"), ("--mapping", "cyclic"), ("--united",)
MAP = (*VERSUS, "--near-ties", "none")  # he has none

ITEMS = (
    Item("table6", "Improvement by mapping", table.REPORT, (*GATHER, *VERSUS)),
    Item("figure23", "Sequential mapping", heatmap.REPORT, (*GATHER, *SEQUENTIAL, *MAP)),
    Item("figure24", "Cyclic mapping", heatmap.REPORT, (*GATHER, *CYCLIC, *MAP)),
    Item("figure25", "Time reduction by mapping", boxplot.REPORT, (*GATHER, *VERSUS)),
    Item("figure26", "Sequential: min, avg, max", venn.REPORT, (*GATHER, *SEQUENTIAL, *VERSUS)),
    Item("figure27", "Cyclic: min, avg, max", venn.REPORT, (*GATHER, *CYCLIC, *VERSUS)),
    Item("table7", "Improvement, mappings united", table.REPORT, (*GATHER, *UNITED, *VERSUS)),
    Item("figure28", "Mappings united", heatmap.REPORT, (*GATHER, *UNITED, *MAP)),
    Item("figure29", "Time reduction, united", boxplot.REPORT, (*GATHER, *UNITED, *VERSUS)),
    Item("figure30", "United: min, avg, max", venn.REPORT, (*GATHER, *UNITED, *VERSUS)),
    Item("table8", "Improvement by distribution", table.REPORT, (*GATHERV, *UNITED, *VERSUS)),
    Item("figure31", "Distributions, united", heatmap.REPORT, (*GATHERV, *UNITED, *MAP)),
    Item("figure32", "Time reduction by distribution", boxplot.REPORT,
         (*GATHERV, *UNITED, *VERSUS)),
    Item("figure33", "Coefficients of variation, united", variation.REPORT, (*GATHERV, *UNITED)),
)  # fmt: skip


def numbers(results: Results) -> pd.DataFrame:
    return pd.concat([best_by_both(results), area(results)], ignore_index=True)


def contest_of(results: Results, versus: str) -> tuple[Contest, Results] | None:
    """Sparbit against a set, by means, as he has it, and the rows without what the set leaves out;
    None: one side has no times."""
    kept = algorithm_sets.without_left_out(results, [versus])
    timed = kept.timed_algorithms()
    others = [name for name in algorithm_sets.members(versus, timed) if name != "sparbit"]
    return (Contest("sparbit", others, "mean"), kept) if "sparbit" in timed and others else None


def best_by_both(results: Results) -> pd.DataFrame:
    """Of the cases that Sparbit is the fastest in by max, the share that it is so in by avg."""
    found = contest_of(results, "loch2021")
    if found is None:
        return pd.DataFrame()
    contest, kept = found
    by_max, by_avg = (contest.verdicts(kept, metric)["won"] for metric in ("max", "avg"))
    both = by_avg[by_max].groupby(level=[*PANEL], observed=True).agg(["size", "sum"])
    return as_numbers(both, "fastest by max that are so by avg, too")


def area(results: Results) -> pd.DataFrame:
    """Of the cases that a logarithmic algorithm wins, the share that is Sparbit's without them
    (6.2.2)."""
    every, linear = (contest_of(results, name) for name in ("loch2021", "linear-steps"))
    if every is None or linear is None:
        return pd.DataFrame()
    (everyone, of_all), (without, of_linear) = every, linear
    fastest = everyone.verdicts(of_all, "avg")["fastest"]
    logarithmic = fastest.isin(algorithm_sets.members("logarithmic-steps", everyone.others))
    won = without.verdicts(of_linear, "avg")["won"].reindex(fastest.index)[logarithmic]
    shares = won.groupby(level=[*PANEL], observed=True).agg(["size", "sum"])
    return as_numbers(shares, "won by a logarithmic algorithm that are Sparbit's without these")


def as_numbers(counted: pd.DataFrame, what: str) -> pd.DataFrame:
    found = counted.rename(columns={"size": "cases", "sum": "of_these"}).astype(int)
    share = 100 * found["of_these"] / found["cases"]
    table = found.assign(percent=share).reset_index()
    return without_empty(table).assign(what=what)


REPORT = Publication("loch2021", "Loch 2021, chapter 6", ITEMS, numbers).report(__doc__)
