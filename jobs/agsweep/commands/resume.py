# SPDX-License-Identifier: BSD-3-Clause
"""Go on with a sweep as it was begun: what is missing, failed or cut off, and nothing else.

The benchmark itself goes on with a result file from its last finished case.
"""

from argparse import ArgumentParser, Namespace

from agformats.errors import BadInput
from agsweep import options
from agsweep.results_folder import SLURM
from agsweep.run_here import launch_missing
from agsweep.submission import submit_missing


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    options.add_hostfile(parser)
    options.add_dry_run(parser)


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    if not folder.begun():
        raise BadInput(
            f"{folder.path}: nothing to resume there; legal: a sweep that run or submit began"
        )
    if folder.launcher == SLURM:
        return submit_missing(sweep, folder, given.dry_run)
    return launch_missing(sweep, folder, folder.launcher, str(given.hostfile or ""))
