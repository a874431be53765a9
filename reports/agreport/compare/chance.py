# SPDX-License-Identifier: BSD-3-Clause
"""How likely chance alone is to give as much: for the comparison as a whole, and for each case.

By all dealings of the launches (dealing.py) if there are enough of them: the whole is judged by its
largest statistic, which holds however the cases hang together; a case by the share of all
statistics of all dealings that are as large. With fewer launches by Student's t, which takes
the noise for normal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from agreport.stats.inference import Floats, Ints

from .dealing import Dealings, Units, dealings
from .evidence import Evidence, Parts, parts

MOST_CELLS = 1 << 21  # of a matrix of dealings by cases
ROUNDING = 1e-9
SIGNS = (1, -1)  # slower, faster


@dataclass(frozen=True)
class Chance:
    """One-sided, for slower; `whole` is of the comparison, `cases` of each case.

    critical: the statistic that a case alone would have to reach for the whole to be significant.
    """

    whole: float
    cases: Floats
    critical: float


@dataclass(frozen=True)
class Judgement:
    evidence: Evidence  # of the dealing that happened
    degrees: Floats  # of freedom, of each case
    slower: Chance
    faster: Chance


def judge(units: Units, group: Ints, alarms: float) -> Judgement:
    """alarms: how often the whole may be significant where nothing changed."""
    taken = parts(units, group)
    dealt = dealings(units)
    happened = taken.evidence(dealt.rows[:1])
    degrees = degrees_of_freedom(taken)
    if len(dealt) * alarms >= 1:
        slower, faster = by_dealing(taken, dealt, happened, alarms)
    else:
        slower, faster = (by_student(taken, happened, sign, alarms) for sign in SIGNS)
    return Judgement(happened, degrees, slower, faster)


def degrees_of_freedom(taken: Parts) -> Floats:
    return counted(taken.units, taken.total)


def counted(units: Units, values: Floats) -> Floats:
    count = (~np.isnan(values)).sum(axis=0).astype(np.float64)
    degrees: Floats = count - (1 if units.new is None else 2)
    return degrees


def by_dealing(taken: Parts, dealt: Dealings, happened: Evidence, alarms: float) -> list[Chance]:
    most = np.concatenate([largest(part) for part in in_parts(taken, dealt)])
    if dealt.mirrored:
        most = np.concatenate([most, most[:, ::-1]])
    chances = []
    for sign, extremes in zip(SIGNS, most.T, strict=True):
        whole = float((extremes >= extremes[0] - ROUNDING).mean())
        critical = float(np.quantile(extremes, 1 - alarms, method="higher"))
        if whole <= alarms:
            found = shares(taken, dealt, happened, sign)
        else:  # no case is called, whatever its own share
            found = np.where(np.isnan(happened.total.mean[0]), np.nan, 1.0)
        chances.append(Chance(whole, found, critical))
    return chances


def shares(taken: Parts, dealt: Dealings, happened: Evidence, sign: int) -> Floats:
    total, own = (Share(sign * change.statistic[0]) for change in (happened.total, happened.own))
    for part in in_parts(taken, dealt):
        for way in (sign, -sign) if dealt.mirrored else (sign,):
            total.add(way * part.total.statistic)
            own.add(way * part.own.statistic)
    return either(total.result(), own.result())


def in_parts(taken: Parts, dealt: Dealings) -> Iterator[Evidence]:
    rows = max(1, MOST_CELLS // taken.total.shape[1])
    for first in range(0, len(dealt.rows), rows):
        yield taken.evidence(dealt.rows[first : first + rows])


def largest(evidence: Evidence) -> Floats:
    """Over all cases and groups: a row a dealing, for slower and for faster."""
    every = np.column_stack([change.statistic for change in evidence.all])
    return np.column_stack([np.fmax.reduce(sign * every, axis=1) for sign in SIGNS])


class Share:
    """The share of all statistics that are at least as large as each of those observed."""

    def __init__(self, observed: Floats) -> None:
        self.observed = observed
        self.order = np.sort(observed[~np.isnan(observed)])
        self.at_least = np.zeros(len(self.order), np.int64)
        self.all = 0

    def add(self, statistics: Floats) -> None:
        if not len(self.order):
            return
        flat = statistics[~np.isnan(statistics)]
        places = np.searchsorted(self.order, flat + ROUNDING, side="right")
        below = np.bincount(places, minlength=len(self.order) + 1)
        self.at_least += below[::-1].cumsum()[::-1][1:]
        self.all += len(flat)

    def result(self) -> Floats:
        found = np.full(len(self.observed), np.nan)
        known = ~np.isnan(self.observed)
        places = np.searchsorted(self.order, self.observed[known])
        found[known] = self.at_least[places] / self.all if self.all else np.nan
        return found


def either(total: Floats, own: Floats) -> Floats:
    """The smaller of two p-values, for which one pays twice; the one alone if there is no other."""
    return np.where(np.isnan(own), total, np.minimum(1.0, 2 * np.fmin(total, own)))


def by_student(taken: Parts, happened: Evidence, sign: int, alarms: float) -> Chance:
    total, own = (
        student.sf(sign * change.statistic[0], counted(taken.units, values))
        for change, values in ((happened.total, taken.total), (happened.own, taken.own))
    )
    common = student.sf(sign * happened.common.statistic[0], counted(taken.units, taken.shift))
    every = np.concatenate([total, own, common])
    tests = int((~np.isnan(every)).sum())
    whole = min(1.0, tests * float(np.nanmin(every))) if tests else np.nan
    degrees = float(np.nanmedian(degrees_of_freedom(taken)))
    critical = float(student.isf(alarms / tests, degrees)) if tests and degrees > 0 else np.nan
    return Chance(whole, either(total, own), critical)
