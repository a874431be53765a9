# SPDX-License-Identifier: BSD-3-Clause
"""Where the cells of a map are: block sizes down, rank counts across, and their labels."""

from collections.abc import Iterable, Mapping
from math import ceil
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle
from matplotlib.path import Path

from agreport.data.load import CASE, PANEL
from agreport.figure.sheet import DIGIT_PT, POINTS_A_CM, SMALL_PT, Look
from agreport.figure.words import size_label
from agreport.stats.times import NEAR_SEPARATOR

# Beside the cells; at the left are the sizes and what they are.
LEFT_CM, RIGHT_CM = 1.5, 0.3
BESIDE_CM = LEFT_CM + RIGHT_CM
ROW_CM = 0.4
CHARACTERS_A_CM = 6  # of a title
CORNER_CM = 0.2
CORNER_MARK = Path([(1, -1), (-1, -1), (1, 1), (1, -1)])
CORNER = ((0, 0), (-1, 0), (0, -1))  # from the lower right, in parts of CORNER_CM
NEAR_LABEL = "corner: near-tie with the algorithm of that colour"


class CellGrid:
    """Sizes down, rank counts across; every cell of that grid, also those that no file has."""

    def __init__(self, title: str, verdicts: pd.DataFrame) -> None:
        self.title = title
        cells = verdicts.droplevel([*PANEL])
        self.sizes: list[int] = sorted(cells.index.unique("bytes"))
        self.columns: list[tuple[int, int]] = sorted(cells.index.droplevel("bytes").unique())
        grid = [(*column, size) for size in self.sizes for column in self.columns]
        self.cells = cells.reindex(pd.MultiIndex.from_tuples(grid, names=CASE[len(PANEL) :]))
        # The fastest of each cell's near-ties.
        self.near = self.cells["near"].fillna("").str.partition(NEAR_SEPARATOR)[0]

    def places(self, flags: "pd.Series[bool]") -> list[tuple[int, int]]:
        """(row, column) of the cells that are flagged."""
        rows, columns = np.divmod(np.flatnonzero(flags), len(self.columns))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def column_labels(self) -> list[str]:
        """The rank counts; with the nodes where one count ran on several numbers of nodes."""
        ranks = [count for count, _ in self.columns]
        return [
            f"{count} on {nodes}" if ranks.count(count) > 1 else str(count)
            for count, nodes in self.columns
        ]

    def width_cm(self, cell_cm: float) -> float:
        return BESIDE_CM + cell_cm * len(self.columns)

    def above_cm(self, cell_cm: float) -> float:
        """How high the title is."""
        return 0.3 + 0.35 * (self.wrapped_title(cell_cm).count("\n") + 1)

    def below_cm(self, cell_cm: float) -> float:
        """How high the cells are, and the rank counts below them."""
        letters = self.longest_label() if self.upright(cell_cm) else 1.5
        return len(self.sizes) * ROW_CM + 0.9 + letters * DIGIT_PT / POINTS_A_CM

    def label(self, axes: Axes, cell_cm: float) -> None:
        """Title, sizes, and as many rank counts as fit."""
        labels = self.column_labels()
        upright = self.upright(cell_cm)
        step = ceil(1.1 * SMALL_PT / (cell_cm * POINTS_A_CM)) if upright else 1
        positions = np.arange(len(labels)) + 0.5
        axes.set_xticks(positions[::step], labels[::step], rotation=90 if upright else 0)
        axes.set_yticks(np.arange(len(self.sizes)) + 0.5, map(size_label, self.sizes))
        axes.set_xlabel("ranks on nodes" if any(" on " in label for label in labels) else "ranks")
        axes.set_ylabel("block size\n(bytes)" if len(self.sizes) < 6 else "block size (bytes)")
        axes.set_title(self.wrapped_title(cell_cm))

    def wrapped_title(self, cell_cm: float) -> str:
        return fill(self.title, max(20, int(cell_cm * len(self.columns) * CHARACTERS_A_CM)))

    def upright(self, cell_cm: float) -> bool:
        """Whether the rank counts are wider than their columns."""
        return self.longest_label() * DIGIT_PT > cell_cm * POINTS_A_CM

    def longest_label(self) -> int:
        return max(map(len, self.column_labels()))

    def draw_near(self, axes: Axes, look: Mapping[str, Look], cell_cm: float) -> None:
        """In a corner of the cell, the colour of what is as good as the fastest."""
        for name in self.near[self.near.ne("")].unique():
            for row, column in self.places(self.near.eq(name)):
                points = [
                    (column + 1 + x * CORNER_CM / cell_cm, row + 1 + y * CORNER_CM / ROW_CM)
                    for x, y in CORNER
                ]
                axes.add_patch(
                    Polygon(points, facecolor=look[name].colour, edgecolor="white", lw=0.5)
                )


def near_handle() -> Artist:
    return Line2D([], [], marker=CORNER_MARK, color="0.4", ls="", ms=5, label=NEAR_LABEL)


def hatch(axes: Axes, places: Iterable[tuple[int, int]], pattern: str, ink: str) -> None:
    if not pattern:
        return
    for row, column in places:
        cell = Rectangle((column, row), 1, 1, fill=False, hatch=pattern, edgecolor=ink, lw=0)
        axes.add_patch(cell)
