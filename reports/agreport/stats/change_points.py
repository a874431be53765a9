# SPDX-License-Identifier: BSD-3-Clause
"""Finds where the level of many series changes, and tests all series together.

The series are cases, and their units are versions in their order, each with a mean of logarithms
and a weight (its launches). Circular binary segmentation (Olshen et al. 2004) looks for the
stretch of versions whose mean differs most from the others'. Whether it differs is asked of
permutations: the largest statistic of all stretches and all cases (max-T, Westfall and Young 1993)
is compared with that of versions in another order. All cases are permuted alike, so that it does
not matter how they are correlated. Versions are permuted as wholes, so that what a night does to
all of its launches makes no change. Of fewer than FEWEST_PERMUTED there are too few orders; there
launches are permuted among versions, by their ranks.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from agreport.stats.arrays import ROUNDING, Flags, Floats, Ints
from agreport.stats.bootstrap import SEED
from agreport.stats.max_t import adjusted_p, surely

ALPHA = 0.005  # this share of histories without a change has a finding
PERMUTATIONS = 999
# Seven of 14 versions, taken as a circle, stand side by side in 14 of 3432 orders, which is
# below ALPHA; of 13 versions it is not.
FEWEST_PERMUTED = 14
FEWEST_VERSIONS = 8  # that tell how much versions differ
YOUNG = 3  # versions: a change that is no older is too young for permutations of 20 versions
ALL_LENGTHS = 64  # of stretches that are all tried; of longer ones, lengths that grow by a fifth
BESIDE, FAR, NEAR = 5, 4.0, 2.0  # of outliers: versions on each side, and standard deviations
FEWEST_LAUNCHES = 3  # of a version, to tell which is far from the others
EVERY = slice(None)
MAD = 1.4826  # times this, the median of absolute deviations is a standard deviation


@dataclass(frozen=True)
class Series:
    """Holds logarithms of medians, launches down, cases across; NaN: there is none. version: the
    number of each launch's version; these numbers begin at 0, and have no gaps."""

    values: Floats
    version: Ints

    @cached_property
    def near(self) -> Floats:
        """Returns the values. Those that are far from the others of their version are moved towards
        these."""
        return smooth_launches(self)

    @property
    def moved(self) -> int:
        """Returns how many values `near` moves towards the others of their version."""
        known = ~np.isnan(self.values)
        return int((self.near != self.values)[known].sum())

    @property
    def versions(self) -> int:
        return int(self.version.max(initial=-1)) + 1

    @property
    def by_versions(self) -> bool:
        """Returns whether versions are permuted, and not launches."""
        return self.versions >= FEWEST_PERMUTED

    def means(self) -> tuple[Floats, Floats]:
        """Returns the mean of each version and case, NaN where there is none, and its launches."""
        known = ~np.isnan(self.values)
        shape = (self.versions, self.values.shape[1])
        total, count = np.zeros(shape), np.zeros(shape)
        np.add.at(total, self.version, np.where(known, self.near, 0.0))
        np.add.at(count, self.version, known)
        with np.errstate(invalid="ignore"):
            return total / count, count

    def units(self) -> "Units":
        if self.by_versions:
            means, count = self.means()
            means = smooth_outliers(means)
            return Units(means, count, np.arange(self.versions), means)
        weights = (~np.isnan(self.values)).astype(float)
        return Units(self.near, weights, self.version, rank(self.values))


class Units(NamedTuple):
    """Holds the units that are permuted, versions or launches: units down, cases across.

    values: logarithms, which say how large a change is. weights: how many launches each value is
    of. version: the number of each unit's version. tested: what the tests of a change look at: of
    versions the values, of launches the place of each among all of its case.
    """

    values: Floats
    weights: Floats
    version: Ints
    tested: Floats

    def part(self, first: int, end: int) -> "Units":
        """Returns the units of the versions from first to before end."""
        inside = (self.version >= first) & (self.version < end)
        return Units(
            self.values[inside], self.weights[inside], self.version[inside], self.tested[inside]
        )

    def squares(self, cases: Flags | slice = EVERY) -> "Squares":
        """Returns the squares of what is tested, of these cases."""
        return centred(self.tested[:, cases], self.weights[:, cases])


class Squares(NamedTuple):
    """Holds the sums that the statistics of a change are made of.

    sums: the values less the mean of their case, times their weights. weights: these weights.
    total: the sum of squares of each case. degrees: the degrees of freedom of each case when two
    means are taken from it.
    """

    sums: Floats
    weights: Floats
    total: Floats
    degrees: Floats


