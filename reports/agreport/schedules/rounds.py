# SPDX-License-Identifier: BSD-3-Clause
"""When steps of different ranks meet: a rank that waits for others has fewer steps than they."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agformats.errors import BadInput

Place = tuple[int, int]  # a rank and the index of its step


@dataclass
class Meeting:
    """Of a message's two ends, or of all ranks at a barrier: none goes on without the others."""

    places: Sequence[Place]
    come: int = 0
    round: int = -1  # not yet


@dataclass
class Rounds:
    """The round of each message and barrier, as early as can be.

    What a step sends and receives starts together, after its barrier; the rank's next step is a
    round after the last of it. If all messages are between steps of the same index, it is that.
    """

    steps: Sequence[int]  # how many each rank has
    messages: Sequence[Meeting]
    barriers: Sequence[Meeting]
    count: int = 0
    _of_place: dict[Place, list[Meeting]] = field(default_factory=lambda: defaultdict(list))
    _barrier: dict[Place, Meeting] = field(default_factory=dict)
    _begins: dict[Place, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for meeting in self.messages:
            for place in meeting.places:
                self._of_place[place].append(meeting)
        self._barrier = {place: barrier for barrier in self.barriers for place in barrier.places}
        waiting = [((rank, 0), 0) for rank, count in enumerate(self.steps) if count]
        for place, begin in waiting:  # grows while it is walked
            waiting += [
                next_step
                for opened in self._open(place, begin)
                for next_step in self._communicate(opened)
            ]
        if any(meeting.round < 0 for meeting in [*self.messages, *self.barriers]):
            raise BadInput("steps wait for each other in a circle")

    def _open(self, place: Place, begin: int) -> Sequence[Place]:
        """The steps that can start now that this one is there."""
        self._begins[place] = begin
        barrier = self._barrier.get(place)
        if barrier is None:
            return [place]
        if not self._meet(barrier):
            return []
        self._begins.update(dict.fromkeys(barrier.places, barrier.round))
        return barrier.places

    def _communicate(self, place: Place) -> Iterator[tuple[Place, int]]:
        """The next steps of the ranks that have only waited for this one."""
        met = [meeting for meeting in self._of_place[place] if self._meet(meeting)]
        for one in dict.fromkeys([place, *(other for each in met for other in each.places)]):
            rank, step = one
            ends = [meeting.round for meeting in self._of_place[one]]
            if min(ends, default=0) >= 0:
                end = max([*ends, self._begins[one]])
                self.count = max(self.count, end + 1)
                if step + 1 < self.steps[rank]:
                    yield (rank, step + 1), end + 1

    def _meet(self, meeting: Meeting) -> bool:
        """Another one has come; whether all are there now."""
        meeting.come += 1
        if meeting.come < len(meeting.places):
            return False
        meeting.round = max(self._begins[place] for place in meeting.places)
        return True
