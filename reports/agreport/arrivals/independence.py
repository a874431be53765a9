# SPDX-License-Identifier: BSD-3-Clause
"""Whether iterations may be treated as independent (Marendic 2016, 6.2 and table 7).

A sample is the run times of one algorithm in one case of one launch, in their order.
"""

from collections.abc import Iterator

import pandas as pd
from scipy.special import bdtrc

from agreport.data.load import Results
from agreport.figure.words import count_of, size_label
from agreport.stats.inference import halves_p, runs_p
from agreport.stats.samples import timed_samples
from agreport.stats.steadiness import SAMPLE
from agreport.stats.times import measured_alone

SIGNIFICANT = 0.05
UNLIKELY = 0.01  # so many failures by chance
# Name of the test: its column, and what a sample that fails it has.
TESTS = {
    "runs test around the median": ("runs_p", "serial correlation"),
    "Levene test of the first half against the second": ("halves_p", "a changing variance"),
}


def samples(results: Results) -> pd.DataFrame:
    """The p of both tests for every sample that has noise; NaN where it is too short."""
    measured = measured_alone(results)
    found = dict(timed_samples(measured).each(measured.rows["run_us"].to_numpy(float)))
    rows = [(*key, runs_p(times), halves_p(times)) for key, times in found.items()]
    return pd.DataFrame(rows, columns=[*SAMPLE, "runs_p", "halves_p"]).set_index(SAMPLE)


def share_passing(found: pd.DataFrame, column: str, size: str = "bytes") -> pd.DataFrame:
    """The share of samples that pass: algorithms down, sizes across."""
    known = found.reset_index().dropna(subset=column)
    passing = known[column] > SIGNIFICANT
    wide = passing.groupby([known["algorithm"], known[size]], observed=True).mean().unstack(size)
    wide.columns = pd.Index([size_label(int(size)) for size in wide.columns])
    return wide.reset_index()


def warnings(found: pd.DataFrame) -> Iterator[str]:
    """A sentence for each test that samples fail more often than by chance."""
    for name, (column, what) in TESTS.items():
        known = found[column].dropna()
        failing = int((known <= SIGNIFICANT).sum())
        if bdtrc(failing - 1, len(known), SIGNIFICANT) < UNLIKELY:
            yield (
                f"{count_of(failing, len(known))} samples have {what} ({name}; by chance "
                f"{100 * SIGNIFICANT:.0f} % would); p-values and intervals take iterations as "
                "independent and alike, so they are too small here."
            )
        if untested := int(found[column].isna().sum()):
            yield f"{count_of(untested, len(found))} samples are too short for the {name}."
