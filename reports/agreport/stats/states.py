# SPDX-License-Identifier: BSD-3-Clause
"""Finds whether a machine had two states, by the time of a cache line from core to core and back.

Before and after each batch of calls the ranks of a node pass a cache line to their neighbour and
back (columns line_before_us and line_after_us). On some machines this takes one time for seconds,
and then several times as long. An algorithm that hands data from core to core then takes longer,
too.
"""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import bdtr

from agreport.data.load import PAIR, Results
from agreport.data.rows import grouped, run_starts
from agreport.stats.arrays import Floats, Ints

BEFORE, AFTER = "line_before_us", "line_after_us"
FEWEST = 20  # measurements; fewer do not show whether there are two states
LEAST_APART = 1.5  # a cache line takes at least so many times as long in the slow state
LEAST_SHARE, LEAST_COUNT = 0.1, 5  # each state has this share of the measurements, and so many
OUTERMOST = 0.01  # this share of the measurements at each end does not move the cut
# Between the states are at most so many times as many measurements as about the rarer one.
HIGHEST_VALLEY = 0.5
BY_CHANCE = 0.01  # a valley is found where there is none with this probability
UNKNOWN, FAST, SLOW, ACROSS = -1, 0, 1, 2  # the states of an iteration
SAMPLE = [*PAIR, "launch"]
COUNTS = ["fast", "slow", "across"]


@dataclass(frozen=True)
class Split:
    """Two states of a machine. fast_us and slow_us are the medians of the measurements in each;
    slow_share is the share of the measurements in the slow one."""

    fast_us: float
    slow_us: float
    slow_share: float

    @property
    def apart(self) -> float:
        return self.slow_us / self.fast_us

    @property
    def bound_us(self) -> float:
        """Returns the time above which a measurement is of the slow state."""
        return sqrt(self.fast_us * self.slow_us)


@dataclass(frozen=True)
class Machine:
    """A machine that had two states: the hosts of launches with the same number of ranks. launches:
    the numbers of these launches. split: the two states."""

    hosts: str
    ranks: int
    launches: tuple[int, ...]
    split: Split


def split(values: Floats) -> Split | None:
    """Returns the two states of the measurements, None if they are of one. values: in us.

    The logarithms are cut in two so that they lie closest to the medians of their parts. The parts
    are states if these medians are LEAST_APART, each part has a tenth of the measurements, and few
    lie between. However the values of one state are distributed, if they have one peak, the middle
    third between the medians holds at least as many of them as one of the equally wide stretches
    about the medians. So there are two states if it holds at most half as many, and not by chance.
    """
    values = values[values > 0]
    count = len(values)
    if count < FEWEST:
        return None
    logs = np.sort(np.log(between_ticks(np.sort(values))))
    cut = int(OUTERMOST * count)
    kept = logs[cut : count - cut]
    place = cut_in_two(kept)
    low, high = float(np.median(kept[:place])), float(np.median(kept[place:]))
    if high - low < np.log(LEAST_APART):
        return None
    third = (high - low) / 3
    between = count_within(logs, low + third, high - third)
    beside = min(count_within(logs, at - third / 2, at + third / 2) for at in (low, high))
    if between > HIGHEST_VALLEY * beside or bdtr(between, between + beside, 0.5) > BY_CHANCE:
        return None
    found = Split(float(np.exp(low)), float(np.exp(high)), 0.0)
    share = float((logs > np.log(found.bound_us)).mean())
    return Split(found.fast_us, found.slow_us, share)


def between_ticks(ordered: Floats) -> Floats:
    """Returns the values with equal ones spread evenly over a tick of the clock, which is the
    smallest difference of two values. No value falls below half of what it was. ordered: the
    values, ascending."""
    distinct, first, count = np.unique(ordered, return_index=True, return_counts=True)
    if len(distinct) < 2:
        return ordered
    place = np.arange(len(ordered)) - np.repeat(first, count)
    part = (place + 0.5) / np.repeat(count, count) - 0.5
    found: Floats = np.maximum(ordered + part * np.diff(distinct).min(), ordered / 2)
    return found


