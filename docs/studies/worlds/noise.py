# SPDX-License-Identifier: BSD-3-Clause
"""Noise of made-up launches: normal, heavy-tailed, in modes; a launch's cases may share some."""

from collections.abc import Callable

import numpy as np

from agreport.stats.arrays import Floats

Random = np.random.Generator
Noise = Callable[[Random, tuple[int, ...]], Floats]
BAD_SHARE = 0.05  # of a side's launches, so a tenth of the pairs have one


def normal(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_normal(shape)


def cauchy(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_cauchy(shape)


def student(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.standard_t(2, shape)


def laplace(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.laplace(size=shape)


def exponential(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.exponential(size=shape) - 1


def pareto(random: Random, shape: tuple[int, ...]) -> Floats:
    return random.pareto(1.5, shape)


def bad_cases(random: Random, shape: tuple[int, ...]) -> Floats:
    """Normal, but that a case in a launch is sometimes slower by 5 to 40 standard deviations."""
    bad = random.random(shape) < BAD_SHARE
    return random.standard_normal(shape) + bad * random.uniform(5, 40, shape)


def two_modes(random: Random, shape: tuple[int, ...]) -> Floats:
    """In one case of five, 15 % of a side's launches are slower by 8 standard deviations."""
    slow = (random.random(shape) < 0.15) & (random.random(shape[-1]) < 0.2)
    return random.standard_normal(shape) + 8 * slow


def noise_of(
    random: Random, make: Noise, spread: float, shared: float, shape: tuple[int, int]
) -> Floats:
    """Launches down, cases across; shared: the part of the variance that a launch's cases share."""
    launch = make(random, (shape[0], 1)) if shared else 0.0
    both: Floats = np.sqrt(shared) * launch + np.sqrt(1 - shared) * make(random, shape)
    return spread * both
