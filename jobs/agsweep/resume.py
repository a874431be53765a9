# SPDX-License-Identifier: BSD-3-Clause
"""Go on with a sweep: what is missing, failed or cut off, and nothing else.

The benchmark itself goes on with a result file from its last finished case.
"""

from argparse import ArgumentParser, Namespace

from agreport.errors import BadInput
from agsweep import options
from agsweep import run as here


def add_options(parser: ArgumentParser) -> None:
    here.add_options(parser)


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    if not folder.begun():
        raise BadInput(
            f"{folder.path} holds nothing to resume; legal: a sweep that run or submit began"
        )
    return here.launch_all(sweep, folder, "auto", given.hostfile)
