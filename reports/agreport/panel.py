# SPDX-License-Identifier: BSD-3-Clause
"""One panel of the heat map: the cells of a collective, mapping, distribution and arrival."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.patches import Patch, Rectangle

from agreport.cases import IMPROVEMENT, size_label
from agreport.load import CASE, PANEL
from agreport.sheet import DIGIT_PT, POINTS_A_CM, SMALL_PT, Look

# Beside the cells; at the left are the sizes and what they are.
LEFT_CM, RIGHT_CM = 1.5, 0.3
BESIDE_CM = LEFT_CM + RIGHT_CM
ROW_CM = 0.4
CHARACTERS_A_CM = 6  # of a title
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


class Panel:
    """Sizes down, rank counts across; every cell of that grid, also those that no file has."""

    def __init__(self, title: str, verdicts: pd.DataFrame) -> None:
        self.title = title
        cells = verdicts.droplevel([*PANEL])
        self.sizes: list[int] = sorted(cells.index.unique("bytes"))
        self.columns: list[tuple[int, int]] = sorted(cells.index.droplevel("bytes").unique())
        grid = [(*column, size) for size in self.sizes for column in self.columns]
        cells = cells.reindex(pd.MultiIndex.from_tuples(grid, names=CASE[len(PANEL) :]))
        won = cells["won"].eq(True)
        best, rival = cells["best"].notna(), cells["rival"].notna()
        self.best = cells["best"].mask(won | ~rival)
        self.improvement = cells[IMPROVEMENT].where(won)
        self.gaps = {
            NOT_MEASURED: self.places(~best),
            NO_RIVAL: self.places(best & ~rival),
            NOT_RUN: self.places(rival & cells["chosen_us"].isna()),
        }

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

    def print_percentages(self, axes: Axes, digits: int, scale: Normalize) -> None:
        for (row, column), gain in zip(
            self.places(self.improvement.notna()), self.improvement.dropna(), strict=True
        ):
            ink = "white" if scale(gain) < 0.5 else "black"
            text = f"{gain:.{digits}f}"
            axes.text(column + 0.5, row + 0.5, text, color=ink, ha="center", va="center_baseline")


def hatch(axes: Axes, places: Iterable[tuple[int, int]], pattern: str, ink: str) -> None:
    if not pattern:
        return
    for row, column in places:
        cell = Rectangle((column, row), 1, 1, fill=False, hatch=pattern, edgecolor=ink, lw=0)
        axes.add_patch(cell)
