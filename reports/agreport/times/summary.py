# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches."""

from argparse import ArgumentParser, Namespace

from agreport.cli import options as opt
from agreport.cli import render
from agreport.stats.summary import summarise


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_metric(parser)
    render.add_output(parser)


def run(options: Namespace) -> None:
    summary = summarise(opt.load_selected(options), options.metric)
    render.write(summary.assign(metric=options.metric), options)
