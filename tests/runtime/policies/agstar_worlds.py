# SPDX-License-Identifier: BSD-3-Clause
"""The policy agstar once more, in exact fractions and as plainly as it can be said, in made-up
worlds. Prints the table tests/shared/agstar_worlds.csv, to which the C++ is held:

    python tests/runtime/policies/agstar_worlds.py > tests/shared/agstar_worlds.csv
"""

import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from statistics import median

WORLDS, CALLS = 500, 1500
NATIVE = 0
FULL = 9  # rounds that decide
FIRST_PLAIN = 64  # calls of a leader without a duel
RUN, DUEL_RUN = 3, 17  # calls, of which the first one is not compared
LONG = 10**7  # ns: calls as long need no other before them
SLACK, TIE = Fraction(110, 100), Fraction(97, 100)
KILL = [Fraction(part, 100) for part in (200, 150, 125, 125, 110)]  # of 1, 2, .. 5 or more values
TAKE = [Fraction(part, 100) for part in (50, 67, 80, 80, 97)]

Stretch = tuple[int, int]  # a candidate and how many calls it has
CallPlan = list[Stretch]


@dataclass
class Seen:
    """Times of one candidate, each with its round if it was of one."""

    values: list[tuple[int | None, int]] = field(default_factory=list)

    def time(self) -> Fraction:
        return Fraction(median([Fraction(ns) for _, ns in self.values[-2 * FULL :]]))

    def of(self, table: list[Fraction]) -> Fraction:
        return table[min(len(self.values), 5) - 1]

    def rounds(self) -> dict[int, int]:
        sums: dict[int, int] = {}
        for number, ns in self.values:
            if number is not None:
                sums[number] = sums.get(number, 0) + ns
        return dict(list(sums.items())[-FULL:])


