# SPDX-License-Identifier: BSD-3-Clause
"""One panel of a map of algorithms: of a collective, mapping, distribution and arrival pattern."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from agreport.data.load import PANEL
from agreport.figure.cell_grid import CellGrid, hatch
from agreport.figure.looks import Look, looks
from agreport.figure.names import shown
from agreport.figure.text_size import POINTS_A_CM
from agreport.figure.tooltips import Tooltip, cell
from agreport.stats.contest import IMPROVEMENT
from agreport.stats.times import NEAR_SEPARATOR

GREYS = LinearSegmentedColormap.from_list("improvement", ["0.94", "0.25"])  # dark: large
CORNER = Path([(0, 0), (-1, 0), (0, 1), (0, 0)])  # a marker at the lower right of a cell
CORNER_CM, CORNER_PART = 0.2, 0.45  # as wide as this, and as this part of a cell, at most
TIMES = ("fastest_us", "chosen_us", "rival_us")  # the smallest of them is the fastest one's
NEAR_TIES = ("corner", "hatch", "none")  # how they are drawn
NEAR_LABEL = "{}: near-tie with the algorithm of that colour"


@dataclass(frozen=True)
class Gap:
    """What is hatched: a cell with no winner, or with one the chosen algorithm did not face."""

    label: str
    hatch: str
    ink: str

    def patch(self, chosen: str) -> Patch:
        label = self.label.format(chosen=shown(chosen))
        return Patch(facecolor="white", edgecolor=self.ink, hatch=self.hatch, lw=0, label=label)


NOT_MEASURED = Gap("not measured, or skipped by all", "xxxxx", "0.75")
NO_RIVAL = Gap("only {chosen} has a time", "|||||", "0.5")
NOT_RUN = Gap("{chosen} has no time: the best of the others", "\\\\\\\\\\", "black")
GAPS = (NOT_MEASURED, NO_RIVAL, NOT_RUN)


class SelectionPanel(CellGrid):
    """Rank counts across; in each cell the fastest algorithm, and in a corner what is as good."""

    def __init__(self, title: str, found: pd.DataFrame) -> None:
        super().__init__(title, found.droplevel([*PANEL]))
        self.column_name = "ranks"
        self.best = self.cells["fastest"]
        self.near = self.cells["near"].fillna("").str.partition(NEAR_SEPARATOR)[0]
        self.times = [name for name in TIMES if name in self.cells]
        self.improvement = pd.Series(np.nan, self.cells.index)
        self.gaps = {NOT_MEASURED: self.places(self.best.isna())}

    def draw(
        self,
        axes: Axes,
        look: Mapping[str, Look],
        near_ties: str,
        cell_cm: float,
        scale: Normalize | None = None,
    ) -> None:
        """scale: of the improvements, if there are any."""
        colours = [
            to_rgb(look[best].colour if best else GREYS(scale(gain)) if scale and gain == gain
                   else "white")
            for gain, best in zip(self.improvement, self.best.fillna(""), strict=True)
        ]  # fmt: skip
        cells = np.array(colours).reshape(len(self.sizes), len(self.columns), 3)
        axes.pcolormesh(cells, edgecolors="white", linewidth=0.3)
        for name in self.best.dropna().unique():
            hatch(axes, self.places(self.best.eq(name)), look[name].hatch, "white")
        for gap, places in self.gaps.items():
            hatch(axes, places, gap.hatch, gap.ink)
        for name in self.near[self.near.ne("")].unique():
            places = self.places(self.near.eq(name))
            if near_ties == "hatch":
                hatch(axes, places, "////", look[name].colour)
            elif near_ties == "corner":
                draw_corners(axes, places, look[name], cell_cm)

    def tooltips(self, axes: Axes) -> Iterator[Tooltip]:
        """The fastest of each cell with its time, and what is as good."""
        timed = self.cells["fastest"].notna()
        for (row, column), (_, found) in zip(
            self.places(timed), self.cells[timed].iterrows(), strict=True
        ):
            near = f"; near-tie with {found['near']}" if found["near"] else ""
            us = found[self.times].min()
            yield cell(axes, row, column, f"{found['fastest']} {us:.4g} µs{near}")


def draw_corners(axes: Axes, places: Sequence[tuple[int, int]], look: Look, cell_cm: float) -> None:
    size = 2 * min(CORNER_CM, CORNER_PART * cell_cm) * POINTS_A_CM  # of both sides of a marker
    rows, columns = np.transpose(places)
    axes.scatter(columns + 1, rows, size**2, look.colour, marker=CORNER, lw=size / 20,
                 edgecolors="white", hatch=look.hatch or None)  # fmt: skip


class Panel(SelectionPanel):
    """The cells of a contest: where the chosen algorithm is the fastest, its improvement."""

    def __init__(self, title: str, verdicts: pd.DataFrame) -> None:
        super().__init__(title, verdicts)
        won, rival = self.cells["won"].eq(True), self.cells["rival"].notna()
        self.gaps[NO_RIVAL] = self.places(self.best.notna() & ~rival)
        self.gaps[NOT_RUN] = self.places(rival & self.cells["chosen_us"].isna())
        self.best = self.best.mask(won | ~rival)
        self.improvement = self.cells[IMPROVEMENT].where(won)

    def print_percentages(self, axes: Axes, digits: int, scale: Normalize) -> None:
        for (row, column), gain in zip(
            self.places(self.improvement.notna()), self.improvement.dropna(), strict=True
        ):
            ink = "black" if scale(gain) < 0.5 else "white"
            text = f"{gain:.{digits}f}"
            axes.text(column + 0.5, row + 0.5, text, color=ink, ha="center", va="center_baseline")


def make_legend(
    catalogue: Sequence[str], panels: Sequence[SelectionPanel], near_ties: str, chosen: str = ""
) -> list[Artist]:
    """The algorithms, gaps and near-ties that these panels have."""
    near = set() if near_ties == "none" else {name for panel in panels for name in panel.near}
    shown = near.union(*(panel.best.dropna() for panel in panels))
    look = looks(catalogue)
    found: list[Artist] = [look[name].patch(name) for name in catalogue if name in shown]
    found += [gap.patch(chosen) for gap in GAPS if any(panel.gaps.get(gap) for panel in panels)]
    if any(near):
        found.append(near_handle(near_ties))
    return found


def near_handle(near_ties: str) -> Artist:
    """A near-tie, as it is drawn."""
    label = NEAR_LABEL.format(near_ties)
    if near_ties == "corner":
        middle = CORNER.transformed(Affine2D().translate(0.5, -0.5))  # of a legend's line
        return Line2D([], [], marker=middle, color="0.4", ls="", ms=5, label=label)
    return Patch(facecolor="white", edgecolor="0.4", hatch="////", lw=0, label=label)
