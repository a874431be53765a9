# SPDX-License-Identifier: BSD-3-Clause
"""Map of the fastest algorithm for each block size and number of ranks, with near-ties marked.

Prints how often each algorithm is the best. -o draws the map.
A cell with a corner is a near-tie: the algorithm of the corner's colour is as good. --csv writes
all of them, and how much slower the second is.
"""

from argparse import Namespace
from collections.abc import Iterator

import numpy as np
import pandas as pd

from agreport.cli.report import Part
from agreport.data.load import Results
from agreport.figure.cell_grid import Maps, draw_maps
from agreport.figure.looks import looks
from agreport.figure.sheet import Sheet
from agreport.figure.words import (
    caption_of_cases,
    listed_in_words,
    near_tie,
    one_launch,
    plural,
    same_text,
    sample_of,
    time_of,
    what_a_time_is,
)
from agreport.stats.same_messages import same_messages
from agreport.stats.times import Times, times_of
from agreport.winners.maps import SelectionPanel, Style, make_legend, panels_of


def selections(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns a table with a row a case: the fastest algorithm and its time, the second and how
    much slower that is, all near-ties (empty if none), whether several are tied, and how many have
    a time. A fastest or second one that does not exist is NaN."""
    times = times_of(results, options.metric, options.statistic, options.united).once()
    names = np.array([*map(str, times.us.columns), ""], object)
    us = np.column_stack([times.us, np.full(len(times.us), np.nan)])  # so that there is a second
    order = np.argsort(us, axis=1, kind="stable")[:, :2]  # NaN last
    ordered = np.take_along_axis(us, order, axis=1)
    found = pd.DataFrame(names[order], times.us.index, ["fastest", "second"])
    with np.errstate(divide="ignore", invalid="ignore"):
        return found.where(~np.isnan(ordered)).assign(
            fastest_us=ordered[:, 0],
            second_slower_percent=100 * (ordered[:, 1] / ordered[:, 0] - 1),
            near=times.near_names(),
            tied=times.tied(),
            timed=times.us.notna().sum(axis=1),
        )


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    style = Style(looks(results.catalogue), options.near_ties)
    panels = [SelectionPanel(*panel, style) for panel in panels_of(found)]
    return draw_maps(
        f"Fastest algorithm by {options.statistic} {options.metric} time",
        Maps(panels),
        make_legend(panels, style, also=stands_for(results)),
        write_caption(results, found, options),
    )


def stands_for(results: Results) -> dict[str, str]:
    """Returns what the legend says of algorithms that stand for others. Of algorithms that send the
    same messages the first one stands for the others: " (with 2 ranks = sparbit and native)"."""
    found: dict[str, dict[str, set[int]]] = {}
    for (_, ranks), groups in same_messages(results).items():
        for first, *others in groups:
            names = listed_in_words(results, others)
            found.setdefault(first, {}).setdefault(names, set()).add(ranks)
    return {
        first: "".join(
            f" (with {' or '.join(map(str, sorted(ranks)))} ranks = {names})"
            for names, ranks in others.items()
        )
        for first, others in found.items()
    }


def write_caption(results: Results, found: pd.DataFrame, options: Namespace) -> str:
    timed = found["fastest"].notna()
    near, alone = int(found["near"].ne("").sum()), int((found["timed"] == 1).sum())
    text = (
        f"The {options.statistic} is of the {time_of(options.metric)}, "
        f"{sample_of(results, options.statistic)}."
    )
    if near:
        few = ", or there are too few iterations for an interval"
        text += (
            f" {near} of {plural(int(timed.sum()), 'case')} are near-ties: "
            f"{near_tie(results, few)}."
        )
    if alone:
        text += f" In {plural(alone, 'case')} only one algorithm has a time."
    return caption_of_cases(text, results, options.united)


def best_counts(
    results: Results, metric: str, statistic: str, united: bool = False
) -> pd.DataFrame:
    """Counts how often each algorithm is strictly the fastest of all, and the best; per collective,
    and per arrival pattern if there are any."""
    levels = ["collective", "arrival"] if results.has_patterns else ["collective"]
    times = times_of(results, metric, statistic, united).of(results.timed_algorithms()).once()
    several = times.us.notna().sum(axis=1) > 1
    us = times.us[several]
    fastest = us.eq(us.min(axis=1), axis=0)
    fastest = fastest.mul(fastest.sum(axis=1) == 1, axis=0)
    clear = fastest.mul(times.near_names()[several].eq(""), axis=0)
    sums = {
        name: frame.groupby(level=levels, observed=True).sum().stack()
        for name, frame in (("timed_in", us.notna()), ("fastest_in", fastest), ("best_in", clear))
    }
    counts = (
        pd.DataFrame(sums)
        .query("timed_in > 0")
        .fillna(0)
        .astype(int)
        .rename_axis(index=[*levels, "algorithm"])
    )
    counts.insert(2, "near_ties", counts["fastest_in"] - counts["best_in"])
    counts["best_in_percent"] = 100 * counts["best_in"] / counts["timed_in"]
    ascending = [*[True] * len(levels), False]
    return counts.sort_values([*levels, "fastest_in"], ascending=ascending).reset_index()


def as_good_counts(times: Times) -> "pd.Series[int]":
    """Counts the cases in which an algorithm cannot be told from the fastest; most come first."""
    several = times.us.notna().sum(axis=1) > 1
    us = times.us[several]
    good = times.near()[several] | us.eq(us.min(axis=1), axis=0)
    return good.sum().sort_values(ascending=False, kind="stable")


def parts(results: Results, _: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    times = times_of(results, options.metric, options.statistic, options.united).once()
    yield from one_launch(times)
    yield from same_text(results)
    counts = best_counts(results, options.metric, options.statistic, options.united)
    if counts.empty:
        yield "No case has times of two algorithms to compare."
    else:
        yield what_a_time_is(options.statistic, options.metric)
        yield "How often each is the best", counts


def several(results: Results, _: Namespace) -> Results | None:
    return results if len(results.timed_algorithms()) > 1 else None
