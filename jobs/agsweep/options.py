# SPDX-License-Identifier: BSD-3-Clause
"""Has what several commands take; every one of them the sweep file and where its results lie."""

from argparse import ArgumentParser, Namespace

from agformats import paths
from agsweep import notes
from agsweep.results_folder import Folder, default_folder
from agsweep.sweep.sweep_file import Sweep, load


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP.toml", type=paths.name, help="the sweep")
    parser.add_argument("--results", metavar="FOLDER", type=paths.folder,
                        help="where the results lie (default: results/NAME)")  # fmt: skip


def add_hostfile(parser: ArgumentParser, default: str = "this one") -> None:
    parser.add_argument("--hostfile", metavar="FILE", type=paths.file,
                        help=f"hosts, in this mpirun's form (default: {default})")  # fmt: skip


def add_notes(parser: ArgumentParser) -> None:
    parser.add_argument("--note", metavar="KEY=VALUE", type=notes.read, action="append", default=[],
                        help="a note on every launch, as note.KEY in its result file; may be "
                        "given several times")  # fmt: skip


def add_dry_run(parser: ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="write the job scripts only")


def opened(options: Namespace) -> tuple[Sweep, Folder]:
    sweep = load(options.sweep)
    given = notes.check(getattr(options, "note", ()))
    folder = Folder(options.results or default_folder(sweep), given)
    folder.check_same(sweep)
    return sweep, folder
