# SPDX-License-Identifier: BSD-3-Clause
"""Times our algorithms against the MPI library's own of the same message pattern.

For each collective, number of ranks and algorithm, a launch runs both, in turns of ten calls in
shuffled order. A ratio is our median over the library's (of the average over the ranks); of several
launches the median ratio counts. Under 1: ours is faster. Exit code 1 if a goal is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

# These say what the libraries call our algorithms: equal in who sends what to whom, and in what is
# copied. Open MPI's "linear" of allgather and "default" of allgatherv are a gather and a broadcast
# (our `linear` it has not); its bruck of allgatherv works at final places, that of allgather does
# not.
SAME: dict[str, dict[str, tuple[str, ...]]] = {
    "allgather": {
        "ring": ("ring",),
        "neighbor_exchange": ("neighbor",),
        "recursive_doubling": ("recursive_doubling",),
        "bruck": ("bruck", "brucks"),
        "sparbit": ("sparbit",),
        "library_gather_bcast": ("linear",),
    },
    "allgatherv": {
        "ring": ("ring",),
        "neighbor_exchange": ("neighbor",),
        "recursive_doubling": ("recursive_doubling",),
        "bruck": ("brucks",),
        "bruck_in_place": ("bruck",),
        "sparbit": ("sparbit",),
        "library_gather_bcast": ("default",),
    },
}
KEYS = ["collective", "algorithm", "ranks"]

# These are the goals: the geometric mean over the sizes, where every rank has a processor and where
# not; and one size.
GOAL, GOAL_OVERSUBSCRIBED, GOAL_SIZE = 1.00, 1.05, 1.10


def main() -> int:
    options = read_options()
    programs = options.build.resolve() / "bin"

    times = []
    for collective, ours, theirs in pairs(programs, options.algorithms):
        for ranks in map(int, options.ranks.split(",")):
            for _ in range(options.launches):
                times.append(measure(programs, collective, ranks, ours, theirs, options))
                tell(times[-1])
    measured = [one for one in times if not one.empty]
    if not measured:
        print("parity: this MPI library lets none of its algorithms be chosen")
        return 2
    ratios = pd.concat(measured).groupby([*KEYS, "bytes"], sort=False).median()
    if options.csv:
        ratios.to_csv(options.csv)
    return report(ratios)


def read_options() -> argparse.Namespace:
    """Returns the options of the command line; ends where one is not legal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--ranks", default="2,4,8", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="1:1M", help="block sizes (%(default)s)")
    parser.add_argument("--iterations", default="200", help="of each size, in each launch")
    parser.add_argument("--launches", type=int, default=3, help="of each pair (%(default)s)")
    parser.add_argument("--algorithms", default="all", help="ours: all, or names")
    parser.add_argument("--csv", type=Path, help="the ratios and times, as a file")
    options = parser.parse_args()
    known = dict.fromkeys(name for same in SAME.values() for name in same)
    for name in options.algorithms.split(","):
        if name not in known and options.algorithms != "all":
            legal = f"all, or names of {', '.join(known)}"
            parser.error(f"--algorithms: '{name}' is not legal; legal: {legal}")
    for word in options.ranks.split(","):
        if not word.isdigit() or int(word) == 0:
            parser.error(f"--ranks: '{word}' is not legal; legal: whole numbers, as 2,4")
    if options.launches < 1:
        parser.error(f"--launches: '{options.launches}' is not legal; legal: 1 or more")
    return options


def pairs(programs: Path, chosen: str) -> Iterator[tuple[str, str, str]]:
    """Yields collective, our algorithm, and the library's of the same pattern."""
    for collective, same in SAME.items():
        library = listed(programs, collective)
        for ours, names in same.items():
            if chosen != "all" and ours not in chosen.split(","):
                continue
            if theirs := next((name for name in names if name in library), None):
                yield collective, ours, f"native:{theirs}"
            else:
                print(f"not in this library: {collective} {ours}", file=sys.stderr)


def tell(launch: pd.DataFrame) -> None:
    """Prints what there is so far: all launches take long, and may not come to their end."""
    if not launch.empty:
        name = " ".join(str(launch[key].iloc[0]) for key in KEYS)
        mean = np.exp(np.log(launch["ratio"]).mean())
        print(f"{name}: {mean:.3f}", file=sys.stderr, flush=True)


def report(ratios: pd.DataFrame) -> int:
    processors = len(os.sched_getaffinity(0))
    groups = ratios.groupby(KEYS, sort=False)
    rows = pd.DataFrame(
        {
            "geometric mean": groups["ratio"].agg(lambda column: np.exp(np.log(column).mean())),
            "worst size": groups["ratio"].max(),
            "at bytes": groups["ratio"].idxmax().map(lambda key: key[-1]),
            "prepared in us": groups["prepare_us"].median(),
            "library's us": groups["library_prepare_us"].median(),
        }
    ).reset_index()
    own_processor = rows["ranks"] <= processors
    goal = np.where(own_processor, GOAL, GOAL_OVERSUBSCRIBED)
    size_reached = ~own_processor | (rows["worst size"] <= GOAL_SIZE)
    reached = (rows["geometric mean"] <= goal) & size_reached
    rows["goal"] = np.where(reached, "reached", "missed")
    print("Time of our algorithm over the library's own: medians, interleaved in one launch")
    print(rows.to_string(index=False, float_format="%.3f"))
    print(
        f"\nThe goal: a geometric mean of at most {GOAL:.2f} and no size over {GOAL_SIZE:.2f} "
        f"where every rank has one of the {processors} processors, else of at most "
        f"{GOAL_OVERSUBSCRIBED:.2f}"
    )
    return int(not reached.all())


def listed(programs: Path, collective: str) -> set[str]:
    """Returns the library's own algorithms that `native:NAME` can choose, as --list has them."""
    command: list[str | Path] = [programs / "mpirun_here", "1"]
    command += [programs / f"{collective}_bench", "--list"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listing.splitlines() if line.strip()]
    return {name.removeprefix("native:") for name in names if name.startswith("native:")}


def measure(
    programs: Path,
    collective: str,
    ranks: int,
    ours: str,
    theirs: str,
    options: argparse.Namespace,
) -> pd.DataFrame:
    """Yields a row a size; none if one of the two cannot run with so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "parity.csv"
        command: list[str | Path] = [programs / "mpirun_here", str(ranks)]
        command += [programs / f"{collective}_bench", "--message-size", options.sizes]
        command += ["--iterations", options.iterations, "--warmup", "20", "--buffers", "same"]
        command += ["--algorithms", f"{ours},{theirs}", "--output", result]
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"parity: the benchmark ended with {done.returncode}")
        rows = pd.read_csv(result, comment="#")
    rows = rows[rows["status"] == "ok"]
    if set(rows["algorithm"]) != {ours, theirs}:
        return pd.DataFrame()
    medians = rows.groupby(["bytes", "algorithm"])[["avg_us", "prepare_us"]].median().unstack()
    return pd.DataFrame(
        {
            "collective": collective,
            "algorithm": ours,
            "ranks": ranks,
            "bytes": medians.index,
            "ratio": (medians["avg_us"][ours] / medians["avg_us"][theirs]).to_numpy(),
            "prepare_us": medians["prepare_us"][ours].to_numpy(),
            "library_prepare_us": medians["prepare_us"][theirs].to_numpy(),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
