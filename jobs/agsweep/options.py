# SPDX-License-Identifier: BSD-3-Clause
"""What every command takes: the sweep file and where its results lie."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from agsweep.results_folder import Folder
from agsweep.sweep_file import Sweep, load


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP.toml", type=Path, help="the sweep")
    parser.add_argument("--results", metavar="FOLDER", type=Path,
                        help="where the results lie (default: results/NAME)")  # fmt: skip


def opened(options: Namespace) -> tuple[Sweep, Folder]:
    sweep = load(options.sweep)
    folder = Folder(options.results or Path("results") / sweep.name)
    folder.check_same(sweep)
    return sweep, folder
