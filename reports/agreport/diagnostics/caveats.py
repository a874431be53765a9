# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, each with what to do, and the samples that give them.

A reason is given if it could turn round which of two algorithms a report calls faster; those that
could turn round the most come first. A sample is the average elapsed times of one algorithm in one
case of one launch. The table lists the samples that vary by more than 10 %, drift, or have two
modes, by as much as the compared times are apart; --csv writes all samples. Tables of cliffs (cases
that take over 1.5 times as long as a neighbouring size or place) and of the machine's states
follow, where there are any.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from textwrap import TextWrapper

import numpy as np
import pandas as pd

from agformats.units import exactly
from agreport.cli.report import Part
from agreport.cli.settle import default_metric
from agreport.data.arrival_labels import STEADY, pattern_name
from agreport.data.load import CASE, PAIR, Launch, Results, incomplete_notes, unchecked_note
from agreport.diagnostics.answers import (
    ONE,
    OTHER,
    Answers,
    Caveat,
    Reach,
    answers,
    logs,
    longer,
    over_launches,
)
from agreport.diagnostics.arrival_caveats import arrival_errors, late_share, ranks_apart
from agreport.diagnostics.cliffs import cliff_caveats, cliff_tables
from agreport.diagnostics.counter_caveats import counter_caveats
from agreport.diagnostics.state_caveats import state_caveats, state_tables
from agreport.figure.words import plural
from agreport.stats.arrays import Flags, Ints
from agreport.stats.contest import Contest
from agreport.stats.launch_interval import launch_medians
from agreport.stats.steadiness import DRIFT_PERCENT, steadiness
from agreport.stats.summary import summarise
from agreport.stats.times import NEAR_PERCENT, exact_cases, measured_alone

FEWEST_ITERATIONS = 30
HIGHEST_CV_PERCENT = 10.0
LAUNCHES_APART_PERCENT = 10.0
STEADY_CLOCK = "performance"  # the governor of a clock rate that does not follow the load
MOST_NAMES = 3  # a sentence names so many files at most
LINES = TextWrapper(
    width=100,
    initial_indent="- ",
    subsequent_indent="  ",
    break_long_words=False,  # a path stays whole, to be copied
    break_on_hyphens=False,
)


def caveats(
    results: Results,
    summary: pd.DataFrame,
    means: bool = True,
    contest: Contest | None = None,
    metric: str = "avg",
) -> list[str]:
    """Returns the reasons to doubt the numbers, as sentences: first those of which nothing tells
    what they could change, then those that could turn round the most (answers.py).

    means: whether means are compared, which a wide spread moves. contest, metric: what is compared.
    """
    found = answers(results, contest, metric)
    checked = steadiness(measured_alone(results), "avg")
    said = [
        *(Caveat(text) for launch in results.launches for text in incomplete_notes(launch)),
        *launch_caveats(results, found, checked),
        *counter_caveats(results, found),
        *find_pooled(results.pooled, found),
        *repetition(results, summary, means, found, metric),
        *unsteady(checked, found),
        *ranks_apart(results, found, metric),
        *late_share(results, found),
        *state_caveats(results, found, metric),
        *cliff_caveats(results, metric),
        *arrival_errors(results),
    ]
    said.sort(key=lambda one: -len(results.rows) if one.changed is None else -one.changed)
    return [one.text for one in said]


