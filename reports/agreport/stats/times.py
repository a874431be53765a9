# SPDX-License-Identifier: BSD-3-Clause
"""One time a case and algorithm, and which of a case's times are too near to be told apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agformats.files.result_rows import ROUNDING_US
from agreport.data.load import CASE, PAIR, Results
from agreport.stats.arrays import Ints
from agreport.stats.launch_interval import launch_medians, statistics_of
from agreport.stats.launch_judgement import Judgement, judge
from agreport.stats.same_messages import Groups, same_messages
from agreport.stats.samples import measured

# Differences below this are no difference, whatever the confidence intervals say.
NEAR_PERCENT = 2.0
UNITED = "united"
NEAR_SEPARATOR = "; "


@dataclass(frozen=True)
class Times:
    """Holds a time and its interval for each case and algorithm. The frames have cases down
    and algorithms across, in us; NaN: no time, or too few for an interval."""

    exact: "pd.Series[bool]"  # by case: simulated, so that all differences are real
    us: pd.DataFrame
    low_us: pd.DataFrame
    high_us: pd.DataFrame
    mapping: pd.DataFrame  # in which each time was measured
    of_launches: pd.DataFrame  # medians in us, by case and launch: what the times are made of
    same: Groups  # algorithms that are one, since they send the same messages
    shared: "pd.Series[bool]"  # by case: whether ranks share processors

    def of(self, names: Sequence[str]) -> "Times":
        found = self.each(lambda frame: frame.reindex(columns=list(names)))
        return replace(found, of_launches=self.of_launches.reindex(columns=list(names)))

    def each(self, change: Callable[[pd.DataFrame], pd.DataFrame]) -> "Times":
        """Returns these times with `change` applied to each frame by case and algorithm."""
        us, low_us, high_us = map(change, (self.us, self.low_us, self.high_us))
        return replace(self, us=us, low_us=low_us, high_us=high_us, mapping=change(self.mapping))

    def once(self, chosen: str = "") -> "Times":
        """Returns the times, with one algorithm alone of those that are one (same): the chosen one
        keeps its times, else the first that has a time; the others have NaN. The fastest of
        several times of one thing would be too fast, and none of them would be the best."""
        again = pd.DataFrame(False, self.us.index, self.us.columns)
        levels = [self.us.index.get_level_values(name) for name in ("collective", "ranks")]
        for (collective, ranks), groups in self.same.items():
            rows = (levels[0] == collective) & (levels[1] == ranks)
            for group in groups:
                there = [name for name in self.us if name in group]
                there.sort(key=lambda name: name != chosen)
                again.loc[rows, there] = self.us.loc[rows, there].notna().cumsum(axis=1) > 1
        return self.each(lambda frame: frame.mask(again))

    def mapping_of(self, algorithms: "pd.Series[Any]") -> "pd.Series[str]":
        """Returns the mapping in which the time of each case's algorithm was measured; NaN where
        the case has no algorithm. algorithms: one for each case, in the order of the frames."""
        places = self.mapping.columns.get_indexer(pd.Index(algorithms))
        found = self.mapping.to_numpy(object)[np.arange(len(algorithms)), places]
        return pd.Series(found, algorithms.index, dtype=object).where(places >= 0)

    def near(self) -> pd.DataFrame:
        """Returns which algorithms are near-ties with the fastest of their case, so that the
        fastest is not called better.

        An algorithm is a near-tie if the fastest is less than NEAR_PERCENT faster, or if the
        launches do not make sure that the algorithm is slower (launch_judgement). If fewer than two
        launches have both, it is one as well if the confidence intervals of their medians overlap
        or do not exist. Of a simulation, the near-ties are the algorithms that take as long.
        """
        us, low, high = (part.to_numpy(float) for part in (self.us, self.low_us, self.high_us))
        there = ~np.isnan(us)
        place, lines = self.fastest, np.arange(len(us))
        best, best_high = us[lines, place][:, np.newaxis], high[lines, place][:, np.newaxis]
        judged = self.judgement
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = 100 * (1 - best / us) >= NEAR_PERCENT
            apart &= judged.slower & ((judged.launches > 1) | (low > best_high))
        exact = self.exact.to_numpy(bool)[:, np.newaxis]
        apart = np.where(exact, us > best + ROUNDING_US, apart)
        near = there & ~apart
        near[lines, place] = False
        return pd.DataFrame(near, self.us.index, self.us.columns)

    @cached_property
    def fastest(self) -> Ints:
        """Returns the column of the fastest of each case, the first of several; 0 without times."""
        us = self.us.to_numpy(float)
        found = np.where(np.isnan(us), np.inf, us).argmin(axis=1) if us.size else np.zeros(0, int)
        return np.asarray(found, np.int64)

    @cached_property
    def judgement(self) -> Judgement:
        return judge(self.us, self.of_launches, self.fastest, self.shared.to_numpy(bool))

    def least_called_percent(self) -> "pd.Series[float]":
        """Returns by how many percent more than the fastest an algorithm has to take in each case
        to be called slower, if there are too few launches; NaN where the fastest and another
        one have several launches each, or nothing is to judge."""
        there = self.us.notna().to_numpy()
        often = there & (self.launches > 1)
        several = often[np.arange(len(often)), self.fastest] & (often.sum(axis=1) > 1)
        known = (there.sum(axis=1) > 1) & ~several & ~self.exact.to_numpy(bool)
        width = np.where(there, self.judgement.width, 0.0).max(axis=1, initial=0.0)
        least = np.maximum(100 * np.expm1(width), 100 / (1 - NEAR_PERCENT / 100) - 100)
        return pd.Series(np.where(known, least, np.nan), self.us.index)

    @property
    def launches(self) -> Ints:
        """Returns how many launches timed each algorithm, cases down, algorithms across."""
        case = self.us.index.get_indexer(self.of_launches.index.droplevel("launch"))
        found = np.zeros(self.us.shape, np.int64)
        np.add.at(found, case[case >= 0], self.of_launches.notna().to_numpy()[case >= 0])
        return found

    def tied(self) -> "pd.Series[bool]":
        """Returns in which cases several algorithms are equally fast; of a simulation, but for
        rounding."""
        least = self.us.min(axis=1) + np.where(self.exact, ROUNDING_US, 0)
        return self.us.le(least, axis=0).sum(axis=1) > 1

    def near_names(self) -> "pd.Series[str]":
        """Returns of each case the names of the near-ties with the fastest (near) as one text, the
        faster ones first; it is empty where there are none."""
        near, names = self.near().to_numpy(), [*map(str, self.us.columns)]
        order = np.where(near, self.us.to_numpy(float), np.inf).argsort(axis=1, kind="stable")
        texts = [
            NEAR_SEPARATOR.join(names[place] for place in places[:count])
            for places, count in zip(order.tolist(), near.sum(axis=1).tolist(), strict=True)
        ]
        return pd.Series(texts, self.us.index, dtype=object)


def times_of(results: Results, metric: str, statistic: str, united: bool = False) -> Times:
    """Returns the time of each case and algorithm, and the interval of the median of the launches'
    medians.

    statistic: "median" gives that median as the time, "mean" the mean over the iterations of all
    launches. united: of each algorithm the better of its mappings in each case (Loch 2021, 6.2.5).
    """
    return results.once(
        ("times", metric, statistic, united),
        lambda: compute_times(results, metric, statistic, united),
    )


def compute_times(results: Results, metric: str, statistic: str, united: bool) -> Times:
    column = results.column_of(metric)
    own = statistics_of(results, column)
    value = own.median.value if statistic == "median" else own.mean
    times = {"us": value, "low_us": own.median.low, "high_us": own.median.high}
    found = pd.DataFrame(times, measured(results, column).samples.index)
    found["of_mapping"] = found.index.get_level_values("mapping").astype(object)
    launches = launch_medians(results, column)
    cases = results.runs[CASE].drop_duplicates()
    if united:
        long = found.reset_index().sort_values("us", kind="stable").assign(mapping=UNITED)
        found = long.drop_duplicates(PAIR).set_index(PAIR)
        found = found[~is_partly_united(found, results)]
        cases = cases.assign(mapping=UNITED).drop_duplicates()
        launches = launches_of_chosen(launches, found["of_mapping"])
    index = pd.MultiIndex.from_frame(cases).sort_values()
    wide = found.unstack("algorithm")
    us, low_us, high_us, of_mapping = (
        pd.DataFrame(wide[name]).reindex(index)
        for name in ("us", "low_us", "high_us", "of_mapping")
    )
    of_launches = launches.unstack("algorithm")
    exact, same = exact_cases(results, index), same_messages(results)
    shared = shared_cases(results, index)
    return Times(exact, us, low_us, high_us, of_mapping, of_launches, same, shared)


def launches_of_chosen(
    launches: "pd.Series[float]", of_mapping: "pd.Series[Any]"
) -> "pd.Series[float]":
    """Returns the launches of the mapping that each algorithm's united time has."""
    frame = launches.rename("us").reset_index()
    own = frame["mapping"].astype(object)
    frame = frame.assign(mapping=UNITED).join(of_mapping, on=PAIR)
    chosen: pd.Series[float] = frame[own == frame["of_mapping"]].set_index([*PAIR, "launch"])["us"]
    return chosen


