# SPDX-License-Identifier: BSD-3-Clause
"""The MPI library's all-gather by other benchmarks and by ours, in the other's way of timing.

osu_allgather times each call behind a barrier, and never touches its buffers: so does
`--sync barrier --buffers same`. IMB-MPI1 times a loop of calls, back to back: so does
`--sync none`, whose period_us is the time of a call in the loop. In each round the two run one
after the other, in an order that is drawn. A ratio is our time over the other's in that round;
printed are the median over the rounds, the lowest and the highest. Times are means over
iterations, as the other programs have them. With --buffers-in OSU's buffers (-d) and ours are in a
device.
"""

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

Times = Mapping[int, float]  # in us, by block size
# What OSU calls the memory that is one of our --buffers-in.
OSU_NAMES = {"private": "", "cuda": "cuda", "cuda-managed": "managed", "hip": "rocm"}
ROW = re.compile(r"^[ \t]*\d+(?:[ \t]+\d+(?:\.\d+)?)+[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Setup:
    build: Path
    ranks: int
    sizes: Sequence[int]
    iterations: int
    collective: str
    buffers_in: str = "private"

    def run(self, *command: object) -> str:
        launcher = [str(self.build / "bin" / "mpirun_here"), str(self.ranks)]
        ended = subprocess.run(
            [*launcher, *map(str, command)], capture_output=True, text=True, check=False
        )
        if ended.returncode != 0:
            sys.exit(f"peers: {command[0]} failed: {(ended.stderr or ended.stdout)[-500:]}")
        return ended.stdout

    def ours(self, column: str, *options: str) -> Times:
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "ours.csv"
            sizes = ",".join(map(str, self.sizes))
            bench = self.build / "bin" / f"{self.collective}_bench"
            self.run(bench, "--algorithms", "native", "--sizes", sizes, "-i", self.iterations,
                     "--buffers-in", self.buffers_in, "--output", output, *options)  # fmt: skip
            rows = pd.read_csv(output, comment="#")
        means = rows.groupby("bytes")[column].mean()
        return {int(str(size)): float(time) for size, time in means.items()}


def rows_of(printed: str, column: int) -> Times:
    rows = [line.split() for line in ROW.findall(printed)]
    return {int(row[0]): float(row[column]) for row in rows}


def by_osu(setup: Setup, program: Path) -> Times:
    """OSU takes a range, not a list."""
    ends = f"{min(setup.sizes)}:{max(setup.sizes)}"
    name = OSU_NAMES[setup.buffers_in]
    where = ["-d", name] if name else []
    return rows_of(setup.run(program, "-m", ends, "-i", setup.iterations, *where), 1)


def as_osu(setup: Setup) -> Times:
    return setup.ours("avg_us", "--sync", "barrier", "--buffers", "same")


def by_imb(setup: Setup, program: Path) -> Times:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as lengths:
        lengths.write("\n".join(map(str, setup.sizes)) + "\n")
        lengths.flush()
        options = ["-npmin", setup.ranks, "-iter", setup.iterations, "-iter_policy", "off"]
        options += ["-msglen", lengths.name]
        return rows_of(setup.run(program, setup.collective.capitalize(), *options), 4)


def as_imb(setup: Setup) -> Times:
    return setup.ours("period_us", "--sync", "none", "--buffers", "same")


PEERS: dict[str, tuple[Callable[[Setup, Path], Times], Callable[[Setup], Times]]] = {
    "osu": (by_osu, as_osu),
    "imb": (by_imb, as_imb),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("peer", choices=PEERS, help="whose program it is")
    parser.add_argument("program", type=Path, help="osu_allgather or IMB-MPI1, of the same library")
    parser.add_argument(
        "--collective", default="allgather", choices=("allgather", "allgatherv"),
        help="that the program times (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--ranks", type=int, default=2, help="(%(default)s)")
    parser.add_argument("--sizes", default="8,64,512,4096,32768,262144", help="(%(default)s)")
    parser.add_argument("--iterations", type=int, default=1000, help="of each size (%(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="(%(default)s)")
    parser.add_argument(
        "--buffers-in", choices=OSU_NAMES, default="private", help="of osu (%(default)s)"
    )
    options = parser.parse_args()
    if options.peer != "osu" and options.buffers_in != "private":
        parser.error(f"--buffers-in: '{options.buffers_in}' is of osu; legal: private")
    for name in ("ranks", "iterations", "rounds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: '{getattr(options, name)}' is not legal; legal: 1 or more")
    for size in options.sizes.split(","):
        if not size.isdigit() or int(size) == 0:
            parser.error(f"--sizes: '{size}' is not legal; legal: whole numbers, as 8,64")
    theirs, ours = PEERS[options.peer]
    sizes = [int(size) for size in options.sizes.split(",")]
    setup = Setup(
        options.build.resolve(),
        options.ranks,
        sizes,
        options.iterations,
        options.collective,
        options.buffers_in,
    )
    ratios: dict[int, list[float]] = {size: [] for size in sizes}
    times: dict[int, list[float]] = {size: [] for size in sizes}
    draw = random.Random(1)
    for _ in range(options.rounds):
        runs = {"ours": lambda: ours(setup), "theirs": lambda: theirs(setup, options.program)}
        found = {name: runs[name]() for name in draw.sample([*runs], 2)}
        for size in sizes:
            if size not in found["theirs"]:
                legal = ", ".join(map(str, found["theirs"])) or "none"
                sys.exit(f"peers: --sizes: '{size}' is none that {options.program} timed; "
                         f"legal: {legal}")  # fmt: skip
            ratios[size].append(found["ours"][size] / found["theirs"][size])
            times[size].append(found["theirs"][size])
    print(
        "| bytes | theirs, us | ours over theirs | lowest | highest |\n|---:|---:|---:|---:|---:|"
    )
    for size in sizes:
        each = ratios[size]
        median = statistics.median(each)
        theirs_us = statistics.median(times[size])
        print(f"| {size} | {theirs_us:.2f} | {median:.3f} | {min(each):.3f} | {max(each):.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
