# SPDX-License-Identifier: BSD-3-Clause
"""Whether the sides took turns as labels dealt at random do, by when their launches began.

On a machine that drifts, launches of one side that all ran before those of the other differ though
nothing changed, and no test of these launches can tell. Nor can one where the sides took turns
without exception, and something disturbs every second launch. Labels that were dealt at random
rarely have as few runs (launches of one side behind each other) or as many.
"""

from collections.abc import Iterator, Sequence

from agreport.stats.runs import count_runs, share_with_runs

from .comparability import group_compared
from .orders import begin_of
from .sides import ALTERNATED, DUETS, LAUNCHES, SIDES, Pairing, Sides

RARE = 0.01  # the share of random orders that have as few runs, or as many


def find_blocks(sides: Sides, pairing: Pairing) -> str:
    """Returns what is wrong with the order of the launches, and what to do; empty: nothing is
    known."""
    for new in find_labels(sides, pairing):
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
    """The same of launches without pairs whose sides took turns too regularly."""
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
    """Returns whether each launch is new, in the order of their beginnings; for groups that tell
    them."""
    for group in find_groups(sides, pairing):
        begun = [(begin_of(sides.launches[number]), number) for number in group]
        order = [(begin, number) for begin, number in begun if begin is not None]
        if len(order) == len(group):
            yield [bool(sides.new[number]) for _, number in sorted(order)]


def find_groups(sides: Sides, pairing: Pairing) -> list[Sequence[int]]:
    """Launches that are compared with each other, without those at the same time."""
    if pairing.kind == DUETS:
        return []
    paired = {number for pair in pairing.pairs for number in pair}
    groups = group_compared(sides, Pairing(pairing.kind))
    if pairing.kind == ALTERNATED:
        return [[number for number in group if number in paired] for group in groups]
    return list(groups)


def count_untold(sides: Sides, pairing: Pairing) -> int:
    """Launches that do not say when they began."""
    numbers = [number for group in find_groups(sides, pairing) for number in group]
    return sum(begin_of(sides.launches[number]) is None for number in numbers)
