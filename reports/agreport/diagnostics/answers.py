# SPDX-License-Identifier: BSD-3-Clause
"""What a reason to doubt could turn round: the comparisons that are called, and by what margin.

A comparison is of two algorithms in a case: the one that the report is about (the MPI library's own
if there is no other) and the best of the others; without such a one the best two. It is called if
the report says which of them is faster, so near-ties are not. It could be turned round by what
changes the ratio of the two times by as much as they are apart.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, PAIR, Results
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR, times_of

ONE, OTHER = "one", "other"  # the columns with the two algorithms


@dataclass(frozen=True)
class Caveat:
    """changed: how many called comparisons it could turn round; None: that cannot be told, and it
    is said before the others."""

    text: str
    changed: int | None = None


@dataclass(frozen=True)
class Reach:
    """What a reason to doubt could change: called comparisons; and times of cases with only one
    algorithm, where the time itself is the answer."""

    called: int
    alone: int

    def __bool__(self) -> bool:
        return bool(self.called or self.alone)


@dataclass(frozen=True)
class Answers:
    """cases: by CASE: one, other (algorithms; no other if only one has times), margin (of the
    logarithms of their times, not negative), called."""

    cases: pd.DataFrame

    @property
    def called(self) -> int:
        return int(self.cases["called"].sum())

    def known(self, values: "pd.Series[float]", algorithm: str) -> npt.NDArray[np.float64]:
        """Values by PAIR, of one of the two algorithms of each case; NaN where there is none.

        algorithm: ONE or OTHER.
        """
        keys = pd.MultiIndex.from_frame(
            self.cases[[algorithm]].rename(columns={algorithm: "algorithm"}).reset_index()[PAIR]
        )
        own = values.index
        found = values.set_axis(plain_keys(own)).reindex(plain_keys(keys))
        return np.asarray(found, np.float64)

    def of(self, values: "pd.Series[float]", algorithm: str) -> npt.NDArray[np.float64]:
        """The same with 0 where there is none."""
        known = self.known(values, algorithm)
        return np.where(np.isnan(known), 0.0, known)

    def reach(self, effects: "pd.Series[float]") -> Reach:
        """effects: by PAIR, by how much the logarithm of a time may be wrong."""
        worst = np.maximum(np.abs(self.of(effects, ONE)), np.abs(self.of(effects, OTHER)))
        return self.count(worst)

    def reach_of_ratio(self, effects: "pd.Series[float]") -> Reach:
        """The same if both algorithms met what changed: what they have in common cancels out."""
        return self.count(np.abs(self.of(effects, ONE) - self.of(effects, OTHER)))

    def count(self, effect: npt.NDArray[np.float64]) -> Reach:
        """effect: of each case."""
        alone = self.cases[OTHER].isna().to_numpy(bool)
        hit = (effect > 0) & (effect >= self.cases["margin"].to_numpy(float))
        called = self.cases["called"].to_numpy(bool)
        return Reach(int((hit & called).sum()), int((hit & alone).sum()))

    def in_cases(self, some: npt.NDArray[np.bool_]) -> Reach:
        """Whatever is called there."""
        return self.count(np.where(some, np.inf, 0.0))

    def margins(self, pairs: "pd.Index[Any]") -> npt.NDArray[np.float64]:
        """Of pairs of case and algorithm, by index; infinite where no called comparison takes the
        time, 0 where it is the only one of its case."""
        frame = pairs.to_frame(index=False)
        found = frame.join(self.cases, on=CASE)
        name = frame["algorithm"].astype(object)
        alone = found[OTHER].isna() & found[ONE].notna()
        taken = (name == found[ONE]) | (name == found[OTHER])
        called = found["called"].eq(True) & taken
        return np.where(alone, 0.0, np.where(called, found["margin"], np.inf))

    def matter(self, effects: "pd.Series[float]") -> "pd.Series[bool]":
        """Which of the effects, by PAIR or by PAIR and launch, could turn a comparison round."""
        keys = effects.index
        pairs = keys.droplevel("launch") if "launch" in keys.names else keys
        size = effects.abs().to_numpy(float)
        return pd.Series((size > 0) & (size >= self.margins(pairs)), keys)

    def words(self, reach: Reach) -> str:
        """The end of a sentence, with a space before it; empty without comparisons."""
        if not self.called:
            return ""
        return f" It could turn round {reach.called} of {self.called} called comparisons."

    def caveat(self, text: str, reach: Reach) -> Caveat:
        return Caveat(f"{text}{self.words(reach)}", reach.called)


def answers(results: Results, contest: Contest | None = None, metric: str = "avg") -> Answers:
    """contest: what the report compares. Where its algorithm has no time, the best two of all are
    compared."""
    if contest is None and LIBRARY in (timed := results.timed_algorithms()):
        contest = Contest(LIBRARY, [name for name in timed if name != LIBRARY], "median")
    found = best_two(results, metric)
    if contest is not None and contest.others:
        own = against(results, replace(contest, united=False), metric)
        found.loc[own.index] = own
    return Answers(found)


def against(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    found = contest.verdicts(results, metric)
    found = found[found["chosen_us"].notna()]
    chosen, rival = found["chosen_us"], found["rival_us"]
    slower = found["rival"].astype(object).where(chosen <= rival, contest.chosen)
    near = found["near"].astype(str).str.split(NEAR_SEPARATOR)
    tied = [name in several for name, several in zip(slower, near, strict=True)]
    one = pd.Series(contest.chosen, found.index, dtype=object)
    return frame_of(one, found["rival"].astype(object), chosen, rival, tied)


def best_two(results: Results, metric: str) -> pd.DataFrame:
    times = times_of(results, metric, "median").once()
    order = np.argsort(times.us.fillna(np.inf).to_numpy(float), axis=1, kind="stable")
    names = np.array([*map(str, times.us.columns)], dtype=object)
    lines = np.arange(len(order))
    near = times.near().to_numpy(bool)
    values = times.us.to_numpy(float)
    columns = []
    for place in (0, 1):
        at = order[:, place] if order.shape[1] > place else np.zeros(len(order), int)
        us = pd.Series(values[lines, at], times.us.index)
        if order.shape[1] <= place:
            us[:] = np.nan
        columns.append(
            (pd.Series(names[at], times.us.index, dtype=object).where(us.notna()), us, at)
        )
    (one, one_us, _), (other, other_us, second) = columns
    return frame_of(one, other, one_us, other_us, near[lines, second].tolist())


def frame_of(
    one: "pd.Series[Any]",
    other: "pd.Series[Any]",
    one_us: "pd.Series[float]",
    other_us: "pd.Series[float]",
    tied: list[bool],
) -> pd.DataFrame:
    margin = logs(one_us / other_us).abs()
    compared = one_us.notna() & other_us.notna() & np.isfinite(margin)
    return pd.DataFrame(
        {
            ONE: one,
            OTHER: other,
            "margin": margin.where(compared, 0.0),
            "called": compared & (margin > 0) & ~pd.Series(tied, one.index, dtype=bool),
        }
    )


def logs(values: "pd.Series[float]") -> "pd.Series[float]":
    """NaN and infinities where there is no logarithm."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.Series(np.log(values.to_numpy(float)), values.index)


def plain_keys(keys: "pd.Index[Any]") -> "pd.Index[Any]":
    """Texts instead of categories, which differ from frame to frame."""
    return pd.MultiIndex.from_frame(keys.to_frame().astype(object))


def over_launches(effects: "pd.Series[float]") -> "pd.Series[float]":
    """By PAIR, of effects by PAIR and launch: the median, as the answer is of the launches'
    medians. What one launch of many has moves it little."""
    return effects.groupby(level=PAIR, observed=True).median()


def times_as_long(share: float) -> str:
    """How a share is said, over 1 as a factor: 12 %; 15 times as long."""
    return f"{share:.2g} times as long" if share > 1 else f"{100 * share:.3g} %"


def longer(change: float) -> str:
    """A change as a part of 1: +12 %; 2.4 times as long."""
    return f"{1 + change:.2g} times as long" if change > 1 else f"{100 * change:+.0f} %"
