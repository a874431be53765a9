# SPDX-License-Identifier: BSD-3-Clause
"""The worlds by name."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agreport.compare.sides import ALTERNATED, KEYS, Sides
from agreport.stats.arrays import Floats
from agreport.stats.units import Units
from worlds import whole
from worlds.launches import autoregress, drift, in_turn, launches, launches_in_modes, tails
from worlds.noise import Random, cauchy, exponential, laplace, normal, pareto, student, two_modes
from worlds.pairs import (
    noisier_pairs,
    pairs,
    pairs_in_a_wave,
    pairs_in_modes,
    pairs_in_orders,
    pairs_of_bad_cases,
    pairs_of_bad_launches,
    pairs_of_cauchy,
    pairs_of_half_launches,
    pairs_of_noisy_cases,
    pairs_of_uneven_cases,
    pairs_with_gaps,
)

# A world is made from the log slowdown of each case of the new side.
World = Callable[[Random, Floats], Units]
WorldOfCalls = Callable[[Random, Floats], Sides]

WORLDS: dict[str, World] = {
    "pairs, normal": pairs,
    "pairs, normal, 90 % shared": partial(pairs, shared=0.9),
    "8 pairs, normal": partial(pairs, count=8),
    "20 pairs, normal": partial(pairs, count=20),
    "5 pairs, normal": partial(pairs, count=5),
    "pairs, a tenth bad in some cases": pairs_of_bad_cases,
    "20 pairs, a tenth bad in some cases": partial(pairs_of_bad_cases, count=20),
    "pairs, a tenth bad in all cases": pairs_of_bad_launches,
    "pairs, Cauchy": pairs_of_cauchy,
    "20 pairs, Cauchy": partial(pairs_of_cauchy, count=20),
    "pairs, Cauchy, 90 % shared": partial(pairs, make=cauchy, shared=0.9, spread=0.02),
    "pairs, Pareto 1.5": partial(pairs, make=pareto),
    "pairs, skewed": partial(pairs, make=exponential),
    "pairs, skewed, 90 % shared": partial(pairs, make=exponential, shared=0.9),
    "pairs, two modes in one case of five": partial(pairs, make=two_modes),
    "pairs, launches in two modes": pairs_in_modes,
    "2 pairs, launches in two modes": partial(pairs_in_modes, count=2),
    "3 pairs, launches in two modes": partial(pairs_in_modes, count=3),
    "in turn, machine drifts by 10 %": partial(in_turn, wander=partial(drift, by=0.1)),
    "in turn, machine drifts by 30 %": partial(in_turn, wander=partial(drift, by=0.3)),
    "in turn, AR(1) 0.9": partial(in_turn, wander=autoregress),
    "launches in turn, machine drifts by 30 %": partial(
        in_turn, wander=partial(drift, by=0.3), paired=False
    ),
    "launches in turn, AR(1) 0.9": partial(in_turn, wander=autoregress, paired=False),
    "pairs, spreads of cases differ": pairs_of_uneven_cases,
    "pairs, a third of the cases missing": pairs_with_gaps,
    "pairs, new noisier (0.02, 0.2)": partial(noisier_pairs, make=normal, spread=0.2),
    "pairs, new noisier, skewed (0.02, 0.1)": partial(noisier_pairs, make=exponential, spread=0.1),
    "launches, normal": launches,
    "launches, normal, 90 % shared": partial(launches, shared=0.9),
    "launches, two modes": launches_in_modes,
    "5 launches against 20": partial(launches, base=5, new=20),
    "3 launches against 20": partial(launches, base=3, new=20),
    "2 launches against 2, two modes": partial(launches_in_modes, count=2),
    "3 launches against 3, two modes": partial(launches_in_modes, count=3),
    "5 launches against 5, two modes": partial(launches_in_modes, count=5),
    "20 launches against 5, 0.02 and 0.2": partial(launches, base=20, new=5, spread=(0.02, 0.2)),
    "the same, 90 % shared": partial(launches, base=20, new=5, spread=(0.02, 0.2), shared=0.9),
    "20 launches against 5, 0.05 and 0.1": partial(launches, base=20, new=5, spread=(0.05, 0.1)),
    "10 launches against 10, 0.02 and 0.2, 90 % shared": partial(
        launches, spread=(0.02, 0.2), shared=0.9
    ),
    "pairs, t with 2 degrees of freedom": partial(pairs, make=student),
    "pairs, Laplace, 70 % shared": partial(pairs, make=laplace, shared=0.7),
    "12 pairs, t with 2 degrees of freedom, 50 % shared": partial(
        pairs, make=student, count=12, shared=0.5
    ),
    "pairs, most cases 12 times noisier": pairs_of_noisy_cases,
    "pairs, half of a launch 1.5 times slow": pairs_of_half_launches,
    "pairs in the order a b b a, the first faster": pairs_in_orders,
    **{
        f"pairs in a wave of {period} launches, {order}": partial(
            pairs_in_a_wave, drawn=order == "drawn", period=period
        )
        for period in (3.7, 4)
        for order in ("a b b a", "drawn")
    },
    "pairs, P90 and P99, 0.2 % stall": partial(tails, stalls=0.002),
    "pairs, P90 and P99, 1 % stall": partial(tails, stalls=0.01),
    "pairs, P90 and P99, 5 % stall": partial(tails, stalls=0.05),
    "launches, P90 and P99, 1 % stall": partial(tails, stalls=0.01, paired=False),
}

OF_CALLS: dict[str, Callable[..., Sides]] = {
    "two speeds": partial(whole.timed, disturb=whole.two_speeds),
    "a drift of 15 %": partial(whole.timed, disturb=whole.drifting),
    "a wave of 6 %": partial(whole.timed, disturb=whole.hourly),
    "a slow node": partial(whole.timed, disturb=whole.slow_node),
    "AR(1) 0.8": partial(whole.timed, disturb=whole.autoregressive),
    "heavy tails": partial(whole.timed, disturb=whole.heavy_tailed, make=pareto, of_call=0.05),
    "15 % of the cases missing": partial(whole.timed, missing=0.15),
    "ticks of 1 us": partial(whole.timed, tick=1.0, of_call=0.12),
}
COUNTS: dict[str, dict[str, Any]] = {
    **{f"{count} pairs": {"key": KEYS[ALTERNATED], "base": count, "new": count}
       for count in (5, 10, 20)},
    **{f"{base} launches against {new}": {"base": base, "new": new}
       for base, new in ((5, 5), (10, 10), (20, 20), (5, 20), (12, 7))},
}  # fmt: skip
WORLDS_OF_CALLS: dict[str, WorldOfCalls] = {
    f"{name}, {counted}": partial(make, **count)
    for name, make in OF_CALLS.items()
    for counted, count in COUNTS.items()
}
FAR_CALLS: dict[str, WorldOfCalls] = {
    f"{100 * share:g} % of {calls} calls take {longer:g} times as long": partial(
        whole.timed, key=KEYS[ALTERNATED], calls=calls, far=(share, longer)
    )
    for share, calls, longer in (
        (0.01, 200, 20), (0.03, 200, 6), (0.2, 25, 5), (0.12, 200, 2), (0.05, 200, 2.5),
    )
}  # fmt: skip
