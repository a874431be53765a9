# SPDX-License-Identifier: BSD-3-Clause
"""Tables 6 to 8 and figures 23 to 33 of Loch (2021, chapter 6), from one data set.

They go into a folder in his order, with an index page. Tables are written as CSV, Markdown and
LaTeX: CSV with all columns, the others with his, and with ours beside in a second table. What the
data set has no cases for is named there.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence

import pandas as pd

from agreport.cli.render import in_words
from agreport.commands import report
from agreport.data import algorithm_sets
from agreport.data.load import PANEL, SETTING, Results
from agreport.data.settings import without_empty
from agreport.figure.words import in_print
from agreport.page.publication import Item, Publication
from agreport.stats.contest import Contest

GATHER, GATHERV = ("--collective", "allgather"), ("--collective", "allgatherv")
VERSUS = ("--algorithm", "sparbit", "--versus", "loch2021", "--statistic", "mean")  # as Loch has it
SEQUENTIAL, CYCLIC, UNITED = ("--mapping", "sequential"), ("--mapping", "cyclic"), ("--united",)
AVG = ("--metric", "avg")  # whatever else the data set has
MAP = (*VERSUS, *AVG, "--near-ties", "none")  # Loch has no near-ties

CLUSTERS = ("yahoo", "cervino")  # in the order of Loch (2021)
BEST_IN = "fastest_in_percent"  # our column of this name leaves near-ties out
STATISTICS = {name: f"{name}_percent" for name in ("mean", "median", "highest")}
OURS = {name: name for name in ("cases", "not_compared", "fastest_in", "near_ties")}
OURS |= {"best_in": "surely best in", "best_in_percent": "surely best in %"}
OURS["retained_percent"] = "retained of sequential %"


def in_his_order(results: Results) -> Results:
    """Returns the results with Loch's clusters in his order, before other settings, whose order
    stays."""
    column = results.rows[SETTING].cat

    def place(setting: str) -> int:
        name = setting.partition(",")[0].lower()
        return CLUSTERS.index(name) if name in CLUSTERS else len(CLUSTERS)

    ordered = column.reorder_categories(sorted(column.categories, key=place))
    return results.keep(results.rows.assign(**{SETTING: ordered}))


def to_read(found: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Returns two tables by the suffixes of their files: one with Loch's columns ("") and one with
    ours that he has none of ("-near-ties"). Both have the rows in Loch's order, and the keys and
    other columns that tell the rows apart."""
    more = [name for name in PANEL if name not in keys and found.index.unique(name).size > 1]
    rows = found.reset_index().sort_values([*keys, *more, "metric"], kind="stable")
    names = in_print(rows[[*keys, *more]]).rename(columns={SETTING: "cluster"})
    names["metric"] = rows["metric"].astype(str).str.capitalize()
    his = rows[[BEST_IN, *STATISTICS.values()]].set_axis(["best_in", *STATISTICS], axis=1)
    ours = rows[[name for name in OURS if name in rows]].rename(columns=OURS)
    named = {"": his, "-near-ties": ours}
    return {
        suffix: capitalised(pd.concat([names, numbers], axis=1))
        for suffix, numbers in named.items()
    }


