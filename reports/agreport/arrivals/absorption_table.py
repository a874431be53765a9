# SPDX-License-Identifier: BSD-3-Clause
"""Computes how much of an imbalance an algorithm absorbs, and how far apart algorithms are
(Marendic 2016).

The run time t is the last exit minus the first arrival. Absorption (definitions 3.6 to 3.9):
A = t(balanced) - t(pattern) + I, where t(balanced) is the median run time of the arrival `none`,
and I is the imbalance that was measured; A and I over t(balanced) are A_N and I_N. The definition
is of one pattern. A random pattern is another in each iteration, so A is taken per iteration; its
median, as those of t and I, is over the iterations.

Whether iterations may be treated as independent is tested by samples (6.2 and table 7): the run
times of one algorithm in one case of one launch, in their order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import bdtrc

from agformats.errors import BadInput
from agreport.arrivals.experiments import delays, rounds
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, PAIR, Results
from agreport.data.total_sizes import join_totals
from agreport.figure.words import in_case, size_label
from agreport.stats.arrays import Floats
from agreport.stats.bootstrap import FEWEST_PAIRS, interval, resampled_medians
from agreport.stats.levene import halves_p
from agreport.stats.medians import BALANCED_CASE
from agreport.stats.permutation import permutation_p
from agreport.stats.runs import runs_p
from agreport.stats.samples import timed_samples
from agreport.stats.steadiness import SAMPLE
from agreport.stats.times import exact_cases, measured_alone

RUN, IMBALANCE = "run_us", "imbalance_us"
TESTED = ["p", "absorbed_n_low", "absorbed_n_high"]
DEFINITION = (  # in a caption
    "Absorption A = t(balanced) \N{MINUS SIGN} t + I, where t is the run time, t(balanced) that "
    "without delays, and I the measured imbalance, per iteration, then the median"
)
SIGNIFICANT = 0.05
UNLIKELY = 0.01  # failures are reported if so many are less probable than this by chance
# Name of the test: its column, and what a sample that fails it has.
TESTS = {
    "runs test around the median": ("runs_p", "serial correlation"),
    "Levene test of the first half against the second": ("halves_p", "a changing variance"),
}


@dataclass(frozen=True)
class Comparison:
    """Says with what algorithm the others are compared, and how."""

    reference: str
    paired: bool
    permutations: int


def with_run_times(results: Results) -> Results:
    """Leaves out timed rows whose run time is not known, since the ranks had no common clock.
    Raises BadInput if no row is left that has one."""
    rows = results.rows
    known = rows["status"].ne("ok") | rows[[RUN, IMBALANCE]].notna().all(axis=1)
    if not (known & rows["status"].eq("ok")).any():
        raise BadInput(f"no row has {RUN} and {IMBALANCE}: the ranks had no common clock")
    return results.keep(rows[known])


def fastest(results: Results) -> str:
    """Returns the algorithm with the smallest geometric mean of its median run times over the cases
    that all algorithms have. If there are no such cases, as with different collectives, each median
    is divided by the best one of its case, and all cases count."""
    medians = results.timed().groupby(PAIR, observed=True)[RUN].median().unstack("algorithm")
    complete = medians.dropna()
    relative = medians.div(medians.min(axis=1), axis=0)
    logs = np.log((relative if complete.empty else complete).where(lambda times: times > 0))
    return str(logs.mean().idxmin())


def absorption_table(results: Results, comparison: Comparison) -> pd.DataFrame:
    """Returns one row a case and algorithm (PAIR is the index): medians in us, the ratio to the
    reference with its p, and absorption.

    A value that needs a balanced run is NaN where there is none. The columns TESTED are NaN where
    times have no noise.
    """
    parts = {
        key: pd.DataFrame(compare_setting(rows, comparison)).set_index(["arrival", "algorithm"])
        for key, rows in results.timed().groupby(BALANCED_CASE, observed=True)
    }
    found = results.in_order(pd.concat(parts, names=BALANCED_CASE).reset_index())
    found = join_totals(found.join(delays(results), on=CASE), results)
    exact = exact_cases(results, pd.MultiIndex.from_frame(found[CASE]))
    found.loc[exact.to_numpy(bool), TESTED] = np.nan
    found["asked_imbalance_n"] = found["asked_imbalance_us"] / found["reference_balanced_us"]
    return found.set_index(PAIR).sort_index()


def compare_setting(rows: pd.DataFrame, comparison: Comparison) -> Iterator[dict[str, object]]:
    """Yields a row of the table for each arrival pattern and algorithm of one setting: its rows are
    alike in all columns of BALANCED_CASE."""
    balanced = dict(runs(rows[rows["arrival"] == NONE]))
    of_reference = balanced.get(comparison.reference)
    for arrival, part in rows.groupby("arrival", observed=True):
        both = rounds(part, RUN)
        for name, times in runs(part):
            yield {
                "arrival": arrival,
                "algorithm": name,
                "iterations": len(times),
                "run_us": float(np.median(times[:, 0])),
                "imbalance_us": float(np.median(times[:, 1])),
                "reference_balanced_us": median(of_reference),
                **versus(both, name, comparison),
                **absorption(times, balanced.get(name) if arrival != NONE else None),
            }


def runs(rows: pd.DataFrame) -> Iterator[tuple[str, Floats]]:
    """Yields the name of each algorithm, and an array with its run times and imbalances in us, one
    row an iteration."""
    for name, part in rows.groupby("algorithm", observed=True):
        yield str(name), part[[RUN, IMBALANCE]].to_numpy(float)


def median(times: Floats | None) -> float:
    return float("nan") if times is None else float(np.median(times[:, 0]))


def versus(both: pd.DataFrame, name: str, comparison: Comparison) -> dict[str, object]:
    """Returns the ratio of an algorithm's median run time to the reference's, with the p of the
    permutation test. pairs: 0 if the test is not paired. The ratio is NaN if the reference has no
    times here; of the reference itself it is 1, and p is NaN. both: the iterations, algorithms
    across."""
    nothing = {"reference": comparison.reference, "ratio": np.nan, "p": np.nan, "pairs": 0}
    if comparison.reference not in both:
        return nothing
    if name == comparison.reference:
        return {**nothing, "ratio": 1.0}
    columns = both[[name, comparison.reference]]
    pairs = columns.dropna().to_numpy(float)
    paired = comparison.paired and len(pairs) > 0
    one, other = (
        pairs.T if paired else (columns[column].dropna().to_numpy(float) for column in columns)
    )
    return {
        "reference": comparison.reference,
        "ratio": float(np.median(one) / np.median(other)),
        "p": permutation_p(one, other, paired, comparison.permutations),
        "pairs": len(pairs) if paired else 0,
    }


def absorption(times: Floats, balanced: Floats | None) -> dict[str, object]:
    """Returns t(balanced) and A in us, then I and A over t(balanced), the latter with its interval
    (bootstrap of both medians). All are NaN without a balanced run. The interval is NaN if this
    run or the balanced one has fewer than FEWEST_PAIRS iterations."""
    names = ("balanced_us", "absorbed_us", "imbalance_n", "absorbed_n")
    if balanced is None:
        return dict.fromkeys([*names, "absorbed_n_low", "absorbed_n_high"], np.nan)
    still = median(balanced)
    saved = times[:, 1] - times[:, 0]  # of each iteration: I - t
    imbalance = np.median(times[:, 1])
    absorbed_us = still + np.median(saved)
    found = (still, absorbed_us, imbalance / still, absorbed_us / still)
    low = high = float("nan")
    if min(len(times), len(balanced)) >= FEWEST_PAIRS:
        # Backwards, so that the two samples are not drawn alike.
        drawn = resampled_medians(balanced[:, 0])[::-1]
        low, high = interval(1 + resampled_medians(saved) / drawn)
    return {**dict(zip(names, found, strict=True)), "absorbed_n_low": low, "absorbed_n_high": high}


def find_missing_balanced(found: pd.DataFrame) -> list[str]:
    """Returns a line for each case that lacks a balanced run; none if there are no patterns."""
    rows = found.reset_index()
    lacking = rows[(rows["arrival"] != NONE) & rows["balanced_us"].isna()]
    groups = lacking.groupby(BALANCED_CASE, observed=True)["algorithm"]
    return [
        f"{', '.join(sorted(names.astype(str).unique()))}: no balanced run (arrival none) of "
        + in_case(pd.Series(dict(zip(BALANCED_CASE, key, strict=True))))
        for key, names in groups
    ]


def sample_tests(results: Results) -> pd.DataFrame:
    """Returns the p of both tests (runs_p, halves_p) for every sample that has noise; NaN where the
    sample is too short for the test, or all its values are equal. SAMPLE is the index."""
    measured = measured_alone(results)
    found = dict(timed_samples(measured).each(measured.rows["run_us"].to_numpy(float)))
    rows = [(*key, runs_p(times), halves_p(times)) for key, times in found.items()]
    return pd.DataFrame(rows, columns=[*SAMPLE, "runs_p", "halves_p"]).set_index(SAMPLE)


def share_passing(found: pd.DataFrame, column: str, size: str = "bytes") -> pd.DataFrame:
    """Returns the share (0 to 1) of the samples that pass a test: algorithms down, sizes across.
    The samples without a p do not count. column: that with the p of the test; size: that
    with the size."""
    known = found.reset_index().dropna(subset=column)
    passing = known[column] > SIGNIFICANT
    wide = passing.groupby([known["algorithm"], known[size]], observed=True).mean().unstack(size)
    wide.columns = pd.Index([size_label(int(size)) for size in wide.columns])
    return wide.reset_index()


def warn_of_dependence(found: pd.DataFrame) -> Iterator[str]:
    """Yields a sentence for each test that samples fail more often than by chance, and one for each
    test that some samples are too short for, or whose values are all equal."""
    for name, (column, what) in TESTS.items():
        known = found[column].dropna()
        failing = int((known <= SIGNIFICANT).sum())
        if bdtrc(failing - 1, len(known), SIGNIFICANT) < UNLIKELY:
            yield (
                f"{failing} of {len(known)} samples have {what} ({name}; by chance "
                f"{100 * SIGNIFICANT:.0f} % would); p-values and intervals take iterations as "
                "independent and alike, so they are too small here."
            )
        if untested := int(found[column].isna().sum()):
            yield (
                f"{untested} of {len(found)} samples are too short for the {name}, "
                "or have equal values alone."
            )
