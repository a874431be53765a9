# SPDX-License-Identifier: BSD-3-Clause
"""The options of `agreport compare`, and its exit code."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from agreport import options as opt

from .comparison import compare
from .sides import load_sides
from .terminal import report
from .verdicts import FAILURES

EXIT_REGRESSION = 1


def add_options(parser: ArgumentParser) -> None:
    for side, what in (("base", "before"), ("new", "after")):
        parser.add_argument(
            f"--{side}", nargs="+", metavar="FILES", help=f"{what}: {opt.RESULT_FILES}"
        )
    opt.add_filters(parser)
    opt.add_metric(parser)
    parser.add_argument(
        "--threshold",
        type=share,
        default=0.05,
        metavar="PERCENT",
        help="the smallest change that matters (default: 5%%)",
    )


def share(text: str) -> float:
    """5%, 5 or 2.5 % -> 0.05, 0.05, 0.025."""
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = -1
    if not 0 < percent < 1000:
        raise ArgumentTypeError(f"'{text}' is no percentage above 0, such as 5%")
    return percent / 100


def run(options: Namespace) -> int:
    sides = load_sides(options.base, options.new, options)
    comparison = compare(sides, options.metric, options.threshold)
    sys.stdout.write(report(comparison))
    return EXIT_REGRESSION if comparison.verdict in FAILURES else 0