def capitalised(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the columns under names in words, with a capital letter. Columns that are empty in
    every row are left out: those of clusters and others that have no name."""
    shown = [name for name in frame if frame[name].astype(str).ne("").any()]
    return frame[shown].rename(columns=lambda name: in_words(name).capitalize())


def thesis_table(name: str, text: str, arguments: tuple[str, ...], keys: Sequence[str]) -> Item:
    return Item(
        name,
        text,
        report("table"),
        arguments,
        lambda found, _: (found.reset_index(), to_read(found, keys)),
        "Best in, mean, median and highest: in percent. Best in: the cases in which Sparbit is "
        "strictly the fastest, as in the thesis; surely best: those of them that are no near-ties.",
    )


ITEMS = (
    thesis_table("table6", "Improvement by mapping", (*GATHER, *VERSUS), ("mapping", SETTING)),
    Item("figure23", "Sequential mapping", report("heatmap"), (*GATHER, *SEQUENTIAL, *MAP)),
    Item("figure24", "Cyclic mapping", report("heatmap"), (*GATHER, *CYCLIC, *MAP)),
    Item("figure25", "Time reduction by mapping", report("boxplot"), (*GATHER, *VERSUS)),
    Item("figure26", "Sequential: min, avg, max", report("venn"), (*GATHER, *SEQUENTIAL, *VERSUS)),
    Item("figure27", "Cyclic: min, avg, max", report("venn"), (*GATHER, *CYCLIC, *VERSUS)),
    thesis_table("table7", "Improvement, mappings united", (*GATHER, *UNITED, *VERSUS),
                 ("mapping", SETTING)),
    Item("figure28", "Mappings united", report("heatmap"), (*GATHER, *UNITED, *MAP)),
    Item("figure29", "Time reduction, united", report("boxplot"), (*GATHER, *UNITED, *VERSUS)),
    Item("figure30", "United: min, avg, max", report("venn"), (*GATHER, *UNITED, *VERSUS)),
    thesis_table("table8", "Improvement by distribution", (*GATHERV, *UNITED, *VERSUS),
                 ("distribution",)),
    Item("figure31", "Distributions, united", report("heatmap"), (*GATHERV, *UNITED, *MAP)),
    Item("figure32", "Time reduction by distribution", report("boxplot"),
         (*GATHERV, *UNITED, *VERSUS)),
    Item("figure33", "Coefficients of variation, united", report("variation"),
         (*GATHERV, *UNITED, *AVG)),
)  # fmt: skip


def numbers(results: Results) -> pd.DataFrame:
    return pd.concat([best_by_both(results), *areas(results)], ignore_index=True)


def contest_of(results: Results, versus: str) -> tuple[Contest, Results] | None:
    """Returns the contest of Sparbit against a set by means, as Loch has it, and the results
    without what the set leaves out; None if one side has no times.

    versus: the name of the set.
    """
    kept = algorithm_sets.without_left_out(results, [versus])
    timed = kept.timed_algorithms()
    others = [name for name in algorithm_sets.members(versus, timed) if name != "sparbit"]
    return (Contest("sparbit", others, "mean"), kept) if "sparbit" in timed and others else None


def best_by_both(results: Results) -> pd.DataFrame:
    """Returns of the cases in which Sparbit is the fastest by max the share in which it is the
    fastest by avg, too. The table is empty if Sparbit or all others have no times."""
    found = contest_of(results, "loch2021")
    if found is None:
        return pd.DataFrame()
    contest, kept = found
    by_max, by_avg = (contest.verdicts(kept, metric)["won"] for metric in ("max", "avg"))
    return as_numbers(by_avg[by_max], "fastest by max that are so by avg, too")


def areas(results: Results) -> Iterator[pd.DataFrame]:
    """Yields for each set of algorithms a table: of the cases that the set wins, the share that
    Sparbit wins if the set is left out (6.2.2)."""
    sets = {"logarithmic": "logarithmic-steps", "linear": "linear-steps"}
    for (kind, of), rest in zip(sets.items(), reversed(sets.values()), strict=True):
        every, others = (contest_of(results, name) for name in ("loch2021", rest))
        if every is None or others is None:
            continue
        (everyone, of_all), (without, of_rest) = every, others
        fastest = everyone.verdicts(of_all, "avg")["fastest"]
        theirs = fastest.isin(algorithm_sets.members(of, everyone.others))
        won = without.verdicts(of_rest, "avg")["won"].reindex(fastest.index)[theirs]
        yield as_numbers(won, f"won by a {kind} algorithm that are Sparbit's without these")


def as_numbers(won: "pd.Series[bool]", what: str) -> pd.DataFrame:
    counted = won.groupby(level=[*PANEL], observed=True).agg(["size", "sum"])
    found = counted.rename(columns={"size": "cases", "sum": "of_these"}).astype(int)
    share = 100 * found["of_these"] / found["cases"]
    table = found.assign(percent=share).reset_index()
    return without_empty(table).assign(what=what)


PUBLICATION = Publication("loch2021", "Loch 2021, chapter 6", ITEMS, numbers, in_his_order)


def write(options: Namespace) -> None:
    PUBLICATION.write(options)
