# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether the times of one algorithm in one case of one launch are of one kind: drift and
modes."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter1d

from agreport.data.load import PAIR, Results
from agreport.stats.arrays import Floats, Ints
from agreport.stats.median_interval import SortedGroups, sort_groups
from agreport.stats.runs import runs_p
from agreport.stats.samples import Part, measured

SAMPLE = [*PAIR, "launch"]
NAMES = ["iterations", "cv_percent", "drift_percent", "drifts", "low_mode_us", "high_mode_us"]
FEWEST, FEWEST_FOR_MODES = 30, 50  # fewer values have no shape
# A test calls a drift only if chance is less likely than this: a page has thousands of samples.
SURE = 0.001
DRIFT_PERCENT = 5.0  # from the median of the first third to that of the last
MODES_APART_PERCENT = 10.0
SMALLEST_MODE, DEEPEST_VALLEY = 0.15, 0.5
BINS = 256
SILVERMAN = 0.9


def steadiness(results: Results, metric: str) -> pd.DataFrame:
    """Returns a row for each sample: what one launch timed of a case and algorithm.

    iterations: how many there are; cv_percent: the coefficient of variation; drift_percent: by how
    much the median of the last third is above that of the first; drifts: whether drift_percent is
    at least DRIFT_PERCENT up or down, and Kendall's test of a trend or the runs test is sure of it;
    low_mode_us, high_mode_us: the modes where there are two, else NaN.
    """
    return results.once(("steadiness", metric), lambda: compute(results, metric))


def compute(results: Results, metric: str) -> pd.DataFrame:
    samples, values = measured(results, results.column_of(metric))
    parts = samples.parts(values)
    found = pd.DataFrame([row for part in parts for row in of_part(part)], columns=NAMES)
    return found.set_axis(samples.samples).astype({"drifts": bool})


def of_part(part: Part) -> Iterator[tuple[float, ...]]:
    count = part.of_sample
    samples = np.split(part.values, np.cumsum(count)[:-1])
    cv_percents, drifts = cv_percent(part.values, count), drift_percent(part.values, count)
    for times, cv, percent in zip(samples, cv_percents, drifts, strict=True):
        low, high = modes(times) or (np.nan, np.nan)
        yield len(times), cv, percent, is_drift(times, percent), low, high


def cv_percent(values: Floats, count: Ints) -> Floats:
    """Returns the coefficient of variation of each sample in percent; NaN of fewer than two values,
    or where the mean is 0. count: how many values each sample has, which lie behind each other."""
    first = np.cumsum(count) - count
    mean = np.add.reduceat(values, first) / count
    squares = np.add.reduceat((values - np.repeat(mean, count)) ** 2, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = 100 * np.sqrt(squares / (count - 1)) / mean
    return np.where((count > 1) & (mean > 0), found, np.nan)


def drift_percent(values: Floats, count: Ints) -> Floats:
    """Returns by how many percent the median of each sample's last third is above that of its first
    third; NaN of fewer than three values, or where the first median is 0. count: how many values
    each sample has."""
    third = count // 3
    place = np.arange(len(values)) - np.repeat(np.cumsum(count) - count, count)
    heads = place < np.repeat(third, count)
    tails = place >= np.repeat(count - third, count)
    found = np.full(len(count), np.nan)
    some = third > 0
    first, last = (middles(sort_groups(values[part], third[some])) for part in (heads, tails))
    with np.errstate(divide="ignore", invalid="ignore"):
        found[some] = np.where(first > 0, 100 * (last / first - 1), np.nan)
    return found


def middles(groups: SortedGroups) -> Floats:
    """Returns the median of each group, rounded as numpy.median rounds it."""
    low, high = (groups.count - 1) // 2, groups.count // 2
    found: Floats = (groups.values[groups.first + low] + groups.values[groups.first + high]) / 2
    return found


def is_drift(times: Floats, percent: float) -> bool:
    if len(times) < FEWEST or not abs(percent) >= DRIFT_PERCENT:
        return False
    from scipy.stats import kendalltau  # takes a second, and few reports need it

    trend = kendalltau(np.arange(len(times)), times).pvalue
    return bool(trend < SURE or runs_p(times) < SURE)


def modes(times: Floats) -> tuple[float, float] | None:
    """Returns the two modes of the times, the lower one first, or None if there are no two.

    The two highest peaks of the density of the times' logarithms are modes if they lie
    MODES_APART_PERCENT apart, the valley between them is at most half as high as the lower peak,
    and either side of the valley has 15 % of the times or more. The density is smoothed with
    Silverman's bandwidth, which rather hides a mode than invents one. Fewer than FEWEST_FOR_MODES
    times have none.
    """
    if len(times) < FEWEST_FOR_MODES:
        return None
    logs = np.sort(np.log(times[times > 0]))
    if len(logs) < FEWEST_FOR_MODES:
        return None
    low, high = quantile(logs, 0.01), quantile(logs, 0.99)
    logs = logs[np.searchsorted(logs, low) : np.searchsorted(logs, high, side="right")]
    width = (high - low) / BINS
    quartiles = quantile(logs, 0.75) - quantile(logs, 0.25)
    spread = min(logs.std(), quartiles / 1.34) or logs.std()
    if width <= 0 or spread <= 0:
        return None
    edges = np.linspace(low, high, BINS + 1)
    counts = np.diff(np.searchsorted(logs, edges[:-1]), append=len(logs))
    smooth = SILVERMAN * spread * len(logs) ** -0.2 / width
    margin = int(np.ceil(3 * smooth)) + 1
    density = gaussian_filter1d(np.pad(counts.astype(float), margin), smooth, mode="constant")
    peaks = np.flatnonzero((density[1:-1] > density[:-2]) & (density[1:-1] >= density[2:])) + 1
    if len(peaks) < 2:
        return None
    one, other = sorted(peaks[np.argsort(density[peaks])[-2:]].tolist())
    valley = one + int(np.argmin(density[one : other + 1]))
    deep = density[valley] <= DEEPEST_VALLEY * min(density[one], density[other])
    share = counts[: max(0, valley - margin)].sum() / counts.sum()
    at = np.exp(edges[0] + (np.array([one, other]) - margin + 0.5) * width)
    apart = 100 * (at[1] / at[0] - 1) >= MODES_APART_PERCENT
    if deep and apart and SMALLEST_MODE <= share <= 1 - SMALLEST_MODE:
        return float(at[0]), float(at[1])
    return None


def quantile(ordered: Floats, fraction: float) -> float:
    """Returns what numpy.quantile does by default, which takes ten times as long for few
    values."""
    place = (len(ordered) - 1) * fraction
    below = int(place)
    part, low = place - below, float(ordered[below])
    high = float(ordered[min(below + 1, len(ordered) - 1)])
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
