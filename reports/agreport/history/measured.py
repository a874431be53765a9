# SPDX-License-Identifier: BSD-3-Clause
"""Finds which cases each version measured, and in which of them results were wrong.

A wrong result in one launch says nothing of the times of other launches, which may be of other
versions. So a case is left out only in the launches in which it was wrong.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from agreport.data.load import PAIR, Results
from agreport.data.rows import ROWS
from agreport.stats.arrays import Flags

from .states import SERIES_KEYS, STATE
from .versions import Version

SAMPLE = [*PAIR, "launch"]


def take_wrong(results: Results) -> tuple[Results, pd.DataFrame]:
    """Returns the results without each case in the launches in which it was wrong, and a row for
    each such case and launch."""
    runs = results.runs
    wrong = runs.loc[runs["status"] == "wrong", SAMPLE].drop_duplicates()
    if wrong.empty:
        return results, wrong
    marked = runs[SAMPLE].merge(wrong, how="left", indicator=True)
    kept = (marked["_merge"] == "left_only").to_numpy()
    return results.keep(results.rows[np.repeat(kept, runs[ROWS])]), wrong


def timed_in(results: Results, versions: Sequence[Version]) -> pd.DataFrame:
    """Returns a row for each case and launch of these versions that has times."""
    launches = [number for each in versions for number in each.launches]
    runs = results.timed_runs
    return runs.loc[runs["launch"].isin(launches), SAMPLE].drop_duplicates()


def with_cases(medians: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Returns the medians with a row of NaN for each case of the samples that has none."""
    found = pd.MultiIndex.from_frame(samples[PAIR].drop_duplicates())
    lacking = found[~found.isin(medians.index.droplevel(STATE))]
    if lacking.empty:
        return medians
    index = pd.MultiIndex.from_tuples([(*case, "") for case in lacking], names=SERIES_KEYS)
    return pd.concat([medians, pd.DataFrame(np.nan, index, medians.columns)])


def mark_versions(
    samples: pd.DataFrame, cases: pd.MultiIndex, versions: Sequence[Version]
) -> Flags:
    """Returns which versions have a sample of which cases, in whatever state: versions down, cases
    across."""
    whole = cases.droplevel(STATE)
    of_launch = {number: place for place, each in enumerate(versions) for number in each.launches}
    found = np.zeros((len(versions), len(cases)), bool)
    for place, own in samples.groupby(samples["launch"].map(of_launch)):
        found[int(str(place))] = whole.isin(pd.MultiIndex.from_frame(own[PAIR]))
    return found
