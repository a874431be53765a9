# SPDX-License-Identifier: BSD-3-Clause
"""Launches two sides of one build, as duets or in turn, for `agreport compare`.

The new side gets variables of its own: none to see how often the same build differs from itself, a
control variable to plant another algorithm, LD_PRELOAD to plant a delay (tools/planted_delay.c).

    tools/two_sides.py build results/same --pairs 20
    tools/two_sides.py build results/slow --duets 10 --new LD_PRELOAD=$PWD/slow.so
    agreport compare --baseline results/slow/base --new results/slow/new
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

SIZES = "8,32,128,512,2K,8K,32K"
TIME_LIMIT_SECONDS = 300


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("output", type=Path, help="gets a folder base and a folder new")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--duets", type=int, default=0, help="so many, both sides at the same time")
    how.add_argument("--pairs", type=int, default=0, help="so many, one side after the other")
    parser.add_argument("--new", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--algorithms", default="native,ring,bruck,sparbit")
    parser.add_argument("--iterations", default="300")
    options = parser.parse_args()
    for side in ("base", "new"):
        (options.output / side).mkdir(parents=True)
    for number in range(options.duets):
        duet(options, number)
    for number in range(options.pairs):
        pair(options, number)


def start(
    options: argparse.Namespace, side: str, number: int, more: list[str]
) -> "subprocess.Popen[bytes]":
    binaries = options.build.resolve() / "bin"
    environment = dict(os.environ)
    if side == "new":
        environment |= dict(text.split("=", 1) for text in options.new)
    output = options.output / side / f"{number:03}.csv"
    return subprocess.Popen(
        [
            *(binaries / "mpirun_here", options.ranks, binaries / "allgather_bench"),
            *("--algorithms", options.algorithms, "--sizes", options.sizes),
            *("-i", options.iterations, "-x", "30", "--output", output, *more),
        ],
        env=environment,
        stdout=subprocess.DEVNULL,
    )


def duet(options: argparse.Namespace, number: int) -> None:
    """Which side is launched first changes; which one begins is drawn by lot."""
    with tempfile.TemporaryDirectory() as folder:
        both = [
            start(options, side, number, ["--duet", f"{name}@{folder}/meet"])
            for name, side in zip("ab", order(number), strict=True)
        ]
        for one in both:
            finish(one)


def pair(options: argparse.Namespace, number: int) -> None:
    for turn, side in zip("AB", order(number), strict=True):
        notes = ["--note", f"pair={number:03}", "--note", f"turn={turn}"]
        finish(start(options, side, number, notes))


def order(number: int) -> list[str]:
    """Each side is the first one half of the times."""
    return ["base", "new"] if number % 2 == 0 else ["new", "base"]


def finish(process: "subprocess.Popen[bytes]") -> None:
    if code := process.wait(TIME_LIMIT_SECONDS):
        raise SystemExit(f"two_sides: a launch ended with exit code {code}")


if __name__ == "__main__":
    main()
