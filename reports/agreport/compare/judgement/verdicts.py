# SPDX-License-Identifier: BSD-3-Clause
"""A verdict for every case, for all cases of a group together, and for the whole comparison; which
cases have too few launches for one, and how small a change could be found."""

from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr, stdtrit

from agformats.student import CONFIDENCE
from agreport.figure.words import plural
from agreport.stats.inference import Flags, Floats

from ..launches.sides import find_varied, name_case
from .moderated_t import Estimate, count_fewest
from .p_values import ALPHA, PValues, Significance
from .units import Units

REGRESSION, IMPROVEMENT, NO_CHANGE, UNCLEAR = "regression", "improvement", "no change", "unclear"
OPEN = "open"  # not even a change as large as the goal would surely have been called
TOO_FEW, WRONG, NO_REGRESSION = "too few launches", "wrong result", "no regression"
INCONCLUSIVE = "inconclusive"
VERDICTS = (REGRESSION, WRONG, IMPROVEMENT, OPEN, UNCLEAR, NO_CHANGE, TOO_FEW)
CALLED = (REGRESSION, WRONG, IMPROVEMENT)  # the worst first
FAILURES = (REGRESSION, WRONG)
UNDECIDED = (TOO_FEW, INCONCLUSIVE)

FALSE_DISCOVERY_RATE = 0.05  # of the cases called
POWER = 0.95
FEWEST_PAIRS, FEWEST_A_SIDE = 2, 3


def find_few(units: Units) -> Flags:
    """Returns the cases that have launches too few on a side: a spread is not known from two,
    and a side of two launches is in one of two modes too often."""
    found: Flags = count_fewest(units) < (FEWEST_PAIRS if units.new is None else FEWEST_A_SIDE)
    return found


def find_lost(missing: pd.DataFrame, few: Flags) -> list[str]:
    """Cases of which nothing can be said, as one sentence that names the first."""
    found = []
    if len(missing):
        why = missing["why"].iloc[0]
        first = name_case(missing.index[0], find_varied(missing))
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
    """A row a case: log change with its interval, p-values, what could be detected, verdict.

    threshold: the least log ratio that matters.
    """
    cases = add_intervals(found.observed.total)
    cases["p_slower"] = adjust_p(found.slower)
    cases["p_faster"] = adjust_p(found.faster)
    cases["detectable"] = find_detectable(found, cases, threshold)
    cases["verdict"] = call_verdicts(cases, threshold)
    return cases


def find_detectable(found: Significance, cases: pd.DataFrame, threshold: float) -> Floats:
    """The log change that would be called in POWER of such comparisons: significant by one of the
    statistics, at least the threshold, and with an interval that excludes no change."""
    z = ndtri(POWER)
    both = (found.observed.total, found.observed.own)
    errors = [
        (critical + z) * each.error
        for each, critical in zip(both, found.slower.critical, strict=True)
    ]
    error = cases["error"].to_numpy(float)
    reach = (cases["high"] - cases["change"]).to_numpy(float)
    smallest: Floats = np.maximum(np.fmin.reduce(errors), np.maximum(threshold, reach) + z * error)
    return smallest


def judge_groups(found: Significance, threshold: float) -> pd.DataFrame:
    """A row a group: what its cases have in common, by the same rules; no verdict on few cases."""
    common = found.observed.common
    groups = add_intervals(common)
    tests = max(1, int(groups["error"].notna().sum()))
    for name, sign, p_values in (("p_slower", 1, found.slower), ("p_faster", -1, found.faster)):
        p = np.minimum(1.0, tests * stdtr(common.degrees, -sign * common.t))
        groups[name] = gate_p(p, p_values)
    groups["verdict"] = call_verdicts(groups, threshold).mask(groups["error"].isna(), "")
    return groups


def add_intervals(found: Estimate) -> pd.DataFrame:
    """The log changes, their standard errors, and Student's confidence intervals."""
    change, error = found.change, found.error
    with np.errstate(invalid="ignore"):
        reach = stdtrit(found.degrees, (1 + CONFIDENCE) / 2) * error
    return pd.DataFrame(
        {"change": change, "error": error, "low": change - reach, "high": change + reach}
    )


def adjust_p(found: PValues) -> Floats:
    """p-values adjusted for the number of cases (Benjamini and Hochberg)."""
    adjusted = np.full(len(found.cases), np.nan)
    known = ~np.isnan(found.cases)
    if known.any():
        from scipy.stats import false_discovery_control  # takes a second, and only this needs it

        adjusted[known] = false_discovery_control(found.cases[known])
    return gate_p(adjusted, found)


def gate_p(p: Floats, found: PValues) -> Floats:
    """1 for all that is known, unless the family is significant."""
    return p if found.family <= ALPHA else np.where(np.isnan(p), np.nan, 1.0)


def call_verdicts(found: pd.DataFrame, threshold: float) -> "pd.Series[str]":
    """Called: significant, as large as the threshold, and no change outside the interval."""
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
    """Unclear cases that might have hidden a change as large as the goal are open."""
    # It is not known what is detectable where all launches take exactly as long.
    hidden = cases["detectable"].isna() | (cases["detectable"] > goal)
    is_open = (cases["verdict"] == UNCLEAR) & hidden
    return cases.assign(verdict=cases["verdict"].mask(is_open, OPEN))


def conclude(
    cases: pd.DataFrame, others: "pd.Series[str]", goal: float, every: bool, incomplete: bool
) -> str:
    """The worst verdict of all, of the cases and others (of groups of cases, tails and stalls);
    inconclusive if none is a failure, and the comparison is incomplete, or all of its cases are
    open (every: one of them could not show a change as large as the goal)."""
    verdicts = pd.concat([cases["verdict"], others])
    for verdict in FAILURES:
        if (verdicts == verdict).any():
            return verdict
    if verdicts.isin([TOO_FEW, ""]).all():
        return TOO_FEW
    judged = cases[cases["verdict"] != TOO_FEW]
    if every:
        blind = bool(((judged["verdict"] == OPEN) | (judged["detectable"] > goal)).any())
    else:
        blind = bool(len(judged)) and bool((judged["verdict"] == OPEN).all())
    if incomplete or blind:
        return INCONCLUSIVE
    return IMPROVEMENT if (verdicts == IMPROVEMENT).any() else NO_REGRESSION


@dataclass(frozen=True)
class Power:
    """Detectable changes as logarithms; more: units (pairs, or launches on each side) until the
    goal is detectable. NaN and None: not known from one launch."""

    half: float
    worst: float
    more_half: int | None
    more_worst: int | None


def estimate_power(cases: pd.DataFrame, threshold: float, goal: float, tests: int) -> Power:
    """goal: the change that is to be called; more than the threshold."""
    known = cases[np.isfinite(cases["detectable"])]
    if known.empty:
        return Power(np.nan, np.nan, None, None)
    now = known["detectable"]
    count = np.minimum(known["base_n"], known["new_n"])
    # The normal distribution is right for many launches. With few the test asks for more, so this
    # is the least that it takes.
    z = ndtri(POWER)
    error = min((goal - threshold) / z, goal / (z - ndtri(ALPHA / (2 * tests))))
    needed = np.ceil(count * (known["error"] / error) ** 2)
    more = (needed - count).clip(lower=1).where(now > goal, 0)
    return Power(float(now.median()), float(now.max()), ceil(float(more.median())), int(more.max()))
