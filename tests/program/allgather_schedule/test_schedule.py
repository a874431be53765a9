# SPDX-License-Identifier: BSD-3-Clause
"""The schedules that allgather_schedule prints as JSON, proven by a checker that shares nothing
with the program's own."""

import json
import subprocess
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ..support.algorithms import ARRIVAL_AWARE, SCHEDULES, TOPOLOGY_RINGS, prime_factors, runs_at
from ..support.launch import Build

# A step is what a rank does at once: messages (peer, pieces of blocks in their order) out and in.
Message = tuple[int, list[int]]
# This is one rank's: when its steps begin, and of each step (peer, round) of its sends and
# receives.
Timed = list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]


@dataclass
class Step:
    sends: list[Message]
    receives: list[Message]
    barrier: bool = False  # it begins when all ranks have come so far


@dataclass
class Shown:
    """All ranks' schedules. Pieces are blocks, or what each is cut into, numbered over all."""

    all_steps: list[list[Step]]
    pieces_of: list[int]  # of each rank's block
    broadcast_at_end: bool  # of everything, from rank 0


def messages(entries: list[dict[str, object]]) -> list[Message]:
    found = []
    for entry in entries:
        assert set(entry) - {"round"} == {"peer", "blocks"}
        peer, ranges = entry["peer"], entry["blocks"]
        assert isinstance(peer, int) and isinstance(ranges, list)
        blocks = [first + k for first, count in ranges for k in range(count)]
        assert all(count >= 1 for _, count in ranges)
        found.append((peer, blocks))
    return found


def steps(entries: list[dict[str, object]]) -> list[Step]:
    found = []
    for entry in entries:
        assert set(entry) - {"barrier", "round"} == {"sends", "receives"}
        sends, receives = entry["sends"], entry["receives"]
        assert isinstance(sends, list) and isinstance(receives, list)
        assert entry.get("barrier", True) is True
        found.append(Step(messages(sends), messages(receives), "barrier" in entry))
    return found


def timed(entries: list[Any]) -> Timed:
    return [
        (
            step["round"],
            *([(one["peer"], one["round"]) for one in step[way]] for way in ("sends", "receives")),
        )
        for step in entries
    ]


def require_earliest_rounds(all_steps: list[list[Step]], rounds: list[Timed]) -> None:
    """A send has the receive of its round, which is the first in which both steps have begun; a
    step begins a round after the last message of the one before, or when all are at its barrier."""
    met: dict[tuple[int, int, int], list[int]] = {}  # the rounds in which the two ends begin
    barriers: dict[int, list[tuple[int, int]]] = {}  # of each: the earliest, and what is said
    for rank, (of_rank, times) in enumerate(zip(all_steps, rounds, strict=True)):
        earliest = passed = 0
        for step, (begin, sends, receives) in zip(of_rank, times, strict=True):
            if step.barrier:
                barriers.setdefault(passed, []).append((earliest, begin))
                passed += 1
            else:
                assert begin == earliest
            for peer, when in sends:
                met.setdefault((rank, peer, when), []).append(begin)
            for peer, when in receives:
                met.setdefault((peer, rank, when), []).append(begin)
            earliest = 1 + max([begin, *(when for _, when in (*sends, *receives))])
    for (_, _, when), begins in met.items():
        assert len(begins) == 2 and when == max(begins)
    for ends in barriers.values():
        assert len(ends) == len(all_steps)
        assert {begin for _, begin in ends} == {max(earliest for earliest, _ in ends)}


def background_steps(of_rank: list[Step]) -> int:
    """The first ones in which nothing is sent but what came in before."""
    came: set[int] = set()
    for number, step in enumerate(of_rank):
        if any(set(blocks) - came for _, blocks in step.sends):
            return number
        came.update(block for _, blocks in step.receives for block in blocks)
    return len(of_rank)


