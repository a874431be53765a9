# SPDX-License-Identifier: BSD-3-Clause
"""Go on with a sweep as it was begun: what is missing, failed or cut off, and nothing else.

The benchmark itself goes on with a result file from its last finished case.
"""

from argparse import ArgumentParser, Namespace

from agformats.errors import BadInput
from agformats.notes import note
from agsweep import options
from agsweep.results_folder import SLURM, Folder
from agsweep.run_here import launch_missing
from agsweep.submission import submit_missing


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    options.add_hostfile(parser, "those of run")
    options.add_dry_run(parser)


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    if not folder.begun():
        raise BadInput(
            f"{folder.path}: nothing to resume there; legal: a sweep that run or submit began"
        )
    if folder.launcher == SLURM:
        if given.hostfile:
            raise BadInput(
                f"--hostfile: '{given.hostfile}' does not go with {folder.path}, which submit "
                "began: its jobs have their hosts from Slurm; legal: a sweep that run began"
            )
        return submit_missing(sweep, folder, given.dry_run)
    if given.dry_run:
        raise BadInput(
            f"--dry-run: {folder.path} was begun by run or simulate, and has no job scripts; "
            "legal: a sweep that submit began"
        )
    return launch_missing(sweep, folder, folder.launcher, hostfile(given, folder))


def hostfile(given: Namespace, folder: Folder) -> str:
    """Returns the hostfile that is given, else that of run; empty if there is none."""
    if given.hostfile:
        return str(given.hostfile)
    if kept := folder.hostfile:
        note(f"--hostfile {kept}, as run was given it")
    return kept
