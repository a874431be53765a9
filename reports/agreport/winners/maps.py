# SPDX-License-Identifier: BSD-3-Clause
"""Panels of maps of cases, what is hatched in them, and the maps of the fastest algorithms: of all,
and of one against the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from agreport.data.load import CASE, PANEL
from agreport.figure.cell_grid import CellGrid, hatch
from agreport.figure.looks import Look
from agreport.figure.sheet import Tooltip
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.words import panel_titles, plural, shown
from agreport.stats.contest import IMPROVEMENT
from agreport.stats.times import NEAR_SEPARATOR

Colour = tuple[float, float, float]
GREYS = LinearSegmentedColormap.from_list("improvement", ["0.94", "0.25"])  # dark: large
CORNER = Path([(0, 0), (-1, 0), (0, 1), (0, 0)])  # a marker at the lower right of a cell
CORNER_CM, CORNER_PART = 0.2, 0.45  # a corner's width at most: in cm, and as part of a cell's
HALVED_CM = 0.3  # up to this width a cell is halved: a corner could not be seen
TIMES = ("fastest_us", "chosen_us", "rival_us")  # the smallest of them is the fastest one's
NEAR_LABEL = "{}: near-tie with the algorithm of that colour"


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
NO_RIVAL = Gap("nothing to compare {chosen} with", "|||||", "0.5")
NOT_RUN = Gap("{chosen} has no time: the best of the others", "\\\\\\\\\\", "black")
TIED = Gap("several are equally fast: --csv names them", "....", "0.4")
NO_QUOTIENT = Gap("the best takes 0: there is no quotient", "-----", "black")
GAPS = (NOT_MEASURED, NO_RIVAL, NOT_RUN, TIED, NO_QUOTIENT)


class MapPanel(CellGrid):
    """The panel of a collective, mapping, distribution and arrival pattern; rank counts are across.

    Of one rank count with several distributions, these are across. found: what was found, by what
    is across and the block size.
    """

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
        cells = self.cells[flags].iterrows()
        for (row, column), (_, found) in zip(self.places(flags), cells, strict=True):
            yield Tooltip(axes, ((column, row), (column + 1, row + 1)), text(found))


def panels_of(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yields the title of each panel, and what was found of the panel, by what is across and the
    block size.

    Ranks are across. Of one rank count alone panels would be columns, so they have the
    distributions across if there are several."""
    ranks = found.index.unique("ranks")
    several = len(found.index.unique("distribution")) > 1
    across = "distribution" if several and len(ranks) == 1 else "ranks"
    more = f", {plural(int(ranks[0]), 'rank')}" if across == "distribution" else ""
    for panel, title in panel_titles(found, across).items():
        same = dict(zip(PANEL, panel, strict=True))
        same.pop(across, None)
        part: Any = found.xs(tuple(same.values()), level=[*same], drop_level=False)
        yield title + more, part.droplevel([n for n in CASE if n not in (across, "bytes")])


def legible(lengths: Mapping[int, int], cell_cm: float) -> int | None:
    """Returns the most decimals with which numbers of these lengths fit into a cell; None if no
    number of decimals does. lengths: decimals -> characters."""
    room = cell_cm * POINTS_A_CM
    return max((n for n, length in lengths.items() if length * DIGIT_PT < room), default=None)


@dataclass(frozen=True)
class Style:
    """Holds for all panels of a map the algorithms' looks, how near-ties are drawn, and the
    largest improvement in percent, NaN if the map has none."""

    looks: Mapping[str, Look]
    near_ties: str
    highest: float = float("nan")

    @property
    def scale(self) -> Normalize:
        """Returns the scale from improvements to greys."""
        return Normalize(0, 10 * ceil(self.highest / 10) if self.highest > 0 else 10)

    def digits(self, cell_cm: float) -> int | None:
        """Returns how many decimals the percentages have in such cells; None if they do not fit."""
        return legible({n: len(f"{self.highest:.{n}f}") for n in (0, 1)}, cell_cm)


