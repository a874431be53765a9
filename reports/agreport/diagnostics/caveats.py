# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, each with what to do, and the samples that give them.

A sample is the average elapsed times of one algorithm in one case of one launch. The table lists
those that vary by more than 10 %, drift, or have two modes; --csv writes all.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from textwrap import TextWrapper

import pandas as pd

from agformats.units import in_units
from agreport.cli import options as opt
from agreport.cli.report import Part, Report
from agreport.cli.rows import Row, count, percent, value
from agreport.data.arrival_labels import STEADY, pattern_name
from agreport.data.load import CASE, PAIR, Launch, Results, incomplete_notes, unchecked_note
from agreport.diagnostics.arrival_caveats import arrival_caveats, late_share, ranks_apart
from agreport.diagnostics.counter_caveats import counter_caveats
from agreport.figure.words import plural
from agreport.stats.launch_interval import launch_medians
from agreport.stats.steadiness import DRIFT_PERCENT, steadiness
from agreport.stats.summary import summarise
from agreport.stats.times import exact_cases, measured_alone

FEWEST_ITERATIONS = 30
HIGHEST_CV_PERCENT = 10.0
LAUNCHES_APART_PERCENT = 10.0
STEADY_CLOCK = "performance"  # the governor of a clock rate that does not follow the load
MOST_NAMES = 3  # of files in a sentence
LINES = TextWrapper(
    width=100,
    initial_indent="- ",
    subsequent_indent="  ",
    break_long_words=False,  # a path stays whole, to be copied
    break_on_hyphens=False,
)


add_rows = value(
    "--rows",
    "N",
    "of the table, the worst first (default: %(default)s)",
    type=count,
    default=20,
)


def caveats(results: Results, summary: pd.DataFrame, means: bool = True) -> list[str]:
    """means: whether times are compared by them, which a wide spread moves."""
    return [
        *(text for launch in results.launches for text in incomplete_notes(launch)),
        *launch_caveats(results.launches),
        *counter_caveats(results),
        *find_pooled(results.pooled),
        *repetition(results, summary, means),
        *unsteady(steadiness(measured_alone(results), "avg")),
        *ranks_apart(results),
        *late_share(results),
        *arrival_caveats(results),
    ]


def launch_caveats(launches: Sequence[Launch]) -> Iterator[str]:
    """By what they say; one that does not tell its governor is not doubted for it."""
    if text := unchecked_note(launches):
        yield f"{text[:1].upper()}{text[1:]}. Files of this version have checksums."
    if count := sum(one.simulated for one in launches):
        yield (
            f"Simulated launches: {count} of {len(launches)}. Their times are those of a "
            "model of the network; measure what you decide by them (docs/how-to/simulation.md)."
        )
    yield from find_oversubscribed(launches)
    governors = [one.metadata.get("machine.governor", STEADY_CLOCK) for one in launches]
    if others := [one for one in governors if one != STEADY_CLOCK]:
        yield (
            f"Processors whose clock rate follows the load: {len(others)} of {len(launches)} "
            f"launches (governor {', '.join(sorted(set(others)))}). What waits is clocked down, so "
            f"the first iterations are slower: set the governor {STEADY_CLOCK}, or warm up longer "
            "(-x)."
        )


def find_oversubscribed(launches: Sequence[Launch]) -> Iterator[str]:
    names = [str(one.path) for one in launches if one.metadata.get("oversubscribed") == "yes"]
    if names:
        yield (
            f"Oversubscribed launches, with more ranks than cores: {len(names)} of {len(launches)} "
            f"({some(names)}). Their times are the scheduler's too: run no more ranks than cores, "
            "or compare algorithms within a launch at most."
        )


def some(names: Sequence[str]) -> str:
    rest = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return ", ".join([*names[:MOST_NAMES], *rest])


def find_pooled(keys: Sequence[str]) -> Iterator[str]:
    if keys:
        yield (
            f"Launches are pooled (--pool) although they differ in {', '.join(keys)}. Leave the "
            "option out to keep them apart, or compare two sides with `agreport compare`."
        )


