# SPDX-License-Identifier: BSD-3-Clause
"""What maps of cases share: their panels, and what is hatched in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from agreport.data.load import CASE, PANEL
from agreport.figure.cell_grid import CellGrid, hatch
from agreport.figure.names import shown
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.tooltips import Tooltip, cell
from agreport.figure.words import panel_titles, plural

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Gap:
    """A kind of hatched cell, such as one without a winner."""

    label: str
    hatch: str
    ink: str

    def patch(self, chosen: str) -> Patch:
        label = self.label.format(chosen=shown(chosen))
        return Patch(facecolor="white", edgecolor=self.ink, hatch=self.hatch, lw=0, label=label)


NOT_MEASURED = Gap("not measured, or skipped by all", "xxxxx", "0.75")
NO_RIVAL = Gap("only {chosen} has a time", "|||||", "0.5")
NOT_RUN = Gap("{chosen} has no time: the best of the others", "\\\\\\\\\\", "black")
TIED = Gap("several are equally fast: --csv names them", "....", "0.4")
GAPS = (NOT_MEASURED, NO_RIVAL, NOT_RUN, TIED)


class MapPanel(CellGrid):
    """A collective, mapping, distribution and arrival pattern, with rank counts across; or with
    distributions across, of one rank count. found: by that and the block size."""

    def __init__(self, title: str, found: pd.DataFrame) -> None:
        super().__init__(title, found)
        self.column_name = str(self.columns.name)
        self.gaps: dict[Gap, list[tuple[int, int]]] = {}

    def find_gaps(self, chosen: "pd.Series[bool]", rival: "pd.Series[bool]") -> None:
        """Finds gaps by whether the chosen algorithm has a time, and whether any other has one."""
        alone, unmet = chosen & ~rival, rival & ~chosen
        found = {NOT_MEASURED: ~chosen & ~rival, NO_RIVAL: alone, NOT_RUN: unmet}
        self.gaps = {gap: self.places(flags) for gap, flags in found.items()}

    def fill(self, axes: Axes, colours: Sequence[Colour]) -> None:
        cells = np.array(colours).reshape(len(self.sizes), len(self.columns), 3)
        axes.pcolormesh(cells, edgecolors="white", linewidth=0.3)

    def hatch_gaps(self, axes: Axes) -> None:
        for gap, places in self.gaps.items():
            hatch(axes, places, gap.hatch, gap.ink)

    def describe(
        self, axes: Axes, flags: "pd.Series[bool]", text: "Callable[[pd.Series[Any]], str]"
    ) -> Iterator[Tooltip]:
        for place, (_, found) in zip(self.places(flags), self.cells[flags].iterrows(), strict=True):
            yield cell(axes, *place, text(found))


def panels_of(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The title of each panel, and what was found of it, by what is across and the block size.

    Of one rank count alone panels would be columns, so they have the distributions across."""
    ranks = found.index.unique("ranks")
    several = len(found.index.unique("distribution")) > 1
    across = "distribution" if several and len(ranks) == 1 else "ranks"
    more = f", {plural(int(ranks[0]), 'rank', 'ranks')}" if across == "distribution" else ""
    for panel, title in panel_titles(found, across).items():
        same = dict(zip(PANEL, panel, strict=True))
        same.pop(across, None)
        part: Any = found.xs(tuple(same.values()), level=[*same], drop_level=False)
        yield title + more, part.droplevel([n for n in CASE if n not in (across, "bytes")])


def legible(lengths: Mapping[int, int], cell_cm: float) -> int | None:
    """The most decimals with which numbers of these lengths fit into a cell; None: with none."""
    room = cell_cm * POINTS_A_CM
    return max((n for n, length in lengths.items() if length * DIGIT_PT < room), default=None)
