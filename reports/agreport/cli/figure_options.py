# SPDX-License-Identifier: BSD-3-Clause
"""The options of every command that draws a figure into a file: how wide, whether for a paper."""

from argparse import ArgumentParser, Namespace

from agformats.errors import BadInput
from agreport.cli.arg_types import legal
from agreport.figure.medium import DEFAULT, LEGAL_WIDTH, Medium, parse_width


def add_medium(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--paper",
        action="store_true",
        help="without title and caption, which go into a text file beside the figure (FILE.txt), "
        "and with names as people write them",
    )
    parser.add_argument(
        "--width",
        type=legal(parse_width),
        default=Medium.width_cm,
        metavar="LENGTH",
        help=f"of the figure, {LEGAL_WIDTH}; its fonts keep their size "
        f"(default: {Medium.width_cm:g}cm)",
    )


def medium_of(options: Namespace) -> Medium:
    """Commands without figures have no options of it."""
    if "paper" not in options:
        return DEFAULT
    chosen = Medium(options.width, options.paper)
    if chosen != DEFAULT and options.output is None:
        given = "--paper" if chosen.paper else "--width"
        raise BadInput(f"{given}: no figure is asked for; legal: with -o FILE")
    return chosen
