# SPDX-License-Identifier: BSD-3-Clause
"""When steps of different ranks meet: a rank that waits for others has fewer steps than they."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from agreport.errors import BadInput

Place = tuple[int, int]  # a rank and the index of its step


def rounds(steps: Sequence[int], meetings: Iterable[tuple[Place, Place]]) -> dict[Place, int]:
    """The round of each step, as early as can be: both ends of a message are in the same one, and
    a rank's steps in different ones.

    steps: how many each rank has. If all messages are between steps of the same index, it is that.
    """
    together = {
        (rank, step): (rank, step) for rank, count in enumerate(steps) for step in range(count)
    }

    def group(place: Place) -> Place:
        while together[place] != place:
            together[place] = place = together[together[place]]
        return place

    for one, other in meetings:
        together[group(one)] = group(other)
    later: dict[Place, list[Place]] = defaultdict(list)
    waits: dict[Place, int] = defaultdict(int)
    for rank, step in together:
        if step > 0:
            later[group((rank, step - 1))].append(group((rank, step)))
            waits[group((rank, step))] += 1
    found = {place: 0 for place in together if group(place) == place}
    ready = [place for place in found if not waits[place]]
    for place in ready:  # grows while it is walked
        for next_place in later[place]:
            found[next_place] = max(found[next_place], found[place] + 1)
            waits[next_place] -= 1
            if not waits[next_place]:
                ready.append(next_place)
    if len(ready) < len(found):
        raise BadInput("steps wait for each other in a circle")
    return {place: found[group(place)] for place in together}
