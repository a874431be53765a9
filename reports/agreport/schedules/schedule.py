# SPDX-License-Identifier: BSD-3-Clause
"""The schedules of all ranks, as allgather_schedule writes them -> messages and buffers by step."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from agformats.errors import BadInput
from agreport.schedules.rounds import Meeting, Place, Rounds

Json = dict[str, Any]
Blocks = tuple[int, ...]


# What a figure can show at all; more would also take long.
MOST_RANKS, MOST_BLOCKS = 32, 512


class Transfer(NamedTuple):
    """A send or a receive, of a rank in one of its steps."""

    place: Place
    peer: int
    blocks: Blocks


@dataclass(frozen=True)
class Message:
    """What a rank sends to another in one of its steps; without blocks it is a token."""

    sender: int
    receiver: int
    blocks: Blocks


@dataclass(frozen=True)
class Step:
    """What the ranks do at the same time."""

    title: str
    barrier: bool
    messages: list[Message]
    before: list[frozenset[int]]  # the blocks that each rank holds
    received: list[frozenset[int]]


@dataclass(frozen=True)
class Pattern:
    """An all-gather. `owners` has the rank of every block, of which a rank has several if they are
    cut into segments."""

    algorithm: str
    ranks: int
    owners: list[int]
    names: list[str]
    steps: list[Step]
    waiting: bool  # steps of different index meet, so that `steps` are rounds
    complete: list[int]  # the ranks that hold everything after the last step
    broadcast_at_end: bool

    @property
    def segmented(self) -> bool:
        return len(self.owners) > self.ranks


def read(source: str, text: str) -> Pattern:
    """The text is one document for all ranks; `source` is for messages."""
    try:
        return pattern(json.loads(text))
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadInput(
            f"{source}: not what `allgather_schedule show --format json` prints for all ranks; "
            f"{type(error).__name__}: {error}"
        ) from None


def pattern(document: Json) -> Pattern:
    ranks = int(document["ranks"])
    check_ranks(ranks)
    schedules: list[list[Json]] = document["schedules"]
    if len(schedules) != ranks:
        raise BadInput(f"{len(schedules)} schedules for {ranks} ranks; all ranks are needed")
    segments = [int(count) for count in document.get("segments") or [1] * ranks]
    if len(segments) != ranks or min(segments, default=0) < 1:
        raise BadInput("'segments' must be a number of 1 or more for each rank")
    if sum(segments) > MOST_BLOCKS:
        raise BadInput(f"{sum(segments)} segments of blocks: at most {MOST_BLOCKS} can be drawn")
    owners = [rank for rank, count in enumerate(segments) for _ in range(count)]
    sends = transfers(schedules, "sends", len(owners))
    receives = transfers(schedules, "receives", len(owners))
    barriers = barriers_of(schedules)
    met = list(meetings(sends, receives))
    messages = [Meeting((send.place, receive.place)) for send, receive in met]
    when = Rounds([len(steps) for steps in schedules], messages, barriers)
    waiting = any(len({step for _, step in each.places}) > 1 for each in [*messages, *barriers])
    titles = [f"{'round' if waiting else 'step'} {number}" for number in range(when.count)]
    barred = {barrier.round for barrier in barriers}
    held = [frozenset(b for b, owner in enumerate(owners) if owner == r) for r in range(ranks)]
    sent: list[list[Message]] = [[] for _ in titles]
    received = [[frozenset[int]()] * ranks for _ in titles]
    for (send, _), meeting in zip(met, messages, strict=True):
        sender, receiver = send.place[0], send.peer
        sent[meeting.round].append(Message(sender, receiver, send.blocks))
        received[meeting.round][receiver] |= frozenset(send.blocks)
    steps = []
    for number, title in enumerate(titles):
        steps.append(Step(title, number in barred, sent[number], held, received[number]))
        held = [old | new for old, new in zip(held, received[number], strict=True)]
    return Pattern(
        algorithm=str(document["algorithm"]),
        ranks=ranks,
        owners=owners,
        names=block_names(segments),
        steps=steps,
        waiting=waiting,
        complete=[r for r in range(ranks) if len(held[r]) == len(owners)],
        broadcast_at_end=bool(document.get("broadcast_at_end", False)),
    )


def check_ranks(ranks: int) -> None:
    if ranks > MOST_RANKS:
        raise BadInput(f"--ranks {ranks}: at most {MOST_RANKS} can be drawn")


def block_names(segments: Sequence[int]) -> list[str]:
    """Of rank 2: 2; of its segments, if any rank has several: 2.0, 2.1, ..."""
    if max(segments) == 1:
        return [str(rank) for rank in range(len(segments))]
    return [f"{rank}.{part}" for rank, count in enumerate(segments) for part in range(count)]


def transfers(schedules: list[list[Json]], direction: str, block_count: int) -> list[Transfer]:
    found = []
    for rank, steps in enumerate(schedules):
        for index, step in enumerate(steps):
            where = f"rank {rank}, step {index}, {direction}"
            for transfer in step[direction]:
                peer, blocks = int(transfer["peer"]), tuple(expand(transfer["blocks"]))
                if peer == rank or not 0 <= peer < len(schedules):
                    raise BadInput(f"{where}: peer {peer} is no other rank")
                if any(not 0 <= block < block_count for block in blocks):
                    raise BadInput(f"{where}: no block is above {block_count - 1}: {list(blocks)}")
                found.append(Transfer((rank, index), peer, blocks))
    return found


def expand(ranges: list[tuple[int, int]]) -> Iterator[int]:
    for first, count in ranges:
        yield from range(first, first + count)


def meetings(
    sends: list[Transfer], receives: list[Transfer]
) -> Iterator[tuple[Transfer, Transfer]]:
    """The n-th message from a rank to another is the n-th that this one receives from it."""
    sent, received = defaultdict(list), defaultdict(list)
    for transfer in sends:
        sent[transfer.place[0], transfer.peer].append(transfer)
    for transfer in receives:
        received[transfer.peer, transfer.place[0]].append(transfer)
    for r, q in sorted(sent.keys() | received.keys()):
        if [t.blocks for t in sent[r, q]] != [t.blocks for t in received[r, q]]:
            raise BadInput(f"what rank {r} sends to {q} is not what {q} receives from it")
        yield from zip(sent[r, q], received[r, q], strict=True)


def barriers_of(schedules: list[list[Json]]) -> list[Meeting]:
    """The n-th barriers of all ranks are one."""
    places = [
        [(rank, index) for index, step in enumerate(steps) if step.get("barrier", False)]
        for rank, steps in enumerate(schedules)
    ]
    if len({len(found) for found in places}) > 1:
        raise BadInput("ranks have different numbers of barriers")
    return [Meeting(together) for together in zip(*places, strict=True)]