class Policy:
    """`run` yields plans and is sent the times of the calls that were timed."""

    def __init__(self, expected: list[int | None], rho: Fraction) -> None:
        known = [ns for ns in expected if ns is not None]
        least = min(known, default=0)
        guess = [0 if ns is None else ns for ns in expected]
        self.all = [i for i in range(1, len(expected)) if guess[i] <= 2 * least]
        if known:
            self.all = sorted(self.all, key=lambda i: guess[i])[:8]
        self.rho = rho
        self.seen = [Seen() for _ in expected]
        self.leader, self.alive = NATIVE, list(self.all)
        self.proven, self.unseen = True, False
        self.excess = self.spent = Fraction(0)
        self.number = 0  # of rounds

    def time(self, candidate: int) -> Fraction:
        return self.seen[candidate].time()

    def run(self) -> Generator[CallPlan, list[int], None]:
        times = yield from self.calls([(NATIVE, 4)])
        self.seen[NATIVE].values = [(None, ns) for ns in times[1:]]
        while True:
            if self.duel_is_due():
                yield from self.duel()
            elif not self.alive:
                yield from self.watch()
            elif self.excess > self.rho * self.spent:
                yield from self.wait()
            else:
                yield from self.play_round()

    def calls(self, plan: CallPlan) -> Generator[CallPlan, list[int], list[int]]:
        times = yield plan
        calls = sum(count for _, count in plan)
        whole = calls == len(times)
        self.spent += sum(times) if whole else calls * median(map(Fraction, times))
        return times

    def runs(self, plan: CallPlan) -> Generator[CallPlan, list[int], list[list[int]]]:
        """The times of each of its runs."""
        times = yield from self.calls(plan)
        ends = list(accumulate(count for _, count in plan))
        return [times[end - count : end] for end, (_, count) in zip(ends, plan, strict=True)]

    def charge(self, plan: CallPlan, runs: list[list[int]], base: Fraction) -> None:
        for (candidate, _), times in zip(plan, runs, strict=True):
            dear = times[:1] if candidate == self.leader else times
            self.excess += sum(max(Fraction(0), ns - base) for ns in dear)

    def play_round(self) -> Generator[CallPlan, list[int], None]:
        calls = RUN if self.time(self.leader) < LONG else 1
        plan = [(candidate, calls) for candidate in [*self.alive, self.leader]]
        runs = yield from self.runs(plan)
        self.number += 1
        self.dear = False
        for (candidate, _), times in zip(plan, runs, strict=True):
            self.seen[candidate].values += [(self.number, ns) for ns in times[-2:]]
        base = self.time(self.leader)
        self.charge(plan, runs, base)
        self.drop_slow()
        ready, beaten = [], []
        leaders = self.seen[self.leader].rounds()
        for candidate in self.alive:
            own = self.seen[candidate].rounds()
            common = own.keys() & leaders.keys()
            lost = sum(own[k] >= leaders[k] for k in common)
            forgiven = max(0, (len(common) - 5) // 2)
            if self.time(candidate) < self.seen[candidate].of(TAKE) * base and lost <= forgiven:
                ready.append(candidate)
            elif len(common) >= FULL:
                beaten.append(candidate)
        self.alive = [candidate for candidate in self.alive if candidate not in beaten]
        if ready:
            self.elect(min(ready, key=self.time))

    def duel_is_due(self) -> bool:
        if self.proven:
            return False
        native = self.seen[NATIVE]
        if native.values and self.time(self.leader) >= native.time() / 2:
            return True
        more = native.time() - self.time(self.leader) if native.values else Fraction(0)
        return self.excess + DUEL_RUN * max(Fraction(0), more) <= self.rho * self.spent

    def duel(self) -> Generator[CallPlan, list[int], None]:
        plan = [(NATIVE, DUEL_RUN), (self.leader, DUEL_RUN)]
        runs = yield from self.runs(plan)
        self.proven = True
        times = []
        for (candidate, _), run in zip(plan, runs, strict=True):
            self.seen[candidate].values += [(None, ns) for ns in run[1:]]
            times.append(Fraction(median(map(Fraction, run[1:]))))
        of_native, of_leader = times
        stays = of_leader < TIE * of_native
        if not stays:
            self.leader = NATIVE
            self.alive = [candidate for candidate in self.alive if candidate != NATIVE]
        self.charge(plan, runs, of_leader if stays else of_native)
        self.drop_slow()

    def wait(self) -> Generator[CallPlan, list[int], None]:
        base = self.time(self.leader)
        gap = (self.excess / self.rho - self.spent) // base + 1
        known = [candidate for candidate in self.alive if self.seen[candidate].values]
        who = min(known, key=self.time, default=self.leader)
        if self.dear or self.time(who) > Fraction(9, 10) * base:
            who = self.leader
        count = self.plain_calls(int(min(gap, 256))) if who == self.leader else int(min(gap, 16))
        times = yield from self.calls([(who, count)])
        now = Fraction(median(map(Fraction, times)))
        if who == self.leader:
            if count >= 16:
                self.native_was_faster(count, now)
            return
        cost = sum(times) - count * base
        self.dear = self.dear or cost > 0
        self.excess += max(Fraction(0), cost)
        counted = times[1:]
        self.seen[who].values += [(None, ns) for ns in counted]
        if len(counted) >= 5 and median(map(Fraction, counted)) < TIE * base:
            self.elect(who)
        else:
            self.drop_slow()

    def watch(self) -> Generator[CallPlan, list[int], None]:
        """Windows until somebody is alive again."""
        first: Fraction | None = None
        size, slow = 16, 0
        while not self.alive and not self.duel_is_due():
            count = self.plain_calls(size)
            times = yield from self.calls([(self.leader, count)])
            now = Fraction(median(map(Fraction, times)))
            if self.native_was_faster(count, now):
                return
            if first is not None and now > SLACK * first:
                slow += 1
                if slow == 2:
                    for seen in self.seen:
                        seen.values = []
                    self.seen[self.leader].values = [(None, int(now))]
                    self.alive = [i for i in [NATIVE, *self.all] if i != self.leader]
                    first, size, slow = None, 16, 0
                continue
            first = now if first is None else first
            slow, size = 0, min(256, 2 * size)

    def native_was_faster(self, count: int, now: Fraction) -> bool:
        if self.leader == NATIVE or not self.seen[NATIVE].values:
            return False
        if now <= SLACK * self.time(NATIVE):
            return False
        self.excess += count * (now - self.time(NATIVE))
        self.leader, self.alive, self.proven = NATIVE, list(self.all), True
        for candidate in self.all:
            self.seen[candidate].values = []
        return True

    def elect(self, candidate: int) -> None:
        self.alive = [other for other in self.alive if other != candidate] + [self.leader]
        self.leader = candidate
        self.proven = candidate == NATIVE
        self.unseen = True
        self.drop_slow()

    def plain_calls(self, count: int) -> int:
        if self.proven or not self.unseen:
            return count
        self.unseen = False
        return min(count, FIRST_PLAIN)

    def drop_slow(self) -> None:
        base = self.time(self.leader)

        def is_slow(candidate: int) -> bool:
            seen = self.seen[candidate]
            return bool(seen.values) and seen.time() > seen.of(KILL) * base

        self.alive = [candidate for candidate in self.alive if not is_slow(candidate)]

    dear = False  # plain calls of a candidate took too long, since the last round


def timed(count: int, calls_of_each: bool) -> list[int]:
    """The numbers of the calls of a stretch that are timed: 16 at most, but in rounds."""
    if calls_of_each or count <= 16:
        return list(range(count))
    return [-(-k * count // 16) for k in range(16)]


MASK = (1 << 64) - 1


def hashed(seed: int, what: int, a: int = 0, b: int = 0) -> int:
    mixed = 0
    for part in (seed, what, a, b):
        mixed = (mixed + part + 0x9E3779B97F4A7C15) & MASK
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
        mixed ^= mixed >> 31
    return mixed


class World:
    """Does what tests/runtime/policies/worlds.h does."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.wild = seed % 4 == 3
        self.scale = 200 if seed % 5 == 1 else 1  # so that calls take some ms
        self.period = 5 + hashed(seed, 1) % 300 if self.wild else 100 + hashed(seed, 1) % 500
        self.noise = hashed(seed, 2) % 200
        self.spike_one_in = 20 + hashed(seed, 3) % 80
        self.budget = Fraction(20 + hashed(seed, 4) % 100, 1000)
        self.expected = [self.expect(i) for i in range(2 + hashed(seed, 5) % 8)]

    def expect(self, i: int) -> int | None:
        if hashed(self.seed, 6) % 3 or hashed(self.seed, 7, i) % 5 == 0:
            return None
        return self.speed(0, i) * (50 + hashed(self.seed, 8, i) % 100) // 100

    def time(self, call: int, i: int) -> int:
        noise = hashed(self.seed, 9, i, call)
        ns = self.speed(call, i) * (1000 + noise % (self.noise + 1)) // 1000
        is_spike = (noise >> 20) % self.spike_one_in == 0
        return ns * (2 + (noise >> 40) % (500 if self.wild else 19)) if is_spike else ns

    def speed(self, call: int, i: int) -> int:
        changes = self.wild or hashed(self.seed, 10, i) % 3 == 0
        part = call // self.period if changes else 0
        ns = (40000 + hashed(self.seed, 11, i, part) % 200000) * self.scale
        return ns * (1 + hashed(self.seed, 12, i, part) % 30) if self.wild else ns


def plans(policy: Policy, time: Callable[[int, int], int], calls: int) -> Iterator[CallPlan]:
    run = policy.run()
    plan = next(run)
    call = 0
    while call < calls:
        yield plan
        starts = accumulate((count for _, count in plan), initial=call)
        times = [
            time(start + k, candidate)
            for start, (candidate, count) in zip(starts, plan, strict=False)
            for k in timed(count, len(plan) > 1)
        ]
        call += sum(count for _, count in plan)
        plan = run.send(times)


def text(plan: CallPlan) -> str:
    """ "16*2" for calls in a row, "3*2.3*0" for a round."""
    return ".".join(f"{count}*{candidate}" for candidate, count in plan)


def row(seed: int) -> str:
    world = World(seed)
    policy = Policy(world.expected, world.budget)
    return f"{seed}," + " ".join(map(text, plans(policy, world.time, CALLS)))


def table() -> str:
    return "\n".join(["seed,call_plans", *map(row, range(WORLDS)), ""])


if __name__ == "__main__":
    sys.stdout.write(table())
