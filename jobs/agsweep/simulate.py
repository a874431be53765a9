# SPDX-License-Identifier: BSD-3-Clause
"""Run a sweep in SimGrid's SMPI, on the platform that the sweep file names."""

from argparse import ArgumentParser, Namespace

from agformats.errors import BadInput
from agsweep import options
from agsweep import run as here
from agsweep.launchers import LAUNCHERS

LAUNCHER = "smpirun"


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    parser.set_defaults(hostfile="")  # the platform says what hosts there are


def run(given: Namespace) -> int:
    if LAUNCHER not in LAUNCHERS:
        raise BadInput(f"there is no launcher {LAUNCHER}; legal: {', '.join(LAUNCHERS)}")
    return here.start(given, LAUNCHER)
