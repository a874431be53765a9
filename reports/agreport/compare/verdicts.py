# SPDX-License-Identifier: BSD-3-Clause
"""A verdict for every case, for all of a group together, and for the whole comparison."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm
from scipy.stats import t as student

from agreport.stats.inference import CONFIDENCE, Floats

from .chance import Chance, Judgement

REGRESSION, IMPROVEMENT, NO_CHANGE, UNCLEAR = "regression", "improvement", "no change", "unclear"
ONE_LAUNCH, WRONG, NO_REGRESSION = "one launch", "wrong result", "no regression"
VERDICTS = (REGRESSION, WRONG, IMPROVEMENT, UNCLEAR, NO_CHANGE, ONE_LAUNCH)
FAILURES = (REGRESSION, WRONG)

# Of comparisons where nothing changed, those that may call a regression; as many may call an
# improvement, so 1 % call anything.
ALARMS = 0.005
FALSE_DISCOVERIES = 0.05  # share of the cases called that may have been called wrongly
POWER = 0.95


@dataclass(frozen=True)
class Rules:
    """threshold: the least ratio - 1 that matters, as a logarithm."""

    threshold: float

    @classmethod
    def of(cls, share: float) -> "Rules":
        return cls(float(np.log1p(share)))


def case_verdicts(judgement: Judgement, rules: Rules) -> pd.DataFrame:
    """A row a case: log change with its interval, p-values, what could be detected, verdict."""
    total, own = judgement.evidence.total, judgement.evidence.own
    change, error = total.mean[0], total.error[0]
    found = pd.DataFrame({"change": change, "error": error})
    with np.errstate(invalid="ignore"):
        reach = student.ppf((1 + CONFIDENCE) / 2, judgement.degrees) * error
    found["low"], found["high"] = change - reach, change + reach
    found["p_slower"] = adjusted(judgement.slower)
    found["p_faster"] = adjusted(judgement.faster)
    found["detectable"] = np.maximum(
        (judgement.slower.critical + norm.ppf(POWER)) * np.fmin(error, own.error[0]),
        reach + norm.ppf(POWER) * error,
    )
    found["verdict"] = verdicts(found, rules)
    return found


def adjusted(chance: Chance) -> Floats:
    """p-values by Benjamini and Hochberg; 1 for all where the whole comparison shows nothing."""
    found = np.full(len(chance.cases), np.nan)
    known = ~np.isnan(chance.cases)
    if known.any():
        found[known] = false_discovery_control(chance.cases[known])
    return found if chance.whole <= ALARMS else np.where(known, 1.0, np.nan)


def verdicts(found: pd.DataFrame, rules: Rules) -> "pd.Series[str]":
    """Called: significant, as large as the threshold, and no change outside the interval."""
    slower = (
        (found["p_slower"] <= FALSE_DISCOVERIES)
        & (found["change"] >= rules.threshold)
        & (found["low"] > 0)
    )
    faster = (
        (found["p_faster"] <= FALSE_DISCOVERIES)
        & (found["change"] <= -rules.threshold)
        & (found["high"] < 0)
    )
    within = (found["low"] > -rules.threshold) & (found["high"] < rules.threshold)
    verdict = pd.Series(UNCLEAR, found.index)
    verdict[within] = NO_CHANGE
    verdict[slower] = REGRESSION
    verdict[faster] = IMPROVEMENT
    verdict[found["error"].isna()] = ONE_LAUNCH
    return verdict


def together(judgement: Judgement, degrees: Floats, rules: Rules) -> pd.DataFrame:
    """A row a group: what its cases have in common, by the same rules; no verdict on few cases."""
    common = judgement.evidence.common
    found = pd.DataFrame({"change": common.mean[0], "error": common.error[0]})
    tests = max(1, int(found["error"].notna().sum()))
    with np.errstate(invalid="ignore"):
        reach = student.ppf((1 + CONFIDENCE) / 2, degrees) * found["error"]
    found["low"], found["high"] = found["change"] - reach, found["change"] + reach
    for name, sign, chance in (
        ("p_slower", 1, judgement.slower),
        ("p_faster", -1, judgement.faster),
    ):
        p = tests * student.sf(sign * common.statistic[0], degrees)
        found[name] = np.minimum(1.0, p) if chance.whole <= ALARMS else p * 0 + 1
    found["verdict"] = verdicts(found, rules).mask(found["error"].isna(), "")
    return found


def overall(found: "pd.Series[str]") -> str:
    """The worst of all."""
    for verdict in (REGRESSION, WRONG, IMPROVEMENT):
        if (found == verdict).any():
            return verdict
    known = found[found != ""]
    return ONE_LAUNCH if (known == ONE_LAUNCH).all() else NO_REGRESSION
