# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of pairs: each launch of the new side has one of the base side to be held against."""

import numpy as np

from agreport.stats.arrays import Flags, Floats
from agreport.stats.crossover import estimate_effects, take_out
from agreport.stats.units import Units
from worlds.noise import BAD_SHARE, Noise, Random, bad_cases, noise_of, normal


def pairs(
    random: Random,
    slower: Floats,
    *,
    make: Noise = normal,
    count: int = 10,
    spread: float = 0.025,
    shared: float = 0.0,
) -> Units:
    """spread: of the log ratio of a pair, in which there is the noise of two launches."""
    shape = (count, len(slower))
    base, new = (noise_of(random, make, spread / np.sqrt(2), shared, shape) for _ in range(2))
    return Units(new - base + slower, levels=(new + base + slower) / 2)


def pairs_of_bad_cases(random: Random, slower: Floats, count: int = 10) -> Units:
    return pairs(random, slower, make=bad_cases, count=count, spread=0.025)


def pairs_of_bad_launches(random: Random, slower: Floats) -> Units:
    """A launch is sometimes 1.3 to 4 times as slow as a whole."""
    found = pairs(random, slower).values
    shape = (2, len(found), 1)
    bad = (random.random(shape) < BAD_SHARE) * np.log(random.uniform(1.3, 4, shape))
    return Units(found + bad[0] - bad[1])


def pairs_of_cauchy(random: Random, slower: Floats, count: int = 10) -> Units:
    """The log ratio itself has a Cauchy distribution of the scale 0.025."""
    return Units(0.025 * random.standard_cauchy((count, len(slower))) + slower)


def pairs_of_uneven_cases(random: Random, slower: Floats) -> Units:
    """The spreads of the cases differ, by factors of e."""
    spread = 0.02 * np.exp(random.standard_normal(len(slower)))
    return Units(spread * random.standard_normal((10, len(slower))) + slower)


def pairs_with_gaps(random: Random, slower: Floats) -> Units:
    """A third of the cases is missing here and there."""
    found = pairs(random, slower).values
    return Units(np.where(random.random(found.shape) < 1 / 3, np.nan, found))


def pairs_in_modes(random: Random, slower: Floats, count: int = 10) -> Units:
    """A fifth of the launches is 1.5 times as slow as a whole."""
    found = pairs(random, slower, count=count).values
    slow = np.log(1.5) * (random.random((2, len(found), 1)) < 0.2)
    return Units(found + slow[0] - slow[1])


def pairs_of_noisy_cases(random: Random, slower: Floats) -> Units:
    """Makes the noise of three cases of five, which come last, twelve times that of the others."""
    spread = np.where(np.arange(len(slower)) < 0.4 * len(slower), 0.025, 0.3)
    return Units(spread * random.standard_normal((10, len(slower))) + slower)


def pairs_of_half_launches(random: Random, slower: Floats) -> Units:
    """In 15 % of the launches one half of the cases, those behind each other, is 1.5 times slow."""
    found = pairs(random, slower).values
    half = len(slower) // 2
    for sign in (1, -1):
        for row in np.flatnonzero(random.random(len(found)) < 0.15):
            first = random.integers(len(slower) - half + 1)
            found[row, first : first + half] += sign * np.log(1.5)
    return Units(found)


def without_order(values: Floats, first: Flags) -> Units:
    effects = estimate_effects(values, first)
    return Units(take_out(values, first, effects), of_order=effects)


def pairs_in_orders(random: Random, slower: Floats, by: float = 0.06) -> Units:
    """In the order a b b a; the launch that is first of a pair is faster, in each case by as much
    or up to twice as much."""
    first = np.arange(10) % 2 == 0
    effect = np.log1p(by) * random.uniform(1, 2, len(slower))
    values = pairs(random, slower).values + np.where(first, 1, -1)[:, np.newaxis] * effect
    return without_order(values, first)


def pairs_in_a_wave(random: Random, slower: Floats, *, drawn: bool, period: float) -> Units:
    """Draws a machine that is slower and faster by 5 %, by turns, with a period in launches.

    The orders are a b b a, or drawn as agsweep.sweep.points.turns does: five each, in any order.
    """
    first = np.arange(10) % 2 == 0
    if drawn:
        first = random.permutation(first)
    wave = 0.05 * np.sin(2 * np.pi * (np.arange(20) / period + random.random()))
    of_new = np.where(first, 1, -1) * (wave[1::2] - wave[::2])
    values = pairs(random, slower).values + of_new[:, np.newaxis]
    return without_order(values, first)


def noisier_pairs(random: Random, slower: Floats, *, make: Noise, spread: float) -> Units:
    shape = (10, len(slower))
    base, new = 0.02 * random.standard_normal(shape), spread * make(random, shape)
    return Units(new - base + slower, levels=(new + base) / 2)
