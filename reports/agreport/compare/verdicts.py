# SPDX-License-Identifier: BSD-3-Clause
"""A verdict for every case and for the whole comparison; which
cases have too few launches for one."""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from agformats.student import CONFIDENCE
from agreport.figure.words import plural
from agreport.stats.arrays import Flags
from agreport.stats.moderated_t import Estimate
from agreport.stats.multiple_tests import FALSE_DISCOVERY_RATE, Significance
from agreport.stats.power import find_detectable
from agreport.stats.units import Units, count_fewest

from .sides import name_case

REGRESSION, IMPROVEMENT, NO_CHANGE, UNCLEAR = "regression", "improvement", "no change", "unclear"
OPEN = "open"  # not even a change as large as the goal would surely have been called
TOO_FEW, WRONG, NO_REGRESSION = "too few launches", "wrong result", "no regression"
INCONCLUSIVE = "inconclusive"
VERDICTS = (REGRESSION, WRONG, IMPROVEMENT, OPEN, UNCLEAR, NO_CHANGE, TOO_FEW)
CALLED = (REGRESSION, WRONG, IMPROVEMENT)  # the worst first
FAILURES = (REGRESSION, WRONG)
UNDECIDED = (TOO_FEW, INCONCLUSIVE)

FEWEST_PAIRS, FEWEST_A_SIDE = 2, 3


def find_few(units: Units) -> Flags:
    """Returns the cases that have launches too few on a side: a spread is not known from two,
    and a side of two launches is in one of two modes too often."""
    found: Flags = count_fewest(units) < fewest_units(paired=units.new is None)
    return found


def fewest_units(paired: bool) -> int:
    """Returns how many pairs, or launches of each side, a verdict takes."""
    return FEWEST_PAIRS if paired else FEWEST_A_SIDE


def are_single(units: Units) -> bool:
    """Returns whether no case has two pairs, or two launches on one side."""
    known = ~np.isnan(units.values)
    sides = [known] if units.new is None else [known[units.new], known[~units.new]]
    return all((side.sum(axis=0) <= 1).all() for side in sides)


def find_lost(missing: pd.DataFrame, few: Flags, varied: list[str]) -> list[str]:
    """Returns a sentence on the cases that are not compared, which names the first, and one on the
    cases in too few launches, unless these are all cases; empty if there are none. varied: the
    parts that the name of a case needs."""
    found = []
    if len(missing):
        why = missing["why"].iloc[0]
        first = name_case(missing.index[0], varied)
        found.append(
            f"{plural(len(missing), 'case')} not compared (first: {first}: {why}); "
            "--allow missing judges the others"
        )
    if few.any() and not few.all():
        found.append(
            f"{plural(int(few.sum()), 'case')} in too few launches; --allow missing "
            "judges the others"
        )
    return found


def judge_cases(found: Significance, threshold: float) -> pd.DataFrame:
    """Returns a row for each case: log change (change) with its standard error and interval (error,
    low, high), adjusted p-values (p_slower, p_faster), what change could be detected (detectable),
    and the verdict.

    threshold: the least log ratio that matters.
    """
    cases = add_intervals(found.observed.total)
    cases["p_slower"], cases["p_faster"] = found.slower.adjusted(), found.faster.adjusted()
    reach = (cases["high"] - cases["change"]).to_numpy(float)
    cases["detectable"] = find_detectable(found, reach, threshold)
    cases["verdict"] = call_verdicts(cases, threshold)
    return cases


def add_intervals(found: Estimate) -> pd.DataFrame:
    """Returns a table of the log changes (change), their standard errors (error), and Student's
    confidence intervals (low, high): a row a case."""
    change, error = found.change, found.error
    with np.errstate(invalid="ignore"):
        reach = stdtrit(found.degrees, (1 + CONFIDENCE) / 2) * error
    return pd.DataFrame(
        {"change": change, "error": error, "low": change - reach, "high": change + reach}
    )


def call_verdicts(found: pd.DataFrame, threshold: float) -> "pd.Series[str]":
    """Returns the verdict of each case. A change is called if it is significant, is at least as
    large as the threshold, and has an interval that excludes no change. A case is NO_CHANGE if its
    interval lies within the threshold on both sides, TOO_FEW without a standard error, else
    UNCLEAR."""
    verdict = pd.Series(UNCLEAR, found.index)
    verdict[(found["low"] > -threshold) & (found["high"] < threshold)] = NO_CHANGE
    for called, sign, p, nearest in (
        (REGRESSION, 1, "p_slower", "low"),
        (IMPROVEMENT, -1, "p_faster", "high"),
    ):
        significant = (found[p] <= FALSE_DISCOVERY_RATE) & (sign * found[nearest] > 0)
        verdict[significant & (sign * found["change"] >= threshold)] = called
    verdict[found["error"].isna()] = TOO_FEW
    return verdict


def void_calls(found: pd.DataFrame, kept: Flags | bool = False) -> pd.DataFrame:
    """Makes calls unclear where the sides cannot be compared, but for those that are kept."""
    called = found["verdict"].isin([REGRESSION, IMPROVEMENT]) & ~np.asarray(kept)
    return found.assign(verdict=found["verdict"].mask(called, UNCLEAR))


def mark_open(cases: pd.DataFrame, goal: float) -> pd.DataFrame:
    """Returns the cases with the verdict OPEN for unclear ones that might have hidden a change as
    large as the goal."""
    # It is not known what is detectable where all launches take exactly as long.
    hidden = cases["detectable"].isna() | (cases["detectable"] > goal)
    is_open = (cases["verdict"] == UNCLEAR) & hidden
    return cases.assign(verdict=cases["verdict"].mask(is_open, OPEN))


def conclude(
    cases: pd.DataFrame, others: "pd.Series[str]", goal: float, every: bool, incomplete: bool
) -> str:
    """Returns the worst verdict of all, of the cases and others (of tails and stalls; those that
    were not tested decide nothing). If none is a failure, that is TOO_FEW if no case was judged;
    INCONCLUSIVE if the comparison is incomplete, or if all of its cases are open (every: if one of
    them could not show a change as large as the goal); else IMPROVEMENT if there is one, or
    NO_REGRESSION."""
    verdicts = pd.concat([cases["verdict"], others])
    for verdict in FAILURES:
        if (verdicts == verdict).any():
            return verdict
    if (cases["verdict"] == TOO_FEW).all():
        return TOO_FEW
    judged = cases[cases["verdict"] != TOO_FEW]
    if every:
        blind = bool(((judged["verdict"] == OPEN) | (judged["detectable"] > goal)).any())
    else:
        blind = bool(len(judged)) and bool((judged["verdict"] == OPEN).all())
    if incomplete or blind:
        return INCONCLUSIVE
    return IMPROVEMENT if (verdicts == IMPROVEMENT).any() else NO_REGRESSION
