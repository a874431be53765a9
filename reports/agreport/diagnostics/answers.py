# SPDX-License-Identifier: BSD-3-Clause
"""Tells which comparisons of algorithms a reason to doubt the times could turn round.

A comparison is of two algorithms in a case: the algorithm that the report is about (if it names
none, the MPI library's own) and the best of the others. Where that algorithm has no time, the best
two are compared. A comparison is called if the report says which of the two is faster; a near-tie
is not called. What changes the ratio of the two times by as much as they are apart could turn the
comparison round.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, PAIR, Results
from agreport.figure.words import signed
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR, times_of

ONE, OTHER = "one", "other"  # the columns that name the two algorithms


@dataclass(frozen=True)
class Caveat:
    """A reason to doubt the numbers. text is the sentence that is printed. changed is the number of
    called comparisons that it could turn round, or of the cases that it is about; it is None if
    nothing tells that number, and such reasons are printed first."""

    text: str
    changed: int | None = None


@dataclass(frozen=True)
class Reach:
    """The number of answers that a reason to doubt could change. called counts the called
    comparisons; alone counts the cases with only one algorithm, where the time itself is the
    answer."""

    called: int
    alone: int

    def __bool__(self) -> bool:
        return bool(self.called or self.alone)


@dataclass(frozen=True)
class Answers:
    """The comparisons of a report. cases has a row for each CASE, with the columns one and other
    (the two algorithms; other is missing if only one has times), margin (the distance between the
    logarithms of their times, not negative) and called (whether the comparison is called)."""

    cases: pd.DataFrame

    @property
    def called(self) -> int:
        return int(self.cases["called"].sum())

    def known(self, values: "pd.Series[float]", algorithm: str) -> npt.NDArray[np.float64]:
        """Returns the value of one of the two algorithms for each case, NaN where there is none.

        values: by PAIR. algorithm: ONE or OTHER.
        """
        keys = pd.MultiIndex.from_frame(
            self.cases[[algorithm]].rename(columns={algorithm: "algorithm"}).reset_index()[PAIR]
        )
        own = values.index
        found = values.set_axis(plain_keys(own)).reindex(plain_keys(keys))
        return np.asarray(found, np.float64)

    def of(self, values: "pd.Series[float]", algorithm: str) -> npt.NDArray[np.float64]:
        """Returns what known returns, with 0 instead of NaN."""
        known = self.known(values, algorithm)
        return np.where(np.isnan(known), 0.0, known)

    def reach(self, effects: "pd.Series[float]") -> Reach:
        """Returns what errors of times could change: in each case the larger error of the two
        algorithms counts. effects: by PAIR, by how much the logarithm of a time may be wrong."""
        worst = np.maximum(np.abs(self.of(effects, ONE)), np.abs(self.of(effects, OTHER)))
        return self.count(worst)

    def reach_of_ratio(self, effects: "pd.Series[float]") -> Reach:
        """Returns what errors of times could change if both algorithms of a case met their cause:
        only the difference of the two errors counts, as the rest cancels out. effects: as in
        reach."""
        return self.count(np.abs(self.of(effects, ONE) - self.of(effects, OTHER)))

    def count(self, effect: npt.NDArray[np.float64]) -> Reach:
        """Returns how many answers have a margin that this effect reaches. effect: of each case, by
        how much the logarithm of the ratio of its times may be wrong."""
        alone = self.cases[OTHER].isna().to_numpy(bool)
        hit = (effect > 0) & (effect >= self.cases["margin"].to_numpy(float))
        called = self.cases["called"].to_numpy(bool)
        return Reach(int((hit & called).sum()), int((hit & alone).sum()))

    def in_cases(self, some: npt.NDArray[np.bool_]) -> Reach:
        """Returns the reach of a reason that could turn round whatever is called in some cases.
        some: of each case, whether it is one of them."""
        return self.count(np.where(some, np.inf, 0.0))

    def margins(self, pairs: "pd.Index[Any]") -> npt.NDArray[np.float64]:
        """Returns for each pair of case and algorithm the margin of the comparison that takes its
        time. It is infinite where no called comparison takes the time, and 0 where the time is the
        only one of its case. pairs: an index of PAIR."""
        frame = pairs.to_frame(index=False)
        found = frame.join(self.cases, on=CASE)
        name = frame["algorithm"].astype(object)
        alone = found[OTHER].isna() & found[ONE].notna()
        taken = (name == found[ONE]) | (name == found[OTHER])
        called = found["called"].eq(True) & taken
        return np.where(alone, 0.0, np.where(called, found["margin"], np.inf))

    def matter(self, effects: "pd.Series[float]") -> "pd.Series[bool]":
        """Returns whether each effect could turn a comparison round. effects: by PAIR, or by PAIR
        and launch, by how much the logarithm of a time may be wrong."""
        keys = effects.index
        pairs = keys.droplevel("launch") if "launch" in keys.names else keys
        size = effects.abs().to_numpy(float)
        return pd.Series((size > 0) & (size >= self.margins(pairs)), keys)

    def words(self, reach: Reach) -> str:
        """Returns the end of a sentence, with a space before it. It is empty if nothing is
        called."""
        if not self.called:
            return ""
        return f" It could turn round {reach.called} of {self.called} called comparisons."

    def caveat(self, text: str, reach: Reach) -> Caveat:
        return Caveat(f"{text}{self.words(reach)}", reach.called)


def answers(results: Results, contest: Contest | None = None, metric: str = "avg") -> Answers:
    """Returns the comparisons of a report. contest: what the report compares; None compares the
    library's own algorithm with all others. In cases where that algorithm has no time the best two
    of all algorithms are compared."""
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
    """Returns the logarithms of the values; they are NaN or infinite where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.Series(np.log(values.to_numpy(float)), values.index)


def plain_keys(keys: "pd.Index[Any]") -> "pd.Index[Any]":
    """Returns the index with texts instead of categories, which differ from frame to frame."""
    return pd.MultiIndex.from_frame(keys.to_frame().astype(object))


def over_launches(effects: "pd.Series[float]") -> "pd.Series[float]":
    """Returns by PAIR the median of effects by PAIR and launch. The answer is made of the launches'
    medians, so what one launch of many has moves it little."""
    return effects.groupby(level=PAIR, observed=True).median()


def times_as_long(share: float) -> str:
    """Returns a share in words: 12 %; over 1 as a factor: 15 times as long."""
    return f"{share:.2g} times as long" if share > 1 else f"{100 * share:.3g} %"


def longer(change: float) -> str:
    """Returns a relative change in words: +12 %; over 1 as a factor: 2.4 times as long."""
    return f"{1 + change:.2g} times as long" if change > 1 else f"{signed(100 * change)} %"