def exact_cases(results: Results, cases: pd.MultiIndex) -> "pd.Series[bool]":
    """Returns which cases have times without noise, of simulations alone.

    In them any difference counts, however small, and nothing is to be tested. Measured times that
    are all equal come from a coarse clock, and have noise.
    """
    simulated = np.array([each.simulated for each in results.launches])
    if simulated.all() or not simulated.any():
        return pd.Series(bool(simulated.all()), cases)
    runs = results.timed_runs
    measured = runs[~simulated[runs["launch"].to_numpy()]][CASE].drop_duplicates()
    if UNITED in cases.unique("mapping"):
        measured = measured.assign(mapping=UNITED)
    return pd.Series(~cases.isin(pd.MultiIndex.from_frame(measured)), cases)


def shared_cases(results: Results, cases: pd.MultiIndex) -> "pd.Series[bool]":
    """Returns of each case whether ranks share processors in one of its launches."""
    shared = np.array([each.oversubscribed for each in results.launches])
    runs = results.timed_runs
    found = runs[shared[runs["launch"].to_numpy()]][CASE].drop_duplicates()
    if UNITED in cases.unique("mapping"):
        found = found.assign(mapping=UNITED).drop_duplicates()
    return pd.Series(cases.isin(pd.MultiIndex.from_frame(found)), cases)


