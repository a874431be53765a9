# SPDX-License-Identifier: BSD-3-Clause
"""Maps: panels of cells, block sizes upwards, in lines below the colour bar that says what their
shades mean."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle

from agreport.figure.medium import DEFAULT, medium
from agreport.figure.sheet import BESIDE_LABEL_CM, Sheet, Tooltip, sheet
from agreport.figure.text_size import DIGIT_PT, LINE_CM, POINTS_A_CM, SMALL_PT, TITLE_PT, wrapped
from agreport.figure.words import size_label

# These are about the widths beside the cells: of the sizes at the left of a line, and of the space
# between panels.
LEFT_CM, APART_CM = 1.8, 0.65
# A line of cells has the first height where a number has room in a cell, else the second. In narrow
# figures lines have the second, too, if there are more than MANY_SIZES.
ROW_CM, LOW_ROW_CM, MANY_SIZES = 0.4, 0.27, 12
TITLE_CM, BELOW_CM = 0.35, 1.35  # a line of a title and what is below the cells take about this
LEAST_PANEL_CM = 3.0
LEAST_CELL_CM, LEGIBLE_CELL_CM, WIDEST_CELL_CM = 0.09, 0.65, 1.6
# A line has so many panels at most; in a figure wider than a page, as many as fit at this width.
MOST_ACROSS, PANEL_CM = 3, 3.7
LEAST_LABELS = 3  # where not all columns have room for labels, odd numbers get none after these
# The maps of a page are this high at most, if they can be; in a narrow figure, above its caption.
PAGE_CM, NARROW_PAGE_CM = 24.0, 16.0
# The height of a colour bar with its labels, that of the bar alone, and the part of the figure's
# width that the bar takes.
BAR_CM, HIGH_CM, BAR_PART, NARROW_BAR_PART = 1.4, 0.3, 0.5, 0.66


class CellGrid(ABC):
    """One panel; every cell of the grid is in it, also cells that no file has.

    cells: a row for each cell; the index is what the column of the panel stands for, and the block
    size as the last level.
    """

    def __init__(self, title: str, cells: pd.DataFrame) -> None:
        self.title = title
        self.sizes: list[int] = sorted(cells.index.unique("bytes"))
        self.columns = cells.index.droplevel("bytes").unique().sort_values()
        keys = [key if isinstance(key, tuple) else (key,) for key in self.columns]
        grid = [(*key, size) for size in self.sizes for key in keys]
        self.cells = cells.reindex(pd.MultiIndex.from_tuples(grid, names=cells.index.names))
        self.labels = [str(column) for column in self.columns]
        self.column_name = ""

    @abstractmethod
    def draw(self, axes: Axes, cell_cm: float) -> None:
        """Draws the cells into axes that are prepared for them."""

    def tooltips(self, axes: Axes) -> Iterable[Tooltip]:
        return ()

    def places(self, flags: "pd.Series[bool]") -> list[tuple[int, int]]:
        """Returns (row, column) of each cell that is flagged."""
        rows, columns = np.divmod(np.flatnonzero(flags), len(self.columns))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def print_numbers(
        self,
        axes: Axes,
        numbers: "pd.Series[float]",
        text: Callable[[float], str],
        inks: Sequence[str],
    ) -> None:
        """Prints the numbers that are not NaN into their cells; inks: a colour for each."""
        there = numbers.notna()
        for (row, column), number, ink in zip(
            self.places(there), numbers[there], inks, strict=True
        ):
            axes.text(column + 0.5, row + 0.5, text(number), color=ink, ha="center",
                      va="center_baseline")  # fmt: skip

    def height_cm(self, panel_cm: float, cell_cm: float) -> float:
        """Estimates the height of the panel with title and labels, where the panel and its cells
        have these widths."""
        title = wrapped(self.title, panel_cm - BESIDE_LABEL_CM, TITLE_PT)
        letters = self.longest_label() if self.upright(cell_cm) else 1.5
        many = medium().narrow and len(self.sizes) > MANY_SIZES
        has_numbers = cell_cm * POINTS_A_CM >= 2 * DIGIT_PT
        rows_cm = len(self.sizes) * (ROW_CM if has_numbers and not many else LOW_ROW_CM)
        labels_cm = letters * DIGIT_PT / POINTS_A_CM
        return TITLE_CM * (title.count("\n") + 1) + rows_cm + BELOW_CM + labels_cm

    def prepare(self, axes: Axes, cell_cm: float, sizes: bool = True) -> None:
        """Sets the title, the block sizes if `sizes`, and as many labels of columns as fit."""
        upright = self.upright(cell_cm)
        step = ceil(1.1 * SMALL_PT / (cell_cm * POINTS_A_CM)) if upright else 1
        positions = np.arange(len(self.labels)) + 0.5
        chosen = labelled(self.labels, step)
        axes.set_xticks(
            positions[chosen], [self.labels[n] for n in chosen], rotation=90 if upright else 0
        )
        axes.set_yticks(np.arange(len(self.sizes)) + 0.5, map(size_label, self.sizes))
        axes.tick_params(length=2, pad=2, labelleft=sizes)
        axes.set(xlim=(0, len(self.columns)), ylim=(0, len(self.sizes)), autoscale_on=False)
        axes.set(xlabel=self.column_name, title=self.title)
        if sizes:
            axes.set_ylabel("block size\n(bytes)" if len(self.sizes) < 6 else "block size (bytes)")

    def upright(self, cell_cm: float) -> bool:
        """True if the labels are wider than their columns."""
        return self.longest_label() * DIGIT_PT > cell_cm * POINTS_A_CM

    def longest_label(self) -> int:
        return max(map(len, self.labels))


def most_across() -> int:
    """Returns how many panels a line has at most: MOST_ACROSS; in a figure that is wider than a
    page of paper, as many as there is room for."""
    width_cm = medium().width_cm
    return MOST_ACROSS if width_cm <= DEFAULT.width_cm else int(width_cm / PANEL_CM)


def page_cm() -> float:
    return NARROW_PAGE_CM if medium().narrow and not medium().bare else PAGE_CM


def labelled(labels: Sequence[str], step: int) -> list[int]:
    """Returns which columns have a label, every step-th at most: powers of two before others, and
    before odd numbers all that 2 divides, the more often the earlier."""

    def order(place: int) -> tuple[int, int, int]:
        number = int(labels[place]) if labels[place].isdecimal() else 0
        twos = (number & -number).bit_length()
        return number.bit_count() != 1, -twos, -place

    chosen: list[int] = []
    for place in sorted(range(len(labels)), key=order):
        is_odd = labels[place].isdecimal() and int(labels[place]) % 2 == 1
        if is_odd and step > 1 and len(chosen) >= LEAST_LABELS:
            continue
        if all(abs(place - other) >= step for other in chosen):
            chosen.append(place)
    return sorted(chosen)


class Maps:
    """Panels, placed in lines.

    A line has three panels, two or one: the most with which cells are legible. In a figure wider
    than a page, a line may have more than three. If cells are never legible, a line has as few
    panels as fit a page. A narrow figure has to fit a page first, or to be as low as it can be, and
    only then to have legible cells. cell_cm: about how wide cells are at least.
    """

    def __init__(self, panels: Sequence[CellGrid], legible_cm: float = LEGIBLE_CELL_CM) -> None:
        self.panels = panels
        self.same_sizes = all(panel.sizes == panels[0].sizes for panel in panels)
        self.columns = max(len(panel.columns) for panel in panels)
        self.across = self.choose_across(legible_cm)
        self.cell_cm = self.width_of_cells(self.across)
        self.height_cm = self.height(self.across)

    def choose_across(self, legible_cm: float) -> int:
        room = int((medium().width_cm - LEFT_CM + APART_CM) / (LEAST_PANEL_CM + APART_CM))
        most = max(1, min(len(self.panels), most_across(), room))
        every = {across: self.width_of_cells(across) for across in range(1, most + 1)}
        visible = [across for across, cm in every.items() if cm >= LEAST_CELL_CM] or [1]
        legible = [across for across in visible if every[across] >= legible_cm]
        short = [across for across in visible if self.height(across) <= page_cm()]
        if medium().narrow:
            both = [across for across in legible if across in short]
            return (both[-1:] or short[:1] or [min(visible, key=self.height)])[0]
        return (legible[-1:] or short[:1] or visible[-1:])[0]

    def width_of_cells(self, across: int) -> float:
        beside_cm = LEFT_CM + (across - 1) * (APART_CM if self.same_sizes else LEFT_CM)
        return min(WIDEST_CELL_CM, (medium().width_cm - beside_cm) / (across * self.columns))

    def lines(self, across: int) -> list[Sequence[CellGrid]]:
        starts = range(0, len(self.panels), across)
        return [self.panels[start : start + across] for start in starts]

    def height(self, across: int) -> float:
        cell_cm, panel_cm = self.width_of_cells(across), self.panel_cm(across)
        return sum(
            max(panel.height_cm(panel_cm, cell_cm) for panel in line) for line in self.lines(across)
        )

    def side_cm(self, across: int) -> float:
        """Returns the width that stays empty at either side, where cells would be too wide."""
        left_cm = APART_CM if self.same_sizes else LEFT_CM
        panel_cm = max(LEAST_PANEL_CM, self.width_of_cells(across) * self.columns)
        needed_cm = LEFT_CM + across * panel_cm + (across - 1) * left_cm
        return max(0.01, medium().width_cm - needed_cm) / 2  # no column may have no width

    def panel_cm(self, across: int) -> float:
        return (medium().width_cm - 2 * self.side_cm(across)) / across

    def subplots(self, figure: Figure | SubFigure) -> Iterator[tuple[CellGrid, Axes]]:
        """Yields each panel with axes that are prepared for its cells."""
        lines = self.lines(self.across)
        side_cm, panel_cm = self.side_cm(self.across), self.panel_cm(self.across)
        grid = figure.add_gridspec(
            len(lines),
            self.across + 2,
            height_ratios=[max(len(panel.sizes) for panel in line) for line in lines],
            width_ratios=[side_cm, *[panel_cm] * self.across, side_cm],
        )
        for row, line in enumerate(lines):
            for place, panel in enumerate(line):
                axes = figure.add_subplot(grid[row, place + 1])
                panel.prepare(axes, self.cell_cm, sizes=place == 0 or not self.same_sizes)
                yield panel, axes


def hatch(axes: Axes, places: Iterable[tuple[int, int]], pattern: str, ink: str) -> None:
    if not pattern:
        return
    for row, column in places:
        cell = Rectangle((column, row), 1, 1, fill=False, hatch=pattern, edgecolor=ink, lw=0)
        axes.add_patch(cell)


@dataclass(frozen=True)
class Bar:
    """The bar that shows the shades and what they mean. marks: labels instead of matplotlib's.
    beside: the text at the right of the bar."""

    title: str
    colours: ScalarMappable
    marks: Mapping[float, str] = field(default_factory=dict)
    beside: str = ""

    def wrapped_title(self) -> str:
        return wrapped(self.title, medium().width_cm - LEFT_CM, TITLE_PT)

    def height_cm(self) -> float:
        return BAR_CM + LINE_CM * (self.wrapped_title().count("\n") + 1)

    def draw(self, figure: Figure | SubFigure, maps: Maps, every: Sequence[Axes]) -> None:
        """Draws the bar above the maps; every: all of their axes."""
        part = NARROW_BAR_PART if medium().narrow else BAR_PART
        below_cm = medium().width_cm - 2 * maps.side_cm(maps.across)
        wide_cm = min(below_cm, part * medium().width_cm)
        scale = figure.colorbar(
            self.colours, ax=every, location="top", aspect=wide_cm / HIGH_CM,
            shrink=wide_cm / below_cm, pad=HIGH_CM / maps.height_cm,
        )  # fmt: skip
        scale.ax.xaxis.set_ticks_position("bottom")
        if self.marks:
            scale.set_ticks([*self.marks], labels=[*self.marks.values()])
        scale.ax.text(1.01, 0.5, self.beside, transform=scale.ax.transAxes, va="center")
        scale.ax.set_title(self.wrapped_title())


def draw_maps(
    title: str,
    maps: Maps,
    legend: Sequence[Artist],
    caption: str,
    bar: Bar | None = None,
    below_cm: float = 0.0,
) -> Sheet:
    """Returns a sheet with the panels, below the colour bar if there is one. below_cm: the height
    of a second part of the figure, below the panels, which stays empty."""
    own_cm = maps.height_cm + (bar.height_cm() if bar else 0.0)
    page = sheet(title, own_cm + below_cm, legend, caption)
    upper: Figure | SubFigure = page.figure
    if below_cm:
        upper, _ = page.figure.subfigures(2, 1, height_ratios=[own_cm, below_cm])
    placed = list(maps.subplots(upper))
    if bar:
        bar.draw(upper, maps, [axes for _, axes in placed])
    for panel, axes in placed:
        panel.draw(axes, maps.cell_cm)
        page.tooltips.extend(panel.tooltips(axes))
    return page
