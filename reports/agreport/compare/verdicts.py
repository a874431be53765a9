# SPDX-License-Identifier: BSD-3-Clause
"""A verdict for every case, for all cases of a group together, and for the whole comparison."""

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm
from scipy.stats import t as student

from agformats.student import CONFIDENCE
from agreport.stats.inference import Floats

from .moderated_t import Estimate
from .p_values import PValues, Significance

REGRESSION, IMPROVEMENT, NO_CHANGE, UNCLEAR = "regression", "improvement", "no change", "unclear"
ONE_LAUNCH, WRONG, NO_REGRESSION = "one launch", "wrong result", "no regression"
INCONCLUSIVE = "inconclusive"
VERDICTS = (REGRESSION, WRONG, IMPROVEMENT, UNCLEAR, NO_CHANGE, ONE_LAUNCH)
CALLED = (REGRESSION, WRONG, IMPROVEMENT)  # the worst first
FAILURES = (REGRESSION, WRONG)
UNDECIDED = (ONE_LAUNCH, INCONCLUSIVE)

# The family-wise error rate in each direction: of comparisons where nothing changed, this share may
# call a regression, and as many an improvement.
ALPHA = 0.005
FALSE_DISCOVERY_RATE = 0.05  # of the cases called
POWER = 0.95


def judge_cases(found: Significance, threshold: float) -> pd.DataFrame:
    """A row a case: log change with its interval, p-values, what could be detected, verdict.

    threshold: the least log ratio that matters.
    """
    total, own = found.observed.total, found.observed.own
    cases = add_intervals(total, found.degrees[: found.observed.cases])
    cases["p_slower"] = adjust_p(found.slower)
    cases["p_faster"] = adjust_p(found.faster)
    cases["detectable"] = np.maximum(
        (found.slower.critical + norm.ppf(POWER)) * np.fmin(cases["error"], own.error[0]),
        cases["high"] - cases["change"] + norm.ppf(POWER) * cases["error"],
    )
    cases["verdict"] = call_verdicts(cases, threshold)
    return cases


def judge_groups(found: Significance, threshold: float) -> pd.DataFrame:
    """A row a group: what its cases have in common, by the same rules; no verdict on few cases."""
    common, degrees = found.observed.common, found.degrees[2 * found.observed.cases :]
    groups = add_intervals(common, degrees)
    tests = max(1, int(groups["error"].notna().sum()))
    for name, sign, p_values in (("p_slower", 1, found.slower), ("p_faster", -1, found.faster)):
        p = np.minimum(1.0, tests * student.sf(sign * common.t[0], degrees))
        groups[name] = gate_p(p, p_values)
    groups["verdict"] = call_verdicts(groups, threshold).mask(groups["error"].isna(), "")
    return groups


def add_intervals(found: Estimate, degrees: Floats) -> pd.DataFrame:
    """The log changes, their standard errors, and Student's confidence intervals."""
    change, error = found.mean[0], found.error[0]
    with np.errstate(invalid="ignore"):
        reach = student.ppf((1 + CONFIDENCE) / 2, degrees) * error
    return pd.DataFrame(
        {"change": change, "error": error, "low": change - reach, "high": change + reach}
    )


def adjust_p(found: PValues) -> Floats:
    """By Benjamini and Hochberg, over the cases."""
    adjusted = np.full(len(found.cases), np.nan)
    known = ~np.isnan(found.cases)
    if known.any():
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
    verdict[found["error"].isna()] = ONE_LAUNCH
    return verdict


def conclude(cases: pd.DataFrame, groups: pd.DataFrame, threshold: float) -> str:
    """The worst verdict of all; inconclusive if none is called, and most cases are undecided where
    a change as large as the threshold was not detectable."""
    verdicts = pd.concat([cases["verdict"], groups["verdict"]])
    for verdict in CALLED:
        if (verdicts == verdict).any():
            return verdict
    if verdicts.isin([ONE_LAUNCH, ""]).all():
        return ONE_LAUNCH
    judged = cases[cases["verdict"] != ONE_LAUNCH]
    # Where all launches take exactly as long, it is not known what is detectable.
    unknown = judged["detectable"].isna() & (judged["verdict"] == UNCLEAR)
    undecided = judged["verdict"] != NO_CHANGE
    blind = (undecided & (judged["detectable"] > threshold)) | unknown
    return INCONCLUSIVE if 2 * blind.sum() > len(judged) else NO_REGRESSION
