# SPDX-License-Identifier: BSD-3-Clause
"""Write job scripts for a sweep and submit them: one job, or an array, for each number of nodes."""

from argparse import ArgumentParser, Namespace

from agsweep import options
from agsweep.submission import submit_missing


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    options.add_notes(parser)
    options.add_dry_run(parser)


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    folder.check_new(sweep)
    return submit_missing(sweep, folder, given.dry_run, is_new=True)
