# SPDX-License-Identifier: BSD-3-Clause
"""The schedules that allgather_schedule prints as JSON, proven by a checker that shares nothing
with the program's own."""

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


class AllRanks:
    """Runs the schedules of all ranks. A message passes when both sides have posted it, first come
    first served between two ranks, and a step ends when all its messages have passed (no buffering:
    what would hang with a rendezvous hangs here)."""

    def __init__(self, all_steps: list[list[Step]]) -> None:
        p = len(all_steps)
        self.all_steps = all_steps
        self.held = [{rank} for rank in range(p)]
        self.at = [-1] * p  # the step that each rank is in
        self.open_messages = [0] * p
        self.arriving: list[list[int]] = [[] for _ in range(p)]
        self.sends: dict[tuple[int, int], deque[list[int]]] = {}
        self.receives: dict[tuple[int, int], deque[list[int]]] = {}

    def has_ended(self, rank: int) -> bool:
        return self.at[rank] == len(self.all_steps[rank])

    def post(self, rank: int) -> None:
        step = self.all_steps[rank][self.at[rank]]
        others = set(range(len(self.all_steps))) - {rank}
        for peer, blocks in step.sends:
            require(peer in others, f"rank {rank} sends to {peer}")
            require(set(blocks) <= self.held[rank], f"rank {rank} sends what it does not hold")
            require(len(set(blocks)) == len(blocks), f"rank {rank} sends a block twice at once")
            self.sends.setdefault((rank, peer), deque()).append(blocks)
        for peer, blocks in step.receives:
            require(peer in others, f"rank {rank} receives from {peer}")
            self.receives.setdefault((peer, rank), deque()).append(blocks)
        self.open_messages[rank] = len(step.sends) + len(step.receives)

    def match(self) -> bool:
        matched = False
        for (source, target), sends in self.sends.items():
            receives = self.receives.get((source, target), deque())
            while sends and receives:
                sent, received = sends.popleft(), receives.popleft()
                require(sent == received, f"{source} -> {target}: {sent} sent, {received} expected")
                self.arriving[target] += received
                self.open_messages[source] -= 1
                self.open_messages[target] -= 1
                matched = True
        return matched

    def advance(self, rank: int) -> bool:
        if self.open_messages[rank] > 0 or self.has_ended(rank):
            return False
        for block in self.arriving[rank]:
            require(block not in self.held[rank], f"rank {rank} receives block {block} twice")
            self.held[rank].add(block)
        self.arriving[rank] = []
        self.at[rank] += 1
        if not self.has_ended(rank):
            self.post(rank)
        return True


def check_all_gather(all_steps: list[list[Step]]) -> None:
    ranks = range(len(all_steps))
    state = AllRanks(all_steps)
    while any([*map(state.advance, ranks), state.match()]):  # a list: all of them, every time
        pass
    stuck = [rank for rank in ranks if not state.has_ended(rank)]
    require(not stuck, f"ranks {stuck} wait for ever")
    require(not any(state.receives.values()), "a receive without a send")
    for rank in ranks:
        require(state.held[rank] == set(ranks), f"rank {rank} ends with {sorted(state.held[rank])}")


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
