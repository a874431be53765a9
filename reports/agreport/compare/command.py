# SPDX-License-Identifier: BSD-3-Clause
"""The options of `agreport compare`, and its exit code."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.cli import render
from agreport.figure.sheet import ENDINGS

from . import baselines, figure, json_text, junit, terminal
from .agreement import check_agreement, check_allowed
from .comparison import Comparison, compare
from .pairing import pairing
from .sides import load_sides
from .verdicts import ONE_LAUNCH

SINGLE = "single-launch"
TEXTS = {
    "markdown": terminal.markdown,
    "json": json_text.text,
    "junit": junit.text,
    "csv": json_text.cases_csv,
}


def add_options(parser: ArgumentParser) -> None:
    for side, what in (("base", "before"), ("new", "after")):
        parser.add_argument(
            f"--{side}", nargs="+", metavar="FILES", help=f"{what}: {opt.RESULT_FILES}"
        )
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="with --base alone: keep these launches under this name; with --new alone: compare "
        "with the ones kept",
    )
    parser.add_argument(
        "--baselines",
        type=Path,
        default=baselines.FOLDER,
        metavar="FOLDER",
        help="where baselines are kept (default: %(default)s)",
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
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="KEY,...",
        help=f"compare although this differs between the launches; or {SINGLE}: call verdicts by "
        "one launch a side",
    )
    for name in TEXTS:
        parser.add_argument(
            f"--{name}", type=opt.path_ending(), metavar="FILE", help=f"write it as {name} too"
        )
    opt.add_output(parser, ENDINGS, "the ratios and the worst cases as a figure: ", required=False)


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
    if options.baseline and options.base and not options.new:
        kept = baselines.save(options.baselines, options.baseline, options.base)
        print(f"kept as baseline '{options.baseline}' in {kept}")
        return 0
    comparison = compared(options)
    for name, text in TEXTS.items():
        if path := getattr(options, name):
            path.write_text(text(comparison), encoding="utf-8")
    if options.output:
        figure.draw(comparison).write(options.output)
    if comparison.verdict == ONE_LAUNCH:
        print(
            f"agreport: one launch a side: no verdict; --allow {SINGLE} calls one by iterations",
            file=sys.stderr,
        )
    try:
        sys.stdout.write(terminal.text(comparison))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough changes no verdict
        render.drop_output()
    return comparison.exit_code


def compared(options: Namespace) -> Comparison:
    base, new = options.base, options.new
    if options.baseline:
        if base:
            raise BadInput("--baseline: with --base it keeps, with --new it compares; not both")
        base = [baselines.find(options.baselines, options.baseline)]
    for side, given in (("base", base), ("new", new)):
        if not given:
            raise BadInput(f"--{side} FILES is missing: the launches of the other side")
    allowed = [name.strip() for text in options.allow for name in text.split(",")]
    check_allowed(allowed, [SINGLE])
    sides = load_sides(base, new, options)
    how = pairing(sides)
    check_agreement(sides, how, allowed)
    return compare(sides, how, options.metric, options.threshold, SINGLE in allowed)
