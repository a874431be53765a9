# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up over the library's own algorithm (native) or another algorithm, with bands.

How many times as fast each algorithm is, by medians, against block size or ranks. Where a band
has 1 in it, neither is called faster.
"""

from argparse import Namespace

import pandas as pd

from agformats.errors import BadInput, check_known
from agreport.cli import settle
from agreport.data.load import Results
from agreport.stats.medians import points, speed_up
from agreport.times.scaling import of_top


def with_baseline(options: Namespace, results: Results) -> Results:
    """Leaves only the algorithms of --algorithms and the baseline, which --algorithms need not
    name. Without --algorithms all stay."""
    legal = sorted(results.timed_algorithms())
    check_known("--baseline", [options.baseline], legal, "an algorithm with times")
    if options.algorithms:
        options.algorithms.append(options.baseline)
    return settle.only_algorithms(options, results)


def table(results: Results, options: Namespace) -> pd.DataFrame:
    options.y = "speedup"
    every = points(results, options.metric)
    if options.top == 1:
        raise BadInput("--top: 1 is the baseline alone; legal: 2 or more")
    found = speed_up(of_top(every, options, options.baseline), options.baseline)
    if not found["value"].notna().any():
        raise BadInput(f"--baseline {options.baseline}: no case has its time and another's")
    return found