def launch_caveats(results: Results, found: Answers, checked: pd.DataFrame) -> Iterator[Caveat]:
    """Yields the reasons that launches give by what they say of themselves.

    A governor that follows the load makes the first iterations slower: it is named where the drift
    of its launches could turn a comparison round. A launch that does not tell its governor is not
    doubted for it. Too many ranks are always named, since whatever is called there may be the
    scheduler's doing. checked: the table of steadiness.
    """
    launches = results.launches
    if text := unchecked_note(launches):
        yield Caveat(f"{text[:1].upper()}{text[1:]}. Files of this version have checksums.")
    if count := sum(one.simulated for one in launches):
        yield Caveat(
            f"Simulated launches: {count} of {len(launches)}. Their times are those of a "
            "model of the network; measure what you decide by them (docs/how-to/simulation.md)."
        )
    for text in find_oversubscribed(launches):
        shared = [one.oversubscribed for one in launches]
        yield found.caveat(
            text, found.in_cases(of_launches(results, found, np.flatnonzero(shared)))
        )
    governors = [one.metadata.get("machine.governor", STEADY_CLOCK) for one in launches]
    others = [n for n, governor in enumerate(governors) if governor != STEADY_CLOCK]
    own = checked[checked.index.get_level_values("launch").isin(others)]
    if reach := found.reach_of_ratio(over_launches(drift_of(own))):
        names = ", ".join(sorted({governors[number] for number in others}))
        yield found.caveat(
            f"Processors whose clock rate follows the load: {len(others)} of {len(launches)} "
            f"launches (governor {names}). What waits is clocked down, so "
            f"the first iterations are slower: set the governor {STEADY_CLOCK}, or warm up longer "
            "(-x).",
            reach,
        )


def of_launches(results: Results, found: Answers, numbers: Ints) -> Flags:
    """Returns of each case of the answers whether these launches timed it."""
    runs = results.timed_runs
    own = runs[runs["launch"].isin(numbers)][CASE].drop_duplicates()
    flags: Flags = found.cases.index.isin(pd.MultiIndex.from_frame(own))
    return flags


def find_oversubscribed(launches: Sequence[Launch]) -> Iterator[str]:
    """Says which launches have more ranks than cores: whatever is called of their times may be the
    scheduler's doing."""
    names = [str(one.path) for one in launches if one.oversubscribed]
    if names:
        yield (
            f"Oversubscribed launches, with more ranks than cores: {len(names)} of {len(launches)} "
            f"({some(names)}). Their times are the scheduler's too: run no more ranks than cores, "
            "or compare algorithms within a launch at most."
        )


def some(names: Sequence[str]) -> str:
    rest = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return ", ".join([*names[:MOST_NAMES], *rest])


def find_pooled(keys: Sequence[str], found: Answers) -> Iterator[Caveat]:
    """Says that launches are pooled, although the user asked for it: whatever is called may come
    from the difference between the launches."""
    if keys:
        yield found.caveat(
            f"Launches are pooled (--pool) although they differ in {', '.join(keys)}. Leave the "
            "option out to keep them apart, or compare two sides with `agreport compare`.",
            Reach(found.called, 0),
        )


def repetition(
    results: Results, summary: pd.DataFrame, means: bool, found: Answers, metric: str
) -> Iterator[Caveat]:
    cases = pd.MultiIndex.from_frame(summary.index.to_frame()[CASE])
    # A simulation is exact: repeating it tells nothing.
    measured = summary[~exact_cases(results, cases).to_numpy()]
    if len(results.launches) == 1 and len(measured):
        yield Caveat(
            "One launch only: what differs between launches (placement, other jobs, addresses) "
            "is not in the numbers. Repeat the launch and give all files."
        )
    yield from few_iterations(measured, found)
    if means:
        yield from wide_means(summary, found)
    yield from launches_differ(results, found, metric)
    yield from measured_apart(results, found)


def few_iterations(measured: pd.DataFrame, found: Answers) -> Iterator[Caveat]:
    """Says that few iterations leave comparisons open. A wide interval turns no call round, as
    times within it are a near-tie. So nothing is said where times of few iterations are called all
    the same, or are so close that they are a near-tie whatever their intervals. Cases with one
    algorithm count, too."""
    few = measured["iterations"] < FEWEST_ITERATIONS
    effects = few[few].astype(float)
    apart = found.cases["margin"] >= np.log1p(NEAR_PERCENT / 100)
    open_cases = (apart & ~found.cases["called"]).to_numpy(bool)
    hit = np.maximum(found.of(effects, ONE), found.of(effects, OTHER)) > 0
    alone = found.cases[OTHER].isna().to_numpy(bool)
    if left := int((hit & open_cases).sum()) + int((hit & alone).sum()):
        ties = int((hit & open_cases).sum())
        yield Caveat(
            f"Fewer than {FEWEST_ITERATIONS} iterations: {len(effects)} of {len(measured)} pairs "
            "of case and algorithm. Medians have wide intervals there, or none: measure more (-i)."
            + (f" {plural(ties, 'comparison')} may be left open by that." if ties else ""),
            left,
        )


