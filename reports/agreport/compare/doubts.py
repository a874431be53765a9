# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt a comparison, as sentences that say what to do."""

from collections.abc import Iterator

from agreport.data.load import PAIR
from agreport.diagnostics.caveats import FEWEST_ITERATIONS, oversubscribed
from agreport.figure.words import count_of

from .dealing import Units, count
from .pairing import ALTERNATED, LAUNCHES, Pairing
from .sides import Sides
from .verdicts import ALARMS


def doubts(sides: Sides, how: Pairing, units: Units, alone: bool, single: bool) -> list[str]:
    return [
        *few_launches(units, alone, single),
        *partners(sides, how),
        *in_turn(sides, how),
        *oversubscribed(sides.launches),
        *few_iterations(sides),
    ]


def few_launches(units: Units, alone: bool, single: bool) -> Iterator[str]:
    if alone:
        yield (
            "One launch a side: what differs between launches is not in the numbers. "
            + (
                "The verdict is by iterations (--allow single-launch) and will often be wrong."
                if single
                else "There is no verdict; repeat the launches, or --allow single-launch."
            )
        )
    elif count(units) * ALARMS < 1:
        yield (
            "Too few launches to tell by dealing them anew (8 pairs, or 5 launches a side, are "
            "enough): verdicts take the noise for normal, and find only large changes."
        )


def partners(sides: Sides, how: Pairing) -> Iterator[str]:
    if how.alone:
        names = ", ".join(str(sides.launches[number].path) for number in how.alone[:3])
        more = ", ..." if len(how.alone) > 3 else ""
        yield f"Launches without a partner are left out: {len(how.alone)} ({names}{more})."


def in_turn(sides: Sides, how: Pairing) -> Iterator[str]:
    """Whether the order of the two, or drift of the machine, could be taken for a change."""
    base = [sides.launches[number].metadata for number, _ in how.pairs]
    if how.kind == ALTERNATED:
        first = [one["note.turn"] == "A" for one in base if "note.turn" in one]
    else:  # of duets, who begins every round
        first = [one["duet_begins"] == "yes" for one in base if "duet_begins" in one]
    if len(first) > 1 and len(set(first)) == 1:
        yield (
            f"{'Base' if first[0] else 'New'} was the first of the two in every pair, so what the "
            "first one has of it is in the comparison: let the sides take turns at it (--note "
            "turn=A; in duets chance decides, so run more of them)."
        )
    if how.kind == LAUNCHES:
        yield (
            "Launches without pairs: what changed on the machine between the sides is in the "
            "comparison, and changes that pairs would show are lost in the noise. "
            "Run both sides in turn (--note pair=...) or at the same time (--duet)."
        )


def few_iterations(sides: Sides) -> Iterator[str]:
    counts = sides.results.timed().groupby([*PAIR, "launch"], observed=True).size()
    few = int((counts < FEWEST_ITERATIONS).sum())
    if few:
        yield (
            f"Fewer than {FEWEST_ITERATIONS} iterations: {count_of(few, len(counts))} medians; "
            "give more (-i)."
        )
