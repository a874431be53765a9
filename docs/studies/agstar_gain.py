#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What libagstar.so does to a program: its time with AGSTAR=on over that with AGSTAR=off.

    docs/studies/agstar_gain.py PAIRS build/lib/libagstar.so mpirun ... PROGRAM ...

The library is loaded on both sides, which alternate as A B B A, so that drift does not count. The
program prints words NAME=NUMBER: times in seconds, which are compared, and `sum`, which has to be
the same in all runs. What is printed is the geometric mean of the pairs' ratios with its 95 %
interval (Student's t of their logarithms). What trying costs is in every run.
"""

import argparse
import os
import re
import subprocess
import sys
from math import exp, log
from pathlib import Path

from scipy import stats

WORD = re.compile(r"(\w+)=([-+.\deE]+)")


def run(library: str, mode: str, command: list[str]) -> dict[str, float]:
    env = {**os.environ, "LD_PRELOAD": library, "AGSTAR": mode}
    if command[0].startswith("mpirun"):  # Open MPI takes it along from its command line alone
        passed = ["-x", f"LD_PRELOAD={library}", "-x", f"AGSTAR={mode}"]
        command, env = [command[0], *passed, *command[1:]], dict(os.environ)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"agstar_gain: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return {name: float(number) for name, number in WORD.findall(done.stdout)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    pairs, library, command = options.pairs, str(options.library.resolve()), options.command
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    for pair in range(pairs):
        order = ("off", "on") if pair % 2 == 0 else ("on", "off")
        of = {mode: run(library, mode, command) for mode in order}
        found.append((of["off"], of["on"]))
        if of["off"].get("sum") != of["on"].get("sum"):
            sys.exit(f"agstar_gain: the results differ: {of}")
        print(f"# off {of['off']}; on {of['on']}", file=sys.stderr)
    for name in found[0][0]:
        if name == "sum":
            continue
        logs = [log(on[name] / off[name]) for off, on in found]
        mean = sum(logs) / len(logs)
        half = stats.sem(logs) * stats.t.ppf(0.975, len(logs) - 1)
        off_mean = sum(off[name] for off, _ in found) / len(found)
        print(
            f"{name}: {off_mean:.4g} s without; ratio {exp(mean):.3f} "
            f"({exp(mean - half):.3f} to {exp(mean + half):.3f}), {len(logs)} pairs"
        )


if __name__ == "__main__":
    main()
