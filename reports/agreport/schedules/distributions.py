# SPDX-License-Identifier: BSD-3-Clause
"""Bar plots of how much each rank contributes, one a block-size distribution.

After figure 22 of Loch (2021). The sizes come from allgather_schedule.
"""

from argparse import Namespace

import pandas as pd
from matplotlib.axes import Axes

from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agformats.units import UNITS, in_units, unit_of
from agreport.cli import program
from agreport.figure.looks import COLOURS
from agreport.figure.panels import panel_sheet
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, shown

SIZES = Kind(
    f"a table of block sizes by {program.NAME}",
    {"distribution": "string", "rank": "int64", "bytes": "int64"},
)
MOST_BARS, LONGEST_NAME = 64, 24


def load(options: Namespace) -> pd.DataFrame:
    """Returns a table with a row for each distribution and rank, in the program's order. Raises
    BadInput if there is no block size, or a negative one."""
    chosen = ["--distributions", options.distributions] if options.distributions else []
    base = ["--ranks", options.ranks, "--bytes", options.bytes]
    sizes = program.read(SIZES, options.program, "distributions", *base, *chosen)
    if sizes.empty:
        raise BadInput(f"{program.NAME}: no block sizes")
    if (sizes["bytes"] < 0).any():
        raise BadInput(f"{program.NAME}: a negative block size")
    return sizes


def draw(sizes: pd.DataFrame, base: str) -> Sheet:
    groups = dict(list(sizes.groupby("distribution", sort=False)))
    ranks = plural(sizes["rank"].nunique(), "rank")
    size = in_units(int(base)) if base.isdecimal() else base
    page, panels = panel_sheet(
        [*map(str, groups)],
        f"Block sizes of {ranks} for a base size of {size}",
        [],
        "Each panel has a scale of its own.",
    )
    for axes, (name, group) in zip(panels, groups.items(), strict=True):
        draw_bars(axes, str(name), group)
    return page


def draw_bars(axes: Axes, name: str, group: pd.DataFrame) -> None:
    title = (
        shown(name)
        if len(name) <= LONGEST_NAME
        else f"\N{HORIZONTAL ELLIPSIS}{name[-LONGEST_NAME:]}"
    )
    unit = unit_of(int(group["bytes"].max()))
    heights = group["bytes"] / 1024**unit
    if len(group) <= MOST_BARS:
        axes.bar(group["rank"], heights, color=COLOURS[0])
        axes.set_xlim(-0.75, group["rank"].max() + 0.75)
    else:
        edges = [*group["rank"], group["rank"].iloc[-1] + 1]
        axes.stairs(heights, edges, fill=True, color=COLOURS[0])
    axes.set_title(f"{title}\n{in_units(int(group['bytes'].sum()))} in total")
    axes.set_ylim(0, 1.05 * heights.max() or 1)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("rank", labelpad=1)
    axes.set_ylabel(f"block size ({UNITS[unit]})")
    axes.grid(visible=False, axis="x")
