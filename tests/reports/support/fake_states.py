# SPDX-License-Identifier: BSD-3-Clause
"""Writes launches on a machine whose cache lines take one time or another from core to core."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from shared.checksums import checksummed

from ..conftest import METADATA

BATCH = 10  # so many iterations are a batch
COLUMNS = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,run_us,imbalance_us,line_before_us,line_after_us,prepare_us,status,reason"
)
ALGORITHMS = ("ring", "bruck")

# Gives by the number of a batch how long the cache line takes before and after it.
Lines = Callable[[int, np.random.Generator], tuple[float, float]]
# Gives the time of an algorithm with so many bytes, by how long the cache line takes before it.
Times = Callable[[str, int, float], float]


def usual_time(algorithm: str, size: int, line_us: float) -> float:
    del algorithm, size, line_us
    return 10.0


def launch(
    path: Path,
    lines: Lines,
    *,
    seed: int = 1,
    batches: int = 20,
    sizes: Sequence[int] = (64, 1024),
    times: Times = usual_time,
    hosts: str = "h",
    metadata: Mapping[str, str] | None = None,
) -> str:
    random = np.random.default_rng(seed)
    said = {**METADATA, "hosts": hosts, **(metadata or {})}
    text = [f"#@{key}={value}" for key, value in said.items()]
    text += [f"#@start={seed}", COLUMNS]
    number = 0
    for case, size in enumerate(sizes):
        rows: dict[str, list[str]] = {name: [] for name in ALGORITHMS}
        for batch in range(batches):
            for name in ALGORITHMS:
                before, after = lines(number, random)
                number += 1
                for i in range(batch * BATCH, (batch + 1) * BATCH):
                    us = times(name, size, before) * random.lognormal(0, 0.02)
                    rows[name].append(
                        f"allgather,{name},regular,none,sequential,4,1,{size},{4 * size},{i},"
                        f"{us},{us},{us},{us},0.0,{before:.4f},{after:.4f},9.5,ok,"
                    )
        text += [line for own in rows.values() for line in own] + [f"#@case_end={case}"]
    path.write_text(checksummed("\n".join(text) + "\n"))
    return str(path)


def one_state(number: int, random: np.random.Generator) -> tuple[float, float]:
    """Returns two times with 20 % of noise, and now and then an outlier."""
    del number
    us = 0.1 * random.lognormal(0, 0.2, 2) * np.where(random.random(2) < 0.008, 20.0, 1.0)
    return float(us[0]), float(us[1])


def flips(every: int, of: int = 2, slow_us: float = 0.45) -> Lines:
    """Returns times of 0.1 us, but slow_us in the last of each `of` stretches of `every` batches. A
    batch just before a change is across it."""

    def found(number: int, random: np.random.Generator) -> tuple[float, float]:
        states = [(number + later) // every % of == of - 1 for later in (0, 1)]
        noise = random.lognormal(0, 0.05, 2)
        before, after = np.where(states, slow_us, 0.1) * noise
        return float(before), float(after)

    return found
