# SPDX-License-Identifier: BSD-3-Clause
"""Judges which algorithms are surely slower than the fastest of their case.

The units of this test are launches, not iterations. Launches of one program differ by more than the
iterations of one launch tell, so the next launch may turn round what one launch is sure of. What is
tested is the logarithm of the ratio of two times in each launch, in which the slowness of a whole
launch cancels. An algorithm is surely slower if

- it was slower in every launch; of nine launches or more in all but as many as a sign test allows;
- and Student's interval of the mean of these logarithms is above 0. The interval has 95 % for all
  algorithms of the case together (Bonferroni), since the fastest of many is the luckiest, too.

Few launches estimate a variance badly, so it is moderated: a case borrows from the cases of the
same setting, collective and number of ranks. A case with one launch has only their variance. If
none of them has several launches, it has the variance that the catalogue states for ranks with a
processor each. Where ranks share processors, nothing is called then: what one launch says there,
the next one turned round in 9 to 37 % of the cases, however large the difference was.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from agformats.catalogue import catalogue
from agformats.student import CONFIDENCE
from agreport.data.load import SETTING
from agreport.stats.arrays import Flags, Floats, Ints
from agreport.stats.median_interval import median_rank
from agreport.stats.moderated_t import find_prior

# Launches that follow each other are in one state of the machine, so their mean is not as sure as
# that of independent ones: this part of a launch's variance does not shrink with their number.
OF_STATES = 1 / 5
# A stated spread is taken as known, so it has many degrees of freedom.
STATED_DEGREES = 1e6


class Ratios(NamedTuple):
    """The logarithms of the ratios of each algorithm's times to the base's, cases down, algorithms
    across. launches is the number of launches that have both times, and so of logarithms; mean and
    variance are those of the logarithms; not_above is how many of them are not above 0."""

    launches: Ints
    mean: Floats
    variance: Floats
    not_above: Ints


class Judgement(NamedTuple):
    """Holds what is judged of each algorithm, cases down, algorithms across. launches is how many
    launches have both it and the fastest; slower is whether it is surely slower; width is what the
    mean logarithm has to exceed at least."""

    launches: Ints
    slower: Flags
    width: Floats


def judge(us: pd.DataFrame, of_launches: pd.DataFrame, base: Ints, shared: Flags) -> Judgement:
    """Judges which algorithms are surely slower than the fastest of their case. Where no launch has
    both algorithms, their times are taken as those of two launches that differ.

    us: times, cases down, algorithms across. of_launches: the medians of launches, cases and
    launches down, algorithms across.
    base: the column of the fastest of each case. shared: of each case, whether ranks share
    processors.
    """
    found = paired_ratios(of_launches, us.index, base)
    variance, degrees = spread_of_launches(found, base, shared, number_alike(us.index))
    apart = found.launches == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(us.to_numpy(float))
        above = logs - logs[np.arange(len(logs)), base][:, np.newaxis]
    mean = np.where(apart, above, found.mean)
    others = np.maximum((~np.isnan(logs)).sum(axis=1) - 1, 1)[:, np.newaxis]
    quantile = stdtrit(degrees, 1 - (1 - CONFIDENCE) / 2 / others)
    launches = np.maximum(found.launches, 1)
    part = np.where(launches > 1, 1 / launches + OF_STATES, np.where(apart, 2.0, 1.0))
    width = quantile * np.sqrt(variance * part)
    allowed = np.maximum(median_rank(launches), 1) - 1
    return Judgement(found.launches, (mean > width) & (found.not_above <= allowed), width)


def paired_ratios(of_launches: pd.DataFrame, cases: "pd.Index[Any]", base: Ints) -> Ratios:
    case = cases.get_indexer(of_launches.index.droplevel("launch"))
    inside = case >= 0
    case = case[inside]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(of_launches.to_numpy(float)[inside])
        above = logs - logs[np.arange(len(logs)), base[case]][:, np.newaxis]
    known = np.isfinite(above)
    above = np.where(known, above, 0.0)
    shape = (len(cases), of_launches.shape[1])
    count, not_above = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    total, squares = np.zeros(shape), np.zeros(shape)
    np.add.at(count, case, known)
    np.add.at(not_above, case, known & (above <= 0))
    np.add.at(total, case, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / count
        np.add.at(squares, case, np.where(known, (above - mean[case]) ** 2, 0.0))
        variance = np.where(count > 1, squares / (count - 1), np.nan)
    return Ratios(count, mean, variance, not_above)


def number_alike(cases: "pd.Index[Any]") -> Ints:
    """Returns of each case the number of the group of cases whose launches spread alike."""
    keys = [name for name in (SETTING, "collective", "ranks") if name in cases.names]
    if not keys:
        return np.zeros(len(cases), np.int64)
    frame = cases.to_frame(index=False)
    return np.asarray(frame.groupby(keys, observed=True).ngroup(), np.int64)


def spread_of_launches(
    found: Ratios, base: Ints, shared: Flags, group: Ints
) -> tuple[Floats, Floats]:
    """Returns the variance of a launch's logarithm and its degrees of freedom, cases down,
    algorithms across. The variance is never made less than the case's own, since some cases are
    noisier than most."""
    stated = np.where(shared, np.inf, catalogue().launch_spread)
    own = np.where(found.launches > 1, found.variance, 0.0)
    degrees = np.maximum(found.launches - 1.0, 0.0)
    single = found.launches < 2
    variance = np.where(single, stated[:, np.newaxis] ** 2, own)
    freedom = np.where(single, STATED_DEGREES, degrees)
    is_base = np.arange(found.launches.shape[1]) == base[:, np.newaxis]
    for number in np.unique(group):
        part = group == number
        pooled = ~single[part] & ~is_base[part]
        prior = find_prior(own[part][pooled], degrees[part][pooled])
        if prior is None:
            continue
        shrunken = prior.shrink(own[part], degrees[part])
        larger = shrunken > own[part]
        variance[part] = np.where(larger, shrunken, own[part])
        freedom[part] = np.where(larger, degrees[part] + prior.degrees, degrees[part])
    return variance, freedom
