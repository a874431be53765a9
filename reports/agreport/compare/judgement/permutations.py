# SPDX-License-Identifier: BSD-3-Clause
"""The permutations of the labels "base" and "new": stalls and spreads are tested against them.

If nothing changed, the labels are exchangeable: within each pair, or among all launches where there
are no pairs. Then every permutation is as likely as the observed one, whatever the distribution of
the noise, and however the cases of a launch are correlated.
"""

from itertools import combinations, product
from math import comb

import numpy as np

from agreport.stats.inference import SEED, Flags, Floats, Ints

from .units import Units

MAX_PERMUTATIONS = 2048  # of more a random sample is taken


def permute_labels(units: Units) -> Floats:
    """All permutations, or a random sample that does not depend on which side is called new.

    A permutation a row, a unit a column; the first row is what was observed. -1 exchanges the
    labels of a pair; of launches 1 labels a new one, and -1 a base one.
    """
    signs = flip_signs(len(units)) if units.new is None else relabel(units.new)
    return signs.astype(np.float64)


def flip_signs(pairs: int) -> Ints:
    if 2**pairs <= MAX_PERMUTATIONS:
        return np.array(list(product((1, -1), repeat=pairs)))
    random = np.random.default_rng(SEED)
    signs = 1 - 2 * random.integers(2, size=(MAX_PERMUTATIONS // 2, pairs), dtype=np.int8)
    signs[0] = 1
    return np.concatenate([signs, -signs])


def relabel(new: Flags) -> Ints:
    launches, fewer = len(new), int(min(new.sum(), (~new).sum()))
    balanced = 2 * fewer == launches
    sampled = comb(launches, fewer) > MAX_PERMUTATIONS
    if sampled:
        random = np.random.default_rng(SEED)
        chosen = random.random((MAX_PERMUTATIONS // 2, launches)).argsort(axis=1)[:, :fewer]
    else:
        chosen = np.array(list(combinations(range(launches), fewer)))
    sign = 1 if new.sum() == fewer else -1  # of the side with fewer launches
    signs = np.full((len(chosen), launches), -sign)
    np.put_along_axis(signs, chosen, sign, axis=1)
    if balanced and sampled:
        signs = np.concatenate([signs, -signs])
    observed = np.where(new, 1, -1)
    first = np.array([observed, -observed] if balanced else [observed])
    others = ~(signs[:, np.newaxis] == first).all(axis=2).any(axis=1)
    return np.concatenate([first, signs[others]])
