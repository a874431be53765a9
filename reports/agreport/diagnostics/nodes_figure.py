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
from agreport.figure.medium import medium
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import DIGIT_PT, LINE_CM, POINTS_A_CM, TITLE_A_CM, wrapped

GROUP = [name for name in PAIR if name not in ("bytes", "arrival")]
MOST_GROUPS = 30
BAR_CM = 1.05
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

    def draw(self, axes: Axes, digits: bool) -> None:
        above = self.above.to_numpy(float).reshape(len(self.sizes), len(self.columns))
        axes.pcolormesh(
            np.ma.masked_invalid(above), cmap=SHADES, vmin=0, vmax=1, edgecolors="0.9",
            linewidth=0.3,
        )  # fmt: skip
        hatch(axes, self.gaps, *NOT_THERE)
        if not digits:
            return
        there = self.share.notna()
        for (row, column), share, above_chance in zip(
            self.places(there), self.share[there], self.above[there], strict=True
        ):
            axes.text(column + 0.5, row + 0.5, f"{share:.0f}", ha="center", va="center_baseline",
                      color="white" if above_chance > DARK else "black")  # fmt: skip


def draw(table: pd.DataFrame, options: Namespace) -> Sheet:
    chosen = choose_groups(table, GROUP, MOST_GROUPS, options, PANELS)
    panels = [
        HostPanel(title, group.assign(host=group[HOST].cat.remove_unused_categories()))
        for title, group in zip(chosen.titles, chosen.groups, strict=True)
    ]
    maps = Maps(panels)
    digits = maps.cell_cm * POINTS_A_CM > 3 * DIGIT_PT
    numbers = " (numbers: % of the iterations)" if digits else ""
    bar_title = wrapped(BAR_TITLE + numbers, medium().width_cm, TITLE_A_CM)
    bar_title_cm = 0.45 + bar_title.count("\n") * LINE_CM
    caption = (
        "White: no more often than by chance. A slow host is dark in all panels; one that waits "
        "for it, or has a late place in a schedule, in some. Iterations without arrival patterns."
    )
    if not digits:
        caption += " The cells are too small for legible numbers; --csv writes them."
    gaps = [Patch(facecolor="white", edgecolor=NOT_THERE[1], hatch=NOT_THERE[0], lw=0,
                  label="not measured")]  # fmt: skip
    page = sheet(
        chosen.head("How often each host left late"),
        BAR_CM + bar_title_cm + maps.height_cm,
        gaps if any(panel.gaps for panel in panels) else [],
        caption + chosen.describe_rest("agreport nodes"),
    )
    bar = page.axes(page.width_cm / 4, bar_title_cm, page.width_cm / 2, 0.3)
    scale = page.figure.colorbar(
        ScalarMappable(Normalize(0, 1), SHADES), cax=bar, orientation="horizontal"
    )
    scale.set_ticks([0, 1], labels=["as by chance", "always"])
    bar.set_title(bar_title)
    for panel, axes in maps.place(page, BAR_CM + bar_title_cm):
        panel.draw(axes, digits)
    return page
