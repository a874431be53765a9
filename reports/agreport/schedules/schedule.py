# SPDX-License-Identifier: BSD-3-Clause
"""A schedule, as `allgather_schedule show --format json` prints it -> the messages of each round,
and the blocks that the ranks hold after it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agreport.reports.schedules import MOST_RANKS

Json = dict[str, Any]
Blocks = tuple[int, ...]

MOST_BLOCKS = 512  # a figure cannot show more, and more would take long


@dataclass(frozen=True)
class Message:
    """A message of a rank to another in a round; without blocks it is a token."""

    sender: int
    receiver: int
    blocks: Blocks


@dataclass(frozen=True)
class Round:
    """The messages that all ranks send at the same time. barrier: whether the round begins after a
    barrier. received, held: the blocks that each rank receives in the round, and holds after it."""

    barrier: bool
    messages: list[Message]
    received: list[frozenset[int]]
    held: list[frozenset[int]]  # after it


@dataclass(frozen=True)
class Schedule:
    """A schedule of a collective: its rounds, and the blocks that travel in them.

    owners[b] is the rank that holds block b at the start, and names[b] is the block's name.
    segmented: whether the blocks are parts of the blocks of ranks. scratch[r] is the first block in
    the scratch buffer of rank r; scratch is empty where all ranks work at the final places.
    """

    algorithm: str
    ranks: int
    owners: list[int]
    names: list[str]
    rounds: list[Round]
    ranks_wait: bool  # some rank does its step i in a later round than i
    broadcast_at_end: bool
    broadcast_root: int = 0
    scratch: Sequence[int] = ()
    collective: str = "allgather"
    segmented: bool = False
    combines: bool = False  # each rank begins with a contribution to every block
    combines_at_end: bool = False  # the blocks are contributions, which the rounds only gather

    @property
    def for_pairs(self) -> bool:
        """True if there is a block for each pair of ranks, as in an all-to-all."""
        return not self.segmented and len(self.owners) > self.ranks

    @property
    def step_word(self) -> str:
        """Returns what a round is called: it is a step if no rank waits."""
        return "round" if self.ranks_wait else "step"

    def messages_of(self, number: int) -> list[Message]:
        """Returns the messages of a round; there are none after the last round."""
        return self.rounds[number].messages if number < len(self.rounds) else []

    def title(self, number: int) -> str:
        """Returns the name of a round, such as: step 2, after a barrier."""
        return (
            f"{self.step_word} {number}{', after a barrier' if self.rounds[number].barrier else ''}"
        )

    def table(self, numbers: Iterable[int]) -> pd.DataFrame:
        """Returns a table with a row for each message of the chosen rounds."""
        rows = [
            (number, self.rounds[number].barrier, one.sender, one.receiver, len(one.blocks),
             name_blocks(self.names, one.blocks))
            for number in numbers
            for one in self.rounds[number].messages
        ]  # fmt: skip
        columns = ["round", "after_barrier", "sender", "receiver", "block_count", "blocks"]
        return pd.DataFrame(rows, columns=columns)


def read(source: str, text: str) -> Schedule:
    """Reads a schedule that allgather_schedule printed as JSON. Raises BadInput if the text is no
    such schedule, or one that cannot be drawn. source: what messages call the text."""
    try:
        return parse(json.loads(text))
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None
    except (
        AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError
    ) as error:  # fmt: skip
        raise BadInput(
            f"{source}: not what `allgather_schedule show --format json` prints for all ranks; "
            f"{type(error).__name__}: {error}"
        ) from None


def parse(document: Json) -> Schedule:
    """Returns the schedule of a document. Raises an AttributeError, IndexError, KeyError, ... if
    the document is no schedule, and BadInput if the schedule cannot be drawn."""
    ranks = int(document["ranks"])
    check_ranks(ranks)
    if fault := document.get("fault"):
        word = catalogue().word_for(document.get("collective", "allgather"))
        raise BadInput(f"this is no {word}: {fault}")
    if "rounds" not in document:
        raise BadInput(
            "has no rounds: it is of one rank, or of an earlier allgather_schedule; write it anew"
        )
    segments, owners = read_blocks(document, ranks)
    combines = document.get("combines", False) is True
    steps = [step for of_rank in document["schedules"] for step in enumerate(of_rank)]
    barriers = {step["round"] for _, step in steps if step.get("barrier")}
    messages = read_messages(document, ranks, len(owners))
    late = [is_late(index, step) for index, step in steps]
    return Schedule(
        algorithm=str(document["algorithm"]),
        ranks=ranks,
        owners=owners,
        names=pair_names(owners) if len(segments) > ranks else block_names(segments),
        rounds=follow_blocks(
            messages, barriers, owners, ranks, combines, hands_over=hands_over(document)
        ),
        ranks_wait=any(late),
        broadcast_at_end=bool(document.get("broadcast_at_end", False)),
        broadcast_root=int(document.get("broadcast_root", 0)),
        scratch=read_scratch(document, ranks, len(owners)),
        collective=str(document.get("collective", "allgather")),
        segmented=max(segments) > 1,
        combines=combines,
        combines_at_end=document.get("combines_at_end", False) is True,
    )


def read_blocks(document: Json, ranks: int) -> tuple[list[int], list[int]]:
    """Returns the number of segments of each block, and for each segment the rank that has it
    before the first round. Raises BadInput if there are too many to be drawn, and ValueError if the
    document contradicts itself."""
    own = [0] * len(document.get("segments", [1])) if document.get("combines") else range(ranks)
    of_blocks = [int(rank) for rank in document.get("owners", own)]
    segments = [int(count) for count in document.get("segments", [1] * len(of_blocks))]
    if len(segments) != len(of_blocks) or len(document["schedules"]) != ranks:
        raise ValueError(f"'segments' or 'schedules' are not those of {ranks} ranks")
    if not {*of_blocks} <= {*range(ranks)}:
        raise ValueError(f"'owners' are not of {ranks} ranks")
    if sum(segments) > MOST_BLOCKS:
        what = "segments of blocks" if "segments" in document else "blocks"
        raise BadInput(f"{sum(segments)} {what}: at most {MOST_BLOCKS} can be drawn")
    owners = [rank for rank, count in zip(of_blocks, segments, strict=True) for _ in range(count)]
    return segments, owners


def read_messages(document: Json, ranks: int, blocks: int) -> list[list[Message]]:
    """Returns the messages of each round. Raises ValueError if a peer or a block does not exist."""
    found: list[list[Message]] = [[] for _ in range(document["rounds"])]
    for sender, steps in enumerate(document["schedules"]):
        for index, step in enumerate(steps):
            for send in step["sends"]:
                sent = tuple(expand(send["blocks"]))
                if not 0 <= send["peer"] < ranks or not {*sent} <= {*range(blocks)}:
                    raise ValueError(f"rank {sender}, step {index}: no such peer or blocks")
                found[send["round"]].append(Message(sender, send["peer"], sent))
    return found


def is_late(index: int, step: Json) -> bool:
    """Returns whether a part of a rank's step is in another round than the step's number says."""
    return any(one["round"] != index for one in (step, *step["sends"], *step["receives"]))


def read_scratch(document: Json, ranks: int, blocks: int) -> list[int]:
    first = [int(block) for block in document.get("scratch_first_block", ())]
    if len(first) not in (0, ranks) or not {*first} <= {*range(blocks)}:
        raise ValueError(f"'scratch_first_block' is not that of {ranks} ranks")
    return first


def expand(ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yields the blocks of ranges: (2, 3), (7, 1) -> 2, 3, 4, 7."""
    for first, count in ranges:
        yield from range(first, first + count)


