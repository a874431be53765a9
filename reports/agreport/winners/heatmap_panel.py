# SPDX-License-Identifier: BSD-3-Clause
"""One panel of the heat map: the cells of a collective, mapping, distribution and arrival."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.patches import Patch

from agreport.figure.cell_grid import CellGrid, hatch
from agreport.figure.sheet import Look
from agreport.stats.contest import IMPROVEMENT

GREYS = LinearSegmentedColormap.from_list("improvement", ["0.12", "0.96"])


@dataclass(frozen=True)
class Gap:
    """What is hatched: a cell with no winner, or with one the chosen algorithm did not face."""

    label: str
    hatch: str
    ink: str

    def patch(self, chosen: str) -> Patch:
        label = self.label.format(chosen=chosen)
        return Patch(facecolor="white", edgecolor=self.ink, hatch=self.hatch, lw=0, label=label)


NOT_MEASURED = Gap("not measured, or skipped by all", "xxxxx", "0.75")
NO_RIVAL = Gap("only {chosen} has a time", "|||||", "0.5")
NOT_RUN = Gap("{chosen} has no time: the best of the others", "\\\\\\\\\\", "black")
GAPS = (NOT_MEASURED, NO_RIVAL, NOT_RUN)


class Panel(CellGrid):
    """The cells of a contest."""

    def __init__(self, title: str, verdicts: pd.DataFrame) -> None:
        super().__init__(title, verdicts)
        cells = self.cells
        won = cells["won"].eq(True)
        best, rival = cells["fastest"].notna(), cells["rival"].notna()
        self.best = cells["fastest"].mask(won | ~rival)
        self.improvement = cells[IMPROVEMENT].where(won)
        self.gaps = {
            NOT_MEASURED: self.places(~best),
            NO_RIVAL: self.places(best & ~rival),
            NOT_RUN: self.places(rival & cells["chosen_us"].isna()),
        }

    def draw(self, axes: Axes, look: Mapping[str, Look], scale: Normalize) -> None:
        colours = [
            to_rgb(GREYS(scale(gain)) if gain == gain else look[best].colour if best else "white")
            for gain, best in zip(self.improvement, self.best.fillna(""), strict=True)
        ]
        cells = np.array(colours).reshape(len(self.sizes), len(self.columns), 3)
        axes.pcolormesh(cells, edgecolors="white", linewidth=0.3)
        for name in self.best.dropna().unique():
            hatch(axes, self.places(self.best.eq(name)), look[name].hatch, "white")
        for gap, places in self.gaps.items():
            hatch(axes, places, gap.hatch, gap.ink)
        axes.invert_yaxis()
        axes.tick_params(length=2, pad=2)

    def print_percentages(self, axes: Axes, digits: int, scale: Normalize) -> None:
        for (row, column), gain in zip(
            self.places(self.improvement.notna()), self.improvement.dropna(), strict=True
        ):
            ink = "white" if scale(gain) < 0.5 else "black"
            text = f"{gain:.{digits}f}"
            axes.text(column + 0.5, row + 0.5, text, color=ink, ha="center", va="center_baseline")
