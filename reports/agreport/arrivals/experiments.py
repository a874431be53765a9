# SPDX-License-Identifier: BSD-3-Clause
"""Every case with an arrival pattern as an experiment: times, who wins it, and how surely.

After section 4 of Proficz (2021): the time is the mean over the iterations of the average elapsed
time over the ranks, the gain of an algorithm is the time of the best regular one over its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from agreport.data.algorithm_sets import is_arrival_aware
from agreport.data.arrival_labels import NONE, parse
from agreport.data.load import CASE, PAIR, Results
from agreport.data.total_sizes import join_totals
from agreport.stats.arrays import ROUNDING
from agreport.stats.bootstrap import ratio_interval
from agreport.stats.medians import BALANCED_CASE, POINT, points
from agreport.stats.times import exact_cases

# Algorithms that know when ranks arrive are called aware, all others regular.

TIME = "avg_us"  # of an iteration: the average elapsed time over the ranks
MEAN, MEDIAN = ["mean_us", "low_us", "high_us"], ["median_us", "median_low_us", "median_high_us"]
# Between these quantiles are as many iterations as are within a standard deviation of the mean
# where times are normally distributed.
MIDDLE = (0.16, 0.84)


@dataclass(frozen=True)
class Gain:
    """Says how much faster one algorithm is than another: ratio of means over the paired
    iterations.

    Iteration i of all algorithms in a launch had the same arrival times, so that is a pair. Times
    without noise have a gain, and no interval around it: low and high are the gain.
    """

    gain: float
    gain_low: float
    gain_high: float
    pairs: int

    @property
    def sure(self) -> bool:
        """True if 1 is outside the interval; without an interval, nothing is sure."""
        return self.gain_low > 1 + ROUNDING or self.gain_high < 1 - ROUNDING


NO_GAIN = Gain(np.nan, np.nan, np.nan, 0)


@dataclass(frozen=True)
class Case:
    """The times of all algorithms in one case."""

    means: "pd.Series[float]"
    rounds: pd.DataFrame  # launch and iteration down, algorithms across
    exact: bool  # without noise

    def gain(self, of: str, over: str) -> Gain:
        both = self.rounds[[over, of]].dropna().to_numpy()
        if not len(both):
            return Gain(quotient(self.means[over], self.means[of]), np.nan, np.nan, 0)
        gain = quotient(both[:, 0].mean(), both[:, 1].mean())
        low, high = (gain, gain) if self.exact else ratio_interval(both[:, 0], both[:, 1])
        return Gain(gain, low, high, len(both))

    def best(self, names: Sequence[str]) -> str | None:
        return str(self.means[list(names)].idxmin()) if names else None

    def rival(self, name: str) -> str | None:
        """Returns the fastest regular algorithm other than this one, or None if there is none."""
        return self.best([n for n in self.means.index if n != name and not is_arrival_aware(n)])

    def winner(self) -> str:
        """Returns the better of the best aware and the best regular algorithm, as their paired
        iterations tell."""
        aware = self.best([n for n in self.means.index if is_arrival_aware(n)])
        regular = self.best([n for n in self.means.index if not is_arrival_aware(n)])
        if aware is None or regular is None:
            return str(aware or regular)
        return aware if self.gain(aware, regular).gain > 1 else regular


def quotient(over: float, of: float) -> float:
    """Returns a time over another one: infinite where the latter is 0, NaN where both are."""
    if of:
        return float(over / of)
    return np.inf if over else np.nan


def experiments(results: Results) -> pd.DataFrame:
    """Returns one row, by PAIR, for each case and algorithm with times.

    low_us and high_us: the quantiles MIDDLE of the iterations' times. The columns MEDIAN: the
    median of the launches' medians, and its interval. gain: over `regular`, which is the best
    regular algorithm other than the row's own; lead: of the winner of the case over `second`, the
    next fastest of all algorithms. TOTAL is there if the rows of the results have it.
    """
    times = results.timed()
    cases = pd.MultiIndex.from_frame(times[CASE].drop_duplicates())
    exact = exact_cases(results, cases).to_dict()
    late = results.with_status("late").groupby(PAIR, observed=True).size().rename("late")
    parts = {
        key: pd.DataFrame(case_rows(rows, exact[key])).set_index("algorithm")
        for key, rows in times.groupby(CASE, observed=True)
    }
    found = results.in_order(pd.concat(parts, names=CASE).reset_index())
    medians = points(results, "avg").set_index(PAIR)[POINT].set_axis(MEDIAN, axis=1)
    found = found.join(late, on=PAIR).join(medians, on=PAIR).join(delays(results), on=CASE)
    found = join_totals(found, results)
    found["late"] = found["late"].fillna(0).astype(int)
    return found.set_index(PAIR).sort_index()


def case_rows(rows: pd.DataFrame, exact: bool) -> Iterator[dict[str, object]]:
    grouped = rows.groupby("algorithm", observed=True)[TIME]
    stats = grouped.agg(["mean", "std", "size"])
    ends = grouped.quantile(np.array(MIDDLE)).unstack()
    stats.index = stats.index.astype(str)
    case = Case(stats["mean"], rounds(rows, TIME), exact)
    winner = case.winner()
    numbers = zip(stats.index, stats.to_numpy(), ends.to_numpy(), strict=True)
    for name, (mean, deviation, count), (low, high) in numbers:
        rival = case.rival(name)
        gain = case.gain(name, rival) if rival else NO_GAIN
        second = case.best([n for n in stats.index if n != name]) if name == winner else None
        lead = case.gain(name, second) if second else NO_GAIN
        yield {
            "algorithm": name,
            "mean_us": mean,
            "stddev_us": deviation,
            "low_us": low,
            "high_us": high,
            "iterations": int(count),
            "aware": is_arrival_aware(name),
            "fastest": name == winner,
            "regular": rival,
            **asdict(gain),
            "sure": gain.sure,
            "second": second,
            "lead": lead.gain,
            "lead_low": lead.gain_low,
            "lead_high": lead.gain_high,
            "lead_sure": lead.sure,
        }


def rounds(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Returns the times (of this column) of a case's iterations: launch and iteration down,
    algorithms across, NaN where an algorithm was not timed."""
    keys = ["launch", "iteration", "algorithm"]
    named = rows.assign(algorithm=rows["algorithm"].astype(str)).dropna(subset="iteration")
    wide: pd.DataFrame = named.drop_duplicates(keys).set_index(keys)[column].unstack("algorithm")
    return wide.reindex(columns=sorted(rows["algorithm"].astype(str).unique()))


