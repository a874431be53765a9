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

from agreport.inference import SEED, Flags, Floats

MOST_DEALINGS = 2048  # more are drawn from


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


def dealings(units: Units) -> Floats:
    """One a row, with a sign a unit; the first is the one that happened.

    Of pairs -1 exchanges the two; of launches 1 is new, and -1 is base. What is drawn does not
    depend on which side is called new.
    """
    if units.new is None:
        found = signs(len(units))
    else:
        found = splits(units.new)
    return found.astype(np.float64)


def signs(count: int) -> npt.NDArray[np.int8]:
    if 2**count <= MOST_DEALINGS:
        numbers = np.arange(2**count)[:, np.newaxis] >> np.arange(count)
        return (1 - 2 * (numbers & 1)).astype(np.int8)
    random = np.random.default_rng(SEED)
    half = 1 - 2 * random.integers(2, size=(MOST_DEALINGS // 2, count), dtype=np.int8)
    half[0] = 1
    return np.concatenate([half, -half])


def splits(new: Flags) -> npt.NDArray[np.int8]:
    count, fewer = len(new), int(min(new.sum(), (~new).sum()))
    happened = np.where(new, 1, -1).astype(np.int8)
    small = 1 if new.sum() == fewer else -1  # the sign of the side that has fewer launches
    if comb(count, fewer) <= MOST_DEALINGS:
        chosen = np.array(list(combinations(range(count), fewer)))
    else:
        random = np.random.default_rng(SEED)
        chosen = random.random((MOST_DEALINGS // 2, count)).argsort(axis=1)[:, :fewer]
    dealt = np.full((len(chosen), count), -small, np.int8)
    np.put_along_axis(dealt, chosen, np.int8(small), axis=1)
    if comb(count, fewer) > MOST_DEALINGS and 2 * fewer == count:
        dealt = np.concatenate([dealt, -dealt, [-happened]])
    others = dealt[(dealt != happened).any(axis=1)]
    return np.concatenate([happened[np.newaxis], others])


def count(units: Units) -> int:
    """How many there are, whether or not all are used."""
    if units.new is None:
        return int(2 ** len(units))
    return comb(len(units), int(units.new.sum()))
