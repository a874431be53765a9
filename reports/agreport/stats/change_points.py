# SPDX-License-Identifier: BSD-3-Clause
"""When series of many cases change level, tested over all cases and places together.

Circular binary segmentation (Olshen et al. 2004): a stretch of a series against all else of it, so
that a change that is taken back is found as well as one that stays. What is tested is the largest
such statistic of all cases, over permutations of whole versions (max-T, Westfall and Young 1993):
cases of one version, which ran on the same nights, stay together, so it does not matter how they
are correlated. What was found is taken out of the series, and the rest is tested again, until
nothing is found.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from agreport.stats.arrays import ROUNDING, Flags, Floats, Ints
from agreport.stats.bootstrap import SEED

ALPHA = 0.01  # of histories without any change, this share may have a finding
PERMUTATIONS = 999
SHORTEST = 2  # versions of a level: one alone is an odd one
ODD = 5.0  # deviations, from the median of itself and its neighbours, from which a version is odd
TO_DEVIATION = 1.4826  # times the median of absolute values, of a normal distribution


@dataclass(frozen=True)
class Change:
    """A case is at another level from version `at` on; case and version by their numbers. p is
    adjusted for all cases and places."""

    case: int
    at: int
    p: float


@dataclass(frozen=True)
class Segmentation:
    """changes: by case and version; odd: versions down, cases across, those left out of levels."""

    changes: list[Change]
    odd: Flags

    def bounds(self, case: int, versions: int) -> list[int]:
        """The versions at which the case's levels begin, and the number of versions."""
        return [0, *(one.at for one in self.changes if one.case == case), versions]


def find_changes(values: Floats) -> Segmentation:
    """values: logarithms of times, versions down in their order, cases across; NaN where a version
    lacks the case."""
    odd = find_odd(values)
    values = np.where(odd, np.nan, values)
    versions, cases = values.shape
    found: dict[tuple[int, int], float] = {}
    while versions >= 2 * SHORTEST:
        bounds = [[0, *sorted(at for one, at in found if one == case), versions]
                  for case in range(cases)]  # fmt: skip
        rest = without_levels(values, bounds)
        # What is missing is at its level: it tells nothing, and versions can change places.
        rest = np.nan_to_num(rest / deviations(rest, bounds))
        highest = highest_of_permuted(rest)
        new = {}
        for case in range(cases):
            for first, last in pairwise(bounds[case]):
                low, high, size = largest_arc(rest[first:last, case : case + 1])
                p = (1 + int((highest >= size - ROUNDING).sum())) / (1 + len(highest))
                if p <= ALPHA:
                    ends = {first + low, first + high} - {first, last}
                    new.update({(case, at): p for at in ends if (case, at) not in found})
        if not new:
            break
        found.update(new)
    found = {key: found[key] for key in sorted(found)}
    return Segmentation([Change(case, at, p) for (case, at), p in found.items()], odd)


def find_odd(values: Floats) -> Flags:
    """Finds single versions that are far off both neighbours, as a bad night is (Hampel)."""
    odd = np.zeros(values.shape, bool)
    if len(values) < 2 * SHORTEST + 1:
        return odd
    three = np.stack([values[:-2], values[1:-1], values[2:]])
    off = np.abs(values[1:-1] - np.median(three, axis=0))
    steps = np.abs(np.diff(values, axis=0))
    steps[:, np.isnan(steps).all(axis=0)] = 0.0  # of cases whose versions are never neighbours
    with np.errstate(invalid="ignore"):
        usual = TO_DEVIATION * np.nanmedian(steps, axis=0) / np.sqrt(2)
        odd[1:-1] = off > ODD * np.maximum(usual, ROUNDING)
    return odd


def without_levels(values: Floats, bounds: list[list[int]]) -> Floats:
    """Takes each level's mean off it."""
    rest = values.copy()
    for case, ends in enumerate(bounds):
        for first, last in pairwise(ends):
            part = rest[first:last, case]
            if not np.isnan(part).all():
                part -= np.nanmean(part)
    return rest


def deviations(rest: Floats, bounds: list[list[int]]) -> Floats:
    """The standard deviation of each case around its levels; 1 where it does not vary."""
    known = (~np.isnan(rest)).sum(axis=0)
    degrees = np.maximum(known - [len(ends) - 1 for ends in bounds], 1)
    found = np.sqrt(np.nansum(rest**2, axis=0) / degrees)
    return np.where(found > ROUNDING, found, 1.0)


def arcs(versions: int) -> tuple[Ints, Ints]:
    """Where the stretches that are tested begin and end: of lengths that grow by a third, and all
    that end with the series."""
    lengths = [SHORTEST]
    while lengths[-1] < versions - SHORTEST:
        lengths.append(max(lengths[-1] + 1, lengths[-1] * 4 // 3))
    begins = [np.arange(versions - length + 1) for length in lengths]
    ends = [begin + length for begin, length in zip(begins, lengths, strict=True)]
    tail = np.arange(SHORTEST, versions - SHORTEST + 1)
    low = np.concatenate([*begins, tail])
    high = np.concatenate([*ends, np.full(len(tail), versions)])
    return legal(low, high, versions)


def all_arcs(versions: int) -> tuple[Ints, Ints]:
    low, high = np.triu_indices(versions + 1, SHORTEST)
    return legal(low, high, versions)


def legal(low: Ints, high: Ints, versions: int) -> tuple[Ints, Ints]:
    """Those that leave no level shorter than SHORTEST."""
    before, behind = low, versions - high
    kept = ((before == 0) | (before >= SHORTEST)) & ((behind == 0) | (behind >= SHORTEST))
    kept &= (before + behind >= SHORTEST) & (high - low >= SHORTEST)
    return low[kept], high[kept]


def sizes(values: Floats, low: Ints, high: Ints) -> Floats:
    """How far the mean of each stretch is from that of the rest of its series, in standard errors:
    stretches down, cases across. values: of mean 0 and deviation 1, so what is outside of a stretch
    has the sum of what is inside, with the other sign."""
    upto = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=upto[1:])
    inside: Floats = upto[high]
    inside -= upto[low]
    np.abs(inside, out=inside)
    inside *= np.sqrt(1 / (high - low) + 1 / (len(values) - high + low))[:, np.newaxis]
    return inside


def largest_arc(values: Floats) -> tuple[int, int, float]:
    """Returns where the stretch of one series begins and ends that is the farthest off, and the
    size of the largest one of those that are tested; 0 if the series is too short."""
    low, high = all_arcs(len(values))
    if not len(low):
        return 0, len(values), 0.0
    best = int(sizes(values, low, high).argmax())
    return int(low[best]), int(high[best]), float(sizes(values, *arcs(len(values))).max())


def highest_of_permuted(values: Floats) -> Floats:
    """The largest size of any stretch and case, of each permutation of the versions."""
    random = np.random.default_rng(SEED)
    low, high = arcs(len(values))
    orders = (random.permutation(len(values)) for _ in range(PERMUTATIONS))
    return np.array([sizes(values[order], low, high).max() for order in orders])
