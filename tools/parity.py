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

# Ours, and what Open MPI calls it.
LIBRARY_NAMES = {
    "ring": "ring",
    "neighbor_exchange": "neighbor",
    "recursive_doubling": "recursive_doubling",
    "bruck": "bruck",
    "sparbit": "sparbit",
}
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

    known = variants(programs)
    pairs = {ours: name for ours, name in LIBRARY_NAMES.items() if name in known}
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
    if left_out := sorted(set(LIBRARY_NAMES) - set(pairs)):
        print(f"\nNot in this library: {', '.join(left_out)}")
    if options.csv:
        ratios.to_csv(options.csv)
    return int((by_algorithm > LIMIT).any())


def geometric_mean(ratios: pd.DataFrame) -> pd.Series:
    """Of each column, without what was not measured."""
    return ratios.apply(lambda column: float(np.exp(np.log(column.dropna()).mean())))


def variants(programs: Path) -> set[str]:
    """The library's own algorithms that `native:NAME` can choose."""
    command: list[str | Path] = [programs / "mpirun_here", "1"]
    command += [programs / "allgather_bench", "--list"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    words = (line.strip() for line in listing.splitlines())
    return {word.removeprefix("native:") for word in words if word.startswith("native:")}


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
