# SPDX-License-Identifier: BSD-3-Clause
"""The tables and figures of publications."""

from argparse import ArgumentParser
from pathlib import Path

from agreport.cli import options as opt
from agreport.cli.later import Module
from agreport.cli.report import Report
from agreport.figure.medium import ENDINGS

loch2021 = Module("page.loch2021")
proficz2021 = Module("page.proficz2021")
pappalardo = Module("page.pappalardo")


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="a new folder"
    )
    parser.add_argument(
        "--figures", choices=ENDINGS, default=ENDINGS[0], help="their kind (default: %(default)s)"
    )
    opt.add_medium(parser)


REPORTS = (
    Report("loch2021", loch2021, options=add_options, run=loch2021.write),
    Report("proficz2021", proficz2021, options=add_options, run=proficz2021.write),
    Report("pappalardo", pappalardo, options=add_options, run=pappalardo.write),
)
