#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds what libagstar.so does to a program: its time with the library over its time without it.

    docs/studies/agstar_gain.py PAIRS build/lib/libagstar.so mpirun ... PROGRAM ...

The two alternate as A B B A, so that drift does not count.
`command` is the time of the whole command, with the start of MPI. A program can print words
NAME=NUMBER: times in seconds, which are compared too, if they are above 0 in each run, and `sum`, a
result that has to be the same in both runs of a pair. `--result` finds the result of a program that
prints it otherwise; of such a program only `command` is compared. What is printed is the geometric
mean of the pairs' ratios with its 95 % interval (Student's t of their logarithms). What trying
costs is in every run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from math import exp, inf, log
from pathlib import Path

from scipy import stats

WORD = re.compile(r"(\w+)=([-+.\deE]+)")
SUM = re.compile(r"\bsum=(\S+)")


def run(
    library: str | None, command: list[str], result: re.Pattern[str]
) -> tuple[dict[str, float], list[str]]:
    """Runs the program once, without the library if there is none. Returns seconds by their names,
    and the result."""
    env = dict(os.environ)
    if library is not None:
        if command[0].startswith("mpirun"):  # Open MPI takes it along from its command line alone
            command = [command[0], "-x", f"LD_PRELOAD={library}", *command[1:]]
        else:
            env["LD_PRELOAD"] = library
    begin = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    seconds = {"command": time.monotonic() - begin}
    if done.returncode != 0:
        sys.exit(f"agstar_gain: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    found = result.findall(done.stdout)
    if result is SUM:
        seconds |= numbers_in(done.stdout)
    elif not found:
        sys.exit(f"agstar_gain: --result: '{result.pattern}' is not in the program's output")
    return seconds, found


def numbers_in(text: str) -> dict[str, float]:
    """Returns the numbers of the words NAME=NUMBER but `sum`, by their names."""
    found: dict[str, float] = {}
    for name, number in WORD.findall(text):
        if name != "sum":
            with suppress(ValueError):  # a word such as mode=Eager
                found[name] = float(number)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--result", type=regular_expression, default=SUM, help="what has to agree")
    parser.add_argument("pairs", type=int)
    parser.add_argument("library", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.pairs < 2:
        parser.error(f"pairs: '{options.pairs}' is too few for an interval; legal: 2 and more")
    if not options.library.is_file():  # MPI programs run without what cannot be preloaded
        parser.error(f"library: '{options.library}' is no file; legal: a path of libagstar.so")
    if not options.command:
        parser.error("command: is missing; legal: mpirun ... PROGRAM ...")
    if shutil.which(options.command[0]) is None:
        parser.error(f"command: '{options.command[0]}' is no program; legal: mpirun ... PROGRAM")
    pairs, library, command = options.pairs, str(options.library.resolve()), options.command
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    for pair in range(pairs):
        order = (None, library) if pair % 2 == 0 else (library, None)
        of = {preloaded: run(preloaded, command, options.result) for preloaded in order}
        (off, off_result), (on, on_result) = of[None], of[library]
        found.append((off, on))
        if off_result != on_result:
            sys.exit(f"agstar_gain: the results differ: without {off_result}, with {on_result}")
        print(f"# without {off}; with {on}", file=sys.stderr)
    every = [seconds for pair in found for seconds in pair]
    for name in dict.fromkeys(name for seconds in every for name in seconds):
        if not all(0 < seconds.get(name, 0) < inf for seconds in every):
            print(f"agstar_gain: {name} is no time above 0 in each run", file=sys.stderr)
            continue
        logs = [log(on[name] / off[name]) for off, on in found]
        mean = sum(logs) / len(logs)
        half = stats.sem(logs) * stats.t.ppf(0.975, len(logs) - 1)
        off_mean = sum(off[name] for off, _ in found) / len(found)
        print(
            f"{name}: {off_mean:.4g} s without; ratio {exp(mean):.3f} "
            f"({exp(mean - half):.3f} to {exp(mean + half):.3f}), {len(logs)} pairs"
        )


def regular_expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        problem = f"'{text}' is no regular expression: {error}"
        raise argparse.ArgumentTypeError(problem) from error


if __name__ == "__main__":
    main()
