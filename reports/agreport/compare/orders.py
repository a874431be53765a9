# SPDX-License-Identifier: BSD-3-Clause
"""Which of the two launches of an alternated pair ran first, as a factor of the comparison.

Being first costs time (a cold cache of files) or saves it (a processor that is not yet hot). If
base always is first, that is in every ratio, and no test of these pairs can tell it from a change.
If the sides take turns at it, its effect is known and taken out of each pair (stats/crossover.py).
"""

from datetime import datetime

import numpy as np

from agreport.data.load import Launch
from agreport.stats.arrays import Flags
from agreport.stats.trimmed_mean import FEWEST_TO_TRIM

from .sides import ALTERNATED, Pairing, Sides

TURN, FIRST = "note.turn", "A"
FORM = "%Y-%m-%dT%H:%M:%S%z"
SMALLEST_SHARE = 0.25  # of the pairs, that the rarer order must have


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
