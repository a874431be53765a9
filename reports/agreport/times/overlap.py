# SPDX-License-Identifier: BSD-3-Clause
"""Overlap: how much of a non-blocking call is hidden behind a computation (--overlap).

As the OSU benchmarks define it, of means over the iterations: 100 (1 - (both - computation) /
alone), and no less than 0. At 100 % the call costs nothing beside the computation; at 0 % the two
take as long as one after the other. Whoever wants it near 100 % needs a library that goes on by
itself, or enough calls of MPI_Test.

The computation was made as long as the call alone took just before. Where the two differ by over a
tenth in the timed iterations, calls have changed their time since, and the overlap is doubtful.
"""

from argparse import Namespace

import pandas as pd

from agformats.case_words import COMPUTATION
from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agreport.data.load import PAIR, Results

COMPUTED = "overlapped_us"
DOUBTFUL = 0.1  # as bench/results/overlap.cpp has it


def table(results: Results, _: Namespace) -> pd.DataFrame:
    """Returns a row for each case and algorithm that computed beside its calls: alone_us,
    computation_us, both_us, overlap_percent and doubtful. beside: what else was there. Without
    calls alone overlap_percent and doubtful are NaN. Raises BadInput if nothing was computed."""
    rows = results.timed()
    computes = rows[COMPUTED].notna()
    if not computes.any():
        raise BadInput(f"no row has {COMPUTED}; launches with --overlap have it")
    both = means(rows[computes], {"avg_us": "both_us", COMPUTED: "computation_us"})
    both["beside"] = both["beside"].map(without_computation)
    alone = means(rows[~computes], {"avg_us": "alone_us"})
    found = both.merge(alone, how="left", on=PAIR)
    hidden = 1 - (found["both_us"] - found["computation_us"]) / found["alone_us"]
    found["overlap_percent"] = (100 * hidden).clip(lower=0)
    off = (found["computation_us"] / found["alone_us"] - 1).abs()
    doubtful = (off > DOUBTFUL).map({True: "yes", False: "no"})
    found["doubtful"] = doubtful.where(off.notna())
    times = ["alone_us", "computation_us", "both_us", "overlap_percent", "doubtful"]
    # There may be no row beside the rest, if nothing was called without the computation.
    names = dict.fromkeys([*results.rows["beside"].cat.categories, *found["beside"]])
    beside = pd.Categorical(found["beside"], [*names])
    return results.in_order(found).assign(beside=beside).set_index(PAIR)[times].sort_index()


def means(rows: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Returns the means over the iterations of all launches."""
    found = rows.groupby(PAIR, observed=True)[[*names]].mean().rename(columns=names).reset_index()
    return found.astype({"beside": str, "algorithm": str})


def without_computation(beside: str) -> str:
    """Returns the `beside` of the calls without a computation that these are compared with."""
    rest = beside.removesuffix(COMPUTATION).removesuffix(" and ")
    return rest or catalogue().ordinary["beside"]
