# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up over the library's own all-gather (native) or another algorithm, with bands.

How many times as fast each algorithm is, by medians, against block size or ranks. Where a band
has 1 in it, neither is called faster.
"""

from argparse import ArgumentParser, Namespace

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.data.algorithm_sets import LIBRARY
from agreport.figure.sheet import ENDINGS
from agreport.stats.medians import points, speed_up
from agreport.times.scaling import add_against, draw


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_metric(parser)
    add_against(parser)
    parser.add_argument(
        "--over",
        default=LIBRARY,
        metavar="NAME",
        help="the algorithm that the others are compared with (default: %(default)s)",
    )
    opt.add_algorithms(parser)
    opt.add_output(parser, ENDINGS)
    opt.add_csv(parser)


def run(options: Namespace) -> None:
    results = opt.load_selected(options)
    if options.algorithms:
        options.algorithms.append(options.over)
        results = opt.only_algorithms(options, results)
    found = speed_up(points(results, options.metric), options.over)
    if not found["value"].notna().any():
        raise BadInput(f"--over {options.over}: no case has its time and another's")
    draw(results, found, options.by, options.metric, options.over).write(options.output)
    if options.csv:
        found.to_csv(options.csv, index=False)
