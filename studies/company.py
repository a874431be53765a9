# SPDX-License-Identifier: BSD-3-Clause
"""Asks whether an algorithm's time depends on which others a launch has.

A round is a launch of each algorithm alone, one of each with `native`, one of all five, one of all
regular algorithms, and a small program that calls MPI_Allgather (company_program.cpp), in shuffled
order. A ratio is the median time in company over the one alone in the same round; of several rounds
the median counts. The time of `native` alone is held against the program's, too. Exit code 1 if
one is off.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

FIVE = ("native", "ring", "bruck", "sparbit", "linear")
COMPANIES: dict[str, list[tuple[str, ...]]] = {
    "alone": [(name,) for name in FIVE],
    "of two": [("native", name) for name in FIVE[1:]],
    "of five": [FIVE],
    "of all": [("regular", "native")],
}
CASES: dict[str, list[str]] = {"allgather": [], "allgatherv": ["--distributions", "broadcast"]}
GOAL, GOAL_PROGRAM = 1.05, 1.10
KEYS = ["ranks", "collective", "algorithm", "bytes"]
PROGRAM = "program"

Launch = tuple[int, str, tuple[str, ...]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="1024,16384,65536,262144", help="bytes (%(default)s)")
    parser.add_argument("--iterations", type=int, default=200, help="of each size, in each launch")
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--collectives", default=",".join(CASES), help="(%(default)s)")
    parser.add_argument("--companies", default=",".join(COMPANIES), help="(%(default)s)")
    parser.add_argument("--csv", type=Path, help="the times, as a file")
    parser.add_argument("more", nargs="*", help="options of the benchmarks, behind --")
    options = parser.parse_args()
    launches: list[Launch] = []
    for ranks in map(int, options.ranks.split(",")):
        for collective in options.collectives.split(","):
            for company in options.companies.split(","):
                launches += [(ranks, collective, names) for names in COMPANIES[company]]
        launches += [(ranks, PROGRAM, (size,)) for size in options.sizes.split(",")]
    times = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_program(options.build, folder)
        for number in range(options.rounds):
            shuffled = random.sample(launches, len(launches))
            times += [measure(each, options, folder).assign(round=number) for each in shuffled]
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    measured = pd.concat(times, ignore_index=True)
    if options.csv:
        measured.to_csv(options.csv, index=False)
    return report(measured)


def compile_program(build: Path, folder: Path) -> None:
    """With the MPI library that the build has."""
    cache = (build / "CMakeCache.txt").read_text().splitlines()
    (line,) = [line for line in cache if line.startswith("MPI_CXX_COMPILER:")]
    source = Path(__file__).with_name("company_program.cpp")
    command = [line.split("=", 1)[1], "-std=c++20", "-O2", str(source), "-o", str(folder / PROGRAM)]
    subprocess.run(command, check=True)


def measure(launch: Launch, options: argparse.Namespace, folder: Path) -> pd.DataFrame:
    """A row a size and algorithm of FIVE."""
    ranks, collective, names = launch
    programs = options.build.resolve() / "bin"
    command: list[str | Path] = [programs / "mpirun_here", str(ranks)]
    if collective == PROGRAM:
        command += [folder / PROGRAM, names[0], str(options.iterations)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return pd.DataFrame(
            {"ranks": [ranks], "collective": "allgather", "algorithm": "native",
             "bytes": int(names[0]), "company": PROGRAM, "us": float(said)}
        )  # fmt: skip
    result = folder / "company.csv"
    result.unlink(missing_ok=True)
    command += [programs / f"{collective}_bench", *CASES[collective], "--sizes", options.sizes]
    command += ["--iterations", str(options.iterations), "--warmup", "20", "--output", result]
    command += ["--algorithms", ",".join(names), *options.more]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"company: the benchmark ended with {done.returncode}")
    rows = pd.read_csv(result, comment="#")
    rows = rows[(rows["status"] == "ok") & rows["algorithm"].isin(FIVE)]
    medians = rows.groupby(["algorithm", "bytes"])["avg_us"].median().rename("us").reset_index()
    return medians.assign(
        ranks=ranks,
        collective=collective,
        company=[named(names, own) for own in medians["algorithm"]],
    )


def named(names: tuple[str, ...], own: str) -> str:
    """Two: the one that is with it."""
    if len(names) == 1:
        return "alone"
    if names in COMPANIES["of two"]:
        return "with " + next(name for name in names if name != own)
    return "of five" if names == FIVE else "of all"


def report(measured: pd.DataFrame) -> int:
    of_round = measured.set_index([*KEYS, "company", "round"])["us"].unstack("company")
    alone = of_round["alone"]
    ratios = of_round.drop(columns="alone").div(alone, axis=0)
    if PROGRAM in ratios:
        ratios[PROGRAM] = 1 / ratios[PROGRAM]
    medians = ratios.groupby(KEYS).median()
    medians.insert(0, "alone us", alone.groupby(KEYS).median())
    print("Median time in company over that alone; program: that alone over the program's")
    print(medians.to_string(float_format="%.2f", na_rep=""))
    missed = 0
    for company, goal in ((False, GOAL), (True, GOAL_PROGRAM)):
        of_kind = medians.filter(regex=PROGRAM if company else "of |with ").stack()
        off = (of_kind > goal) | (of_kind < 1 / goal)
        missed += int(off.sum())
        what = "programs" if company else "in company"
        print(f"{what}: {off.sum()} of {len(of_kind)} are off by over {goal - 1:.0%}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
