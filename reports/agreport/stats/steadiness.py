# SPDX-License-Identifier: BSD-3-Clause
"""Whether the times of one algorithm in one case of one launch are of one kind: drift and modes."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter1d

from agreport.data.load import PAIR, Results
from agreport.stats.inference import Floats, runs_p
from agreport.stats.runs import grouped

SAMPLE = [*PAIR, "launch"]
FEWEST, FEWEST_FOR_MODES = 30, 50  # fewer values have no shape
# So unlikely by chance must be what is called drift: a page has thousands of samples.
SURE = 0.001
DRIFT_PERCENT = 5.0  # from the median of the first third to that of the last
MODES_APART_PERCENT = 10.0
SMALLEST_MODE, DEEPEST_VALLEY = 0.15, 0.5
BINS = 256
SILVERMAN = 0.9


def steadiness(results: Results, metric: str) -> pd.DataFrame:
    """One row a sample.

    drift_percent: by how much the median of the last third is above that of the first; drifts: it
    is more than DRIFT_PERCENT, and Kendall's test of a trend or the runs test is sure of it;
    low_mode_us, high_mode_us: where there are two.
    """
    rows = []
    for key, times in samples_of(results, results.column_of(metric)):
        low, high = modes(times) or (np.nan, np.nan)
        rows.append((*key, len(times), cv_percent(times), *drift(times), low, high))
    names = ["iterations", "cv_percent", "drift_percent", "drifts", "low_mode_us", "high_mode_us"]
    found = pd.DataFrame(rows, columns=[*SAMPLE, *names]).set_index(SAMPLE)
    return found.astype({"drifts": bool})


def samples_of(results: Results, column: str) -> Iterator[tuple[tuple[object, ...], Floats]]:
    """In the order of the iterations."""
    rows = results.timed()
    samples = grouped(rows, SAMPLE)
    if not len(samples.index):
        return
    order = np.lexsort((rows["iteration"].to_numpy(), samples.number))
    values = rows[column].to_numpy(float)[order]
    ends = np.cumsum(samples.count)[:-1]
    yield from zip(samples.index, np.split(values, ends), strict=True)


def cv_percent(times: Floats) -> float:
    mean = times.mean()
    return float(100 * times.std(ddof=1) / mean) if len(times) > 1 and mean > 0 else np.nan


def drift(times: Floats) -> tuple[float, bool]:
    """From the first third to the last, in percent, and whether that is a drift."""
    third = len(times) // 3
    first = np.median(times[:third]) if third else 0.0
    if first <= 0:
        return np.nan, False
    percent = float(100 * (np.median(times[-third:]) / first - 1))
    if len(times) < FEWEST or abs(percent) < DRIFT_PERCENT:
        return percent, False
    from scipy.stats import kendalltau  # takes a second, and few reports need it

    trend = kendalltau(np.arange(len(times)), times).pvalue
    return percent, bool(trend < SURE or runs_p(times) < SURE)


def modes(times: Floats) -> tuple[float, float] | None:
    """The two highest peaks of the density of the times' logarithms, if they are two modes.

    They are if they lie MODES_APART_PERCENT apart, the valley between them is at most half as high
    as the lower one, and either side of it has 15 % of the times or more. The density is smoothed
    with Silverman's bandwidth, which rather hides a mode than invents one.
    """
    logs = np.log(times[times > 0])
    if len(logs) < FEWEST_FOR_MODES:
        return None
    low, high = np.quantile(logs, [0.01, 0.99])
    logs = logs[(logs >= low) & (logs <= high)]
    width = (high - low) / BINS
    quartiles = np.quantile(logs, [0.25, 0.75])
    spread = min(logs.std(), np.ptp(quartiles) / 1.34) or logs.std()
    if width <= 0 or spread <= 0:
        return None
    counts, edges = np.histogram(logs, BINS, (low, high))
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
