# SPDX-License-Identifier: BSD-3-Clause
"""All the ways in which chance could have dealt out the launches, of which one happened.

If nothing changed, base and new are names: in each pair they could as well be exchanged, and
launches without a partner could as well be the other side's. So each such dealing is as likely as
the one that happened, whatever the noise looks like and however the cases of a launch hang
together.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from agreport.stats.inference import SEED, Flags, Floats

MOST_DEALINGS = 2048  # more are drawn from

Signs = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Units:
    """What is tested: pairs, or single launches.

    values: units down, cases across; log ratios of pairs, or logarithms of times; NaN where a unit
    has not the case. new: which of the single launches are on the new side; None for pairs.
    """

    values: Floats
    new: Flags | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Dealings:
    """One a row, with a sign a unit; the first is the one that happened.

    Of pairs -1 exchanges the two; of launches 1 is new, and -1 is base. mirrored: each row also
    stands for its opposite, in which what was slower is faster by as much.
    """

    rows: Floats
    mirrored: bool

    def __len__(self) -> int:
        return len(self.rows) * (2 if self.mirrored else 1)


def dealings(units: Units) -> Dealings:
    """All, or some drawn at random; which does not depend on the side that is called new."""
    found, mirrored = signs(len(units)) if units.new is None else splits(units.new)
    return Dealings(found.astype(np.float64), mirrored)


def signs(count: int) -> tuple[Signs, bool]:
    if 2**count <= MOST_DEALINGS:
        numbers = np.arange(2 ** (count - 1))[:, np.newaxis] >> np.arange(count)
        return (1 - 2 * (numbers & 1)).astype(np.int8), True
    random = np.random.default_rng(SEED)
    found = 1 - 2 * random.integers(2, size=(MOST_DEALINGS // 2, count), dtype=np.int8)
    found[0] = 1
    return found, True


def splits(new: Flags) -> tuple[Signs, bool]:
    units, fewer = len(new), int(min(new.sum(), (~new).sum()))
    even = 2 * fewer == units
    happened = np.where(new, 1, -1).astype(np.int8)
    if comb(units, fewer) <= MOST_DEALINGS:
        chosen = np.array(list(combinations(range(units), fewer)))
    else:
        random = np.random.default_rng(SEED)
        chosen = random.random((MOST_DEALINGS // 2, units)).argsort(axis=1)[:, :fewer]
    small = np.int8(1 if new.sum() == fewer else -1)  # the sign of the side with fewer launches
    found = np.full((len(chosen), units), -small, np.int8)
    np.put_along_axis(found, chosen, small, axis=1)
    if even:  # of a split and its opposite keep one
        found = np.unique(found * found[:, :1] * happened[0], axis=0)
    others = found[(found != happened).any(axis=1)]
    return np.concatenate([happened[np.newaxis], others]), even


def count(units: Units) -> int:
    """How many there are, whether or not all are used."""
    if units.new is None:
        return int(2 ** len(units))
    return comb(len(units), int(units.new.sum()))
