# SPDX-License-Identifier: BSD-3-Clause
"""How well each way to synchronise (--sync) brings the ranks together, and what it does to times.

Launches take turns, so that what disturbs the machine hits all four alike. What is told is the
median over the launches. `--launcher` may start the program on other hosts than this one.
"""

import argparse
import shlex
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

WAYS = ["barrier", "double-barrier", "dissemination", "window"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (%(default)s)")
    parser.add_argument("--size", default="1K", help="block size (%(default)s)")
    parser.add_argument("--algorithm", default="ring", help="what is timed (%(default)s)")
    parser.add_argument("--iterations", default="2000", help="in each launch (%(default)s)")
    parser.add_argument("--launches", type=int, default=5, help="of each way (%(default)s)")
    parser.add_argument("--launcher", help="instead of BUILD/bin/mpirun_here; gets RANKS PROGRAM")
    options = parser.parse_args()
    launcher = shlex.split(options.launcher or str(options.build.resolve() / "bin/mpirun_here"))
    rows = []
    for ranks in map(int, options.ranks.split(",")):
        launches = [
            {"ranks": ranks, "sync": way, **measure(launcher, ranks, way, options)}
            for _ in range(options.launches)
            for way in WAYS
        ]
        rows.append(pd.DataFrame(launches).groupby(["ranks", "sync"], sort=False).median())
    print(pd.concat(rows).round(2).reset_index().to_string(index=False))


def measure(
    launcher: list[str], ranks: int, way: str, options: argparse.Namespace
) -> dict[str, float]:
    bench = str(options.build.resolve() / "bin/allgather_bench")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.csv"
        subprocess.run(
            [*launcher, str(ranks), bench, "--algorithms", options.algorithm, "--sizes",
             options.size, "-i", options.iterations, "-x", "100", "--sync", way,
             "--buffers", "same", "--output", str(output)],
            check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        rows = pd.read_csv(output, comment="#")
    counted = rows[rows["status"] == "ok"]
    average, imbalance = counted["avg_us"], counted["imbalance_us"]
    return {
        "imbalance median, us": imbalance.median(),
        "imbalance 95 %, us": imbalance.quantile(0.95),
        "avg_us median": average.median(),
        "avg_us quartile distance / median": (average.quantile(0.75) - average.quantile(0.25))
        / average.median(),
        "late, %": 100 * (rows["status"] == "late").mean(),
        "clock error, us": rows["clock_error_us"].max(),
    }


if __name__ == "__main__":
    main()