def shown(build: Build, algorithm: str, ranks: int, *arguments: str) -> Shown:
    ended = build.schedule("show", "--algorithm", algorithm, "--ranks", str(ranks),
                           "--format", "json", *arguments)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert (document.pop("algorithm"), document.pop("ranks")) == (algorithm, ranks)
    entries = document.pop("schedules")
    all_steps = [steps(of_rank) for of_rank in entries]
    assert len(all_steps) == ranks
    require_earliest_rounds(all_steps, [timed(of_rank) for of_rank in entries])
    rounds = [t["round"] for of_rank in entries for s in of_rank for t in (s, *s["sends"])]
    assert document.pop("rounds") == 1 + max(rounds, default=-1)
    pieces_of = document.pop("segments", [1] * ranks)
    broadcast_at_end = document.pop("broadcast_at_end", False)
    assert document.pop("broadcast_root", None) == (0 if broadcast_at_end else None)
    knows_arrivals = algorithm.partition(":")[0] in ARRIVAL_AWARE
    background = [background_steps(steps) for steps in all_steps] if knows_arrivals else None
    assert document.pop("background_steps", None) == background
    rotated = algorithm.partition(":")[0] == "bruck" and ranks > 1  # bruck@node is not
    assert document.pop("scratch_first_block", None) == ([*range(ranks)] if rotated else None)
    assert document.pop("collective") == "allgather"
    assert document == {}
    return Shown(all_steps, pieces_of, broadcast_at_end)


def schedules(build: Build, algorithm: str, ranks: int, *arguments: str) -> list[list[Step]]:
    """Returns the schedules of an algorithm that moves whole blocks, all of them itself."""
    found = shown(build, algorithm, ranks, *arguments)
    assert found.pieces_of == [1] * ranks and not found.broadcast_at_end
    return found.all_steps


class WrongScheduleError(Exception):
    """Says what is wrong with a schedule."""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise WrongScheduleError(what)


class AllRanks:
    """Runs the schedules of all ranks. A message passes when both sides have posted it, first come
    first served between two ranks, and a step ends when all its messages have passed (no buffering:
    what would hang with a rendezvous hangs here). A barrier ends when all ranks wait at it."""

    def __init__(self, all_steps: list[list[Step]], pieces_of: Sequence[int], twice: bool) -> None:
        p = len(all_steps)
        self.all_steps = all_steps
        self.twice = twice  # whether a rank may receive what it has
        ends = list(accumulate(pieces_of, initial=0))
        self.everything = set(range(ends[-1]))
        self.held = [set(range(*limits)) for limits in pairwise(ends)]
        self.waiting = [False] * p  # at the barrier before the step that it is in
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
        if self.open_messages[rank] > 0 or self.waiting[rank] or self.has_ended(rank):
            return False
        for block in self.arriving[rank]:
            has_it = block in self.held[rank]
            require(self.twice or not has_it, f"rank {rank} receives block {block} twice")
            self.held[rank].add(block)
        self.arriving[rank] = []
        self.at[rank] += 1
        if not self.has_ended(rank):
            self.waiting[rank] = self.all_steps[rank][self.at[rank]].barrier
            if not self.waiting[rank]:
                self.post(rank)
        return True

    def pass_barrier(self) -> bool:
        if not all(self.waiting):
            return False
        for rank in range(len(self.waiting)):
            self.waiting[rank] = False
            self.post(rank)
        return True


def check_all_gather(
    all_steps: list[list[Step]],
    pieces_of: Sequence[int] | None = None,
    broadcast_at_end: bool = False,
    twice: bool = False,
) -> None:
    ranks = range(len(all_steps))
    state = AllRanks(all_steps, pieces_of or [1] * len(all_steps), twice)
    # A list: all of them, every time.
    while any([*map(state.advance, ranks), state.match(), state.pass_barrier()]):
        pass
    stuck = [rank for rank in ranks if not state.has_ended(rank)]
    require(not stuck, f"ranks {stuck} wait for ever")
    require(not any(state.receives.values()), "a receive without a send")
    for rank in ranks[:1] if broadcast_at_end else ranks:
        held = state.held[rank]
        require(held == state.everything, f"rank {rank} ends with {sorted(held)}")


def value_of(algorithm: str, otherwise: int) -> int:
    """Returns the value of the parameter, if that is a number."""
    text = algorithm.partition("=")[2]
    return int(text) if text.isdigit() else otherwise


