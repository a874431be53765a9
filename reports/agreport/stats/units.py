# SPDX-License-Identifier: BSD-3-Clause
"""The units of a comparison: what its sample consists of."""

from dataclasses import dataclass

import numpy as np

from agreport.stats.arrays import Flags, Floats, Ints


@dataclass(frozen=True)
class Units:
    """Pairs of launches, or single launches, with the logarithms that the tests are of.

    values: units down, cases across: logarithms of the ratios of pairs, or of the times of
    launches; NaN where a unit lacks the case. new: which of the single launches are on the new
    side; None for pairs. levels: for pairs, the means of the two logarithms of times. of_order: for
    alternated pairs, by how much base's being first had made the log ratio of each case larger,
    before that was taken out; 0 for cases of which it was not taken out. unsure: for each value,
    the variance that the clock's ticks leave it.
    """

    values: Floats
    new: Flags | None = None
    levels: Floats | None = None
    of_order: Floats | None = None
    unsure: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)


def count_fewest(units: Units) -> Ints:
    """Counts the pairs of each case, or the launches on the side with fewer."""
    known = ~np.isnan(units.values)
    sides = [known] if units.new is None else [known[units.new], known[~units.new]]
    return np.asarray(np.minimum.reduce([side.sum(axis=0) for side in sides]), np.int64)
