# SPDX-License-Identifier: BSD-3-Clause
"""Asks whether an algorithm's time depends on which others a launch has.

A round is a launch of each algorithm alone, one of each with `native`, one of all five, one of all
regular algorithms, and a small program that calls MPI_Allgather (programs/company_program.cpp), in
shuffled order. A ratio is the median time in company over the one alone in the same round; of
several rounds the median counts. The time of `native` alone is held against the program's, too.
Each algorithm is alone twice in a round: how far these two are apart is chance. Exit code 1 if a
ratio is off.
"""

import argparse
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

PROGRAM, AGAIN = "program", "alone again"
FIVE = ("native", "ring", "bruck", "sparbit", "linear")
COMPANIES: dict[str, list[tuple[str, ...]]] = {
    "alone": [(name,) for name in FIVE],
    AGAIN: [(name,) for name in FIVE],
    "of two": [("native", name) for name in FIVE[1:]],
    "of five": [FIVE],
    "of all": [("regular", "native")],
}
CASES: dict[str, list[str]] = {"allgather": [], "allgatherv": ["--distributions", "broadcast"]}
GOAL, GOAL_PROGRAM = 1.05, 1.10
KEYS = ["ranks", "collective", "algorithm", "bytes"]

Launch = tuple[int, str, str, tuple[str, ...]]  # ranks, collective, company, algorithms


def main() -> int:
    options = read_options()
    launches: list[Launch] = []
    for ranks in map(int, options.ranks.split(",")):
        for collective in options.collectives.split(","):
            for company in options.companies.split(","):
                launches += [(ranks, collective, company, names) for names in COMPANIES[company]]
        launches += [(ranks, PROGRAM, PROGRAM, (size,)) for size in options.sizes.split(",")]
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


def read_options() -> argparse.Namespace:
    """Returns the options of the command line; ends where one is not legal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="1024,16384,65536,262144", help="bytes (%(default)s)")
    parser.add_argument("--iterations", type=int, default=200, help="of each size, in each launch")
    parser.add_argument("--warmup", type=int, default=20, help="calls of each size (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--collectives", default=",".join(CASES), help="(%(default)s)")
    parser.add_argument("--companies", default=",".join(COMPANIES), help="(%(default)s)")
    parser.add_argument("--csv", type=Path, help="the times, as a file")
    parser.add_argument("--options", default="", help="more ones, of the benchmarks")
    options = parser.parse_args()
    for size in options.sizes.split(","):
        if not size.isdigit() or int(size) % 8 != 0:
            parser.error(f"--sizes: '{size}' is not legal; legal: multiples of 8, as 1024,65536")
    for name, legal in (("collectives", [*CASES]), ("companies", [*COMPANIES])):
        for word in getattr(options, name).split(","):
            if word not in legal:
                parser.error(f"--{name}: '{word}' is not legal; legal: {', '.join(legal)}")
    companies = {*options.companies.split(",")}
    if "alone" not in companies or companies <= {"alone", AGAIN}:
        parser.error(f"--companies: '{options.companies}' compares nothing; legal: alone, and more "
                     "than that")  # fmt: skip
    if options.rounds < 1:
        parser.error(f"--rounds: '{options.rounds}' is not legal; legal: 1 or more")
    return options


def compiler_of(build: Path) -> str:
    """Returns the C++ wrapper of the MPI library that the build has; ends if there is no build."""
    try:
        cache = (build / "CMakeCache.txt").read_text().splitlines()
    except OSError:
        sys.exit(f"'{build}' is no build folder; legal: one that `make build` made")
    (line,) = [line for line in cache if line.startswith("MPI_CXX_COMPILER:")]
    return line.split("=", 1)[1]


def compile_program(build: Path, folder: Path) -> None:
    source = Path(__file__).with_name("programs") / "company_program.cpp"
    command = [compiler_of(build), "-std=c++20", "-O2", str(source), "-o", str(folder / PROGRAM)]
    subprocess.run(command, check=True)


def measure(launch: Launch, options: argparse.Namespace, folder: Path) -> pd.DataFrame:
    """A row a size and algorithm of FIVE."""
    ranks, collective, company, names = launch
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
    command += ["--iterations", str(options.iterations), "--warmup", str(options.warmup)]
    command += ["--output", result]
    command += ["--algorithms", ",".join(names), *options.options.split()]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"company: the benchmark ended with {done.returncode}")
    rows = pd.read_csv(result, comment="#", low_memory=False)
    rows = rows[(rows["status"] == "ok") & rows["algorithm"].isin(FIVE)]
    medians = rows.groupby(["algorithm", "bytes"])["avg_us"].median().rename("us").reset_index()
    return medians.assign(
        ranks=ranks,
        collective=collective,
        company=[named(company, names, own) for own in medians["algorithm"]],
    )


def named(company: str, names: tuple[str, ...], own: str) -> str:
    """Two: the one that is with it."""
    if company != "of two":
        return company
    return "with " + next(name for name in names if name != own)


def report(measured: pd.DataFrame) -> int:
    of_round = measured.set_index([*KEYS, "company", "round"])["us"].unstack("company")
    of_round[PROGRAM] = of_round["alone"] ** 2 / of_round[PROGRAM]
    ratios = of_round.div(of_round.pop("alone"), axis=0).groupby(KEYS).median().reset_index()
    cells = ratios.melt(KEYS, var_name="company", value_name="ratio").dropna()
    cells["off"] = cells["ratio"].map(math.log).abs()
    programs = cells[cells["company"] == PROGRAM]
    chance = cells[cells["company"] == AGAIN]
    companies = cells.drop(programs.index.union(chance.index))
    farthest = companies.sort_values("off").drop_duplicates(KEYS, keep="last")
    print("Median time in company over that alone, of the company in which it differs most")
    table = farthest.pivot(index=["ranks", "collective", "bytes"], columns="algorithm")["ratio"]
    print(table[[*FIVE]].to_string(float_format="%.2f"))
    print("\nMedian time of native alone over that in a program")
    print(programs[["ranks", "bytes", "ratio"]].to_string(index=False, float_format="%.2f"))
    spread = pd.DataFrame({"in company": companies["off"], "alone, twice": chance["off"]})
    print("\nHow far ratios are off: of half of them, of 75 %, of 95 %, of all")
    print(
        spread.quantile([0.5, 0.75, 0.95, 1])
        .map(math.expm1)
        .T.to_string(float_format="{:.0%}".format)
    )
    off = companies["off"] > math.log(GOAL)
    far = programs["off"] > math.log(GOAL_PROGRAM)
    print(f"\nOff by over {GOAL - 1:.0%} in company: {off.sum()} of {off.size}")
    print(f"Off by over {GOAL_PROGRAM - 1:.0%} from a program: {far.sum()} of {far.size}")
    return int(off.any() or far.any())


if __name__ == "__main__":
    sys.exit(main())