def logarithm(p: int, k: int) -> int:
    """Rounded down."""
    return 0 if p < k else 1 + logarithm(p // k, k)


def steps_of(algorithm: str, p: int) -> int:
    """Returns the steps of the rank that has most, as the papers say."""
    log2_up = (p - 1).bit_length()
    name = algorithm.partition(":")[0]
    if name in ("bruck", "bruck_in_place", "bruck_two_sided", "far_first"):
        k = 3 if name == "bruck_two_sided" else value_of(algorithm, 2)
        return next(s for s in range(p) if k**s >= p)
    if name == "pat":
        aggregate = min(value_of(algorithm, 8), 2**log2_up // 2)
        return p - 1 if aggregate < 2 else logarithm(aggregate, 2) + 2**log2_up // aggregate - 1
    if name == "k_ring":
        k = value_of(algorithm, 2)
        return p - 1 if k == 1 else p // k * (k - 1)
    if name == "recursive_exchange":
        k = value_of(algorithm, 2)
        full = logarithm(p, k)
        return full + (2 if k**full < p else 0)
    special = {
        "neighbor_exchange": p // 2,
        "recursive_doubling": log2_up,
        "recursive_halving": log2_up,
        "sparbit": log2_up,
        "circulant": value_of(algorithm, 4) - 1 + log2_up if p > 1 else 0,
        "bine": (p - 2).bit_length() + 2 if p % 2 == 1 and p > 1 else log2_up,
        "recursive_multiplying": prime_factors(p),
        "bine_doubling": log2_up,
        "bine_remap": log2_up + (p >= 4),
        "recursive_halving_remap": log2_up + (p >= 4),
        "ring_bidirectional": p // 2,
        "linear": min(p - 1, 1),
        "spread": min(p - 1, 1),
        "shift_light_barrier": max(2 * p - 3, 0),
        "pair_light_barrier": max(2 * p - 3, 0),
        "bucket": sum(sides(p)) - 2,
        "swing": log2_up,
        "mesh2d": 2,
        "mesh3d": 3,
        "gather_bcast": 2 * log2_up,
        "linear_gather_bcast": min(p - 1, 1),
        "bslb": 0 if p == 1 else max(p, 3) if algorithm == SHORT_AND_LONG else max(p - 1, 2),
        "pipelined_ring": (p - 1) * 3,  # the three segments of PIPELINED
    }
    return special.get(name, p - 1)


def sides(p: int) -> tuple[int, int]:
    """Returns the sides of a torus of two dimensions, as near as they can be."""
    return max((x, p // x) for x in range(1, p + 1) if p % x == 0 and x <= p // x)


def barriers_of(algorithm: str, p: int) -> int:
    if "_mpi_barrier" in algorithm:
        return max(p - 2, 0)
    return value_of(algorithm, 1) if "_n_barriers" in algorithm else 0


PIPELINED = "pipelined_ring:segment=4"
SHORT_AND_LONG = "bslb:head=4"
IN_PARTS = "clairvoyant:segments=3"
# Of blocks of 10 bytes.
PIECES = {PIPELINED: 3, SHORT_AND_LONG: 2, "circulant": 4, "circulant:segments=3": 3}
# Nodes and switches decide what these are: their steps are not compared.
EQUAL_NODES = ["locality_p2p", "locality_bruck"]
ON_NODES = ["leader", "leader:inner=ring", "lane", "lane:inner=linear", *EQUAL_NODES,
            "multi_leader", "multi_leader:leaders=3:inner=ring"]  # fmt: skip
WITH_PARAMETERS = ["bruck:k=3", "bruck:k=7", "bruck_in_place:k=4", "recursive_exchange:k=3",
                   "shift_n_barriers:n=2", "pair_n_barriers:n=5", PIPELINED,
                   SHORT_AND_LONG, "bdr:tau=13ms", "circulant:segments=3", "pat:aggregate=2",
                   "far_first:k=3", "k_ring:k=1", "k_ring:k=3"]  # fmt: skip
NAMES = [
    *(name for name in SCHEDULES if name not in (*TOPOLOGY_RINGS, *ON_NODES, "pipelined_ring")),
    *WITH_PARAMETERS,
    *ON_NODES,
]
REMAPPED = ("bine_remap", "recursive_halving_remap")
MOVE_TWICE = (
    "gather_bcast",
    "recursive_exchange",
    "leader",
    "multi_leader",
    *REMAPPED,
)  # fold, broadcast, remap
# Some ranks rest.
UNEQUAL = ("gather_bcast", "linear_gather_bcast", "bslb", "recursive_exchange", "bine", *REMAPPED)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", NAMES)
def test_every_number_of_ranks(build: Build, algorithm: str) -> None:
    name = algorithm.partition(":")[0]
    arguments = ["--bytes", "10"] if algorithm in PIECES else []
    for p in range(1, 18):
        on_node = next(n for n in (3, 2, 1) if p % n == 0) if algorithm in EQUAL_NODES else 3
        nodes = ["--ranks-per-node", str(on_node)] if algorithm in ON_NODES else []
        if not runs_at(algorithm, p) or barriers_of(algorithm, p) > max(p - 2, 0):
            ended = build.schedule("show", "--algorithm", algorithm, "--ranks", str(p))
            assert ended.exit_code == 2
            assert f"ranks = {p}" in ended.messages[0] or f"{p} ranks" in ended.messages[0]
            continue
        found = shown(build, algorithm, p, *arguments, *nodes)
        pieces = PIECES.get(algorithm, 1) if p > 1 or algorithm != SHORT_AND_LONG else 1
        assert found.pieces_of == [pieces] * p
        assert found.broadcast_at_end == (name in ("linear_gather_bcast", "bslb") and p > 1)
        twice = name in MOVE_TWICE
        check_all_gather(found.all_steps, found.pieces_of, found.broadcast_at_end, twice)
        barriers = {sum(step.barrier for step in steps) for steps in found.all_steps}
        assert barriers == {barriers_of(algorithm, p)}
        if algorithm in ON_NODES:
            continue
        lengths = {len(steps) for steps in found.all_steps}
        assert max(lengths) == steps_of(algorithm, p)
        assert len(lengths) == 1 or name in UNEQUAL


@pytest.mark.parametrize("name", ["ring", "sparbit", "bruck", "pair_mpi_barrier", "mesh2d"])
def test_orders_of_the_ranks(build: Build, name: str) -> None:
    """Position k is the rank at its place on nodes of 4: step by step what rank k sends else."""
    for p in (8, 16):
        nodes = ["--nodes", str(p // 4), "--ranks-per-node", "4", "--mapping", "cyclic"]
        flat = shown(build, name, p).all_steps
        order = sorted(range(p), key=lambda rank: (rank % (p // 4), rank))
        found = schedules(build, f"{name}@node", p, *nodes)
        check_all_gather(found)
        for position, rank in enumerate(order):
            for step, same in zip(flat[position], found[rank], strict=True):
                sent = [(order[peer], {order[block] for block in blocks})
                        for peer, blocks in step.sends]  # fmt: skip
                assert [(peer, {*blocks}) for peer, blocks in same.sends] == sent


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm",
    [
        "bdr",
        "bslb",
        SHORT_AND_LONG,
        IN_PARTS,
        "clairvoyant:segments=1",
        "arrival_rings",
        "portfolio",
        "portfolio:alpha=0.3us",
    ],
)
def test_every_pattern_of_arrivals(build: Build, algorithm: str) -> None:
    random = Random(1)
    for p in range(2, 14):
        for most in (0.5, 2, p, 3 * p, 1e9):
            times = [random.uniform(0, most) for _ in range(p)]
            if most == 2:
                times = [float(round(time)) for time in times]  # several at once
            message = [] if "bslb" in algorithm else ["--message-time", "1us"]
            found = shown(build, algorithm, p, "--bytes", "10", *message,
                          "--arrival-times", ",".join(map(str, times)))  # fmt: skip
            check_all_gather(found.all_steps, found.pieces_of, found.broadcast_at_end)
            first, last = times.index(min(times)), times.index(max(times))
            if algorithm == "bdr" and max(times) - min(times) >= p:
                # The first has sent to all before the last one comes, which has it all by then.
                assert background_steps(found.all_steps[first]) == 0
                assert len(found.all_steps[first][0].sends) == 1
                assert background_steps(found.all_steps[last]) > 0
            if "clairvoyant" in algorithm:
                # Once one rank is there, all others help; the last one has all when it comes.
                if max(times) - min(times) >= 1:
                    assert found.pieces_of == [3 if algorithm == IN_PARTS else 1] * p
                if max(times) - min(times) > 1e6:
                    assert background_steps(found.all_steps[last]) > 0
            elif "bslb" in algorithm:
                order = [rank for _, rank in sorted(zip(times[1:], range(1, p), strict=True))]
                asked = [peer for step in found.all_steps[0] for peer, _ in step.sends]
                assert asked == order


def test_tokens_have_no_blocks(build: Build) -> None:
    """All that is not a token has blocks."""
    for algorithm in ("shift_light_barrier", "pair_light_barrier", "shift"):
        all_steps = schedules(build, algorithm, 8)
        sent = [blocks for steps in all_steps for step in steps for _, blocks in step.sends]
        assert sent.count([]) == (8 * 6 if "light" in algorithm else 0)
        assert len(sent) - sent.count([]) == 8 * 7


def test_one_rank_as_json(build: Build) -> None:
    everyone = schedules(build, "sparbit", 7)
    for rank in range(7):
        ended = build.schedule("show", "--algorithm", "sparbit", "--ranks", "7", "--rank",
                               str(rank), "--format", "json")  # fmt: skip
        assert "round" not in ended.stdout, "these take all ranks"
        document = json.loads(ended.stdout)
        assert document["rank"] == rank
        (entries,) = document["schedules"]
        assert steps(entries) == everyone[rank]


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "show --help",
        "show --algorithm sparbit --ranks 5 --format json",
        "show --algorithm ring --ranks 64",
        "mapping --nodes 4 --ranks-per-node 5",
        "prove --algorithms ring --ranks 2:4",
        "cost --algorithms ring --ranks 4 --model hockney:alpha=1,beta=1",
        "distributions --ranks 4 --bytes 8",
        "arrivals --arrival none --ranks 4",
        "rings --algorithms ring --ranks 4",
        "catalogue --json",
    ],
)
def test_what_a_full_disk_does_not_take_is_told(build: Build, words: str) -> None:
    """What is short is in stdio's buffer until the end."""
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [build.program("allgather_schedule"), *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    (line,) = ended.stderr.splitlines()
    assert line.startswith("allgather_schedule: ")
    assert line.endswith(": No space left on device")
    assert ended.returncode == 2


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
        # A barrier that only one of them has.
        ([GOOD[0], [Step([(0, [1])], [(0, [0])], barrier=True)]], "wait for ever"),
    ],
)
def test_checker_finds(wrong: list[list[Step]], what: str) -> None:
    with pytest.raises(WrongScheduleError, match=what):
        check_all_gather(wrong)


def test_checker_knows_pieces_and_broadcasts() -> None:
    """Rank 0's block in two pieces, 0 and 1; rank 1's is piece 2."""
    there = [Step([(1, [0])], []), Step([(1, [1])], [(1, [2])])]
    back = [Step([], [(0, [0])]), Step([(0, [2])], [(0, [1])])]
    check_all_gather([there, back], [2, 1])
    only_back = [[Step([], [(1, [2])])], [Step([(0, [2])], [])]]
    check_all_gather(only_back, [2, 1], broadcast_at_end=True)
    with pytest.raises(WrongScheduleError, match="rank 1 ends with"):
        check_all_gather(only_back, [2, 1])
    with pytest.raises(WrongScheduleError, match="rank 1 ends with"):
        check_all_gather(
            [[there[0], Step([], [(1, [2])])], [back[0], Step([(0, [2])], [])]], [2, 1]
        )


def test_checker_passes_barriers() -> None:
    late = [[Step([], []), *GOOD[0]], [Step([], []), *GOOD[1]]]
    for steps_of_rank in late:
        steps_of_rank[1] = Step(steps_of_rank[1].sends, steps_of_rank[1].receives, barrier=True)
    check_all_gather(late)
