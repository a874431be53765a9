# SPDX-License-Identifier: BSD-3-Clause
"""The options of every command that draws a figure into a file: how wide, whether for a paper."""

from argparse import Namespace

from agreport.cli.arg_types import legal
from agreport.cli.rows import flag, together, value
from agreport.figure.medium import DEFAULT, LEGAL_WIDTH, Medium, parse_width

add_medium = together(
    flag(
        "--paper",
        "without title and caption, which go into a text file beside the figure (FILE.txt), and "
        "with names as people write them",
        figure=True,
    ),
    value(
        "--width",
        "LENGTH",
        f"of the figure, {LEGAL_WIDTH}; its fonts keep their size (default: {Medium.width_cm:g}cm)",
        type=legal(parse_width),
        default=Medium.width_cm,
        figure=True,
    ),
)


def medium_of(options: Namespace) -> Medium:
    """Commands without figures have no options of it."""
    return Medium(options.width, options.paper) if "paper" in options else DEFAULT