def measured_alone(results: Results) -> Results:
    """Returns the results without the cases whose times have no noise (exact_cases)."""
    if not any(each.simulated for each in results.launches):
        return results
    exact = exact_cases(results, pd.MultiIndex.from_frame(results.runs[CASE].drop_duplicates()))
    joined = results.rows.join(exact.rename("exact"), on=CASE)
    return results.keep(results.rows[~joined["exact"].to_numpy(bool)])


def partly_united(results: Results) -> "pd.Index[Any]":
    """Returns the cases, without their mapping, that were not timed under every mapping of all
    cases. They are not united, since no algorithm could choose among the mappings."""
    rest = [column for column in CASE if column != "mapping"]
    cases = results.timed_runs[CASE].drop_duplicates()
    mappings = cases.groupby(rest, observed=True)["mapping"].nunique()
    return mappings[mappings < cases["mapping"].nunique()].index


def can_be_united(results: Results) -> bool:
    """Returns whether a case was timed under every mapping, of which there are several."""
    rest = [column for column in CASE if column != "mapping"]
    timed = results.timed_runs
    several = timed["mapping"].nunique() > 1
    return several and len(partly_united(results)) < len(timed[rest].drop_duplicates())


def is_partly_united(found: pd.DataFrame, results: Results) -> npt.NDArray[np.bool_]:
    """Returns whether the case of each row, which the index has, is one of partly_united."""
    partly = partly_united(results)
    places = found.index.droplevel([n for n in found.index.names if n not in partly.names])
    return places.isin(partly)