class SelectionPanel(MapPanel):
    """Draws in each cell the fastest algorithm, and in a corner what is as good."""

    def __init__(self, title: str, found: pd.DataFrame, style: Style) -> None:
        super().__init__(title, found)
        self.style = style
        tied = self.cells["tied"].eq(True)
        self.best = self.cells["fastest"].mask(tied)
        near = self.cells["near"].fillna("").str.partition(NEAR_SEPARATOR)[0]
        self.near = near.mask(tied, "")
        self.improvement = pd.Series(np.nan, self.cells.index)
        unmeasured = self.places(self.cells["fastest"].isna())
        self.gaps = {NOT_MEASURED: unmeasured, TIED: self.places(tied)}

    def draw(self, axes: Axes, cell_cm: float) -> None:
        look, scale = self.style.looks, self.style.scale

        def colour(best: str, gain: float) -> Colour:
            return to_rgb(look[best].colour if best else GREYS(scale(gain)) if gain == gain
                          else "white")  # fmt: skip

        best = self.best.fillna("")
        self.fill(axes, [*map(colour, best, self.improvement)])
        for name in self.best.dropna().unique():
            hatch(axes, self.places(self.best.eq(name)), look[name].hatch, "white")
        self.hatch_gaps(axes)
        for name in self.near[self.near.ne("")].unique():
            places = self.places(self.near.eq(name))
            if self.style.near_ties == "hatch":
                hatch(axes, places, "////", look[name].colour)
            elif self.style.near_ties == "corner":
                draw_corners(axes, places, look[name], cell_cm)
        digits = self.style.digits(cell_cm)
        if digits is not None:
            inks = ["black" if scale(gain) < 0.5 else "white" for gain in self.improvement.dropna()]
            self.print_numbers(axes, self.improvement, lambda gain: f"{gain:.{digits}f}", inks)

    def tooltips(self, axes: Axes) -> Iterator[Tooltip]:
        """Yields for each cell with a time the fastest algorithm, its time, and what is as good."""
        times = [name for name in TIMES if name in self.cells]

        def text(found: "pd.Series[Any]") -> str:
            near = f"; near-tie with {found['near']}" if found["near"] else ""
            return f"{found['fastest']} {found[times].min():.4g} µs{near}"

        return self.describe(axes, self.cells["fastest"].notna(), text)


class ContestPanel(SelectionPanel):
    """Draws the cells of a contest: where the chosen algorithm is the fastest, its improvement."""

    def __init__(self, title: str, verdicts: pd.DataFrame, style: Style) -> None:
        super().__init__(title, verdicts, style)
        won, rival = self.cells["won"].eq(True), self.cells["rival"].notna()
        tied = self.gaps[TIED]
        self.find_gaps(self.cells["chosen_us"].notna(), rival)
        self.gaps[TIED] = tied
        self.best = self.best.mask(won | ~rival)
        self.improvement = self.cells[IMPROVEMENT].where(won)


def draw_corners(axes: Axes, places: Sequence[tuple[int, int]], look: Look, cell_cm: float) -> None:
    """Fills a corner of each cell; of cells that are too narrow for a corner, one half."""
    if cell_cm < HALVED_CM:
        halves = [[(column, row), (column + 1, row), (column + 1, row + 1)]
                  for row, column in places]  # fmt: skip
        axes.add_collection(PolyCollection(halves, facecolors=look.colour, linewidths=0))
        return
    size = 2 * min(CORNER_CM, CORNER_PART * cell_cm) * POINTS_A_CM  # a corner is half of it
    rows, columns = np.transpose(places)
    axes.scatter(columns + 1, rows, size**2, look.colour, marker=CORNER, lw=size / 20,
                 edgecolors="white", hatch=look.hatch or None)  # fmt: skip


def make_legend(
    panels: Sequence[SelectionPanel],
    style: Style,
    chosen: str = "",
    also: Mapping[str, str] = MappingProxyType({}),
) -> list[Artist]:
    """Returns the legend of the algorithms, gaps and near-ties that these panels have. also: by
    algorithm, what follows its name if it stands for others."""
    near: set[str] = set()
    if style.near_ties != "none":
        near = near.union(*(panel.near for panel in panels))
    there = near.union(*(panel.best.dropna() for panel in panels))
    found: list[Artist] = []
    for name, look in style.looks.items():
        if name in there:
            patch = look.patch(name)
            patch.set_label(f"{patch.get_label()}{also.get(name, '')}")
            found.append(patch)
    found += [gap.patch(chosen) for gap in GAPS if any(panel.gaps.get(gap) for panel in panels)]
    if any(near):
        found.append(near_handle(style.near_ties))
    return found


def near_handle(near_ties: str) -> Artist:
    """Returns the legend's sign of a near-tie, as near-ties are drawn."""
    label = NEAR_LABEL.format(near_ties)
    if near_ties == "corner":
        middle = CORNER.transformed(Affine2D().translate(0.5, -0.5))  # of the legend's line
        return Line2D([], [], marker=middle, color="0.4", ls="", ms=5, label=label)
    return Patch(facecolor="white", edgecolor="0.4", hatch="////", lw=0, label=label)
