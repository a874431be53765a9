#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turn an all-gather in MSCCL's XML into a schedule that `file:PATH` runs:
jobs/extras/msccl/msccl_to_schedule.py ALGORITHM.xml > SCHEDULE.json

MSCCL's thread blocks run beside each other, and each does its operations in turn. Here a message
passes in the first round in which both its ends may have it, and a step of a rank is what it sends
and receives in a round. `allgather_schedule prove` says whether the result is an all-gather.
What has no place in a schedule is refused: reductions, scratch buffers, and copies.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

# Of each type of operation, what it does: receives, and then sends.
OPERATIONS = {"s": (False, True), "r": (True, False), "rcs": (True, True), "nop": (False, False)}
REDUCTIONS = ("rrc", "rrs", "rrcs", "re")
MOST_RANKS = 2048  # of a file with a schedule


class Refused(Exception):
    """What is wrong with the file, in one line."""


@dataclass
class End:
    """One end of a message: what a rank sends or receives."""

    rank: int
    sends: bool
    peer: int
    chunks: range
    where: str
    message: int = -1


@dataclass
class Algorithm:
    name: str
    ranks: int
    chunks: int  # of each rank
    ends: list[End] = field(default_factory=list)
    later: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # end, other end, rounds between


def whole(element: ElementTree.Element, name: str, where: str, default: str | None = None) -> int:
    text = element.get(name, default)
    if text is None:
        raise Refused(f"{where}: has no {name}=")
    if not text.removeprefix("-").isascii() or not text.removeprefix("-").isdigit():
        raise Refused(f"{where}: {name}: '{text}' is no whole number")
    if len(text) > 9:
        raise Refused(f"{where}: {name}: '{text}' is too large")
    return int(text)


def place(step: ElementTree.Element, end: str, rank: int, chunks: int, where: str) -> int:
    """The number of the first chunk at this end (src or dst) of an operation."""
    buffer, offset = step.get(f"{end}buf", ""), whole(step, f"{end}off", where)
    if buffer == "o":
        return offset
    if buffer == "i":
        return rank * chunks + offset
    what = "a scratch buffer" if buffer == "s" else f"the buffer '{buffer}'"
    raise Refused(f"{where}: uses {what}; legal: i (input) and o (output)")


def is_copy_of_own(step: ElementTree.Element, rank: int, chunks: int, where: str) -> bool:
    """Of what a rank contributes, to where it belongs: a schedule does that by itself."""
    return place(step, "src", rank, chunks, where) == place(step, "dst", rank, chunks, where)


def read_operation(
    step: ElementTree.Element, block: ElementTree.Element, rank: int, chunks: int, where: str
) -> Iterator[End]:
    """What an operation of a thread block does, in its order."""
    kind = step.get("type", "")
    if kind in REDUCTIONS:
        raise Refused(f"{where}: '{kind}' is a reduction, which an all-gather has not")
    if kind == "cpy" and is_copy_of_own(step, rank, chunks, where):
        return
    if kind not in OPERATIONS:
        raise Refused(f"{where}: the type '{kind}' is not legal; legal: {', '.join(OPERATIONS)}")
    receives, sends = OPERATIONS[kind]
    if not receives and not sends:
        return
    source = place(step, "src", rank, chunks, where)
    target = place(step, "dst", rank, chunks, where)
    # What is received lies at dst of this rank, and so does what is sent on.
    first = target if receives else source
    moved = range(first, first + whole(step, "cnt", where))
    if receives:
        yield End(rank, False, whole(block, "recv", where), moved, where)
    if sends:
        yield End(rank, True, whole(block, "send", where), moved, where)


def read(root: ElementTree.Element) -> Algorithm:
    if root.tag != "algo":
        raise Refused(f"is <{root.tag}>; legal: MSCCL's <algo>")
    if (coll := root.get("coll", "")) != "allgather":
        raise Refused(f"coll: '{coll}' is not legal; legal: allgather")
    ranks = whole(root, "ngpus", "<algo>")
    gpus = {whole(gpu, "id", "<gpu>"): gpu for gpu in root.iter("gpu")}
    if not 1 <= ranks <= MOST_RANKS or sorted(gpus) != list(range(ranks)):
        raise Refused(f"ngpus: '{ranks}', and there are {len(gpus)} <gpu>; legal: as many, up to "
                      f"{MOST_RANKS}, with ids from 0 on")  # fmt: skip
    chunks = whole(gpus[0], "i_chunks", "gpu 0")
    algorithm = Algorithm(root.get("name", ""), ranks, chunks)
    for rank, gpu in sorted(gpus.items()):
        if whole(gpu, "i_chunks", f"gpu {rank}") != chunks or chunks < 1:
            raise Refused(f"gpu {rank}: i_chunks differs from that of gpu 0, or is less than 1")
        read_rank(algorithm, rank, gpu)
    match_ends(algorithm)
    order_chunks(algorithm)
    return algorithm