def delays(results: Results) -> pd.DataFrame:
    """Returns for each case the pattern's family, its delays, and what was measured of them.

    size is the delay as it was spelled; delay_us is in us; delay_t is in times of one block's
    message if the delay was given so or is 0, else NaN.
    """
    medians = results.timed().groupby(CASE, observed=True)[["message_us", "asked_imbalance_us"]]
    found = medians.median()
    patterns = [parse(str(label)) for label in found.index.get_level_values("arrival")]
    found["family"] = [pattern.family for pattern in patterns]
    found["meaning"] = [pattern.meaning for pattern in patterns]
    found["size"] = [pattern.size for pattern in patterns]
    pairs = list(zip(patterns, found["message_us"], strict=True))
    found["delay_us"] = [pattern.us(message_us) for pattern, message_us in pairs]
    found["delay_t"] = [
        pattern.number if pattern.unit == "t" or pattern.number == 0 else np.nan
        for pattern in patterns
    ]
    found.loc[found["family"] == NONE, "asked_imbalance_us"] = 0.0
    return found


def with_balanced(found: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of experiments such that those without delays are repeated for each family
    of patterns of the same case, so that every family has its balanced case."""
    rows = found.reset_index()
    balanced = rows["family"] == NONE
    families = rows.loc[~balanced, [*BALANCED_CASE, "family"]].drop_duplicates()
    shared = rows[balanced].drop(columns="family").merge(families, how="left", on=BALANCED_CASE)
    shared["family"] = shared["family"].fillna(NONE)
    return pd.concat([shared, rows[~balanced]], ignore_index=True)[[*rows.columns]]


def what_delay(rows: pd.DataFrame) -> str:
    """Returns what the delays of a family mean (the maximum delay, the mean delay, ...), or
    "delay" if no row has one."""
    delayed = rows.loc[rows["arrival"] != NONE, "meaning"]
    return str(delayed.iloc[0]) if len(delayed) else "delay"