def repetition(results: Results, summary: pd.DataFrame, means: bool) -> Iterator[str]:
    cases = pd.MultiIndex.from_frame(summary.index.to_frame()[CASE])
    # A simulation is exact: repeating it tells nothing.
    measured = summary[~exact_cases(results, cases).to_numpy()]
    if len(results.launches) == 1 and len(measured):
        yield (
            "One launch only: what differs between launches (placement, other jobs, addresses) "
            "is not in the numbers. Repeat the launch and give all files."
        )
    few = int((measured["iterations"] < FEWEST_ITERATIONS).sum())
    if few:
        yield (
            f"Fewer than {FEWEST_ITERATIONS} iterations: {few} of {len(measured)} pairs of "
            "case and algorithm. Medians have wide intervals there, or none: measure more (-i)."
        )
    patterns = summary.index.get_level_values("arrival").astype(str).map(pattern_name)
    steady = summary[patterns.isin(STEADY)]
    noisy = int((steady["cv_percent"] > HIGHEST_CV_PERCENT).sum())
    if noisy and means:
        yield (
            f"Coefficient of variation of avg over {HIGHEST_CV_PERCENT:g} %: "
            f"{noisy} of {len(steady)} pairs of case and algorithm"
            f"{'.' if len(steady) == len(summary) else ' without random delays.'} Look at medians, "
            "not means, and at `agreport series`; measure more, or on a quieter machine."
        )
    yield from launches_differ(results)
    apart = count_measured_apart(results)
    if apart:
        yield (
            f"{apart} cases compare algorithms that were not measured in the same launches, so "
            "drift between launches is in the comparison. Measure them in one launch."
        )


def launches_differ(results: Results) -> Iterator[str]:
    """The intervals of pooled iterations do not know of this."""
    medians = launch_medians(results, "avg_us")
    several = (
        medians.groupby(level=PAIR, observed=True)
        .agg(["size", "min", "max"])
        .query("size > 1 and min > 0")
    )
    wide = several["max"] > (1 + LAUNCHES_APART_PERCENT / 100) * several["min"]
    if wide.any():
        yield (
            "Launches differ: the medians of avg of one case and algorithm are over "
            f"{LAUNCHES_APART_PERCENT:g} % apart in {int(wide.sum())} of {len(several)} pairs"
            " of several launches. Intervals are of all iterations together and too narrow there: "
            "measure more launches, and compare builds with `agreport compare`."
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
                f"{name}: {len(rows)} of {len(found)} samples (an algorithm in a case of a "
                f"launch), the largest {rows[size][worst]:+.0f} % of {named['algorithm']} with "
                f"blocks of {in_units(named['bytes'])} on {named['ranks']} ranks "
                f"({named['collective']}, {named['distribution']}, {named['mapping']}). {advice}: "
                "`agreport series` draws a case, `agreport diagnostics` lists them."
            )


def count_measured_apart(results: Results) -> int:
    """Cases in which some algorithm has times from fewer launches than the case has."""
    launches = results.timed_runs[[*PAIR, "launch"]].drop_duplicates()
    of_pair = launches.groupby(PAIR, observed=True).size()
    of_case = launches.groupby(CASE, observed=True)["launch"].nunique()
    return int((of_pair.groupby(level=CASE, observed=True).min() < of_case).sum())


def threshold(text: str, usual: float) -> Row:
    """usual: the default, in percent."""
    return value(
        "--threshold",
        "PERCENT",
        f"{text} (default: {usual:g}%%)",
        type=percent,
        default=usual,
    )


def list_parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    sentences, listed = caveats(results, summarise(results, "avg")), find_doubtful(found)
    samples = plural(len(found), "sample")
    if not sentences and listed.empty:
        yield f"nothing to doubt: {samples}"
        return
    for sentence in sentences:
        yield LINES.fill(sentence)
    looked_at = f"\n{len(listed)} of {len(found)} samples to look at"
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
