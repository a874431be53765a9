# SPDX-License-Identifier: BSD-3-Clause
"""Draws permutations of two samples, only as far as they decide the medians.

In the order of all values, the two medians of nearly every permutation are near the middle. So of
each permutation is drawn how many values of the first sample lie before a window in the middle, and
which values in the window are of it. This is exact, as both have a known distribution: the former
is hypergeometric, or binomial if pairs are exchanged, and given it each choice of the rest is as
likely. A permutation whose medians lie elsewhere, or of which more is asked, is drawn to its end
under the condition of what was drawn before.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Protocol

import numpy as np

from agreport.stats.arrays import Flags, Floats, Ints

# Half of the window, in N / sqrt(n), of N values and n in the smaller sample. The place of a median
# has a standard deviation of half of this at most, so that the window holds 5 of them.
HALF = 2.5


@dataclass(frozen=True)
class Window:
    """The places from `first` to before `end` in the order of all values."""

    first: int
    end: int

    @classmethod
    def of(cls, one: int, other: int) -> "Window":
        count = one + other
        half = ceil(HALF * count / sqrt(min(one, other)))
        return cls(max(0, count // 2 - half), min(count, count // 2 + half + 1))


class Exchanges(Protocol):
    """Some permutations of two samples, one in each row.

    before: how many values of the first sample each permutation has before the window. inside:
    flags for the places in the window, true where the value is of the first sample.
    """

    before: Ints
    inside: Flags

    def whole(self, random: np.random.Generator, rows: Ints) -> Flags:
        """Draws the rest of these permutations, and returns flags for all places."""
        ...


class OfAll:
    """Permutations of which each makes `chosen` of `count` values the first sample; each set of so
    many values is as likely."""

    def __init__(
        self, random: np.random.Generator, rows: int, count: int, chosen: int, window: Window
    ) -> None:
        self.window, self.count, self.chosen = window, count, chosen
        width = window.end - window.first
        self.before = random.hypergeometric(chosen, count - chosen, window.first, rows)
        rest = chosen - self.before
        others = count - window.first - rest
        self.inside = subsets(random, random.hypergeometric(rest, others, width), width)

    def whole(self, random: np.random.Generator, rows: Ints) -> Flags:
        before, inside = self.before[rows], self.inside[rows]
        after = self.chosen - before - inside.sum(axis=1)
        parts = (
            subsets(random, before, self.window.first),
            inside,
            subsets(random, after, self.count - self.window.end),
        )
        return np.concatenate(parts, axis=1)


class OfPairs:
    """Permutations in which the two values of each pair are exchanged with a chance of one half.

    order: the number of the value at each place. Pair i is the values i and i + pairs, and the
    first of them is of the first sample. A pair with both values before the window has one there in
    either sample. Of pairs around the window, those whose lower value is in the first sample are
    counted. Pairs with a value in the window are drawn one by one.
    """

    def __init__(self, random: np.random.Generator, rows: int, order: Ints, window: Window) -> None:
        self.order, self.pairs = order, len(order) // 2
        place = np.argsort(order).reshape(2, self.pairs)  # of each value of a pair
        low, high = place.min(axis=0), place.max(axis=0)
        self.straight = place[0] < place[1]  # the lower value is of the first sample
        before, after = place < window.first, place >= window.end
        self.around = np.flatnonzero((low < window.first) & (high >= window.end))
        self.drawn = np.flatnonzero(~(before | after).all(axis=0))
        self.swaps = random.integers(2, size=(rows, len(self.drawn)), dtype=np.uint8).astype(bool)
        self.lower = random.binomial(len(self.around), 0.5, rows)
        stay, go = before[:, self.drawn].astype(np.int64)
        of_drawn = stay.sum() + self.swaps @ (go - stay)
        self.before = self.lower + (high < window.first).sum() + of_drawn
        column = np.zeros(self.pairs, int)
        column[self.drawn] = np.arange(len(self.drawn))
        there = order[window.first : window.end]
        self.inside = self.swaps[:, column[there % self.pairs]] ^ (there < self.pairs)

    def whole(self, random: np.random.Generator, rows: Ints) -> Flags:
        size = (len(rows), self.pairs)
        swaps = random.integers(2, size=size, dtype=np.uint8).astype(bool)
        lower = subsets(random, self.lower[rows], len(self.around))
        swaps[:, self.around] = lower ^ self.straight[self.around]
        swaps[:, self.drawn] = self.swaps[rows]
        found: Flags = swaps[:, self.order % self.pairs] ^ (self.order < self.pairs)
        return found


def subsets(random: np.random.Generator, sizes: Ints, width: int) -> Flags:
    """Returns, a row each, a set of so many of `width` places, each set as likely."""
    if not width:
        return np.zeros((len(sizes), 0), bool)
    drawn: Floats = random.random((len(sizes), width))
    last = np.sort(drawn, axis=1)[np.arange(len(sizes)), np.maximum(sizes - 1, 0)]
    return (drawn <= last[:, np.newaxis]) & (sizes > 0)[:, np.newaxis]