def read_rank(algorithm: Algorithm, rank: int, gpu: ElementTree.Element) -> None:
    last_of: dict[tuple[int, int], int] = {}  # by thread block and operation
    waits: list[tuple[int, tuple[int, int], str]] = []
    for block in gpu.iter("tb"):
        here = f"gpu {rank}, tb {block.get('id')}"
        before = -1
        for number, step in enumerate(block.iter("step")):
            where = f"{here}, step {number}"
            ends = list(read_operation(step, block, rank, algorithm.chunks, where))
            awaited = (whole(step, "depid", where, "-1"), whole(step, "deps", where, "-1"))
            for end in ends:
                if awaited[0] >= 0:
                    waits.append((len(algorithm.ends), awaited, where))
                add(algorithm, end, before)
                before = len(algorithm.ends) - 1
            last_of[whole(block, "id", here), number] = before
    for end_index, awaited, where in waits:
        if awaited not in last_of:
            raise Refused(f"{where}: waits for step {awaited[1]} of tb {awaited[0]}, which is none")
        if last_of[awaited] >= 0:
            follow(algorithm, end_index, last_of[awaited])


def add(algorithm: Algorithm, end: End, before: int) -> None:
    """An end that comes after another one of its thread block, if before is not negative."""
    size = algorithm.ranks * algorithm.chunks
    if end.chunks.start < 0 or not 0 < len(end.chunks) <= size - end.chunks.start:
        raise Refused(f"{end.where}: there are no chunks {end.chunks.start} to {end.chunks.stop}")
    algorithm.ends.append(end)
    if before >= 0:
        follow(algorithm, len(algorithm.ends) - 1, before)


def follow(algorithm: Algorithm, end: int, before: int) -> None:
    """What is sent after a receive comes a round later. All else goes through buffers of MSCCL's
    connections, so that it may as well be under way at the same time."""
    is_sent_on = algorithm.ends[end].sends and not algorithm.ends[before].sends
    algorithm.later.append((end, before, 1 if is_sent_on else 0))


def match_ends(algorithm: Algorithm) -> None:
    """The n-th send of one rank to another meets the n-th receive there: MSCCL's channels keep the
    order, and chunks tell them apart."""
    waiting: dict[tuple[int, int, range], list[End]] = defaultdict(list)
    for end in algorithm.ends:
        if end.sends:
            waiting[end.rank, end.peer, end.chunks].append(end)
    receives = [end for end in algorithm.ends if not end.sends]
    for message, end in enumerate(receives):
        sent = waiting[end.peer, end.rank, end.chunks]
        if not sent:
            raise Refused(f"{end.where}: nobody sends chunk {end.chunks.start} from {end.peer}")
        end.message = sent.pop(0).message = message
    for left in waiting.values():
        if left:
            raise Refused(f"{left[0].where}: nobody receives chunk {left[0].chunks.start}")


def order_chunks(algorithm: Algorithm) -> None:
    """What a rank sends on comes a round after the receive that brings it, in whatever thread
    block that is."""
    bringing = {(end.rank, chunk): index for index, end in enumerate(algorithm.ends)
                if not end.sends for chunk in end.chunks}  # fmt: skip
    for index, end in enumerate(algorithm.ends):
        if end.sends:
            places = [(end.rank, chunk) for chunk in end.chunks]
            came = {bringing[place] for place in places if place in bringing}
            algorithm.later += [(index, other, 1) for other in came]


def rounds_of(algorithm: Algorithm) -> list[int]:
    """Of each message, the first round that every order allows."""
    message = [end.message for end in algorithm.ends]
    rounds = [0] * (max(message, default=-1) + 1)
    for _ in range(len(rounds) + 1):
        changed = False
        for end, before, between in algorithm.later:
            earliest = rounds[message[before]] + between
            if rounds[message[end]] < earliest:
                rounds[message[end]], changed = earliest, True
        if not changed:
            return rounds
    raise Refused("its operations wait for each other in a circle")


def transfers(algorithm: Algorithm, ends: Sequence[End]) -> list[dict[str, object]]:
    """Of one rank, step and direction: a transfer a peer, its chunks in the order of messages."""
    by_peer: dict[int, list[list[int]]] = defaultdict(list)
    for end in sorted(ends, key=lambda end: end.message):
        by_peer[end.peer].append([end.chunks.start, len(end.chunks)])
    return [{"peer": peer, "blocks": blocks} for peer, blocks in by_peer.items()]


def schedule(algorithm: Algorithm) -> dict[str, object]:
    rounds = rounds_of(algorithm)
    by_step: list[dict[int, list[End]]] = [defaultdict(list) for _ in range(algorithm.ranks)]
    for end in algorithm.ends:
        by_step[end.rank][rounds[end.message]].append(end)
    of_ranks = [
        [
            {
                "sends": transfers(algorithm, [end for end in ends if end.sends]),
                "receives": transfers(algorithm, [end for end in ends if not end.sends]),
            }
            for _, ends in sorted(steps.items())
        ]
        for steps in by_step
    ]
    cut = {"segments": [algorithm.chunks] * algorithm.ranks} if algorithm.chunks > 1 else {}
    name = {"algorithm": algorithm.name, "ranks": algorithm.ranks}
    return {**name, **cut, "schedules": of_ranks}


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stderr if len(arguments) != 1 else sys.stdout)
        return 2 if len(arguments) != 1 else 0
    file = arguments[0]
    try:
        root = ElementTree.fromstring(Path(file).read_bytes())
        text = json.dumps(schedule(read(root)))
    except OSError as error:
        print(f"msccl_to_schedule: {file}: {error.strerror}", file=sys.stderr)
        return 2
    except (Refused, ElementTree.ParseError) as error:
        what = f"not XML: {error}" if isinstance(error, ElementTree.ParseError) else error
        print(f"msccl_to_schedule: {file}: {what}", file=sys.stderr)
        return 2
    print(text.replace('[[{"sends"', '[\n[{"sends"').replace('], [{"sends"', '],\n[{"sends"'))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
