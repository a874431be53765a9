# SPDX-License-Identifier: BSD-3-Clause
"""What changed when: the times of all cases, version by version, and what is found in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.result_file import Launch
from agformats.student import CONFIDENCE
from agreport.data.load import PAIR, Results
from agreport.stats.arrays import ROUNDING, Flags, Floats
from agreport.stats.change_points import ALPHA, Segmentation, find_changes
from agreport.stats.launch_interval import launch_medians
from agreport.stats.moderated_t import shrink

from .versions import Version

NEAR = 1  # versions: changes of cases that are no farther apart are one finding
FEWEST_BEFORE = 4  # versions of a level that the newest one is held against
MANY = 0.1  # of the cases: so many that are odd make a version odd


@dataclass(frozen=True)
class Step:
    """One case that is at another level from a version on. change: of the logarithm, with its
    interval; p: adjusted for all cases and places."""

    case: tuple[object, ...]
    change: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Finding:
    """Steps in one direction at one version. at: its number; with_it: key, value before, after."""

    at: int
    steps: list[Step]
    with_it: list[tuple[str, str, str]]

    @property
    def slower(self) -> bool:
        return self.steps[0].change > 0


@dataclass(frozen=True)
class History:
    """values: median log times, versions down and cases across; NaN where a version has none.
    odd: versions by number, and in how many cases each is far off its neighbours. newest: the steps
    of the newest version alone, or None if nothing can be said of it."""

    versions: list[Version]
    cases: pd.MultiIndex
    values: Floats
    of_launches: pd.DataFrame
    segments: Segmentation
    findings: list[Finding]
    odd: list[tuple[int, int]]
    newest: list[Step] | None
    metric: str

    @property
    def is_newest_slower(self) -> bool:
        return any(step.change > 0 for step in self.newest or [])


def find_history(
    results: Results, versions: list[Version], metric: str, threshold: float, by: str = ""
) -> History:
    """threshold: the smallest change of a logarithm that is told. by: the metadata key that the
    versions are of, which changes with each."""
    if len(versions) < 2:
        raise BadInput(f"one version alone, '{versions[0].name}', has no history; legal: 2 or more")
    require_alike(results.launches)
    medians = launch_medians(results, results.column_of(metric))
    of_launches = medians.where(medians > 0).map(np.log).unstack("launch")  # a clock may tell 0
    version_of = {number: place for place, one in enumerate(versions) for number in one.launches}
    places = pd.Series(version_of).reindex(of_launches.columns)
    by_version = of_launches.T.groupby(places).median()
    values = by_version.reindex(range(len(versions))).to_numpy(float)
    cases = pd.MultiIndex.from_tuples(of_launches.index, names=PAIR)
    segments = find_changes(values)
    steps = list(find_steps(values, cases, segments, threshold))
    history = History(
        versions,
        cases,
        values,
        of_launches,
        segments,
        [],
        list(find_odd_versions(segments.odd, values)),
        judge_newest(values, cases, segments, threshold),
        metric,
    )
    history.findings.extend(join_steps(steps, versions, results.launches, by))
    return history


def require_alike(launches: Sequence[Launch]) -> None:
    """Raises BadInput if launches were not measured in the same way, so that their times cannot be
    one series."""
    known = {key.key: key for key in catalogue().must_agree_to("duet")}
    keys = [key for key in catalogue().must_agree_to("compare") if key.key in known]
    first = launches[0]
    for key in keys:
        for other in launches[1:]:
            values = [one.metadata.get(key.key, key.when_absent) for one in (first, other)]
            if values[0] != values[1]:
                raise BadInput(
                    f"{key.key}: {first.path} has '{values[0]}', {other.path} '{values[1]}': these "
                    f"are no one series; legal: one of them (--where {key.key}=VALUE)"
                )


def find_steps(
    values: Floats, cases: pd.MultiIndex, segments: Segmentation, threshold: float
) -> list[tuple[int, Step]]:
    """The steps between the levels of each case that are larger than the threshold, and where."""
    kept = np.where(segments.odd, np.nan, values)
    found = []
    of_place = {(one.case, one.at): one.p for one in segments.changes}
    for number in sorted({one.case for one in segments.changes}):
        series = kept[:, number]
        ends = segments.bounds(number, len(values))
        levels = [series[first:last] for first, last in pairwise(ends)]
        levels = [level[~np.isnan(level)] for level in levels]
        degrees = sum(map(len, levels)) - len(levels)
        squares = sum(float(((level - level.mean()) ** 2).sum()) for level in levels)
        deviation = np.sqrt(squares / max(degrees, 1))
        wide = float(stdtrit(max(degrees, 1), (1 + CONFIDENCE) / 2))
        for at, (before, after) in zip(ends[1:], pairwise(levels), strict=False):
            change = float(after.mean() - before.mean())
            if abs(change) < threshold:
                continue
            error = wide * deviation * np.sqrt(1 / len(before) + 1 / len(after))
            step = Step(cases[number], change, change - error, change + error,
                        of_place[number, at])  # fmt: skip
            found.append((at, step))
    return found


def join_steps(
    steps: list[tuple[int, Step]],
    versions: Sequence[Version],
    launches: Sequence[Launch],
    by: str,
) -> list[Finding]:
    """The newest first. Steps of neighbouring versions are of the one at which most cases step."""
    found = []
    for sign in (1, -1):
        left = [(at, step) for at, step in steps if sign * step.change > 0]
        while left:
            places = [at for at, _ in left]
            best = max(sorted({*places}), key=places.count)
            near = [step for at, step in left if abs(at - best) <= NEAR]
            left = [(at, step) for at, step in left if abs(at - best) > NEAR]
            near.sort(key=lambda step: -abs(step.change))
            found.append(Finding(best, near, find_what_changed(best, versions, launches, by)))
    return sorted(found, key=lambda finding: (-finding.at, -len(finding.steps)))


def find_what_changed(
    at: int, versions: Sequence[Version], launches: Sequence[Launch], by: str
) -> list[tuple[str, str, str]]:
    """Every key but `by` that all launches of the version before agree in, and all of this one,
    and that has another value then. Where a version has one launch, only keys on which times may
    depend."""
    before, after = (
        [launches[number].metadata for number in versions[place].launches] for place in (at - 1, at)
    )
    telling = {key.key for key in catalogue().metadata if key.must_agree_to}
    keys = dict.fromkeys(key for one in [*before, *after] for key in one if key != by)
    found = []
    for key in keys:
        values = [{one.get(key, "") for one in side} for side in (before, after)]
        if any(len(side) > 1 for side in values) or values[0] == values[1]:
            continue
        if key not in telling and (len(before) == 1 or len(after) == 1):
            continue
        found.append((key, values[0].pop(), values[1].pop()))
    return found


def find_odd_versions(odd: Flags, values: Floats) -> list[tuple[int, int]]:
    """The numbers of versions that are far off their neighbours in many cases, and in how many."""
    known = (~np.isnan(values)).sum(axis=1)
    count = odd.sum(axis=1)
    many = (count > 0) & (count >= np.maximum(MANY * known, min(2, values.shape[1])))
    return [(int(place), int(count[place])) for place in np.flatnonzero(many)]


def judge_newest(
    values: Floats, cases: pd.MultiIndex, segments: Segmentation, threshold: float
) -> list[Step] | None:
    """The newest version against the level before it, whose versions tell how far one is off by
    chance: Student's p of a prediction, with variances that lean on those of all cases, adjusted
    for the number of cases (Bonferroni). It also has to be beyond all versions of that level, the
    odd ones too: a machine that has two speeds was slow before. None: too few versions before it in
    every case."""
    last = len(values) - 1
    mean, variance, count, lowest, highest = (np.full(len(cases), np.nan) for _ in range(5))
    kept = np.where(segments.odd, np.nan, values)
    for number in range(len(cases)):
        bounds = [at for at in segments.bounds(number, len(values)) if at < last]
        level = kept[bounds[-1] : last, number]
        level = level[~np.isnan(level)]
        if len(level) >= FEWEST_BEFORE and not np.isnan(values[last, number]):
            mean[number], variance[number] = level.mean(), level.var(ddof=1)
            count[number] = len(level)
            every = values[bounds[-1] : last, number]
            lowest[number], highest[number] = np.nanmin(every), np.nanmax(every)
    known = ~np.isnan(count)
    if not known.any():
        return None
    lean, degrees = shrink(variance[known], count[known] - 1)
    error = np.sqrt(np.maximum(lean, ROUNDING**2) * (1 + 1 / count[known]))
    newest = values[last, known]
    beyond = (newest < lowest[known]) | (newest > highest[known])
    change = newest - mean[known]
    p = np.minimum(2 * stdtr(degrees, -np.abs(change) / error) * known.sum(), 1.0)
    wide = stdtrit(degrees, (1 + CONFIDENCE) / 2) * error
    return [
        Step(case, float(by), float(by - off), float(by + off), float(one))
        for case, by, off, one, is_beyond in zip(cases[known], change, wide, p, beyond, strict=True)
        if one <= ALPHA and abs(by) >= threshold and is_beyond
    ]
