# SPDX-License-Identifier: BSD-3-Clause
"""How far apart two builds seem to be, in duets and in launches one after the other.

In each round: a duet (both jobs at once, taking turns by --duet), then a launch of A and one of B
alone (the other way round in every second round). What is told of each is log(median of B /
median of A) over the rounds: its standard deviation, and its mean, which for one build against
itself is 0.
docs/duets.md shows what came out.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

CASE = ["bytes", "algorithm"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("builds", type=Path, nargs="+", help="build folder of A, and of B if other")
    parser.add_argument("--ranks", default="2", help="of each job (%(default)s)")
    parser.add_argument("--sizes", default="1,1K,64K", help="block sizes (%(default)s)")
    parser.add_argument("--algorithms", default="ring,native", help="(%(default)s)")
    parser.add_argument("--iterations", default="300", help="of each size (%(default)s)")
    parser.add_argument("--rounds", type=int, default=15, help="of launches (%(default)s)")
    parser.add_argument("--env", action="append", default=[], help="VAR=VALUE for B alone")
    parser.add_argument("--csv", type=Path, help="the medians of each launch, as a file")
    options = parser.parse_args()
    if len(options.builds) > 2:
        parser.error("builds: at most two")
    builds = [options.builds[0].resolve(), options.builds[-1].resolve()]

    medians = []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            duet = [f"{who}@{folder}/socket" for who in "AB"]
            jobs = [start(builds, who, options, folder, duet[who]) for who in (0, 1)]
            medians += [finish(job, number, who, "duet") for who, job in enumerate(jobs)]
        for who in (0, 1) if number % 2 == 0 else (1, 0):
            with tempfile.TemporaryDirectory() as name:
                job = start(builds, who, options, Path(name))
                medians.append(finish(job, number, who, "alone"))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    times = pd.concat(medians, ignore_index=True)
    if options.csv:
        times.to_csv(options.csv, index=False)
    print(spread(times).round(3).to_string(index=False))


Job = tuple["subprocess.Popen[bytes]", Path]


def start(
    builds: list[Path], who: int, options: argparse.Namespace, folder: Path, duet: str = ""
) -> Job:
    bench = builds[who] / "bin"
    output = folder / f"{'AB'[who]}.csv"
    command: list[str | Path] = [bench / "mpirun_here", options.ranks]
    command += ["env", *options.env] if who == 1 and options.env else []
    command += [bench / "allgather_bench", "--sizes", options.sizes, "-x", "30"]
    command += ["--algorithms", options.algorithms, "-i", options.iterations, "--output", output]
    command += ["--duet", duet] if duet else []
    return subprocess.Popen(command, stdout=subprocess.DEVNULL), output


def finish(job: Job, number: int, who: int, way: str) -> pd.DataFrame:
    """The median of each algorithm and size."""
    process, output = job
    if process.wait() != 0:
        sys.exit(f"duet_spread: {'AB'[who]} ended with {process.returncode}")
    rows = pd.read_csv(output, comment="#")
    rows = rows[rows["status"] == "ok"]
    found = rows.groupby(CASE)["avg_us"].median().reset_index()
    return found.assign(number=number, who="AB"[who], way=way)


def spread(times: pd.DataFrame) -> pd.DataFrame:
    both = times.pivot_table(index=[*CASE, "number"], columns=["way", "who"], values="avg_us")
    columns = {}
    for way in ("duet", "alone"):
        log_ratio = (both[way, "B"] / both[way, "A"]).map(np.log).groupby(CASE)
        columns[f"{way}: sd"] = log_ratio.std()
        columns[f"{way}: mean"] = log_ratio.mean()
        columns[f"{way}: us of A"] = both[way, "A"].groupby(CASE).median()
    return pd.DataFrame(columns).reset_index()


if __name__ == "__main__":
    main()
