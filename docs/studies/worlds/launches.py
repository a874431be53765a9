# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of launches by themselves, in turn on a machine that wanders, and of their calls."""

from collections.abc import Callable

import numpy as np

from agreport.compare.tails import MEASURES, PERCENTILES
from agreport.stats.arrays import Floats
from agreport.stats.median_interval import SortedGroups
from agreport.stats.units import Units
from worlds.noise import Noise, Random, noise_of, normal


def launches(
    random: Random,
    slower: Floats,
    *,
    base: int = 10,
    new: int = 10,
    spread: tuple[float, float] = (0.05, 0.05),
    shared: float = 0.0,
    make: Noise = normal,
) -> Units:
    sides = [
        noise_of(random, make, spread[side], shared, (count, len(slower)))
        for side, count in enumerate((base, new))
    ]
    return Units(
        np.concatenate([sides[0], sides[1] + slower]), np.repeat([False, True], [base, new])
    )


def launches_in_modes(random: Random, slower: Floats, count: int = 10) -> Units:
    found = launches(random, slower, base=count, new=count, spread=(0.02, 0.02))
    slow = np.log(1.5) * (random.random((2 * count, 1)) < 0.2)
    return Units(found.values + slow, found.new)


def in_turn(
    random: Random,
    slower: Floats,
    *,
    wander: Callable[[Random, int], Floats],
    paired: bool = True,
    count: int = 10,
) -> Units:
    """Launches of base and new by turns, base first, on a machine whose log times wander."""
    launches = wander(random, 2 * count)[:, np.newaxis]
    times = launches + 0.02 * random.standard_normal((2 * count, len(slower)))
    times[1::2] += slower
    if not paired:
        return Units(times, np.arange(2 * count) % 2 == 1)
    return Units(times[1::2] - times[::2], levels=(times[1::2] + times[::2]) / 2)


def drift(_: Random, launches: int, by: float) -> Floats:
    """Slower all the time, by so much from the first launch to the last."""
    return np.asarray(np.log(np.linspace(1, 1 + by, launches)))


def autoregress(random: Random, launches: int, keeps: float = 0.9, spread: float = 0.05) -> Floats:
    """AR(1): each launch keeps so much of how far off the one before was."""
    found = spread * random.standard_normal(launches)
    for place in range(1, launches):
        found[place] = keeps * found[place - 1] + np.sqrt(1 - keeps**2) * found[place]
    return found


def tails(
    random: Random,
    slower: Floats,
    *,
    stalls: float,
    paired: bool = True,
    count: int = 10,
    iterations: int = 200,
) -> Units:
    """P90 and P99 of iterations, of which a share stalls for some five times as long as they
    take; as rarely on both sides."""
    shape = (2, count, len(slower), iterations)
    times = np.exp(
        0.05 * random.standard_normal(shape)
        + 0.02 * random.standard_normal(shape[:2])[..., np.newaxis, np.newaxis]
    )
    times += (random.random(shape) < stalls) * random.exponential(5, shape)
    ordered = np.sort(times, axis=-1).ravel()
    groups = np.full(len(ordered) // iterations, iterations)
    measured = SortedGroups(ordered, np.cumsum(groups) - groups, groups)
    each = [np.log(measured.percentile(PERCENTILES[name])).reshape(shape[:3]) for name in MEASURES]
    base, new = np.concatenate(each, axis=2)
    new += np.tile(slower, len(MEASURES))
    if paired:
        return Units(new - base)
    return Units(np.concatenate([base, new]), np.repeat([False, True], count))
