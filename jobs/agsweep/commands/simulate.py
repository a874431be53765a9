# SPDX-License-Identifier: BSD-3-Clause
"""Run a sweep in SimGrid's SMPI, on the platform that the sweep file names."""

from argparse import ArgumentParser, Namespace

from agsweep import options
from agsweep.run_here import begin


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)


def run(given: Namespace) -> int:
    # There is no hostfile: the platform says what hosts there are.
    return begin(*options.opened(given), "smpirun", "")
