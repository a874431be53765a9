# SPDX-License-Identifier: BSD-3-Clause
"""The schedules that allgather_schedule prints as JSON, proven by a checker that shares nothing with
the program's own."""

import json
import math
from collections import deque
from dataclasses import dataclass

import pytest

from .launch import Build

# A step is what a rank does at once: messages (peer, blocks in their order) out and in.
Message = tuple[int, list[int]]


@dataclass
class Step:
    sends: list[Message]
    receives: list[Message]


def messages(entries: list[dict[str, object]]) -> list[Message]:
    found = []
    for entry in entries:
        assert set(entry) == {"peer", "blocks"}
        peer, ranges = entry["peer"], entry["blocks"]
        assert isinstance(peer, int) and isinstance(ranges, list)
        blocks = [first + k for first, count in ranges for k in range(count)]
        assert all(count >= 1 for _, count in ranges)
        found.append((peer, blocks))
    return found


def schedules(build: Build, algorithm: str, ranks: int) -> list[list[Step]]:
    ended = build.schedule("show", "--algorithm", algorithm, "--ranks", str(ranks),
                           "--format", "json")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert (document["algorithm"], document["ranks"]) == (algorithm, ranks)
    assert len(document["schedules"]) == ranks
    return [
        [Step(messages(step["sends"]), messages(step["receives"])) for step in steps]
        for steps in document["schedules"]
    ]


class WrongScheduleError(Exception):
    """What is wrong with a schedule."""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise WrongScheduleError(what)


def check_all_gather(all_steps: list[list[Step]]) -> None:
    """Runs all ranks. A message passes when both sides have posted it, first come first served
    between two ranks, and a step ends when all its messages have passed (no buffering: what would
    hang with a rendezvous hangs here)."""
    p = len(all_steps)
    held = [{rank} for rank in range(p)]
    at = [-1] * p  # the step that each rank is in
    open_messages = [0] * p
    arriving: list[list[int]] = [[] for _ in range(p)]
    posted_sends: dict[tuple[int, int], deque[list[int]]] = {}
    posted_receives: dict[tuple[int, int], deque[list[int]]] = {}

    def post(rank: int) -> None:
        step = all_steps[rank][at[rank]]
        for peer, blocks in step.sends:
            require(0 <= peer < p and peer != rank, f"rank {rank} sends to {peer}")
            require(set(blocks) <= held[rank], f"rank {rank} sends what it does not hold")
            require(len(set(blocks)) == len(blocks), f"rank {rank} sends a block twice at once")
            posted_sends.setdefault((rank, peer), deque()).append(blocks)
        for peer, blocks in step.receives:
            require(0 <= peer < p and peer != rank, f"rank {rank} receives from {peer}")
            posted_receives.setdefault((peer, rank), deque()).append(blocks)
        open_messages[rank] = len(step.sends) + len(step.receives)

    def match() -> bool:
        matched = False
        for (source, target), sends in posted_sends.items():
            receives = posted_receives.get((source, target), deque())
            while sends and receives:
                sent, received = sends.popleft(), receives.popleft()
                require(sent == received, f"{source} -> {target}: {sent} sent, {received} expected")
                arriving[target] += received
                open_messages[source] -= 1
                open_messages[target] -= 1
                matched = True
        return matched

    def advance() -> bool:
        moved = False
        for rank, steps in enumerate(all_steps):
            if open_messages[rank] > 0 or at[rank] == len(steps):
                continue
            for block in arriving[rank]:
                require(block not in held[rank], f"rank {rank} receives block {block} twice")
                held[rank].add(block)
            arriving[rank] = []
            at[rank] += 1
            moved = True
            if at[rank] < len(steps):
                post(rank)
        return moved

    while any([advance(), match()]):  # a list: both, every time
        pass
    stuck = [rank for rank, steps in enumerate(all_steps) if at[rank] < len(steps)]
    require(not stuck, f"ranks {stuck} wait for ever")
    require(not any(posted_receives.values()), "a receive without a send")
    for rank, blocks in enumerate(held):
        require(blocks == set(range(p)), f"rank {rank} ends with {sorted(blocks)}")


def runs_at(algorithm: str, p: int) -> bool:
    if algorithm == "neighbor_exchange":
        return p % 2 == 0
    return algorithm != "recursive_doubling" or p & (p - 1) == 0


def steps_of(algorithm: str, p: int) -> int:
    if algorithm == "ring":
        return p - 1
    return p // 2 if algorithm == "neighbor_exchange" else math.ceil(math.log2(p))


NAMES = ["ring", "neighbor_exchange", "recursive_doubling", "bruck", "bruck_in_place", "sparbit"]


@pytest.mark.parametrize("algorithm", NAMES)
def test_every_number_of_ranks(build: Build, algorithm: str) -> None:
    for p in range(1, 18):
        if runs_at(algorithm, p):
            all_steps = schedules(build, algorithm, p)
            check_all_gather(all_steps)
            assert {len(steps) for steps in all_steps} == {steps_of(algorithm, p)}
            continue
        ended = build.schedule("show", "--algorithm", algorithm, "--ranks", str(p))
        assert ended.exit_code == 2
        assert f"ranks = {p}" in ended.messages[0]


def test_one_rank_as_json(build: Build) -> None:
    everyone = schedules(build, "sparbit", 7)
    for rank in range(7):
        ended = build.schedule("show", "--algorithm", "sparbit", "--ranks", "7", "--rank",
                               str(rank), "--format", "json")  # fmt: skip
        document = json.loads(ended.stdout)
        assert document["rank"] == rank
        (steps,) = document["schedules"]
        assert [
            Step(messages(step["sends"]), messages(step["receives"])) for step in steps
        ] == everyone[rank]


# The checker is one only if it finds faults: an exchange of two ranks, with one thing changed each.
GOOD = [[Step([(1, [0])], [(1, [1])])], [Step([(0, [1])], [(0, [0])])]]


def test_checker_takes_a_good_one() -> None:
    check_all_gather(GOOD)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ([GOOD[0], []], "wait for ever"),
        ([[], []], "ends with"),
        ([[Step([(1, [1])], [(1, [1])])], GOOD[1]], "does not hold"),
        ([GOOD[0] * 2, GOOD[1] * 2], "twice"),
        ([[Step([(1, [0])], [(1, [0])])], GOOD[1]], "expected"),
        ([[Step([(0, [0])], [(1, [1])])], GOOD[1]], "sends to"),
        # Both send first and receive then: good only where sends are buffered.
        (
            [
                [Step([(1, [0])], []), Step([], [(1, [1])])],
                [Step([(0, [1])], []), Step([], [(0, [0])])],
            ],
            "wait for ever",
        ),
    ],
)
def test_checker_finds(wrong: list[list[Step]], what: str) -> None:
    with pytest.raises(WrongScheduleError, match=what):
        check_all_gather(wrong)
