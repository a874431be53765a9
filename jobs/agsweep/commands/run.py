# SPDX-License-Identifier: BSD-3-Clause
"""Run a sweep here, launch after launch, with mpirun.

What fails keeps its log and does not keep the rest from running; `agsweep status` says why, and
`agsweep resume` goes on with what is missing.
"""

from argparse import ArgumentParser, Namespace

from agsweep import options
from agsweep.run_here import begin


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    options.add_notes(parser)
    options.add_hostfile(parser)


def run(given: Namespace) -> int:
    return begin(*options.opened(given), "auto", str(given.hostfile or ""))
