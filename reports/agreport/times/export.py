# SPDX-License-Identifier: BSD-3-Clause
"""Every sample as JSON: of each case and algorithm its metadata, statistics and iterations.

The document, with times in microseconds:

  format    "agreport export"
  version   1; a change that readers have to know of makes it 2
  suite     the version of gatherbench that wrote it
  launches  a list; each is an object of
    path      of the result file, as it was given
    metadata  an object: what the launch says of itself, all texts
  results   a list, one entry a case and algorithm with times that count; each is an object of
    setting   what keeps its launches apart from others of the same case, "" if nothing has to
    collective, mapping, distribution, arrival, ranks, bytes, algorithm
    statistics  an object of min, avg and max (over the ranks) and, where the files have it, run
              (last exit minus first arrival) and cycle (write, call, read), each an object with
              what `agreport summary` says of it: iterations, late, mean_us, stddev_us, cv_percent,
              median_us, p90_us, p99_us, min_us, max_us, median_low_us, median_high_us
    samples   an object of lists of one length, an element an iteration, in the order of the files:
      launch    a place in the list of launches, from 0 on
      iteration its number in its launch, from 0 on
      min_us, avg_us, max_us  the smallest, average and largest elapsed time of the ranks
      run_us    last exit minus first arrival; null where a file has none
      cycle_us  mean of the cycles (write, call, read) behind a turn, on its last iteration; null on
                the others, and where a file has none

null stands for what does not exist, such as the standard deviation of one iteration. Iterations
that were late, and those of an algorithm that was wrong in the same case, do not count.
"""

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pandas as pd

from agformats.catalogue import catalogue
from agformats.files.outputs import replacing
from agformats.files.result_file import CYCLE
from agreport.cli import inputs
from agreport.cli.render import plain
from agreport.data.load import METRICS, PAIR, Results
from agreport.stats.summary import summarise

VERSION = 1
SAMPLES = ["launch", "iteration", *METRICS.values()]
WHOLE = ("launch", "iteration")


def run(options: Namespace) -> None:
    results = inputs.load_selected(options)
    head = {
        "format": "agreport export",
        "version": VERSION,
        "suite": catalogue().suite,
        "launches": [
            {"path": str(launch.path), "metadata": launch.metadata} for launch in results.launches
        ],
    }
    start = json.dumps(head, indent=1, allow_nan=False).removesuffix("\n}")
    with replacing(options.output) as file:
        # One entry after the other: as text, all samples are several times what they are in memory.
        file.write(f'{start},\n "results": [')
        for number, entry in enumerate(entries(results)):
            file.write(f"{',' if number else ''}\n  {json.dumps(entry, allow_nan=False)}")
        file.write("\n ]\n}\n")


def entries(results: Results) -> Iterator[dict[str, Any]]:
    """Yields the entries in the order of `agreport summary`."""
    rows = results.timed()
    told = [name for name, column in METRICS.items() if not rows[column].isna().any()]
    if results.without_cycles.empty:
        told.append(CYCLE)
    summaries = {name: summarise(results, name).to_dict("index") for name in told}
    for pair, of_pair in rows.groupby(PAIR, observed=True):
        statistics = {
            name: {str(name): plain(value) for name, value in found[pair].items()}
            for name, found in summaries.items()
        }
        named = zip(PAIR, pair, strict=True)
        yield {
            **{name: plain(value) for name, value in named},
            "statistics": statistics,
            "samples": {name: samples(of_pair[name]) for name in SAMPLES},
        }


def samples(column: "pd.Series[Any]") -> list[Any]:
    if column.name in WHOLE:
        column = column.astype("int64")
    return [plain(value) for value in column.tolist()]