@dataclass(frozen=True)
class Changes:
    """Holds how much each case changes at each place where some case changes.

    places: the numbers of the versions that differ from the version before them. factors: the
    changes as logarithms, places down, cases across. low, high: the ends of their 95 % intervals.
    p: their p-values, adjusted for all cases. level: the mean of each version's stretch, versions
    down, cases across.
    """

    places: list[int]
    factors: Floats
    low: Floats
    high: Floats
    p: Floats
    level: Floats


def find_changes(series: Series, threshold: float = 0.0) -> Changes:
    """Returns the changes: the places at which some case surely changes by the threshold or more,
    and how much all cases change there.

    threshold: the least logarithm, up or down, that makes a case's change one.
    """
    units = series.units()
    least = 2 if series.by_versions else 1
    ranges, places = [(0, series.versions)], set[int]()
    while ranges:
        first, end = ranges.pop()
        if series.by_versions and end - first < FEWEST_PERMUTED:
            continue
        found = find_stretch(units.part(first, end), least)
        if found is None:
            continue
        edges = [first, *(first + each for each in found if 0 < each < end - first), end]
        places.update(edges[1:-1])
        ranges += pairwise(edges)
    found_so_far = settle(units, sorted(places), threshold)
    if not series.by_versions:
        return found_so_far
    again = look_again(units.values, units.weights, found_so_far.places)
    if again == found_so_far.places:
        return found_so_far
    return settle(units, again, threshold)


def settle(units: Units, places: list[int], threshold: float) -> Changes:
    """Returns the changes at those of the places at which a case surely changes. The other places
    are dropped, the weakest first. A place is moved to the one that is the likeliest by all cases
    that change there, taken together."""
    end, seen = int(units.version.max(initial=-1)) + 1, list[list[int]]()
    while True:
        edges = [0, *places, end]
        rows = [judge_place(units, *edges[number : number + 3]) for number in range(len(places))]
        sure = [(p <= ALPHA) & (np.abs(change) >= threshold) for change, _, _, p in rows]
        strength = [float(np.nanmin(p, initial=1.0)) for _, _, _, p in rows]
        weak = [number for number, each in enumerate(sure) if not each.any()]
        if weak:
            del places[max(weak, key=lambda number: strength[number])]
            continue
        seen.append(places)
        moved = list[int]()
        for number, cases in enumerate(sure):
            first, last = moved[-1] if moved else 0, edges[number + 2]
            moved.append(likeliest(units.part(first, last), cases, places[number]))
        if moved in seen:
            break
        places = moved
    shape = (len(places), units.values.shape[1])
    change, low, high, p = (
        np.array([row[part] for row in rows]).reshape(shape) for part in range(4)
    )
    level = levels_of(units, edges)
    return Changes(places, change, low, high, p, level)


