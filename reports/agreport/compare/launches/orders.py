# SPDX-License-Identifier: BSD-3-Clause
"""Finds which of the two launches of an alternated pair ran first, as a factor of the comparison.

Being first costs time (a cold cache of files) or saves it (a processor that is not yet hot). If
base always is first, that is in every ratio, and no test of these pairs can tell it from a change.
If the sides take turns at it, half of the difference between the two orders is its effect, and is
taken out of each pair (a two-period crossover design; Grizzle 1965).
"""

from datetime import datetime

import numpy as np

from agreport.data.load import Launch
from agreport.stats.inference import Flags, Floats
from agreport.stats.robust import FEWEST_TO_TRIM, count_cut, locate_trimmed, winsorise

from .sides import ALTERNATED, Pairing, Sides

TURN, FIRST = "note.turn", "A"
FORM = "%Y-%m-%dT%H:%M:%S%z"
SMALLEST_SHARE = 0.25  # of the pairs, that the rarer order must have
FEWEST_OF_CASE = 2  # pairs of each order; of fewer the effect is not known


def begin_of(launch: Launch) -> datetime | None:
    try:
        return datetime.strptime(launch.metadata.get("start", ""), FORM)
    except ValueError:
        return None


def is_base_first(base: Launch, new: Launch) -> bool | None:
    """Returns whether base was first: by note.turn, else by when they began; None: not known."""
    turns = [launch.metadata.get(TURN) for launch in (base, new)]
    if turns[0] != turns[1] and None not in turns and FIRST in turns:
        return turns[0] == FIRST
    begun = begin_of(base), begin_of(new)
    if begun[0] is None or begun[1] is None or begun[0] == begun[1]:
        return None
    return begun[0] < begun[1]


def find_orders(sides: Sides, pairing: Pairing) -> list[bool | None]:
    """Returns for each alternated pair if base was first; empty for other units."""
    if pairing.kind != ALTERNATED:
        return []
    return [is_base_first(*(sides.launches[number] for number in pair)) for pair in pairing.pairs]


def find_one_order(sides: Sides, pairing: Pairing) -> str:
    """Returns what is wrong if one side was the first nearly always; empty: nothing is known."""
    known = [order for order in find_orders(sides, pairing) if order is not None]
    base = sum(known)
    if len(known) < 2 or min(base, len(known) - base) >= SMALLEST_SHARE * len(known):
        return ""
    side, count = ("base", base) if 2 * base > len(known) else ("new", len(known) - base)
    return (
        f"{side} was the first of the two in {count} of {len(known)} pairs, so what being first "
        "costs or saves is in the comparison: let the sides take turns at it (agsweep with "
        'pairing = "alternate" does; --note turn=A says who is first)'
    )


def base_first(sides: Sides, pairing: Pairing) -> Flags | None:
    """The factor: of each pair whether base was first. None where it cannot be used: other units,
    pairs of which it is not known, too few of them, or of one order."""
    orders = find_orders(sides, pairing)
    if len(orders) < FEWEST_TO_TRIM or None in orders or find_one_order(sides, pairing):
        return None
    return np.array(orders, bool)


def estimate_effects(values: Floats, first: Flags) -> Floats:
    """Returns for each case by how much a pair's log ratio is larger for base being first; 0 if
    unknown.

    values: log ratios, pairs down, cases across; NaN where a pair lacks the case.
    """
    found = np.zeros(values.shape[1])
    known = ~np.isnan(values)
    enough = np.minimum(known[first].sum(axis=0), known[~first].sum(axis=0)) >= FEWEST_OF_CASE
    # Medians of a few values jump by chance, most of all those of ticks, and then the pairs agree
    # too well without the effect. One bad launch in five would be an effect of its own, so the ends
    # are cut off.
    kept = winsorise(values[:, enough].T).T
    one, other = (np.nanmean(kept[side], axis=0) for side in (first, ~first))
    found[enough] = (one - other) / 2
    return found


def take_out(values: Floats, first: Flags, effects: Floats) -> Floats:
    """The log ratios without the effect of the order, of the same shape.

    What is left varies less than the noise, because it has been fitted: of the n pairs that a
    trimmed mean keeps n - 2 are free instead of n - 1, and orders that are not balanced tell less
    of the change. So it is stretched about the change by as much, as least squares would have it.
    """
    sign = np.where(first, 1.0, -1.0)[:, np.newaxis]
    rest = values - sign * effects
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    left = count - 2 * count_cut(count)
    fitted = (effects != 0) & (left > 2)
    balance = np.where(known, sign, 0.0).sum(axis=0) / np.maximum(count, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = np.sqrt((left - 1) / (left - 2) / (1 - balance**2))
    center = locate_trimmed(rest.T).value
    stretched = center + (rest - center) * np.where(fitted, stretch, 1.0)
    return np.asarray(np.where(fitted, stretched, values))
