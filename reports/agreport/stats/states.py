# SPDX-License-Identifier: BSD-3-Clause
"""Whether a machine had two states, by how long a cache line took from core to core and back.

Before and after each batch of calls the ranks of a node pass a cache line to their neighbour and
back (columns line_before_us and line_after_us). Some machines take one time for it for seconds, and
then several times as long. An algorithm that hands data from core to core takes longer, too, then.
"""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import pandas as pd
from scipy.special import bdtr

from agreport.data.load import PAIR, Results
from agreport.data.rows import grouped, run_starts
from agreport.stats.inference import Floats, Ints

BEFORE, AFTER = "line_before_us", "line_after_us"
FEWEST = 20  # measurements: fewer have no shape
LEAST_APART = 1.5  # times as long
LEAST_SHARE, LEAST_COUNT = 0.1, 5  # of the measurements, in each state
OUTERMOST = 0.01  # of the measurements at each end, which are not looked at
HIGHEST_VALLEY = 0.5  # times as many measurements between the states as in the rarer one
BY_CHANCE = 0.01  # so unlikely without a valley
UNKNOWN, FAST, SLOW, ACROSS = -1, 0, 1, 2  # of an iteration
SAMPLE = [*PAIR, "launch"]
COUNTS = ["fast", "slow", "across"]


@dataclass(frozen=True)
class Split:
    """The medians of both states, and the share of the measurements that the slow one has."""

    fast_us: float
    slow_us: float
    slow_share: float

    @property
    def apart(self) -> float:
        return self.slow_us / self.fast_us

    @property
    def bound_us(self) -> float:
        """A measurement above it is of the slow state."""
        return sqrt(self.fast_us * self.slow_us)


@dataclass(frozen=True)
class Machine:
    """The hosts of some launches with as many ranks; launches: their numbers."""

    hosts: str
    ranks: int
    launches: tuple[int, ...]
    split: Split


def split(values: Floats) -> Split | None:
    """The two states of the measurements; None if they are of one.

    The logarithms are cut in two so that they lie closest to the medians of their parts. The parts
    are states if these medians are LEAST_APART, each part has a tenth of the measurements, and few
    lie between. However one state is distributed, if it has one peak, the middle third between the
    medians holds at least as many of its values as one of the equally wide stretches about the
    medians. So these are two states if it holds at most half as many, and that is no chance.
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
    """Equal values, spread evenly over a tick of the clock, which the smallest difference is."""
    distinct, first, count = np.unique(ordered, return_index=True, return_counts=True)
    if len(distinct) < 2:
        return ordered
    place = np.arange(len(ordered)) - np.repeat(first, count)
    part = (place + 0.5) / np.repeat(count, count) - 0.5
    found: Floats = np.maximum(ordered + part * np.diff(distinct).min(), ordered / 2)
    return found


def cut_in_two(ordered: Floats) -> int:
    """How many values the lower part has, if both parts have enough for a state."""
    count = len(ordered)
    least = max(LEAST_COUNT, ceil(LEAST_SHARE * count))
    sums = np.append(0.0, np.cumsum(ordered))
    places = np.arange(least, count - least + 1)

    def off(first: Ints, end: Ints) -> Floats:
        """The distances from the median, summed up."""
        half, other = first + (end - first) // 2, first + (end - first + 1) // 2
        found: Floats = (sums[end] - sums[other]) - (sums[half] - sums[first])
        return found

    total = off(np.zeros_like(places), places) + off(places, np.full_like(places, count))
    return int(places[total.argmin()])


def count_within(ordered: Floats, low: float, high: float) -> int:
    first, end = np.searchsorted(ordered, [low, high])
    return int(end - first)


def find_machines(results: Results) -> list[Machine]:
    """Those that had two states."""
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
    """A row a batch of calls: its launch, and what was measured before and after it."""
    rows = results.timed()
    if BEFORE not in rows or AFTER not in rows:
        return pd.DataFrame({"launch": [], BEFORE: [], AFTER: []}).astype({"launch": int})
    known = rows[rows[BEFORE].notna() & rows[AFTER].notna()]
    first = run_starts(known, [*SAMPLE, BEFORE, AFTER])
    return known[["launch", BEFORE, AFTER]].iloc[first]


def states_of_rows(results: Results) -> Ints:
    """Of each of results.timed(): FAST or SLOW, ACROSS if the state changed between the two
    measurements, UNKNOWN where none was taken or the machine had one state."""
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
    """By case, algorithm and launch, those whose state is known: how many iterations were in
    each state or across a change, and their medians in each state.

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
    """Of the iterations whose state is known; of rows with COUNTS."""
    known = samples["fast"] + samples["slow"]
    return samples["slow"] / known.where(known > 0)
