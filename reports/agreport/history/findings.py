# SPDX-License-Identifier: BSD-3-Clause
"""What a history finds: changes, versions that stand out alone, and the newest version with its
wrong results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.compare.comparability import MUST_AGREE, SUBJECTS, metadata_value, shorten
from agreport.data.load import Results
from agreport.data.settings import NOT_GIVEN, NOTE, OF_SWEEP
from agreport.stats.arrays import Flags, Floats
from agreport.stats.change_points import (
    ALPHA,
    FEWEST_VERSIONS,
    YOUNG,
    Changes,
    Series,
    find_changes,
    find_single,
    judge_newest,
)

from .measured import mark_versions, timed_in, with_cases
from .states import STATE, medians_by_state
from .versions import START, Version

CHANGE, SINGLE, NEWEST, WRONG = "change", "single", "newest", "wrong"
# These keys differ from launch to launch, and say nothing of what a launch measured.
OF_LAUNCH = (START, "writer", "command", "seed", "load_start", "load_end", "buffer_offset_drawn")


@dataclass(frozen=True)
class Finding:
    """Cases that change at one version, in one direction.

    kind: CHANGE, SINGLE, NEWEST, or WRONG: the cases have wrong results in this version and all
    after it. place: the number of the version. cases: the numbers of the cases in the history,
    those that change most first. of: how many cases were measured on both sides; of WRONG, in the
    newest version. factors: the changes as logarithms. low, high: the ends of their intervals. p:
    their p-values, adjusted for all cases. NaN in factors, low, high and p: there is none. with_it:
    each key of the metadata that changes at this version, too, with the value before and the value
    after.
    """

    kind: str
    place: int
    cases: list[int]
    of: int
    factors: Floats
    low: Floats
    high: Floats
    p: Floats
    with_it: list[tuple[str, str, str]]

    @property
    def slower(self) -> bool:
        return bool(self.factors[0] > 0)

    @property
    def worse(self) -> bool:
        return self.slower or self.kind == WRONG


@dataclass(frozen=True)
class History:
    """A history: versions, the medians of cases in them, and what was found in these.

    metric: the time that the medians are of. by: what the versions are told apart by. threshold:
    the least logarithm of a change that counts. cases: the keys of the cases, by SERIES_KEYS.
    findings: those of the newest versions first. decided: of each case, whether the newest version
    can be told from those before it at all. measured: which cases the newest version and the YOUNG
    before it measured, in whatever state, rightly or not: versions down, cases across. zero: how
    many medians are left out since they are 0. across: how many are left out since the machine's
    state changed while they were measured.
    """

    results: Results
    metric: str
    by: str
    threshold: float
    versions: list[Version]
    cases: pd.MultiIndex
    series: Series
    changes: Changes
    findings: list[Finding]
    decided: Flags
    measured: Flags
    zero: int
    across: int

    @property
    def decides(self) -> bool:
        """Returns whether the newest version can be told from those before it in some case."""
        return bool(self.decided.any())

    @property
    def lost(self) -> int:
        """Returns how many cases the newest version did not measure, though one of the YOUNG
        versions before it did."""
        return self.count_cases(~self.measured[-1] & self.measured_lately)

    @property
    def known(self) -> int:
        """Returns how many cases the newest version or one of the YOUNG before it measured."""
        return self.count_cases(self.measured_lately)

    @property
    def measured_lately(self) -> Flags:
        found: Flags = np.logical_or.reduce(self.measured)
        return found

    def count_cases(self, flags: Flags) -> int:
        """Counts the flagged cases; one that was measured in two states is one."""
        return len(self.cases[flags].droplevel(STATE).unique())

    @property
    def failed(self) -> list[Finding]:
        """Returns the findings that make the newest version worse than what was before it: it is
        slower, or has wrong results, which come last. A change at one of the newest YOUNG versions
        counts in the cases in which the newest version still has at least the threshold of it, and
        by as much as that."""
        newest = len(self.versions) - 1
        young = [
            each
            for each in self.findings
            if each.slower and each.kind == CHANGE and each.place > max(0, newest - YOUNG)
        ]
        return [
            *(each for each in self.findings if each.slower and each.kind == NEWEST),
            *(left for left in map(self.left_of, young) if left.cases),
            *(each for each in self.findings if each.kind == WRONG),
        ]

    def left_of(self, change: Finding) -> Finding:
        """Returns what later changes have left of a change, in the cases in which they left at
        least the threshold."""
        level = self.changes.level[:, change.cases]
        left = level[-1] - level[change.place - 1]
        kept = left >= self.threshold
        parts = {name: getattr(change, name)[kept] for name in ("low", "high", "p")}
        cases = np.array(change.cases)[kept].tolist()
        return replace(change, cases=cases, factors=left[kept], **parts)

    def by_change(self) -> list[int]:
        """Returns the cases, wrong ones first, and then those that changed most. Versions that
        stand out alone do not count."""
        largest = np.zeros(len(self.cases))
        for each in self.findings:
            if each.kind == WRONG:
                largest[each.cases] = np.inf
            elif each.kind != SINGLE:
                largest[each.cases] = np.maximum(largest[each.cases], np.abs(each.factors))
        order: list[int] = np.argsort(-largest, kind="stable").tolist()
        return order


def find_history(
    results: Results,
    wrong: pd.DataFrame,
    metric: str,
    by: str,
    versions: Sequence[Version],
    threshold: float,
) -> History:
    """Finds all that a history says. wrong: the cases and launches that take_wrong took out of the
    results."""
    medians, across = medians_by_state(results, results.column_of(metric))
    medians = with_cases(medians, wrong[wrong["launch"].isin(versions[-1].launches)])
    zero = int((medians <= 0).to_numpy().sum())
    numbers = [number for each in versions for number in sorted(each.launches)]
    there = medians.where(medians > 0).T.reindex(numbers)
    version = np.repeat(np.arange(len(versions)), [len(each.launches) for each in versions])
    series = Series(np.log(there.to_numpy(float)), version)
    if not (~np.isnan(series.values)).any():
        raise BadInput("no case has a median time over 0: there is nothing to look at")
    changes = find_changes(series, threshold)
    cases = medians.index
    assert isinstance(cases, pd.MultiIndex)
    findings = [*find_steps(results, versions, series, changes, threshold, by)]
    start = changes.places[-1] if changes.places else 0
    findings += find_newest(results, versions, series, start, threshold, by)
    young = versions[-1 - YOUNG :]
    is_wrong = mark_versions(wrong, cases, versions)
    measured = is_wrong[-1 - YOUNG :] | mark_versions(timed_in(results, young), cases, young)
    findings += find_wrong(results, versions, is_wrong, int(measured[-1].sum()), by)
    findings.sort(key=lambda each: -each.place)
    return History(
        results, metric, by, threshold, list(versions), cases, series, changes, findings,
        can_decide(series, start), measured, zero, across,
    )  # fmt: skip


def can_decide(series: Series, start: int) -> Flags:
    """Returns of each case whether a change of the newest version could be found. start: the
    version of the last change, or 0."""
    newest = series.versions - 1
    known = ~np.isnan(series.values)
    first = start if start < newest else 0
    new = known[series.version == newest].sum(axis=0)
    before = known[(series.version >= first) & (series.version < newest)].sum(axis=0)
    both: Flags = (new > 0) & (before > 0)
    if start == newest or newest - start >= FEWEST_VERSIONS:  # one was found, or could be
        return both
    # Here the launches of the newest version are permuted among those before it.
    orders = [comb(int(one + other), int(one)) for one, other in zip(new, before, strict=True)]
    found: Flags = both & np.array([count >= 1 / ALPHA for count in orders], bool)
    return found


def find_steps(
    results: Results,
    versions: Sequence[Version],
    series: Series,
    changes: Changes,
    threshold: float,
    by: str,
) -> Iterator[Finding]:
    sure = (changes.p <= ALPHA) & (np.abs(changes.factors) >= threshold)
    single, back = find_returns(changes, sure, series.by_versions)
    for number, place in enumerate(changes.places):
        with_it = find_differences(results, versions[place - 1], versions[place], by)
        known = int((~np.isnan(changes.factors[number])).sum())
        told = sure[number] & ~back[number]
        for kind, flags in ((CHANGE, told & ~single[number]), (SINGLE, told & single[number])):
            yield from in_directions(
                kind, place, flags, known, changes.factors[number], with_it,
                (changes.low[number], changes.high[number], changes.p[number]),
            )  # fmt: skip
    means, _ = series.means()
    alone = find_single(series, changes.level)
    start = changes.places[-1] if changes.places else 0
    if len(versions) - 2 >= start:  # the newest versions do not take it back
        _, sure, young = judge_newest(series, start)
        alone[max(start, min(young, len(versions) - 2)) :] &= ~sure
    off = means - changes.level
    nothing = np.full(means.shape[1], np.nan)
    for place in np.flatnonzero(alone[:-1].any(axis=1)).tolist():
        flags = alone[place] & (np.abs(off[place]) >= threshold)
        known = int((~np.isnan(off[place])).sum())
        with_it = (
            find_differences(results, versions[place - 1], versions[place], by) if place else []
        )
        yield from in_directions(
            SINGLE, place, flags, known, off[place], with_it, (nothing, nothing, nothing)
        )


def find_returns(changes: Changes, sure: Flags, by_versions: bool) -> tuple[Flags, Flags]:
    """Returns two tables of flags, changes down and cases across: which changes are of one version
    alone, so that the next change takes them back, and which changes take one back."""
    single, back = np.zeros_like(sure), np.zeros_like(sure)
    for number in range(len(changes.places) - 1):
        if by_versions or changes.places[number + 1] != changes.places[number] + 1:
            continue
        one, other = changes.factors[number], changes.factors[number + 1]
        returns = sure[number] & sure[number + 1] & (np.abs(one + other) < np.abs(one) / 2)
        single[number] |= returns
        back[number + 1] |= returns
    return single, back


def find_newest(
    results: Results,
    versions: Sequence[Version],
    series: Series,
    start: int,
    threshold: float,
    by: str,
) -> Iterator[Finding]:
    newest = series.versions - 1
    if newest <= start:
        return
    change, sure, place = judge_newest(series, start)
    nothing = np.full(len(change), np.nan)
    told, known = sure & (np.abs(change) >= threshold), int((~np.isnan(change)).sum())
    yield from in_directions(
        NEWEST, place, told, known, change,
        find_differences(results, versions[place - 1], versions[place], by),
        (nothing, nothing, nothing),
    )  # fmt: skip


def find_wrong(
    results: Results, versions: Sequence[Version], is_wrong: Flags, of: int, by: str
) -> Iterator[Finding]:
    """Yields the cases that are wrong in the newest version, those that are so since one version
    together. is_wrong: versions down, cases across; of: how many cases the newest one measured."""
    right = ~is_wrong[::-1]
    since = len(versions) - np.where(right.any(axis=0), right.argmax(axis=0), len(versions))
    for place in range(len(versions)):
        places = np.flatnonzero(since == place)
        if not len(places):
            continue
        nothing = np.full(len(places), np.nan)
        with_it = (
            find_differences(results, versions[place - 1], versions[place], by) if place else []
        )
        yield Finding(
            WRONG, place, places.tolist(), of, nothing, nothing, nothing, nothing, with_it
        )


def in_directions(
    kind: str,
    place: int,
    flags: Flags,
    of: int,
    factors: Floats,
    with_it: list[tuple[str, str, str]],
    more: tuple[Floats, Floats, Floats],
) -> Iterator[Finding]:
    for chosen in (flags & (factors > 0), flags & (factors < 0)):
        if not chosen.any():
            continue
        places = np.flatnonzero(chosen)
        places = places[np.argsort(-np.abs(factors[places]), kind="stable")]
        low, high, p = (part[places] for part in more)
        yield Finding(kind, place, places.tolist(), of, factors[places], low, high, p, with_it)


def find_differences(
    results: Results, before: Version, after: Version, by: str
) -> list[tuple[str, str, str]]:
    """Returns every key in which the launches of each of the two versions agree, and the versions
    do not. A value that no other launch has says nothing of a version, unless the catalogue says
    that launches must agree in the key."""
    launches = results.launches
    judged = (*SUBJECTS, *MUST_AGREE)
    said = dict.fromkeys(
        key for number in (*before.launches, *after.launches) for key in launches[number].metadata
    )
    found = []
    for key in dict.fromkeys([*judged, *said]):
        note = key.removeprefix(NOTE) if key.startswith(NOTE) else ""
        if key in (*OF_LAUNCH, by) or note in OF_SWEEP:
            continue
        one, other = (
            {metadata_value(launches[number], key) for number in each.launches}
            for each in (before, after)
        )
        if len(one) > 1 or len(other) > 1 or one == other:
            continue
        (old,), (new,) = one, other
        often = sum(metadata_value(launch, key) == old for launch in launches) > 1
        if key in judged or (often and old != NOT_GIVEN and new != NOT_GIVEN):
            found.append((key, shorten(old), shorten(new)))
    return found