def wide_means(summary: pd.DataFrame, found: Answers) -> Iterator[Caveat]:
    """Says that means are uncertain. Nothing is said where twice their standard errors are less
    than the means are apart."""
    patterns = summary.index.get_level_values("arrival").astype(str).map(pattern_name)
    steady = summary[patterns.isin(STEADY)]
    noisy = steady[steady["cv_percent"] > HIGHEST_CV_PERCENT]
    effects = uncertainty(noisy)
    if reach := found.reach(effects):
        yield found.caveat(
            f"Coefficient of variation of avg over {HIGHEST_CV_PERCENT:g} %: "
            f"{int(found.matter(effects).sum())} of {len(steady)} pairs of case and algorithm"
            f"{'.' if len(steady) == len(summary) else ' without random delays.'} Look at medians, "
            "not means, and at `agreport series`; measure more, or on a quieter machine.",
            reach,
        )


def uncertainty(found: pd.DataFrame) -> "pd.Series[float]":
    """Returns twice the standard error of means, as a logarithm. found: has the columns cv_percent
    and iterations."""
    return logs(1 + 0.02 * found["cv_percent"] / found["iterations"] ** 0.5)


def launches_differ(results: Results, found: Answers, metric: str) -> Iterator[Caveat]:
    """Says that launches differ. Nothing is said where every launch has the algorithms in the order
    that is called, however far the launches are apart: what the algorithms have in common does not
    change their ratio."""
    medians = launch_medians(results, results.column_of(metric))
    several = (
        medians.groupby(level=PAIR, observed=True)
        .agg(["size", "min", "max"])
        .query("size > 1 and min > 0")
    )
    wide = several["max"] > (1 + LAUNCHES_APART_PERCENT / 100) * several["min"]
    turned = found.in_cases(turned_in_some(medians, found))
    alone = found.reach(wide[wide].astype(float)).alone
    if reach := Reach(turned.called, alone):
        opposite = "some launches say the opposite of what is called, and " if turned.called else ""
        yield found.caveat(
            f"Launches differ: {opposite}the medians of one case and algorithm are over "
            f"{LAUNCHES_APART_PERCENT:g} % apart in {int(wide.sum())} of {len(several)} pairs"
            " of several launches. Measure more launches, and compare builds with "
            "`agreport compare`.",
            reach,
        )


def turned_in_some(medians: "pd.Series[float]", found: Answers) -> Flags:
    """Returns of each case whether its launches disagree on which algorithm is faster."""
    cases = found.cases.dropna(subset=[OTHER])
    columns = []
    for algorithm in (ONE, OTHER):
        keys = cases[algorithm].rename("algorithm").reset_index()
        frame = medians.rename("us").reset_index().astype({"algorithm": object})
        columns.append(keys.merge(frame, on=PAIR).set_index([*CASE, "launch"])["us"])
    ratios = logs(columns[0] / columns[1].reindex(columns[0].index)).dropna()
    signs = ratios.groupby(level=CASE, observed=True).agg(["min", "max"])
    turned = signs.index[(signs["min"] < 0) & (signs["max"] > 0)]
    flags: Flags = found.cases.index.isin(turned)
    return flags


def measured_apart(results: Results, found: Answers) -> Iterator[Caveat]:
    """Says that compared algorithms were measured in different launches, if one of these
    comparisons is called."""
    apart = count_measured_apart(results)
    flags = found.cases.index.isin(apart.index[apart])
    if apart.any() and (reach := found.in_cases(flags)):
        yield found.caveat(
            f"{int(apart.sum())} cases compare algorithms that were not measured in the same "
            "launches, so drift between launches is in the comparison. Measure them in one launch.",
            reach,
        )


def drift_of(checked: pd.DataFrame) -> "pd.Series[float]":
    """Returns the drift of each sample as a logarithm, 0 if it does not drift."""
    drift = checked["drift_percent"].where(checked["drifts"], 0.0).fillna(0.0)
    return logs(1 + drift / 100)


