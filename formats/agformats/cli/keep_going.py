# SPDX-License-Identifier: BSD-3-Clause
"""The option of all that reads result files."""

from argparse import ArgumentParser

from agformats.files.checksums import OPTION


def add_keep_going(parser: ArgumentParser) -> None:
    parser.add_argument(
        OPTION,
        dest="keep_going",
        action="store_true",
        help="leave out cases whose rows are not what was written, by their checksums, and name "
        "them, instead of refusing their files",
    )
