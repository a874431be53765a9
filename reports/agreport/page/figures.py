# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a page that any results have, besides the heat map and the boxplot."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from agreport.cli.report import Report
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.figure.words import count_of
from agreport.page.parts import inline
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_PERCENT, times_of

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


def figures(
    reports: Sequence[Report], results: Results, contest: Contest, metric: str
) -> Iterator[Figure]:
    """In the order of the reports. What is united in the contest is in the other maps too."""
    for report in reports:
        for shown in report.on_page:
            options = Namespace(
                **asdict(contest),
                contest=contest,
                algorithm=contest.chosen,
                baseline=LIBRARY,
                metric=metric,
                first=FIRST_PANELS,
                **{"x": "bytes", **shown.settings},
            )
            chosen = shown.select(results, options)
            if chosen is not None:
                yield Figure(
                    shown.heading.format_map(vars(options)),
                    inline(report.figure(chosen, options)),
                    shown.alt.format_map(vars(options)),
                )


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
