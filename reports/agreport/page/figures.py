# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a page that any results have, besides the heat map and the boxplot."""

from dataclasses import dataclass, replace

import pandas as pd

from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, METRICS, PAIR, Results
from agreport.figure.words import count_of
from agreport.page.parts import Table, inline
from agreport.stats.contest import Contest
from agreport.stats.medians import points, speed_up
from agreport.stats.times import NEAR_PERCENT, times_of
from agreport.times import scaling, series, variation
from agreport.winners import heatmap, selection, venn
from agreport.winners.against_sets import stripped

FIRST_PANELS = 12
STRIPPED_HEADING = "Against some of the others only"
NEAR_DEFINITION = (
    f"the fastest and another are less than {NEAR_PERCENT:g} % apart, or the confidence intervals "
    "of their medians overlap, or there is none for want of iterations; then no best is called."
)


@dataclass(frozen=True)
class Figure:
    heading: str
    image: str  # for an img element's src
    alt: str


def figures(results: Results, contest: Contest, metric: str) -> list[Figure]:
    """In the order of a page. What is united in the contest is in the selection map too."""
    selected = selection.selections(results, metric, contest.statistic, contest.united)
    found = points(results, metric)
    drawn = [
        Figure(
            "Which algorithm to select",
            inline(selection.draw(results, selected, metric, contest.statistic, contest.united)),
            "Map: block sizes down, rank counts across; the fastest algorithm of each case, with "
            "a corner in the colour of a near-tie",
        ),
        Figure(
            "Time against block size",
            inline(scaling.draw(results, found, "bytes", metric, first_panels=FIRST_PANELS)),
            "Lines: median time of each algorithm against block size, with confidence bands",
        ),
    ]
    if results.rows["ranks"].nunique() > 1:
        drawn.append(
            Figure(
                "Time against ranks",
                inline(scaling.draw(results, found, "ranks", metric, first_panels=FIRST_PANELS)),
                "Lines: median time of each algorithm against ranks, with confidence bands",
            )
        )
    if (faster := speed_ups(found)) is not None:
        drawn.append(
            Figure(
                f"Speed-up over {LIBRARY}",
                inline(scaling.draw(results, faster, "bytes", metric, LIBRARY, FIRST_PANELS)),
                f"Lines: how many times as fast as {LIBRARY} each algorithm is, with bands",
            )
        )
    if results.timed()["mapping"].nunique() > 1 and not contest.united:
        drawn.insert(0, both_mappings(results, replace(contest, united=True), metric))
    counts = venn.regions(contest.all_verdicts(results))
    varied = variation.variations(results, metric, contest.united)
    return [
        *drawn,
        Figure(
            "Fastest by min, avg and max",
            inline(venn.draw(results, contest, counts)),
            f"Venn diagrams: cases in which {contest.chosen} is the fastest by min, avg and max",
        ),
        Figure(
            "How much iterations vary",
            inline(variation.draw(results, varied, metric, contest.united)),
            "Distribution functions of each algorithm's coefficient of variation",
        ),
        *most_varied(results, metric),
    ]


def both_mappings(results: Results, united: Contest, metric: str) -> Figure:
    return Figure(
        f"Where {united.chosen} wins if each algorithm has the better of its mappings",
        inline(heatmap.draw(results, united, united.verdicts(results, metric), metric)),
        f"Heat map, mappings united: the best algorithm of each case, or the improvement of "
        f"{united.chosen} where it is the best",
    )


def most_varied(results: Results, metric: str) -> list[Figure]:
    """Every iteration of the case in which times vary most; none if no case has two."""
    rows, column = results.timed(), METRICS[metric]
    groups = rows.groupby(PAIR, observed=True)[column]
    spread = (groups.std() / groups.mean()).dropna()
    if spread.empty:
        return []
    by_case = spread.reset_index("algorithm")
    worst = by_case.loc[[spread.droplevel("algorithm").idxmax()]]
    shown = worst.sort_values(column, ascending=False, kind="stable")["algorithm"]
    inside = (results.rows[CASE] == list(worst.index[0])).all(axis=1)
    inside &= results.rows["algorithm"].isin(shown[: series.MOST_ALGORITHMS])
    return [
        Figure(
            "The iterations of the case that varies most",
            inline(series.draw(results.keep(results.rows[inside]), metric)),
            "For each algorithm, the time of every iteration in order, and their histogram",
        )
    ]


def speed_ups(found: pd.DataFrame) -> pd.DataFrame | None:
    """None: the library's own has no time where another has."""
    if LIBRARY not in set(found["algorithm"]):
        return None
    faster = speed_up(found, LIBRARY)
    return faster if faster["value"].notna().any() else None


def stripped_table(results: Results, contest: Contest, metric: str) -> Table:
    return Table(stripped(results, contest, metric).reset_index())


def in_words(verdicts: pd.DataFrame, contest: Contest, metric: str) -> str:
    """How often it is the fastest, and how often that makes it the best."""
    won, clear = int(verdicts["won"].sum()), int(verdicts["clear"].sum())
    cases = int(verdicts["compared"].sum())
    share = f" ({100 * won / cases:.1f} %)" if cases else ""
    return (
        f"By {contest.statistic} {metric} time, {contest.chosen} is the fastest in "
        f"{count_of(won, cases)} cases{share} in which it and another were timed; {won - clear} of "
        f"these are near-ties, so it is called the best in {clear}."
    )


def best_counts(results: Results, contest: Contest, metric: str, levels: list[str]) -> pd.DataFrame:
    """How often each algorithm is strictly the fastest of those compared, and the best."""
    times = times_of(results, metric, contest.statistic, contest.united).of(
        [name for name in results.catalogue if name in contest.everyone]
    )
    several = times.us.notna().sum(axis=1) > 1
    us = times.us[several]
    fastest = us.eq(us.min(axis=1), axis=0)
    fastest = fastest.mul(fastest.sum(axis=1) == 1, axis=0)
    clear = fastest.mul(times.near_names()[several].eq(""), axis=0)
    sums = {
        name: frame.groupby(level=levels, observed=True).sum().stack()
        for name, frame in (("timed_in", us.notna()), ("fastest_in", fastest), ("best_in", clear))
    }
    counts = pd.DataFrame(sums).fillna(0).astype(int).rename_axis(index=[*levels, "algorithm"])
    counts.insert(2, "near_ties", counts["fastest_in"] - counts["best_in"])
    counts["best_in_percent"] = 100 * counts["best_in"] / counts["timed_in"]
    ascending = [*[True] * len(levels), False]
    return counts.sort_values([*levels, "fastest_in"], ascending=ascending).reset_index()
