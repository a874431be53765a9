# SPDX-License-Identifier: BSD-3-Clause
"""The map of agreport nodes: block sizes up, hosts across, how often each was behind."""

from argparse import Namespace

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Patch

from agreport.data.load import PAIR
from agreport.diagnostics.slow_hosts import HOST
from agreport.figure.cell_grid import CellGrid, Maps, hatch
from agreport.figure.groups import PANELS, choose_groups
from agreport.figure.map_sheet import Bar, draw_maps
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM

GROUP = [name for name in PAIR if name not in ("bytes", "arrival")]
MOST_GROUPS = 30
# The paper's white where a host is there no more often than by chance.
SHADES = LinearSegmentedColormap.from_list(
    "behind", ["white", *colormaps["Reds"](np.linspace(0.15, 0.9, 8))]
)
DARK = 0.6  # from here on, numbers are white
BAR_TITLE = "how often it was in the slower half of the hosts"
NOT_THERE = ("xxxxx", "0.75")


class HostPanel(CellGrid):
    """Hosts across; in each cell the share of the iterations in which the host was in the slower
    half."""

    def __init__(self, title: str, found: pd.DataFrame) -> None:
        super().__init__(title, found.set_index([HOST, "bytes"]))
        self.column_name = HOST
        self.share = self.cells["behind_percent"]
        chance = self.cells["behind_chance_percent"]
        self.above = ((self.share - chance) / (100 - chance)).clip(lower=0)
        self.gaps = self.places(self.share.isna())

    def draw(self, axes: Axes, cell_cm: float) -> None:
        above = self.above.to_numpy(float).reshape(len(self.sizes), len(self.columns))
        axes.pcolormesh(
            np.ma.masked_invalid(above), cmap=SHADES, vmin=0, vmax=1, edgecolors="0.9",
            linewidth=0.3,
        )  # fmt: skip
        hatch(axes, self.gaps, *NOT_THERE)
        if has_numbers(cell_cm):
            above_chance = self.above[self.share.notna()]
            inks = ["white" if each > DARK else "black" for each in above_chance]
            self.print_numbers(axes, self.share, "{:.0f}".format, inks)


def has_numbers(cell_cm: float) -> bool:
    """Whether they fit into the cells."""
    return cell_cm * POINTS_A_CM > 3 * DIGIT_PT


def draw(table: pd.DataFrame, options: Namespace) -> Sheet:
    chosen = choose_groups(table, GROUP, MOST_GROUPS, options, PANELS)
    panels = [
        HostPanel(title, group.assign(host=group[HOST].cat.remove_unused_categories()))
        for title, group in zip(chosen.titles, chosen.groups, strict=True)
    ]
    maps = Maps(panels)
    numbers = has_numbers(maps.cell_cm)
    caption = (
        "White: no more often than by chance. A slow host is dark in all panels; one that waits "
        "for it, or has a late place in a schedule, in some. Iterations without arrival patterns."
    )
    if not numbers:
        caption += " The cells are too small for legible numbers; --csv writes them."
    gaps = [Patch(facecolor="white", edgecolor=NOT_THERE[1], hatch=NOT_THERE[0], lw=0,
                  label="not measured")]  # fmt: skip
    return draw_maps(
        chosen.head("How often each host left late"),
        maps,
        gaps if any(panel.gaps for panel in panels) else [],
        caption + chosen.describe_rest("agreport nodes"),
        Bar(
            BAR_TITLE + (" (numbers: % of the iterations)" if numbers else ""),
            ScalarMappable(Normalize(0, 1), SHADES),
            {0.0: "as by chance", 1.0: "always"},
        ),
    )