def cut_in_two(ordered: Floats) -> int:
    """Returns how many values the lower part has, with the cut at which the values lie closest to
    the medians of their parts, each of which has enough of them for a state. ordered: the values,
    ascending."""
    count = len(ordered)
    least = max(LEAST_COUNT, ceil(LEAST_SHARE * count))
    sums = np.append(0.0, np.cumsum(ordered))
    places = np.arange(least, count - least + 1)

    def off(first: Ints, end: Ints) -> Floats:
        """Returns the sum of the distances from the median of each stretch."""
        half, other = first + (end - first) // 2, first + (end - first + 1) // 2
        found: Floats = (sums[end] - sums[other]) - (sums[half] - sums[first])
        return found

    total = off(np.zeros_like(places), places) + off(places, np.full_like(places, count))
    return int(places[total.argmin()])


def count_within(ordered: Floats, low: float, high: float) -> int:
    first, end = np.searchsorted(ordered, [low, high])
    return int(end - first)


def find_machines(results: Results) -> list[Machine]:
    """Returns the machines that had two states."""
    return results.once("machine states", lambda: [*of_launches(results)])


def of_launches(results: Results) -> list[Machine]:
    batches = find_batches(results)
    by: dict[tuple[str, int], list[int]] = {}
    for number in batches["launch"].unique().tolist():
        said = results.launches[number].metadata
        by.setdefault((said.get("hosts", ""), int(said.get("ranks", 0))), []).append(number)
    found = []
    for (hosts, ranks), numbers in by.items():
        own = batches[batches["launch"].isin(numbers)]
        if states := split(own[[BEFORE, AFTER]].to_numpy(float).ravel()):
            found.append(Machine(hosts, ranks, tuple(numbers), states))
    return found


def find_batches(results: Results) -> pd.DataFrame:
    """Returns a row for each batch of calls: its launch, and what was measured before and after
    it."""
    rows = results.timed()
    if BEFORE not in rows or AFTER not in rows:
        return pd.DataFrame({"launch": [], BEFORE: [], AFTER: []}).astype({"launch": int})
    known = rows[rows[BEFORE].notna() & rows[AFTER].notna()]
    first = run_starts(known, [*SAMPLE, BEFORE, AFTER])
    return known[["launch", BEFORE, AFTER]].iloc[first]


def states_of_rows(results: Results) -> npt.NDArray[np.int8]:
    """Returns the state of each of results.timed(): FAST or SLOW; ACROSS if it changed between the
    two measurements; UNKNOWN if one is missing or the machine had one state."""
    rows = results.timed()
    found = np.full(len(rows), UNKNOWN)
    machines = find_machines(results)
    if not machines:
        return found
    bounds = np.full(len(results.launches), np.nan)
    for machine in machines:
        bounds[[*machine.launches]] = machine.split.bound_us
    bound = bounds[rows["launch"].to_numpy()]
    before, after = (rows[name].to_numpy(float) for name in (BEFORE, AFTER))
    known = ~np.isnan(before) & ~np.isnan(after) & ~np.isnan(bound)
    slow = before > bound
    across = np.where(slow == (after > bound), slow, ACROSS)
    return np.where(known, across, found)


def states_of_samples(results: Results, column: str) -> pd.DataFrame:
    """Returns a row by case, algorithm and launch for each sample whose state is known: how many of
    its iterations were in each state or across a change, and the median time in each state.

    column: of the times.
    """
    return results.once(("states", column), lambda: sample_states(results, column))


def sample_states(results: Results, column: str) -> pd.DataFrame:
    rows = results.timed()
    state = states_of_rows(results)
    samples = grouped(rows, SAMPLE)
    size = len(samples.index)
    counts = {
        name: np.bincount(samples.number[state == each], minlength=size)
        for name, each in zip(COUNTS, (FAST, SLOW, ACROSS), strict=True)
    }
    times = rows[column].to_numpy(float)
    medians = {
        name: pd.Series(times[state == each]).groupby(samples.number[state == each]).median()
        for name, each in (("fast_us", FAST), ("slow_us", SLOW))
    }
    own = {name: found.reindex(range(size)).to_numpy(float) for name, found in medians.items()}
    found = pd.DataFrame({**counts, **own}, samples.index)
    return found[found[COUNTS].sum(axis=1) > 0]


def slow_shares(samples: pd.DataFrame) -> "pd.Series[float]":
    """Returns the share of slow iterations among those that were in one of the states, NaN if none
    was. samples: has the columns COUNTS."""
    known = samples["fast"] + samples["slow"]
    return samples["slow"] / known.where(known > 0)
