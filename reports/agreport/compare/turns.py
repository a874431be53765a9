# SPDX-License-Identifier: BSD-3-Clause
"""Finds in which order the launches of the two sides ran, and tests whether it is as good as drawn
by lot.

On a machine that drifts, launches of one side that all ran before those of the other differ though
nothing changed, and no test of these launches can tell. Nor can one where the sides took turns
without exception, and something disturbs every second launch. Labels that were dealt at random
rarely have as few runs (launches of one side behind each other) or as many.

Being the first of a pair costs time (a cold cache of files) or saves it (a processor that is not
yet hot). If base always is first, that is in every ratio, and no test of these pairs can tell it
from a change. If the sides take turns at it, its effect is known and taken out of each pair
(stats/crossover.py).
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from agreport.data.load import Launch
from agreport.reports.builds import SIDES
from agreport.stats.arrays import Flags
from agreport.stats.runs import count_runs, share_with_runs
from agreport.stats.trimmed_mean import FEWEST_TO_TRIM

from .comparability import group_compared
from .sides import ALTERNATED, DUETS, LAUNCHES, Pairing, Sides
from .verdicts import fewest_units

TURN, FIRST = "note.turn", "A"
FORM = "%Y-%m-%dT%H:%M:%S%z"
SMALLEST_SHARE = 0.25  # the share of the pairs that the rarer order must have
RARE = 0.01  # the share of random orders that have as few runs, or as many


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
    """Returns what is wrong if one side was the first nearly always; empty if nothing is known to
    be wrong."""
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
    """Returns of each pair whether base was first; this is the factor whose effect is taken out.
    Returns None where it cannot be used: if the units are no alternated pairs, if the order of a
    pair is not known, if there are too few pairs, or if nearly all of them have one order."""
    orders = find_orders(sides, pairing)
    if len(orders) < FEWEST_TO_TRIM or None in orders or find_one_order(sides, pairing):
        return None
    return np.array(orders, bool)


def find_blocks(sides: Sides, pairing: Pairing) -> str:
    """Returns what is wrong with the order of the launches, and what to do; empty if nothing is
    known to be wrong. A group that has too few launches for a verdict is not judged: of one launch
    a side, one always is before the other."""
    for new in find_labels(sides, pairing):
        if min(sum(new), len(new) - sum(new)) < fewest_units(paired=bool(pairing.pairs)):
            continue
        runs = count_runs(new)
        if runs < 2 or (runs > 2 and share_with_runs(runs, sum(new), len(new) - sum(new)) > RARE):
            continue
        first, last = (SIDES[side].replace("baseline", "base") for side in (new[0], not new[0]))
        what = (
            f"all launches of {first} began before those of {last}"
            if runs == 2
            else f"the sides took turns only {runs - 1} times in {len(new)} launches"
        )
        return (
            f"{what}, so what changed on the machine meanwhile is in the comparison: alternate the "
            'launches (agsweep with pairing = "alternate" or "duet" does)'
        )
    return ""


def find_strict_turns(sides: Sides, pairing: Pairing) -> str:
    """Returns what is wrong if the sides of launches without pairs took turns too regularly, and
    what to do; empty if nothing is known to be wrong."""
    for new in find_labels(sides, pairing) if pairing.kind == LAUNCHES else ():
        runs, counts = count_runs(new), (sum(new), len(new) - sum(new))
        if min(counts) and 1 - share_with_runs(runs - 1, *counts) <= RARE:
            return (
                f"the sides took turns {runs - 1} times in {len(new)} launches, as fewer than 1 % "
                "of random orders do, so what disturbs every second launch is in the comparison: "
                "draw the order by lot, or say which launches belong together (--note pair=...)"
            )
    return ""


def find_labels(sides: Sides, pairing: Pairing) -> Iterator[list[bool]]:
    """Yields for each group of launches whether each launch is new, in the order in which they
    began; leaves out groups with a launch that does not say when it began."""
    for group in find_groups(sides, pairing):
        begun = [(begin_of(sides.launches[number]), number) for number in group]
        order = [(begin, number) for begin, number in begun if begin is not None]
        if len(order) == len(group):
            yield [bool(sides.new[number]) for _, number in sorted(order)]


def find_groups(sides: Sides, pairing: Pairing) -> list[Sequence[int]]:
    """Returns the groups of launches that are compared with each other; none for duets, whose
    launches ran at the same time. Of alternated launches, those without a pair are left out."""
    if pairing.kind == DUETS:
        return []
    paired = {number for pair in pairing.pairs for number in pair}
    groups = group_compared(sides, Pairing(pairing.kind))
    if pairing.kind == ALTERNATED:
        return [[number for number in group if number in paired] for group in groups]
    return list(groups)


def count_untold(sides: Sides, pairing: Pairing) -> int:
    """Counts the launches in the groups of find_groups that do not say when they began."""
    numbers = [number for group in find_groups(sides, pairing) for number in group]
    return sum(begin_of(sides.launches[number]) is None for number in numbers)
