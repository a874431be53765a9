# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether more calls stall than before, though medians do not see it.

A call is far if it takes over three medians of the slower side in its case. A launch is worth
one value, the square root of its share of far calls: counts vary as much as they are large, and
their roots do not (Bartlett 1936). So a launch that was disturbed once is one value of twenty,
however many of its calls stalled. The statistic of a case is the correlation of the roots with the
labels "base" and "new"; it is tested by the surest of all cases over permutations of the labels
(Westfall and Young 1993, single-step max-T), in pairs too, where that errs on the safe side.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.stats.max_t import adjusted_p
from agreport.stats.multiple_tests import ALPHA

from .log_ratios import keep_shared, median_times
from .sides import LAUNCHES, Pairing, Sides
from .verdicts import IMPROVEMENT, NO_CHANGE, REGRESSION, TOO_FEW, UNCLEAR

FAR = 3.0  # medians
FEWEST_A_SIDE = 5  # launches; fewer of them have too few permutations


def judge_stalls(sides: Sides, pairing: Pairing, metric: str, threshold: float) -> pd.DataFrame:
    """Returns a row for each case, by PAIR: the calls of each side (base_calls, new_calls), the
    shares of far calls (base_share, new_share), the log change of the mean by what far calls take
    over the median (change), p-values adjusted for the number of cases (p_slower, p_faster), and a
    verdict. Cases with fewer than FEWEST_A_SIDE launches on a side are not tested: their p-values
    are NaN, and their verdict is TOO_FEW.

    threshold: the least log change that is called.
    """
    paired = sorted(number for pair in pairing.pairs for number in pair)
    used = paired if pairing.kind != LAUNCHES else [*range(len(sides.new))]
    new = sides.new[used]
    calls, far, over = count_far(sides, metric, used)
    shares = far / calls
    known = shares.notna()
    few = np.minimum(*(known.loc[:, new == side].sum(axis=1) for side in (False, True)))
    found = pd.DataFrame(index=shares.index)
    # This is what far calls add to a mean of the others, in medians.
    means = {}
    for name, side in (("base", False), ("new", True)):
        of_side = [each.loc[:, new == side].sum(axis=1) for each in (calls, far, over)]
        found[f"{name}_calls"] = of_side[0].astype(int)
        found[f"{name}_share"] = of_side[1] / of_side[0]
        means[name] = np.log1p(of_side[2] / of_side[0])
    found["change"] = means["new"] - means["base"]
    enough = (few >= FEWEST_A_SIDE).to_numpy()
    roots = np.sqrt(shares[enough].to_numpy(float)).T
    for name, p in zip(("p_slower", "p_faster"), adjusted_p(roots, new), strict=True):
        found.loc[enough, name] = p
    found["verdict"] = call(found, threshold).where(enough, TOO_FEW)
    return found


def call(found: pd.DataFrame, threshold: float) -> "pd.Series[str]":
    change = found["change"]
    verdict = pd.Series(UNCLEAR, found.index).mask(change.abs() < threshold, NO_CHANGE)
    verdict[(found["p_slower"] <= ALPHA) & (change >= threshold)] = REGRESSION
    verdict[(found["p_faster"] <= ALPHA) & (change <= -threshold)] = IMPROVEMENT
    return verdict


def count_far(
    sides: Sides, metric: str, used: Sequence[int]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Counts calls of the cases of both sides, by launch: calls, far calls, and by how many
    medians of the case these together take longer than one. Cases down, launches across; NaN
    where there are none."""
    new = sides.new[list(used)]
    medians = keep_shared(median_times(sides, metric)[list(used)], new)
    medians = medians[(medians != 0).all(axis=1)]
    if medians.empty:
        return medians, medians, medians
    # Both sides have the same limit, or a side that became faster would have more far calls. It is
    # the slower side's, or a side that became slower as a whole would have more.
    middle = np.maximum(*(medians.loc[:, new == side].median(axis=1) for side in (False, True)))
    rows = sides.results.timed()
    column = sides.results.column_of(metric)
    rows = rows[rows["launch"].isin(list(used)) & rows["iteration"].notna()]
    if rows.empty:  # as of logs, which have only means
        nothing = pd.DataFrame(np.nan, medians.index, list(used))
        return nothing, nothing, nothing
    rows = rows.join(middle.rename("middle"), on=PAIR, how="inner")
    ratio = rows[column].to_numpy(float) / rows["middle"].to_numpy(float)
    far = ratio > FAR
    rows = rows[[*PAIR, "launch"]].assign(calls=1.0, far=far * 1.0, over=far * (ratio - 1))
    sums = rows.groupby([*PAIR, "launch"], observed=True)[["calls", "far", "over"]].sum()
    wide = sums.unstack("launch")
    one, other, last = (
        pd.DataFrame(wide[name]).reindex(index=medians.index, columns=list(used))
        for name in ("calls", "far", "over")
    )
    return one, other, last
