# SPDX-License-Identifier: BSD-3-Clause
"""Options at random, together: a launch ends with every byte right, or is refused in one line.

They are the same in each run. COMBINATIONS=400 tries so many.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from agformats.files.result_rows import read

from ..support.launch import Build

pytestmark = pytest.mark.slow

BENCHES = tuple(row.executable for row in catalogue().collectives)
GATHERS = ("allgather_bench", "allgatherv_bench")
REDUCES = ("reduce_bench", "allreduce_bench")
ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
HUGE = ENABLED.is_file() and "[never]" not in ENABLED.read_text()
# Legal ones of each option, if it stands alone; those of one benchmark are asked of no other.
VALUES = {
    "--algorithms": ["regular", "native,native_nonblocking", "adaptive,native", "arrival_aware"],
    "--arrival": [
        "delayed:rank=0,delay=20us",
        "uniform:max=30us",
        "alternating:even=10us,odd=20us",
    ],
    "--prediction": ["perfect", "wrong:reversed", "noise:5us"],
    "--compute": ["50us"],
    "--wait": ["busy", "sleep", "work"],
    "--mapping": ["sequential,cyclic"],
    "--ranks-per-node": ["2"],
    "--groups": ["mod:2", "div:2", "node"],
    "--beside": ["allreduce:1K", "alltoall:64"],
    "--overlap": ["1", "4"],
    "--in-place": [""],
    "--datatype": ["int", "float", "double", "vector:1:3"],
    "--displacements": ["gaps:8", "permuted", "permuted:gaps=8"],
    "--distributions": ["spike", "broadcast", "all"],
    "--noncontiguous": ["packed", "datatype"],
    "--buffers": ["same", "fresh", "rotate:1M", "cold"],
    "--buffer-offset": ["1", "64", "0,16", "random"],
    "--pages": ["small", *(["huge"] if HUGE else [])],
    "--buffers-in": ["window"],
    "--measure-model": [""],
    "--precision": ["5%"],
    "--max-time": ["20ms"],
    "--sync": ["double-barrier", "dissemination", "window", "none"],
    "--order": ["sequential", "interleaved:1", "interleaved:3"],
    "--size-order": ["shuffled"],
    "--cycles": ["0", "1", "20"],
    "--read": [""],
    "--seed": ["7"],
    "--table": ["osu", "side-by-side"],
    "--full": [""],
    "--validation": [""],
    "--check-up-to": ["64"],
    "--tail-lat": ["50,99"],
    "--std-dev": [""],
    "--progress": [""],
    "--record": ["ranks", "steps", "ranks,steps", "counters"],
    "--note": ["build=a"],
    "--root": ["0", "1"],
    "--op": ["max", "bxor", "compose"],
    "--type": ["double", "char"],
    "--charge-schedule": [""],
}
# Not all benchmarks that have the option have the value.
ONLY_OF = {
    ("--algorithms", "adaptive,native"): GATHERS,
    ("--algorithms", "arrival_aware"): (*GATHERS, *REDUCES),
    ("--buffer-offset", "1"): tuple(name for name in BENCHES if name not in REDUCES),
    ("--buffer-offset", "0,16"): tuple(name for name in BENCHES if name != "bcast_bench"),
}
# An option needs this beside it.
NEEDS = {"--prediction": ("--algorithms", "arrival_aware")}
OF_TWO_RANKS = ("--groups", "--root")  # which one rank may not have
SIZES = ("8", "1K", "8,512", "24,4K")


@dataclass(frozen=True)
class Combination:
    bench: str
    ranks: int
    words: list[str]


@cache
def offered(build: Build, bench: str) -> list[str]:
    help_text = build.alone(bench, "--help").stdout
    return [option for option in VALUES if f"{option} " in help_text or f"{option}\n" in help_text]


def draw(build: Build, seed: int) -> Combination:
    chance = random.Random(seed)
    bench = chance.choice(BENCHES)
    options = offered(build, bench)
    words = ["--sizes", chance.choice(SIZES), "-i", "2", "-x", "1", "--output", "out.csv"]
    drawn = chance.sample(options, chance.randint(1, 6))
    words += words_of({option: chance.choice(values_of(bench, option)) for option in drawn})
    return Combination(bench, chance.choice([1, 2, 3, 4]), words)


def values_of(bench: str, option: str) -> list[str]:
    return [value for value in VALUES[option] if bench in ONLY_OF.get((option, value), BENCHES)]


def words_of(values: dict[str, str]) -> list[str]:
    needed = dict(NEEDS[option] for option in values if option in NEEDS)
    return [word for pair in {**values, **needed}.items() for word in pair if word]


def asked(build: Build, option: str) -> Iterator[tuple[str, str]]:
    """Benchmark and value: each value once, of the benchmarks in turn; with COMBINATIONS of all."""
    benches = [bench for bench in BENCHES if option in offered(build, bench)]
    for turn, value in enumerate(VALUES[option]):
        having = [bench for bench in benches if value in values_of(bench, option)]
        some = having if "COMBINATIONS" in os.environ else [having[turn % len(having)]]
        yield from ((bench, value) for bench in some)


@pytest.mark.parametrize("option", VALUES)
def test_each_value_alone(build: Build, tmp_path: Path, option: str) -> None:
    """Else a combination with it would try nothing but its refusal."""
    words = ("--sizes", "24", "--dry-run", "--output", str(tmp_path / "out.csv"))
    for bench, value in asked(build, option):
        launch = build.run if option in OF_TWO_RANKS else build.alone
        alone = launch(bench, *words, *words_of({option: value}))
        assert alone.exit_code == 0, alone


def seeds() -> Iterator[int]:
    yield from range(int(os.environ.get("COMBINATIONS", "24")))


@pytest.mark.parametrize("seed", seeds())
def test_options_together(build: Build, tmp_path: Path, seed: int) -> None:
    drawn = draw(build, seed)
    ended = build.run(drawn.bench, *drawn.words, ranks=drawn.ranks, cwd=tmp_path)
    told = f"{drawn}\n{ended.stdout}\n{ended.stderr}"
    assert "Sanitizer" not in ended.stderr and "runtime error" not in ended.stderr, told
    output = tmp_path / "out.csv"
    if ended.exit_code == 2:
        assert len(ended.messages) == 1 and not ended.stdout, told
        assert not output.exists(), told
        return
    assert ended.exit_code == 0, told
    states = set(read(output)[1]["status"].to_pylist())
    assert states <= {"ok", "skipped", "late"} and states != {"skipped"}, told
