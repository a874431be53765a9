# SPDX-License-Identifier: BSD-3-Clause
"""Times our algorithms against the MPI library's own of the same name, in one interleaved launch.

Prints the ratio of the medians (ours over the library's, of the average over the ranks) for each
size, and their geometric mean for each algorithm. Under 1: ours is faster.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

# Where Open MPI has another word for ours.
ALIASES = {"neighbor_exchange": "neighbor"}
LIMIT = 1.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="1:1M", help="block sizes (%(default)s)")
    parser.add_argument("--iterations", default="500", help="of each algorithm and size")
    parser.add_argument("--csv", type=Path, help="the ratios, as a file")
    options = parser.parse_args()
    programs = options.build.resolve() / "bin"

    ours, theirs = listed(programs)
    pairs = {name: ALIASES.get(name, name) for name in ours if ALIASES.get(name, name) in theirs}
    if not pairs:
        print("parity: this MPI library lets no algorithm be chosen inside a launch")
        return 2
    ratios = pd.concat(
        [measure(programs, int(ranks), pairs, options) for ranks in options.ranks.split(",")],
        axis="columns",
    )
    print("Median time of our algorithm over the library's own, interleaved in one launch")
    print(ratios.to_string(float_format="%.2f", na_rep="-"))
    means = geometric_mean(ratios)
    by_algorithm = geometric_mean(pd.DataFrame(ratios.stack("ranks", future_stack=True)))
    print("\nGeometric mean, by ranks and algorithm")
    print(means.unstack("ranks").to_string(float_format="%.3f", na_rep="-"))
    print(f"\nGeometric mean of all ({LIMIT} is the goal)")
    print(by_algorithm.to_string(float_format="%.3f", header=False))
    if left_out := [name for name in ours if name not in pairs]:
        print(f"\nNot in this library: {', '.join(left_out)}")
    if options.csv:
        ratios.to_csv(options.csv)
    return int((by_algorithm > LIMIT).any())


def geometric_mean(ratios: pd.DataFrame) -> pd.Series:
    """Of each column, without what was not measured."""
    return ratios.apply(lambda column: float(np.exp(np.log(column.dropna()).mean())))


def listed(programs: Path) -> tuple[list[str], set[str]]:
    """Our algorithms, and the library's own that `native:NAME` can choose, as --list has them."""
    command: list[str | Path] = [programs / "mpirun_here", "1"]
    command += [programs / "allgather_bench", "--list"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    _, _, *rows = listing.splitlines()  # the title and the names of the columns
    names = [row.split()[0] for row in rows if row.strip()]
    library = {name.removeprefix("native:") for name in names if name.startswith("native:")}
    return [name for name in names if not name.startswith("native")], library


def measure(
    programs: Path, ranks: int, pairs: dict[str, str], options: argparse.Namespace
) -> pd.DataFrame:
    """Ratios of the medians: a row a size, a column an algorithm."""
    algorithms = [name for ours, theirs in pairs.items() for name in (ours, f"native:{theirs}")]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "parity.csv"
        command: list[str | Path] = [programs / "mpirun_here", str(ranks)]
        command += [programs / "allgather_bench", "--message-size", options.sizes]
        command += ["--iterations", options.iterations, "--algorithms", ",".join(algorithms)]
        command += ["--output", result]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, env=os.environ)
        if done.returncode:
            sys.exit(f"parity: the benchmark ended with {done.returncode}")
        rows = pd.read_csv(result, comment="#")
    median = rows[rows["status"] == "ok"].groupby(["bytes", "algorithm"])["avg_us"].median()
    times = median.unstack("algorithm")
    ratios = pd.DataFrame(
        {
            (ranks, ours): times[ours] / times[f"native:{theirs}"]
            for ours, theirs in pairs.items()
            if ours in times
        }
    )
    ratios.columns.names = ["ranks", "algorithm"]
    return ratios


if __name__ == "__main__":
    sys.exit(main())
