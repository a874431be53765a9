# SPDX-License-Identifier: BSD-3-Clause
"""The options of every command that draws a figure into a file: how wide, whether for a paper."""

from argparse import ArgumentParser, Namespace

from agformats.cli.one_line_parser import needs_figure
from agreport.cli.arg_types import legal
from agreport.figure.medium import DEFAULT, LEGAL_WIDTH, Medium, parse_width


def add_medium(parser: ArgumentParser) -> None:
    paper = parser.add_argument(
        "--paper",
        action="store_true",
        help="without title and caption, which go into a text file beside the figure (FILE.txt), "
        "and with names as people write them",
    )
    width = parser.add_argument(
        "--width",
        type=legal(parse_width),
        default=Medium.width_cm,
        metavar="LENGTH",
        help=f"of the figure, {LEGAL_WIDTH}; its fonts keep their size "
        f"(default: {Medium.width_cm:g}cm)",
    )
    needs_figure(paper)
    needs_figure(width)


def medium_of(options: Namespace) -> Medium:
    """Commands without figures have no options of it."""
    return Medium(options.width, options.paper) if "paper" in options else DEFAULT