def check_ranks(ranks: int) -> None:
    if ranks > MOST_RANKS:
        raise BadInput(f"--ranks {ranks}: at most {MOST_RANKS} can be drawn")


def hands_over(document: Json) -> bool:
    """Returns whether a rank no longer has what it sends: in a reduction, not in an all-reduce."""
    return document.get("combines") is True and document.get("keeps_contributions") is not True


def follow_blocks(
    messages: Sequence[list[Message]],
    barriers: set[int],
    owners: Sequence[int],
    ranks: int,
    combines: bool = False,
    *,
    hands_over: bool = False,
) -> list[Round]:
    """Returns the rounds, with the blocks that each rank receives in them and holds after them.

    Before the first round each rank has its own blocks, or, if combines is true, contributions to
    all blocks. hands_over: a rank no longer has what it sends.
    """
    if combines:
        held = [frozenset(range(len(owners)))] * ranks
    else:
        held = by_rank(ranks, ((owner, [block]) for block, owner in enumerate(owners)))
    rounds = []
    for number, sent in enumerate(messages):
        received = by_rank(ranks, ((one.receiver, one.blocks) for one in sent))
        gone = by_rank(ranks, ((one.sender, one.blocks) for one in sent if hands_over))
        held = [(old - left) | new for old, left, new in zip(held, gone, received, strict=True)]
        rounds.append(Round(number in barriers, sent, received, held))
    return rounds


def by_rank(ranks: int, blocks_of: Iterable[tuple[int, Iterable[int]]]) -> list[frozenset[int]]:
    """Returns one set of blocks for each rank: all that are listed for the rank, joined."""
    found: list[set[int]] = [set() for _ in range(ranks)]
    for rank, blocks in blocks_of:
        found[rank].update(blocks)
    return [frozenset(blocks) for blocks in found]


def block_names(segments: Sequence[int]) -> list[str]:
    """Returns the names of all segments. Rank 2's block is called 2; its segments, if any rank has
    several, are called 2.0, 2.1, ..."""
    if max(segments) == 1:
        return [str(rank) for rank in range(len(segments))]
    return [f"{rank}.{part}" for rank, count in enumerate(segments) for part in range(count)]


def pair_names(owners: Sequence[int]) -> list[str]:
    """Returns the names of blocks for pairs of ranks: that of rank 1 for rank 3 is called 1>3."""
    return [f"{rank}>{owners[:block].count(rank)}" for block, rank in enumerate(owners)]


def name_blocks(names: Sequence[str], blocks: Blocks) -> str:
    """Names blocks in the order of sending (7-9,0), or sorted (0,2..14) if that is shorter."""
    return min(name_runs(names, blocks), name_runs(names, sorted(blocks)), key=len)


def name_runs(names: Sequence[str], blocks: Sequence[int]) -> str:
    """Returns the names of blocks in their order, with runs shortened: 0-3 for neighbours, 0,2..14
    for four or more blocks at another equal distance."""
    parts = []
    first = 0
    while first < len(blocks):
        last = first + 1
        stride = blocks[last] - blocks[first] if last < len(blocks) else 0
        while last + 1 < len(blocks) and blocks[last + 1] - blocks[last] == stride:
            last += 1
        run = [names[block] for block in blocks[first : last + 1]]
        if stride == 1:
            parts.append(f"{run[0]}-{run[-1]}")
        elif stride > 1 and len(run) > 3:
            parts.append(f"{run[0]},{run[1]}..{run[-1]}")
        else:
            parts.append(run[0])
            last = first
        first = last + 1
    return ",".join(parts)
