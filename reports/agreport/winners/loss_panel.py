# SPDX-License-Identifier: BSD-3-Clause
"""One panel of the loss map: of a collective, mapping, distribution and arrival pattern."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from agreport.data.load import PANEL
from agreport.figure.cell_grid import CellGrid, hatch
from agreport.figure.tooltips import Tooltip, cell
from agreport.winners.heatmap_panel import NO_RIVAL, NOT_MEASURED, NOT_RUN

LOSS = "loss"
AS_GOOD = 1.05  # what is lost below this is called nothing
# The colours of the map, as factors; the last one is for all above.
BOUNDS = (1.0, AS_GOOD, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)
SHADES = colormaps["Reds"]
TIE = to_rgb("0.93")


class LossPanel(CellGrid):
    """Rank counts across; in each cell the quotient."""

    def __init__(self, title: str, found: pd.DataFrame, time: str) -> None:
        super().__init__(title, found.droplevel([*PANEL]))
        self.column_name = "ranks"
        self.loss = self.cells[LOSS]
        rival = self.cells["compared_with"].eq(True)
        timed = self.cells[time].notna()
        self.gaps = {
            NOT_MEASURED: self.places(~rival & ~timed),
            NO_RIVAL: self.places(~rival & timed),
            NOT_RUN: self.places(rival & ~timed),
        }

    def draw(self, axes: Axes, digits: int | None) -> None:
        near = self.cells["near_tie"].eq(True)
        colours = [
            TIE if tie and loss >= AS_GOOD else shade(loss)
            for loss, tie in zip(self.loss.fillna(1.0), near, strict=True)
        ]
        cells = np.array(colours).reshape(len(self.sizes), len(self.columns), 3)
        axes.pcolormesh(cells, edgecolors="white", linewidth=0.3)
        for gap, places in self.gaps.items():
            hatch(axes, places, gap.hatch, gap.ink)
        if digits is None:
            return
        there = self.loss.notna()
        for (row, column), loss, tie in zip(
            self.places(there), self.loss[there], near[there], strict=True
        ):
            ink = "0.5" if tie else "black" if loss < BOUNDS[-2] else "white"
            axes.text(column + 0.5, row + 0.5, number(loss, digits), color=ink, ha="center",
                      va="center_baseline")  # fmt: skip

    def tooltips(self, axes: Axes, chosen: str) -> Iterator[Tooltip]:
        for (row, column), (_, found) in zip(
            self.places(self.loss.notna()), self.cells[self.loss.notna()].iterrows(), strict=True
        ):
            best = f"; {found['best']} {found['best_us']:.4g} µs" if found["best"] != chosen else ""
            text = f"{chosen} {found[f'{chosen}_us']:.4g} µs{best}; {found[LOSS]:.3g} times"
            yield cell(axes, row, column, text)


def number(loss: float, digits: int) -> str:
    """Three digits at most: 1.05, 12.3, 123."""
    return f"{loss:.{max(0, digits - (loss >= 10) - (loss >= 100))}f}"


def shade(loss: float) -> tuple[float, float, float]:
    """The paper's white where nothing is lost."""
    if loss < AS_GOOD:
        return (1.0, 1.0, 1.0)
    place = np.searchsorted(BOUNDS, loss, side="right") - 1
    return to_rgb(SHADES(0.08 + 0.82 * place / (len(BOUNDS) - 1)))
