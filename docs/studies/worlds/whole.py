# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of the times of single calls, which `compare` judges with all of its tests.

A launch differs from another one as a whole by 1.5 %, and in each case by another 1.2 %; a call
differs from another one by 8 %. A world adds what it is named after. The sides take turns in an
order that is drawn by lot, as agsweep draws it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd

from agformats.files.result_file import ELAPSED, OPTIONAL, Launch
from agreport.compare.sides import ALTERNATED, KEYS, Sides
from agreport.compare.turns import FIRST, FORM, TURN
from agreport.data.load import SETTING, Results
from agreport.stats.arrays import Flags, Floats
from worlds.noise import Noise, Random, normal, student

ALGORITHMS = ("bruck", "native", "ring", "sparbit")  # the cases are of these in turn
SMALLEST = 8  # bytes of the first case
BEGIN = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)
OF_LAUNCH, OF_CASE, OF_CALL = 0.015, 0.012, 0.08
LONGEST = np.log(1e10)  # of a call: three hours, in us; a t distribution has longer ones
TEXT = {
    "collective": "allgather", "mapping": "as launched", "distribution": "regular",
    "arrival": "none", "pattern": "none", "group": "all", "beside": "nothing", "status": "ok",
    "buffer_offset": "0,0", SETTING: "",
}  # fmt: skip

Disturb = Callable[[Random, int, int], Floats]  # of so many launches and cases: log times to add


def undisturbed(_: Random, launches: int, cases: int) -> Floats:
    return np.zeros((launches, cases))


def two_speeds(random: Random, launches: int, _: int) -> Floats:
    """A quarter of the launches is 1.5 times as slow as a whole."""
    return np.where(random.random((launches, 1)) < 0.25, np.log(1.5), 0.0)


def drifting(random: Random, launches: int, cases: int) -> Floats:
    """All become slower by 15 %, each case by some more or less."""
    by: Floats = 0.15 * (1 + 0.3 * random.standard_normal((1, cases)))
    return np.linspace(0, 1, launches)[:, np.newaxis] * by


def hourly(random: Random, launches: int, _: int) -> Floats:
    """The machine is slower and faster by 6 %, one and a half times while the launches run."""
    turns = 1.5 * np.arange(launches) / launches + random.random()
    return np.asarray(0.06 * np.sin(2 * np.pi * turns)[:, np.newaxis])


def slow_node(random: Random, launches: int, cases: int) -> Floats:
    """Two of 16 nodes are slow, by 1.3 in half of the cases; a launch has two nodes."""
    nodes = random.random((launches, 16)).argsort(axis=1)[:, :2]
    hit = (nodes < 2).any(axis=1, keepdims=True) & (np.arange(cases) % 2 == 0)
    return np.where(hit, np.log(1.3), 0.0)


def autoregressive(random: Random, launches: int, _: int) -> Floats:
    """Each launch keeps eight tenths of how far off the one before was."""
    found = random.standard_normal((launches, 1))
    for place in range(1, launches):
        found[place] = 0.8 * found[place - 1] + 0.6 * found[place]
    return np.asarray(0.06 * found)


def heavy_tailed(random: Random, launches: int, cases: int) -> Floats:
    """Launches differ as t with 2 degrees of freedom does."""
    return 0.02 * (student(random, (launches, 1)) + student(random, (launches, cases)))


def timed(
    random: Random,
    slower: Floats,
    *,
    disturb: Disturb = undisturbed,
    key: str = "",
    base: int = 10,
    new: int = 10,
    calls: int = 30,
    of_call: float = OF_CALL,
    make: Noise = normal,
    tick: float = 0.0,
    missing: float = 0.0,
    far: tuple[float, float] | None = None,
) -> Sides:
    """key: what says which launches belong together, if any. calls: of each case in a launch.
    of_call, make: how far and in which way they differ. tick: all times are multiples of it, in
    us. missing: the share of the cases that a launch lacks. far: which share of the calls of slower
    cases takes how many times as long, instead of all of them the slowdown."""
    launches, cases = base + new, len(slower)
    is_new = draw_turns(random, base) if key else random.permutation(np.arange(launches) >= base)
    logs = random.uniform(0.8, 2.2, cases) if tick else np.log(8) + random.uniform(0, 2, cases)
    logs = logs + OF_LAUNCH * random.standard_normal((launches, 1))
    logs = logs + OF_CASE * random.standard_normal((launches, cases))
    logs = (
        logs
        + disturb(random, launches, cases)
        + (0 if far else np.where(is_new[:, np.newaxis], slower, 0))
    )
    noise = of_call * make(random, (launches, cases, calls))
    times = np.exp(np.minimum(logs[..., np.newaxis] + noise, LONGEST))
    if far:
        hit = is_new[:, np.newaxis, np.newaxis] & (slower > 0)[:, np.newaxis]
        times *= np.where(hit & (random.random(times.shape) < far[0]), far[1], 1)
    if tick:
        times = np.maximum(tick * np.round(times / tick), tick)
    times[random.random((launches, cases)) < missing] = np.nan
    return to_sides(times, is_new, key)


def draw_turns(random: Random, pairs: int) -> Flags:
    """Returns whether each of the launches, in their order, is on the new side; two are a pair."""
    second = random.random(pairs) < 0.5
    return np.column_stack([~second, second]).ravel()


def to_sides(times: Floats, new: Flags, key: str) -> Sides:
    """times: launches down, then cases, then calls; of a case that a launch lacks they are NaN."""
    count = times.size
    launch, case, call = (each.ravel() for each in np.indices(times.shape))
    frame = {
        **{name: pd.Categorical([text]).take(np.zeros(count, int)) for name, text in TEXT.items()},
        "algorithm": pd.Categorical(ALGORITHMS).take(case % len(ALGORITHMS)),
        "bytes": SMALLEST << case // len(ALGORITHMS),
        "ranks": np.full(count, 2),
        "nodes": np.full(count, 1),
        "iteration": call.astype(float),
        "launch": launch.astype(np.int32),
        **dict.fromkeys(OPTIONAL, np.full(count, np.nan)),
        **dict.fromkeys(ELAPSED.values(), times.ravel()),
    }
    rows = pd.DataFrame(frame)
    rows = rows[~np.isnan(times.ravel())].reset_index(drop=True)
    told = [tell_launch(number, key) for number in range(len(new))]
    return Sides(Results(rows, told, list(ALGORITHMS)), new)


def tell_launch(number: int, key: str) -> Launch:
    start = (BEGIN + timedelta(minutes=number)).strftime(FORM)
    paired = {key: f"{number // 2:03}"} if key else {}
    turn = {TURN: FIRST if number % 2 == 0 else "B"} if key == KEYS[ALTERNATED] else {}
    metadata = {"sync": "barrier", "mpi": "made up 1", "start": start, **paired, **turn}
    return Launch(Path(f"{number}.csv"), metadata, 0)