def likeliest(part: Units, cases: Flags, place: int) -> int:
    """Returns the place of a change that these cases make the likeliest together, each as normal
    with a variance of its own."""
    first, end = int(part.version[0]), int(part.version[-1]) + 1
    sums, weights, total, degrees = part.squares(cases)
    upto, weigh = cumulate(*of_versions(sums, weights, part.version - first, end - first))
    inside = weigh[1:-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = upto[1:-1] ** 2 * (weigh[-1] / total) / (inside * (weigh[-1] - inside))
    share = np.where(np.isfinite(share), share, 0.0)
    gain = surely(share, degrees).sum(axis=1)
    best = int(gain.argmax())
    return place if gain[place - first - 1] >= gain[best] else first + 1 + best


def look_again(values: Floats, weights: Floats, places: list[int]) -> list[int]:
    """Returns the places, and two instead of one where the versions between its neighbours surely
    change twice. One stretch against the others does not see a step after a step: the place that
    divides the versions best may lie between the two."""
    found, ends = list[int](), [*places, len(values)][1:]
    for place, end in zip(places, ends, strict=True):
        first = found[-1] if found else 0
        pair = find_pair(values[first:end], weights[first:end], place - first)
        found += [place] if pair is None else [first + each for each in pair]
    return found


def find_pair(values: Floats, weights: Floats, place: int) -> tuple[int, int] | None:
    """Returns two places at which versions surely change in a case, None if one does as well. That
    is asked of permutations within the sides of the one place: of a second change as Bai and Perron
    (1998) test for it."""
    random = np.random.default_rng(SEED)
    count = len(values)
    stretches = Stretches.of(count, 2)
    pairs = (stretches.first >= 2) & (stretches.end <= count - 2)
    first, end = stretches.first[pairs], stretches.end[pairs]
    sums, weight, total, _ = centred(values, weights)
    there = total > ROUNDING**2
    if not there.any() or not len(first):
        return None
    sums, weight, total = sums[:, there], weight[:, there], total[there]
    mean = np.zeros_like(sums)  # of each side
    for side in (slice(place), slice(place, count)):
        with np.errstate(invalid="ignore"):
            mean[side] = np.nan_to_num(sums[side].sum(axis=0) / weight[side].sum(axis=0))
    off = sums - mean * weight

    def largest(order: Ints) -> tuple[float, int]:
        weigh = weight[order]
        return second_gain(mean * weigh + off[order], weigh, total, first, end)

    observed, best = largest(np.arange(count))
    exceed, most = 0, int(ALPHA * (PERMUTATIONS + 1)) - 1
    for _ in range(PERMUTATIONS):
        order = np.concatenate(
            [random.permutation(place), place + random.permutation(count - place)]
        )
        exceed += largest(order)[0] >= observed - ROUNDING
        if exceed > most:
            return None
    return int(first[best]), int(end[best])


def second_gain(
    sums: Floats, weights: Floats, total: Floats, first: Ints, end: Ints
) -> tuple[float, int]:
    """Returns the largest share of the squares that one change leaves which two changes, at first
    and at end, take away in a case, and their number."""
    upto, weigh = cumulate(sums, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.nan_to_num(upto**2 / weigh)
        right = np.nan_to_num(upto**2 / (weigh[-1] - weigh), posinf=0.0)
        middle = np.nan_to_num((upto[end] - upto[first]) ** 2 / (weigh[end] - weigh[first]))
    one = (left + right)[1:-1].max(axis=0)
    gain = left[first] + middle + right[end] - one
    rest = total - one
    share = np.where(rest > ROUNDING**2, gain / np.maximum(rest, ROUNDING**2), 0.0)
    best = int(share.argmax())
    return float(share.flat[best]), best // share.shape[1]


def cumulate(sums: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Returns the sums up to each version, from none to all of them."""
    zero = np.zeros((1, sums.shape[1]))
    upto, weigh = (np.vstack([zero, np.cumsum(each, axis=0)]) for each in (sums, weights))
    return upto, weigh


def levels_of(units: Units, edges: list[int]) -> Floats:
    found = np.full((edges[-1], units.values.shape[1]), np.nan)
    for first, end in pairwise(edges):
        part = units.part(first, end)
        found[first:end] = weighted_mean(part.values, part.weights)
    return found


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        found: Floats = np.nansum(values * weights, axis=0) / weights.sum(axis=0)
    return found


def judge_place(
    units: Units, first: int, place: int, end: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Returns the change of each case from the versions before the place to those from it on, the
    ends of its interval, and p. NaN, and 1: a side has nothing."""
    part = units.part(first, end)
    values, weights, new = part.values, part.weights, part.version >= place
    sides = [weighted_mean(values[side], weights[side]) for side in (~new, new)]
    change = sides[1] - sides[0]
    off = values - np.where(new[:, np.newaxis], sides[1], sides[0])
    degrees = np.maximum((weights > 0).sum(axis=0) - 2.0, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.nansum(weights * off**2, axis=0) / degrees
        parts = sum(1 / weights[side].sum(axis=0) for side in (~new, new))
        reach = stdtrit(degrees, 0.975) * np.sqrt(variance * parts)
    reach = np.where(degrees > 0, reach, np.inf)
    p = place_p(part.squares(), new)
    return change, change - reach, change + reach, np.where(np.isnan(change), 1.0, p)


def place_p(squares: Squares, new: Flags) -> Floats:
    """Returns of each case the share of permutations of which the largest statistic of any case is
    as large. new: which units are behind the place."""
    sums, weight, total, degrees = squares
    random = np.random.default_rng(SEED)
    others = [random.permutation(len(new)) for _ in range(PERMUTATIONS)]
    orders = np.array([np.arange(len(new)), *others])
    flags = new[orders].astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = flags @ weight
        parts = inside * (weight.sum(axis=0) - inside)
        found = (flags @ sums) ** 2 * weight.sum(axis=0) / parts / total
    found = surely(np.where((parts > 0) & (total > ROUNDING**2), found, 0.0), degrees)
    most: Floats = found.max(axis=1, initial=0.0)
    p: Floats = (most[:, np.newaxis] >= found[0] - ROUNDING).mean(axis=0)
    return p


def centred(values: Floats, weights: Floats) -> Squares:
    off = np.where(weights > 0, values - weighted_mean(values, weights), 0.0)
    degrees = np.maximum((weights > 0).sum(axis=0) - 2.0, 0.0)
    return Squares(off * weights, weights, (off**2 * weights).sum(axis=0), degrees)


def find_stretch(units: Units, least: int) -> tuple[int, int] | None:
    """Returns the stretch of versions, first and end, that surely differs from the others in a
    case; None if there is none. least: versions of a stretch, and of what is beside it."""
    sums, weight, total, degrees = units.squares()
    there = (total > ROUNDING**2) & (degrees > 0)
    if not there.any():
        return None
    sums, weight, total, degrees = sums[:, there], weight[:, there], total[there], degrees[there]
    version = units.version - units.version[0]
    count = int(version[-1]) + 1
    stretches = Stretches.of(count, least)
    if not len(stretches.first):
        return None
    observed, place = stretches.largest(*of_versions(sums, weight, version, count), total, degrees)
    random = np.random.default_rng(SEED)
    exceed, most = 0, int(ALPHA * (PERMUTATIONS + 1)) - 1
    for _ in range(PERMUTATIONS):
        order = random.permutation(len(version))
        again, _ = stretches.largest(
            *of_versions(sums[order], weight[order], version, count), total, degrees
        )
        exceed += again >= observed - ROUNDING
        if exceed > most:  # it cannot become significant (Besag and Clifford 1991)
            return None
    return int(stretches.first[place]), int(stretches.end[place])


def of_versions(sums: Floats, weights: Floats, version: Ints, count: int) -> tuple[Floats, Floats]:
    """Returns the sums of each version: those of its launches, added up. If versions are permuted,
    the sums are those of versions already."""
    if len(version) == count:
        return sums, weights
    first = np.searchsorted(version, np.arange(count))
    return np.add.reduceat(sums, first), np.add.reduceat(weights, first)


@dataclass(frozen=True)
class Stretches:
    """Holds the stretches of versions that are tried: each goes from `first` to before `end`."""

    first: Ints
    end: Ints

    @classmethod
    def of(cls, count: int, least: int) -> "Stretches":
        """Returns the stretches of so many versions that are tried. A stretch lies in the middle,
        or goes to the end. None begins at the first version: its complement, which differs as much,
        is tried. least: the fewest versions of a stretch, and of what is on one side of it."""
        lengths, length = [], least
        while length <= count - least:
            lengths.append(length)
            length = length + 1 if count <= ALL_LENGTHS else max(length + 1, int(length * 1.2))
        pairs = [
            (first, first + each)
            for each in lengths
            for first in range(1, count - each + 1)
            if first >= least or count - first - each >= least
        ]
        # Each place may be a change alone, whatever lengths are tried.
        pairs += [(first, count) for first in range(least, count - least + 1)]
        unique = np.array(sorted(set(pairs)), int).reshape(-1, 2)
        return cls(unique[:, 0], unique[:, 1])

    def largest(
        self, sums: Floats, weights: Floats, total: Floats, degrees: Floats
    ) -> tuple[float, int]:
        """Returns how surely the stretch differs that does so most in some case, and its number."""
        upto, weigh = cumulate(sums, weights)
        inside = weigh[self.end] - weigh[self.first]
        apart = inside * (weigh[-1] - inside)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (upto[self.end] - upto[self.first]) ** 2 * (weigh[-1] / total) / apart
        share[apart <= 0] = 0.0
        sure = surely(share.max(axis=0), degrees)
        case = int(sure.argmax())
        return float(sure[case]), int(share[:, case].argmax())


def rank(values: Floats) -> Floats:
    """Returns the place of each launch among all of its case: a launch that something disturbed is
    one place behind the others, however long it took (Wilcoxon)."""
    found: Floats = pd.DataFrame(values).rank().to_numpy()
    return found


def smooth_launches(series: Series) -> Floats:
    """Returns the values, those that are far from the median of their version moved towards it, as
    smooth_outliers does with versions. Of less than FEWEST_LAUNCHES nobody knows which is far."""
    values = series.values
    middle = np.full(values.shape, np.nan)
    for version in range(series.versions):
        own = series.version == version
        some = (~np.isnan(values[own])).sum(axis=0) >= FEWEST_LAUNCHES
        middle[np.ix_(own, some)] = np.nanmedian(values[own][:, some], axis=0)
    off = values - middle
    # Of an odd number of launches one is the median itself.
    apart = np.where(off == 0, np.nan, np.abs(off))
    known = (~np.isnan(apart)).any(axis=0)
    spread = np.full(values.shape[1], np.inf)
    spread[known] = MAD * np.nanmedian(apart[:, known], axis=0)
    far = np.abs(off) > FAR * spread
    limit = middle + np.copysign(NEAR * spread, off)
    return np.where(far, limit, values)


def spread_of(means: Floats) -> Floats:
    """Returns the standard deviation of each case's versions by the differences of neighbours,
    which a few changes and outliers do not enlarge."""
    found = np.full(means.shape[1], np.nan)
    for case, column in enumerate(means.T):
        differences = np.abs(np.diff(column[~np.isnan(column)]))
        if len(differences):
            found[case] = MAD * np.median(differences) / np.sqrt(2)
    return found


def smooth_outliers(means: Floats) -> Floats:
    """Returns the means, those of single versions that are far from all beside them moved towards
    these, as DNAcopy does before it segments: a single bad night makes no change, and hides none.
    """
    found, spread = means.copy(), spread_of(means)
    for place in range(len(means)):
        around = [
            each
            for each in range(max(0, place - BESIDE), min(len(means), place + BESIDE + 1))
            if each != place
        ]
        beside = means[around]
        known = (~np.isnan(beside)).any(axis=0) & ~np.isnan(means[place])
        lowest = np.where(np.isnan(beside), np.inf, beside).min(axis=0, initial=np.inf)
        highest = np.where(np.isnan(beside), -np.inf, beside).max(axis=0, initial=-np.inf)
        above = known & (means[place] > highest + FAR * spread)
        below = known & (means[place] < lowest - FAR * spread)
        for far, sign in ((above, 1), (below, -1)):
            for case in np.flatnonzero(far):
                middle = np.nanmedian(means[[*around, place], case])
                found[place, case] = middle + sign * NEAR * spread[case]
    return found


def find_single(series: Series, level: Floats) -> Flags:
    """Returns which versions differ alone from their stretch, versions down, cases across. The test
    is for all versions and cases together (Bonferroni). If there are too few versions to permute
    them, none is known to differ."""
    means, count = series.means()
    if not series.by_versions:
        return np.zeros(means.shape, bool)
    return np.abs(apart_from(means, count, level)) > limit(series, means.size)


def apart_from(means: Floats, count: Floats, level: Floats) -> Floats:
    """Returns how many standard deviations each version is away from its stretch; 0: unknown."""
    with np.errstate(invalid="ignore", divide="ignore"):
        off = (means - level) * np.sqrt(count)
        spread = MAD * np.nanmedian(np.abs(off), axis=0) if len(off) else np.zeros(off.shape[1])
        found: Floats = np.where(spread > ROUNDING, off / spread, 0.0)
    return np.nan_to_num(found)


def limit(series: Series, tests: int) -> float:
    return float(stdtrit(max(series.versions - 2, 1), 1 - ALPHA / 2 / max(tests, 1)))


def judge_newest(series: Series, start: int) -> tuple[Floats, Flags, int]:
    """Returns by how much the newest versions differ from those before them, from start on, case by
    case; where that is sure; and the place of the first newest version.

    The newest versions are the last 1 to YOUNG, as many as differ most surely. They are judged by
    how far versions differ from each other, if there are FEWEST_VERSIONS before them. Else the last
    version alone is judged, by how far launches differ (max-T over their labels).
    """
    newest = series.versions - 1
    ages = range(1, YOUNG + 1) if newest - YOUNG + 1 - start >= FEWEST_VERSIONS else range(1, 2)
    found = [judge_from(series, start, series.versions - age) for age in ages]
    smallest = [float(p.min(initial=1.0)) * len(ages) for _, p in found]
    best = int(np.argmin(smallest))
    change, p = found[best]
    return change, p * len(ages) <= ALPHA, newest - best


def judge_from(series: Series, start: int, place: int) -> tuple[Floats, Floats]:
    """Returns the change of each case from the versions from start on to those from the place on,
    and p adjusted for all cases."""
    inside = series.version >= start
    values, new = series.values[inside], series.version[inside] >= place
    if new.all():
        return np.full(values.shape[1], np.nan), np.ones(values.shape[1])
    means, count = series.means()
    # A version before the place that is as far off must not hide the change.
    before, weight = smooth_outliers(means[:place])[start:], count[start:place]
    middle, launches = weighted_mean(before, weight), count[place:].sum(axis=0)
    change = weighted_mean(means[place:], count[place:]) - middle
    if place - start < FEWEST_VERSIONS:
        slower, faster = adjusted_p(rank(values), new)
        return change, np.minimum(slower, faster)
    versions = (weight > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.nansum(weight * (before - middle) ** 2, axis=0) / (versions - 1)
        scale = np.sqrt(variance * (1 / launches + 1 / weight.sum(axis=0)))
        p = 2 * stdtr(versions - 1.0, -np.abs(change) / scale)
    return change, np.minimum(np.nan_to_num(p, nan=1.0) * values.shape[1], 1.0)
