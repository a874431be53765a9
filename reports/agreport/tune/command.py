# SPDX-License-Identifier: BSD-3-Clause
"""The fastest of the MPI library's own algorithms per size and ranks, as settings of the library.

After STAGE-MPI (Faraj 2006, 4.1). Of the rows native:NAME; `native` itself is what is gained over.
Prints a Markdown table. --openmpi FILE also writes what Open MPI 4.1 and 5.0 read as
coll_tuned_dynamic_rules_filename. --mpich FILE (experimental) also writes what MPICH 4 reads as
MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. --refine prints what to measure next instead of the
table, to halve the gaps between sizes in which the fastest algorithm changes.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.cli import render
from agreport.cli.report import Report
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, Results
from agreport.tune.choices import LEVELS, choose, median_times, next_sizes
from agreport.tune.mpich_selection import selection_file
from agreport.tune.native_algorithms import OWN
from agreport.tune.openmpi_rules import rules_file

ONE_OF_EACH = ("mapping", "distribution", "arrival")


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_metric(parser)
    parser.add_argument(
        "--tie",
        type=tie_percent,
        default=2.0,
        metavar="PERCENT",
        help="what is faster by less replaces neither native nor the algorithm of the next smaller "
        "size (default: %(default)g)",
    )
    parser.add_argument(
        "--openmpi",
        type=opt.path_ending(),
        metavar="FILE",
        help="write Open MPI's dynamic rules; an existing file is overwritten",
    )
    parser.add_argument(
        "--mpich",
        type=opt.path_ending([".json"]),
        metavar="FILE.json",
        help="experimental: write MPICH's selection; an existing file is overwritten",
    )
    parser.add_argument(
        "--mpich-library",
        type=Path,
        metavar="LIBMPICH.SO",
        help="of which --mpich takes the selection of all that was not measured",
    )
    parser.add_argument(
        "--refine",
        action="store_true",
        help="instead of the table, print the sizes to measure next, as commands",
    )
    render.add_output(parser)
    parser.set_defaults(format="markdown")


def tie_percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 100:
        raise ArgumentTypeError(f"'{text}' is no number of percent; legal: 0 to below 100")
    return value


def run(options: Namespace) -> None:
    results = opt.load_selected(options)
    require_one_of_each(results)
    found = choose(median_times(results, options.metric), options.tie)
    if options.openmpi:
        options.openmpi.write_text(rules_file(results, found), encoding="utf-8")
        print(
            "agreport: use it with OMPI_MCA_coll_tuned_use_dynamic_rules=1 "
            f"OMPI_MCA_coll_tuned_dynamic_rules_filename={options.openmpi.resolve()}",
            file=sys.stderr,
        )
    if options.mpich:
        if options.mpich_library is None:
            raise BadInput("--mpich: give the library that is tuned, --mpich-library LIBMPICH.SO")
        text = selection_file(results, found, options.mpich_library)
        options.mpich.write_text(text, encoding="utf-8")
        print(
            "agreport: use it with "
            f"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={options.mpich.resolve()}",
            file=sys.stderr,
        )
    if options.refine:
        sys.stdout.write(commands(next_sizes(found)))
    else:
        render.write(found, options)


def require_one_of_each(results: Results) -> None:
    """A library's rules know sizes and ranks, nothing else."""
    cases = results.timed()[CASE].drop_duplicates()
    for column in ONE_OF_EACH:
        values = sorted(cases[column].astype(str).unique())
        if len(values) > 1:
            raise BadInput(
                f"cases of several {column}s, and rules cannot tell them apart: choose one with "
                f"--{column}: {', '.join(values)}"
            )
    if (cases["arrival"] != NONE).any():
        raise BadInput("cases with arrival patterns: rules are for calls without; --arrival none")
    nodes = cases.groupby(LEVELS[:2], observed=True)["nodes"].unique()
    crowded: dict[Any, Any] = nodes[nodes.map(len) > 1].to_dict()
    for (collective, ranks), several in crowded.items():
        raise BadInput(
            f"{collective}, {ranks} ranks: on {' and '.join(map(str, sorted(several)))} nodes, "
            "and rules cannot tell them apart: give the files of one"
        )


def commands(sizes: "pd.Series[Any]") -> str:
    """A launch for each number of ranks."""
    lines = []
    groups: Any = sizes.groupby(level=["collective", "ranks"], observed=True)
    for (collective, ranks), group in groups:
        names = sorted({name for pair in group for name in pair} - {OWN})
        numbers = ",".join(str(size) for size in sorted(group.index.unique("bytes")))
        lines.append(
            f"mpirun -n {ranks} {collective}_bench --algorithms native,{','.join(names)} "
            f"--sizes {numbers} --output {collective}_{ranks}_refined.csv\n"
        )
    return "".join(lines) or "# nothing: every change lies between neighbouring sizes\n"


REPORT = Report("tune", __doc__, options=add_options, run=run)
