#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Asks whether the first answer repeats, by comparing quickstarts of one machine.

    repeat.py BUILD --pairs 5 [--busy] [--results FOLDER]
    repeat.py FOLDER FOLDER...

The first form runs pairs of quickstarts; with --busy the second half of the pairs runs beside a
process that keeps a processor busy. The second form reads the results of quickstarts, in pairs in
the order given. A claim is a case in which a quickstart calls native slower by 5 % or more than the
best. It is contradicted if in the partner native is not slower than that algorithm. The exit code
is 1 if a goal is missed.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.cli.settle import default_metric
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results, read_files
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR

AS_GOOD, LARGE = 1.05, 1.25
# The goals: percent of the claims, percentage points between pairs, percent of the large losses.
MOST_CONTRADICTED, MOST_APART, LEAST_CALLED = 1.0, 5.0, 50.0
QUICKSTART = Path(__file__).parents[2] / "tools" / "quickstart.sh"
BUSY = [sys.executable, "-c", "while True: pass"]
PLACE = ["collective", "distribution", "buffer_offset", "ranks", "bytes"]


@dataclass(frozen=True)
class Quickstart:
    """Holds what a quickstart found. us has the median times, cases down, algorithms across; best
    is the fastest algorithm of each case; called is whether native is called slower than it by 5 %
    or more."""

    us: pd.DataFrame
    best: "pd.Series[str]"
    called: "pd.Series[bool]"

    @property
    def loss(self) -> "pd.Series[float]":
        return self.us[LIBRARY] / self.us.min(axis=1)

    @property
    def good_percent(self) -> float:
        """Returns the number of a report's first sentence: in what percentage of the cases native
        is within 5 % of the best."""
        return 100 * float((self.loss < AS_GOOD).mean())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("places", nargs="+", type=Path, metavar="BUILD | FOLDER",
                        help="the build folder, or the results of quickstarts")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=0, help="run so many pairs of quickstarts")
    parser.add_argument(
        "--busy", action="store_true", help="half of the pairs, rounded up, beside a busy process"
    )
    parser.add_argument("--results", type=Path, default=Path("results/repeat"))
    options = parser.parse_args()
    if options.pairs < 0:
        parser.error(f"--pairs: '{options.pairs}' is not legal; legal: 1 or more")
    if bool(options.pairs) != (len(options.places) == 1):
        parser.error("one build folder and --pairs, or the results of two quickstarts or more")
    folders = options.places
    if options.pairs:
        folders = [*run_all(folders[0], options.results, options.pairs, options.busy)]
    if len(folders) % 2:
        parser.error(f"{len(folders)} folders, and two are a pair; legal: an even number")
    try:
        quickstarts = [quickstart(folder) for folder in folders]
    except BadInput as error:
        print(f"repeat.py: {error}", file=sys.stderr)
        return 2
    lines, good = report(quickstarts)
    print("\n".join(lines))
    return 0 if good else 1


def run_all(build: Path, results: Path, pairs: int, busy: bool) -> Iterator[Path]:
    for number in range(2 * pairs):
        beside = busy and number >= pairs // 2 * 2
        folder = results / f"{number + 1:02}{'-busy' if beside else ''}"
        with busy_process() if beside else nullcontext():
            command = [str(QUICKSTART), str(build.resolve())]
            told = {**os.environ, "RESULTS": str(folder.resolve())}
            subprocess.run(command, env=told, check=True, stdout=subprocess.DEVNULL)
        yield folder


@contextmanager
def busy_process() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(BUSY)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def quickstart(folder: Path) -> Quickstart:
    return judged(read_files([str(folder)]).apart(None))


