# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, as sentences; each says what to do."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import pandas as pd

from agformats.catalogue import catalogue
from agreport.data.arrival_labels import STEADY, pattern_name
from agreport.data.load import CASE, PAIR, Launch, Results, cut_note
from agreport.diagnostics.arrival_caveats import arrival_caveats, late_share
from agreport.figure.words import count_of, size_label
from agreport.stats.steadiness import DRIFT_PERCENT, steadiness

FEWEST_ITERATIONS = 30
HIGHEST_CV_PERCENT = 10.0
LAUNCHES_APART_PERCENT = 10.0


def caveats(results: Results, summary: pd.DataFrame) -> list[str]:
    return [
        *(cut_note(launch) for launch in results.launches if launch.cut_rows),
        *oversubscribed(results.launches),
        *disagreeing(results.launches),
        *repetition(results, summary),
        *unsteady(steadiness(results, "avg")),
        *late_share(results),
        *arrival_caveats(results),
    ]


def oversubscribed(launches: Sequence[Launch]) -> Iterator[str]:
    names = [str(one.path) for one in launches if one.metadata.get("oversubscribed") == "yes"]
    if names:
        yield (
            f"Oversubscribed launches, with more ranks than cores: "
            f"{count_of(len(names), len(launches))} ({', '.join(names)}). "
            "Their times are the scheduler's too: run no more ranks than cores, or compare "
            "algorithms within a launch at most."
        )


def disagreeing(launches: Sequence[Launch]) -> Iterator[str]:
    """Keys that differ between launches of as many ranks and nodes, whose cases may be the same."""
    for key in catalogue().must_agree_to("pool"):
        values: dict[tuple[str, str], set[str]] = defaultdict(set)
        for launch in launches:
            place = launch.metadata.get("nodes", ""), launch.metadata.get("ranks", "")
            values[place].add(key.value_in(launch.metadata) or "not given")
        if differing := [found for found in values.values() if len(found) > 1]:
            several = " | ".join(sorted(set.union(*differing)))
            yield (
                f"Launches that are pooled or compared differ in {key.key}: {several}. Give only "
                f"files that agree, or compare the two sides with agreport compare."
            )


def repetition(results: Results, summary: pd.DataFrame) -> Iterator[str]:
    if len(results.launches) == 1:
        yield (
            "One launch only: what differs between launches (placement, other jobs, addresses) "
            "is not in the numbers. Repeat the launch and give all files."
        )
    few = int((summary["iterations"] < FEWEST_ITERATIONS).sum())
    if few:
        yield (
            f"Fewer than {FEWEST_ITERATIONS} iterations: {count_of(few, len(summary))} pairs of "
            "case and algorithm. Medians have wide intervals there, or none: measure more (-i)."
        )
    patterns = summary.index.get_level_values("arrival").astype(str).map(pattern_name)
    steady = summary[patterns.isin(STEADY)]
    noisy = int((steady["cv_percent"] > HIGHEST_CV_PERCENT).sum())
    if noisy:
        yield (
            f"Coefficient of variation of avg over {HIGHEST_CV_PERCENT:g} %: "
            f"{count_of(noisy, len(steady))} pairs of case and algorithm"
            f"{'.' if len(steady) == len(summary) else ' without random delays.'} Look at medians "
            "(--statistic median) and at agreport series; measure more, or on a quieter machine."
        )
    yield from launches_differ(results)
    apart = measured_apart(results)
    if apart:
        yield (
            f"{apart} cases compare algorithms that were not measured in the same launches, so "
            "drift between launches is in the comparison. Measure them in one launch."
        )


def launches_differ(results: Results) -> Iterator[str]:
    """The intervals of pooled iterations do not know of this."""
    medians = results.timed().groupby([*PAIR, "launch"], observed=True)["avg_us"].median()
    grouped = medians.groupby(level=PAIR, observed=True)
    several = grouped.agg(["size", "min", "max"]).query("size > 1 and min > 0")
    wide = several["max"] > (1 + LAUNCHES_APART_PERCENT / 100) * several["min"]
    if wide.any():
        yield (
            "Launches differ: the medians of avg of one case and algorithm are over "
            f"{LAUNCHES_APART_PERCENT:g} % apart in {count_of(int(wide.sum()), len(several))} pairs"
            " of several launches. Intervals are of all iterations together and too narrow there: "
            "measure more launches, and compare builds with agreport compare."
        )


def unsteady(found: pd.DataFrame) -> Iterator[str]:
    """Drift and modes, with the worst sample, which agreport series draws."""
    for rows, size, name, advice in (
        (
            found[found["drifts"]],
            "drift_percent",
            f"Drift of over {DRIFT_PERCENT:g} % from the first third of the iterations to the last",
            "Warm up longer (-x), or find what changes (frequency, temperature, other jobs)",
        ),
        (
            found[found["low_mode_us"].notna()].assign(
                apart=lambda rows: 100 * (rows["high_mode_us"] / rows["low_mode_us"] - 1)
            ),
            "apart",
            "Two modes",
            "A mean lies between them and a median in either: look at the histogram, bind ranks, "
            "and say which mode is meant",
        ),
    ):
        if len(rows):
            worst = rows[size].abs().idxmax()
            named = rows.loc[[worst]].reset_index().iloc[0]
            yield (
                f"{name}: {count_of(len(rows), len(found))} samples (an algorithm in a case of a "
                f"launch), the largest {rows[size][worst]:+.0f} % of {named['algorithm']} with "
                f"{size_label(named['bytes'])} blocks on {named['ranks']} ranks "
                f"({named['collective']}, {named['distribution']}, {named['mapping']}). {advice}: "
                "agreport series draws a case, agreport diagnostics lists them."
            )


def measured_apart(results: Results) -> int:
    """Cases in which some algorithm has times from fewer launches than the case has."""
    timed = results.timed()
    of_pair = timed.groupby(PAIR, observed=True)["launch"].nunique()
    of_case = timed.groupby(CASE, observed=True)["launch"].nunique()
    return int((of_pair.groupby(level=CASE, observed=True).min() < of_case).sum())
