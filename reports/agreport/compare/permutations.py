# SPDX-License-Identifier: BSD-3-Clause
"""The permutations of the labels "base" and "new" that the observed labels are tested against.

If nothing changed, the labels are exchangeable: within each pair, or among all launches where there
are no pairs. Then every permutation is as likely as the observed one, whatever the distribution of
the noise, and however the cases of a launch are correlated.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from agreport.stats.inference import SEED, Flags, Floats

MAX_PERMUTATIONS = 2048  # of more a random sample is taken

Signs = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Units:
    """The units of the test, whose labels are permuted: pairs, or single launches.

    values: units down, cases across; log ratios of pairs, or log times of launches; NaN where a
    unit lacks the case. new: which of the single launches are on the new side; None for pairs.
    """

    values: Floats
    new: Flags | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Permutations:
    """signs: a permutation a row, a unit a column; the first row is what was observed.

    -1 exchanges the labels of a pair; of launches 1 labels a new one, and -1 a base one.
    mirrored: each row also stands for its negative, whose statistics are those of the row negated.
    """

    signs: Floats
    mirrored: bool

    def __len__(self) -> int:
        return len(self.signs) * (2 if self.mirrored else 1)


def permute_labels(units: Units) -> Permutations:
    """All permutations, or a random sample that does not depend on which side is called new."""
    signs, mirrored = flip_signs(len(units)) if units.new is None else relabel(units.new)
    return Permutations(signs.astype(np.float64), mirrored)


def flip_signs(pairs: int) -> tuple[Signs, bool]:
    if 2**pairs <= MAX_PERMUTATIONS:
        bits = np.arange(2 ** (pairs - 1))[:, np.newaxis] >> np.arange(pairs)
        return (1 - 2 * (bits & 1)).astype(np.int8), True
    random = np.random.default_rng(SEED)
    signs = 1 - 2 * random.integers(2, size=(MAX_PERMUTATIONS // 2, pairs), dtype=np.int8)
    signs[0] = 1
    return signs, True


def relabel(new: Flags) -> tuple[Signs, bool]:
    launches, fewer = len(new), int(min(new.sum(), (~new).sum()))
    balanced = 2 * fewer == launches
    observed = np.where(new, 1, -1).astype(np.int8)
    if comb(launches, fewer) <= MAX_PERMUTATIONS:
        chosen = np.array(list(combinations(range(launches), fewer)))
    else:
        random = np.random.default_rng(SEED)
        chosen = random.random((MAX_PERMUTATIONS // 2, launches)).argsort(axis=1)[:, :fewer]
    sign = np.int8(1 if new.sum() == fewer else -1)  # of the side with fewer launches
    signs = np.full((len(chosen), launches), -sign, np.int8)
    np.put_along_axis(signs, chosen, sign, axis=1)
    if balanced:  # of a row and its negative keep one
        signs = np.unique(signs * signs[:, :1] * observed[0], axis=0)
    others = signs[(signs != observed).any(axis=1)]
    return np.concatenate([observed[np.newaxis], others]), balanced


def count_permutations(units: Units) -> int:
    """How many there are, whether or not all are used."""
    if units.new is None:
        return int(2 ** len(units))
    return comb(len(units), int(units.new.sum()))