def judged(results: Results) -> Quickstart:
    others = [name for name in results.timed_algorithms() if name != LIBRARY]
    contest, metric = Contest(LIBRARY, others, "median"), default_metric(results)
    verdicts = contest.verdicts(results, metric)
    us = contest.times(results, metric).us[verdicts["compared"]]
    verdicts = verdicts[verdicts["compared"]]
    near = [LIBRARY in names.split(NEAR_SEPARATOR) for names in verdicts["near"]]
    slower = us[LIBRARY] >= AS_GOOD * us.min(axis=1)
    called = slower & ~pd.Series(near, us.index, dtype=bool)
    # The index is PLACE alone, so that the cases of another day are the same.
    rest = [name for name in us.index.names if name not in PLACE]
    best = verdicts["fastest"].droplevel(rest)
    return Quickstart(us.droplevel(rest), best, called.droplevel(rest))


def report(quickstarts: Sequence[Quickstart]) -> tuple[list[str], bool]:
    """Returns the lines of a table in Markdown and of what was found, and whether all goals are
    reached."""
    pairs = [*zip(quickstarts[::2], quickstarts[1::2], strict=True)]
    claims = pd.concat([contradicted(*each) for pair in pairs for each in (pair, pair[::-1])])
    truth = is_large(quickstarts)
    found = pd.concat([each.called.reindex(truth.index).fillna(False) for each in quickstarts])
    large = found[np.tile(truth.to_numpy(bool), len(quickstarts))]
    lines = ["| ranks | claims | contradicted | % | of a loss of 25 % called |", "|---" * 5 + "|"]
    for ranks in sorted(set(truth.index.get_level_values("ranks"))):
        of = [part[part.index.get_level_values("ranks") == ranks] for part in (claims, large)]
        lines.append(f"| {ranks} | {row(*of)} |")
    lines.append(f"| all | {row(claims, large)} |")
    apart = [abs(one.good_percent - other.good_percent) for one, other in pairs]
    percents = ", ".join(f"{each.good_percent:.0f}" for each in quickstarts)
    each = [100 * float(one.called.reindex(truth[truth].index).fillna(False).mean())
            for one in quickstarts] if truth.any() else []  # fmt: skip
    lines.append(f"\nNative is within 5 % of the best in {percents} % of the cases; pairs differ "
                 f"by {max(apart):.1f} points at most.")  # fmt: skip
    if each:
        lines.append(f"Of the {int(truth.sum())} losses of 25 % the quickstart that called fewest "
                     f"called {min(each):.0f} %.")  # fmt: skip
    good = percent(claims) <= MOST_CONTRADICTED and max(apart) <= MOST_APART
    return lines, good and min(each, default=100.0) >= LEAST_CALLED


def contradicted(one: Quickstart, other: Quickstart) -> "pd.Series[bool]":
    """Returns of each claim of one, if the other has times for it, whether the other contradicts
    it."""
    claims = one.best[one.called]
    claims = claims[claims.index.isin(other.us.index)]
    places = other.us.columns.get_indexer(pd.Index(claims))
    us = other.us.reindex(claims.index)
    best = us.to_numpy(float)[np.arange(len(us)), places]
    known = ~np.isnan(best)
    found = us[LIBRARY].to_numpy(float) <= best
    return pd.Series(found[known], claims.index[known], dtype=bool)


def is_large(quickstarts: Sequence[Quickstart]) -> "pd.Series[bool]":
    """Returns of each case whether native loses 25 % or more, by the median over all
    quickstarts."""
    every = pd.concat([each.us for each in quickstarts])
    us = every.groupby(level=PLACE, observed=True).median()
    large: pd.Series[bool] = us[LIBRARY] >= LARGE * us.min(axis=1)
    return large


def row(claims: "pd.Series[bool]", large: "pd.Series[bool]") -> str:
    called = f"{100 * large.mean():.0f} %" if len(large) else "none"
    return f"{len(claims)} | {int(claims.sum())} | {percent(claims):.1f} | {called}"


def percent(claims: "pd.Series[bool]") -> float:
    return 100 * float(claims.mean()) if len(claims) else 0.0


if __name__ == "__main__":
    sys.exit(main())