def apart_of(checked: pd.DataFrame) -> "pd.Series[float]":
    """Returns the logarithm of the ratio of each sample's two modes, 0 if it has one mode."""
    return logs(checked["high_mode_us"] / checked["low_mode_us"]).fillna(0.0)


def unsteady(checked: pd.DataFrame, found: Answers) -> Iterator[Caveat]:
    """Yields a reason for drift and one for two modes, with the worst sample, which agreport series
    draws.

    Algorithms take turns, so a drift that both have in common changes nothing: their drifts have to
    differ by as much as their times are apart. A launch may have either of two modes, so the whole
    distance of the modes counts. Of several launches the median counts, as the answer is the median
    of their medians.
    """
    drift, apart = drift_of(checked), apart_of(checked)
    for effects, reach, name, advice in (
        (
            drift,
            found.reach_of_ratio(over_launches(drift)),
            f"Drift of over {DRIFT_PERCENT:g} % from the first third of the iterations to the last",
            "Warm up longer (-x), or find what changes (frequency, temperature, other jobs)",
        ),
        (
            apart,
            found.reach(over_launches(apart)),
            "Two modes",
            "A mean lies between them and a median in either: look at the histogram, bind ranks, "
            "and say which mode is meant",
        ),
    ):
        own = effects[found.matter(effects)]
        if reach and len(own):
            worst = own.abs().idxmax()
            named = own.loc[[worst]].reset_index().iloc[0]
            yield found.caveat(
                f"{name}: {len(own)} of {len(checked)} samples (an algorithm in a case of a "
                f"launch), the largest of {named['algorithm']} with "
                f"blocks of {exactly(named['bytes'])} on {named['ranks']} ranks "
                f"({named['collective']}, {named['distribution']}, {named['mapping']}): "
                f"{longer(np.expm1(own[worst]))}. {advice}: "
                "`agreport series` draws a case, `agreport diagnostics` lists them.",
                reach,
            )


def count_measured_apart(results: Results) -> "pd.Series[bool]":
    """Returns by CASE whether some algorithm has times from fewer launches than the case has."""
    launches = results.timed_runs[[*PAIR, "launch"]].drop_duplicates()
    of_pair = launches.groupby(PAIR, observed=True).size()
    of_case = launches.groupby(CASE, observed=True)["launch"].nunique()
    return of_pair.groupby(level=CASE, observed=True).min() < of_case


def list_parts(results: Results, checked: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    metric = default_metric(results)
    sentences = caveats(results, summarise(results, "avg"), metric=metric)
    listed = find_doubtful(checked, answers(results, metric=metric))
    samples = plural(len(checked), "sample")
    if not sentences and listed.empty:
        yield f"nothing to doubt: {samples}"
        return
    for sentence in sentences:
        yield LINES.fill(sentence)
    looked_at = f"\n{len(listed)} of {len(checked)} samples to look at"
    yield (looked_at, listed.head(options.rows).reset_index()) if len(listed) else looked_at
    for title, table in (*cliff_tables(results, metric), *state_tables(results, metric)):
        yield (
            f"\n{title} ({min(options.rows, len(table))} of {len(table)})",
            table.head(options.rows),
        )


def find_doubtful(checked: pd.DataFrame, found: Answers) -> pd.DataFrame:
    """Returns the samples that vary, drift or have two modes so much that this could turn a
    comparison round, or change the time of a case with one algorithm. The column reasons says which
    of these it is. The sample that varies most is the first."""
    wide = checked["cv_percent"] > HIGHEST_CV_PERCENT
    effects = {
        "varies": uncertainty(checked).where(wide, 0.0),
        "drifts": drift_of(checked),
        "two modes": apart_of(checked),
    }
    flags = pd.DataFrame({name: found.matter(each) for name, each in effects.items()})
    listed = flags.any(axis=1)
    named = [", ".join(flags.columns[row]) for row in flags[listed].to_numpy(bool)]
    shown = checked[listed].drop(columns="drifts").assign(reasons=named)
    return shown.sort_values("cv_percent", ascending=False, kind="stable")
