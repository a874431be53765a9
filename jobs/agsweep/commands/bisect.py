# SPDX-License-Identifier: BSD-3-Clause
"""Build, measure and judge one commit, for `git bisect run`.

Exits with 0 if the candidate is not slower than the base, with 1 if it is, and with 125 if it does
not build or if that cannot be told. Whatever is wrong with FILE or the sweep exits with 128, which
ends the bisection.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from agformats import paths
from agformats.errors import BadInput, in_words
from agsweep import bisection

EXIT_ENDS_BISECTION = 128


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=paths.name, help="what to build and measure")
    parser.add_argument("--results", metavar="FOLDER", type=paths.folder,
                        help="where a folder of each commit lies (default: results/bisect, beside "
                        "FILE)")  # fmt: skip


def run(given: Namespace) -> int:
    try:
        asked, sweep = bisection.read(given.file)
        beside = Path(given.file).absolute().parent / "results" / "bisect"
        return bisection.bisect(asked, sweep, given.results or beside)
    except (BadInput, OSError) as error:
        print(f"agsweep: {in_words(error)}", file=sys.stderr)
        return EXIT_ENDS_BISECTION
