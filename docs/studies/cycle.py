# SPDX-License-Identifier: BSD-3-Clause
"""Asks whether the column cycle_us is what a program's loop of write, call and read takes.

A round is a launch of the benchmark and one of a small program with such a loop
(programs/program_loop.c), in random order, for each number of ranks and size. The time of each
algorithm, and its ratio to native's of the same launch, are held against the program's of the same
round; of several rounds the median counts. `call` is the same ratio by the call alone (avg_us), for
comparison. The exit code is 1 if a ratio is off by more than 5 % or a time by more than 10 %.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from company import compiler_of

ALGORITHMS = "native,ring,bruck,sparbit,linear,linear:via=window"
NATIVE = "native"
GOAL_RATIO, GOAL_TIME = 1.05, 1.10
KEYS = ["ranks", "bytes", "algorithm"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="1024,16384,65536,65552,262144", help="(%(default)s)")
    parser.add_argument("--algorithms", default=ALGORITHMS, help="(%(default)s)")
    parser.add_argument("--turns", type=int, default=20, help="of each algorithm, in each launch")
    parser.add_argument("--rounds", type=int, default=7, help="(%(default)s)")
    parser.add_argument("--csv", type=Path, help="the times, as a file")
    options = parser.parse_args()
    for name in ("ranks", "sizes"):
        for word in getattr(options, name).split(","):
            if not word.isdigit() or int(word) == 0:
                parser.error(f"--{name}: '{word}' is not legal; legal: whole numbers, as 2,4")
    if NATIVE not in options.algorithms.split(","):
        parser.error(f"--algorithms: lack {NATIVE}, which the others are held against")
    places = [
        (int(ranks), int(size))
        for ranks in options.ranks.split(",")
        for size in options.sizes.split(",")
    ]
    times = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_program(options.build.resolve(), folder)
        for number in range(options.rounds):
            for ranks, size in random.sample(places, len(places)):
                sides = random.sample([run_benchmark, run_program], 2)
                found = [side(options, folder, ranks, size) for side in sides]
                times += [one.assign(ranks=ranks, bytes=size, round=number) for one in found]
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    measured = pd.concat(times, ignore_index=True)
    if options.csv:
        measured.to_csv(options.csv, index=False)
    return report(measured)


def compile_program(build: Path, folder: Path) -> None:
    here = Path(__file__).parent
    subprocess.run(
        [compiler_of(build), "-O2",
         "-x", "c", here / "programs" / "program_loop.c", "-x", "none",
         "-I", here.parents[1] / "runtime" / "c_interface", "-L", build / "lib", "-lgatherbench",
         f"-Wl,-rpath,{build / 'lib'}", "-o", folder / "program_loop"],
        check=True,
    )  # fmt: skip


def run_benchmark(options: argparse.Namespace, folder: Path, ranks: int, size: int) -> pd.DataFrame:
    """Returns the median cycle and call of each algorithm in one launch."""
    programs = options.build.resolve() / "bin"
    result = folder / "cycle.csv"
    result.unlink(missing_ok=True)
    run(
        [programs / "mpirun_here", str(ranks), programs / "allgather_bench", "--sizes", str(size),
         "--algorithms", options.algorithms, "-i", str(10 * options.turns), "-x", "20",
         "--output", result]
    )  # fmt: skip
    rows = pd.read_csv(result, comment="#")
    medians = rows.groupby("algorithm")[["cycle_us", "avg_us"]].median().reset_index()
    named = medians.rename(columns={"cycle_us": "cycle", "avg_us": "call"})
    return named.melt("algorithm", var_name="of", value_name="us")


def run_program(options: argparse.Namespace, folder: Path, ranks: int, size: int) -> pd.DataFrame:
    """Returns the median iteration of each algorithm's loop in one launch."""
    launcher = options.build.resolve() / "bin" / "mpirun_here"
    said = run(
        [launcher, str(ranks), folder / "program_loop", str(size), str(options.turns), "50",
         *options.algorithms.split(",")]
    )  # fmt: skip
    rows = [line.split() for line in said.splitlines()]
    return pd.DataFrame({"algorithm": [name for name, _ in rows], "of": "program",
                         "us": [float(us) for _, us in rows]})  # fmt: skip


def run(command: list[str | Path]) -> str:
    """Returns what the command printed; ends behind the command's own words if it failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"cycle: {Path(command[2]).name} ended with {done.returncode}")
    return done.stdout


def report(measured: pd.DataFrame) -> int:
    wide = measured.pivot_table(index=["round", *KEYS], columns="of", values="us")
    native = wide.xs(NATIVE, level="algorithm")
    ratio = wide.div(native.reindex(wide.index.droplevel("algorithm")).to_numpy())
    of_round = pd.DataFrame(
        {
            "program_us": wide["program"],
            "time": wide["cycle"] / wide["program"],
            "by_program": ratio["program"],
            "by_cycle": ratio["cycle"],
            "by_call": ratio["call"],
            "off": ratio["cycle"] / ratio["program"],
        }
    )
    table = of_round.groupby(KEYS).median().round(3)
    print("time: cycle_us over the program's; by_...: time over native's; off: by_cycle/by_program")
    print(table.to_string())
    far = table[(table["off"].map(off) > GOAL_RATIO) | (table["time"].map(off) > GOAL_TIME)]
    print(f"{len(far)} of {len(table)} are off by more than 5 % (ratio) or 10 % (time)")
    return int(len(far) > 0)


def off(ratio: float) -> float:
    """Returns how far a ratio is from 1, as a factor of 1 or more."""
    return max(ratio, 1 / ratio)


if __name__ == "__main__":
    sys.exit(main())
