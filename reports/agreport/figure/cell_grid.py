# SPDX-License-Identifier: BSD-3-Clause
"""Maps: panels of cells, block sizes upwards, on a sheet in lines like words in a paragraph, below
the colour bar that says what their shades mean."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.patches import Rectangle

from agreport.figure.medium import DEFAULT, medium
from agreport.figure.sheet import Sheet, Tooltip, sheet
from agreport.figure.text_size import DIGIT_PT, LINE_CM, POINTS_A_CM, SMALL_PT, TITLE_PT, wrapped
from agreport.figure.words import size_label

BAR_PART, NARROW_BAR_PART = 0.5, 0.66  # the bar takes this part of the width; its labels stay apart
# These are the widths beside the cells; at the left are the sizes and what they are.
LEFT_CM, NEXT_LEFT_CM, RIGHT_CM = 1.5, 0.35, 0.3
# A line of cells; the higher where a number has room in a cell.
ROW_CM, LOW_ROW_CM = 0.4, 0.27
LEAST_TITLE_CM = 3.0  # so that two panels fit a column of 8.5 cm
LEAST_CELL_CM, LEGIBLE_CELL_CM, WIDEST_CELL_CM = 0.09, 0.65, 1.6
MOST_ACROSS, PANEL_CM = 3, 3.7  # a line has so many panels, or as many so wide as fit
LEAST_LABELS = 3  # of columns; then no odd numbers where not all have room
# The maps of a page are this high at most, if they can be; in a narrow figure, above its caption.
PAGE_CM, NARROW_PAGE_CM = 24.0, 16.0
ROUNDING_CM = 0.01
LINE_PART = 0.95  # of the width: of a title
BAR_CM, TITLE_CM, HIGH_CM = 1.05, 0.45, 0.3  # the bar and its labels, a line of its title, itself


class CellGrid(ABC):
    """One panel; every cell of the grid is in it, also those that no file has.

    cells: rows by what a column stands for, and the block size as the last level.
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
        """The cells, into axes that are prepared for them."""

    def tooltips(self, axes: Axes) -> Iterable[Tooltip]:
        return ()

    def places(self, flags: "pd.Series[bool]") -> list[tuple[int, int]]:
        """(row, column) of the cells that are flagged."""
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

    def above_cm(self, cell_cm: float) -> float:
        """Height of the title."""
        return 0.3 + 0.35 * (self.wrapped_title(cell_cm).count("\n") + 1)

    def below_cm(self, cell_cm: float) -> float:
        """Height of the cells, and of the labels of the columns below them."""
        letters = self.longest_label() if self.upright(cell_cm) else 1.5
        return len(self.sizes) * row_cm(cell_cm) + 0.9 + letters * DIGIT_PT / POINTS_A_CM

    def prepare(self, axes: Axes, cell_cm: float, sizes: bool = True) -> None:
        """Title, sizes if they are wanted, and as many labels of columns as fit."""
        upright = self.upright(cell_cm)
        step = ceil(1.1 * SMALL_PT / (cell_cm * POINTS_A_CM)) if upright else 1
        positions = np.arange(len(self.labels)) + 0.5
        chosen = labelled(self.labels, step)
        axes.set_xticks(
            positions[chosen], [self.labels[n] for n in chosen], rotation=90 if upright else 0
        )
        axes.set_yticks(np.arange(len(self.sizes)) + 0.5, map(size_label, self.sizes))
        axes.tick_params(length=2, pad=2)
        axes.set(xlim=(0, len(self.columns)), ylim=(0, len(self.sizes)), autoscale_on=False)
        axes.set_xlabel(self.column_name)
        if sizes:
            axes.set_ylabel("block size\n(bytes)" if len(self.sizes) < 6 else "block size (bytes)")
        else:
            axes.tick_params(labelleft=False)
        axes.set_title(self.wrapped_title(cell_cm))

    def wrapped_title(self, cell_cm: float) -> str:
        return wrapped(self.title, self.room_cm(cell_cm), TITLE_PT)

    def cells_cm(self, cell_cm: float) -> float:
        """Width of the cells."""
        return cell_cm * len(self.columns)

    def room_cm(self, cell_cm: float) -> float:
        """Width of the cells with their title, which is in their middle."""
        return max(LEAST_TITLE_CM, self.cells_cm(cell_cm))

    def upright(self, cell_cm: float) -> bool:
        """True if the labels are wider than their columns."""
        return self.longest_label() * DIGIT_PT > cell_cm * POINTS_A_CM

    def longest_label(self) -> int:
        return max(map(len, self.labels))


def row_cm(cell_cm: float) -> float:
    return ROW_CM if cell_cm * POINTS_A_CM >= 2 * DIGIT_PT else LOW_ROW_CM


def most_across() -> int:
    """Returns how many panels a line has at most: MOST_ACROSS; in a figure that is wider than a
    page of paper, as many as there is room for."""
    width_cm = medium().width_cm
    return MOST_ACROSS if width_cm <= DEFAULT.width_cm else int(width_cm / PANEL_CM)


def page_cm() -> float:
    return NARROW_PAGE_CM if medium().narrow and not medium().bare else PAGE_CM


def at_least(least_cm: float, widths_cm: Sequence[float]) -> list[float]:
    return [each for each in widths_cm if each >= least_cm]


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
    """Panels in lines. All cells have one width: of three, two or one widest panels a line, the
    first in which they are legible. Where they are in none, as few panels a line as fit a page. A
    narrow figure fits a page first, or is as low as it can be, and then has legible cells."""

    def __init__(self, panels: Sequence[CellGrid], legible_cm: float = LEGIBLE_CELL_CM) -> None:
        self.same_sizes = all(panel.sizes == panels[0].sizes for panel in panels)
        self.cell_cm = min(self.choose_cell_cm(panels, legible_cm), WIDEST_CELL_CM)
        self.lines = self.lines_of(panels, self.cell_cm)
        self.height_cm = self.height(panels, self.cell_cm)

    def choose_cell_cm(self, panels: Sequence[CellGrid], legible_cm: float) -> float:
        widths_cm = self.widths_cm(panels)
        visible = at_least(LEAST_CELL_CM, widths_cm) or widths_cm[:1]
        short = [each for each in visible if self.height(panels, each) <= page_cm()]
        if medium().narrow:
            lowest = min(visible, key=lambda cell_cm: self.height(panels, cell_cm))
            return (at_least(legible_cm, short)[-1:] or short[:1] or [lowest])[0]
        return (at_least(legible_cm, visible)[-1:] or short[:1] or visible[-1:])[0]

    def widths_cm(self, panels: Sequence[CellGrid]) -> list[float]:
        """Returns how wide cells are with one, two, three and more of the widest panels in a
        line."""
        columns = max(len(panel.columns) for panel in panels)
        return [
            (medium().width_cm - self.beside_cm(across)) / (across * columns)
            for across in range(1, min(len(panels), most_across()) + 1)
        ]

    def beside_cm(self, panels: int) -> float:
        """Width of labels and gaps of a line. If all panels have the same sizes, only the first
        has them as labels."""
        left_cm = NEXT_LEFT_CM if self.same_sizes else LEFT_CM
        return LEFT_CM + RIGHT_CM + (panels - 1) * (left_cm + RIGHT_CM)

    def lines_of(self, panels: Sequence[CellGrid], cell_cm: float) -> list[list[CellGrid]]:
        lines: list[list[CellGrid]] = [[]]
        for panel in panels:
            if self.line_width_cm([*lines[-1], panel], cell_cm) > medium().width_cm + ROUNDING_CM:
                lines.append([])
            lines[-1].append(panel)
        return [line for line in lines if line]

    def line_width_cm(self, line: Sequence[CellGrid], cell_cm: float) -> float:
        return self.beside_cm(len(line)) + sum(panel.room_cm(cell_cm) for panel in line)

    def height(self, panels: Sequence[CellGrid], cell_cm: float) -> float:
        return sum(
            max(one.above_cm(cell_cm) for one in line) + max(one.below_cm(cell_cm) for one in line)
            for line in self.lines_of(panels, cell_cm)
        )

    def place(self, page: Sheet, down_cm: float = 0.0) -> Iterator[tuple[CellGrid, Axes]]:
        """Each panel with axes for its cells, in the body of the page from down_cm on."""
        # All lines start where the widest does, which is centred.
        widest_cm = max(self.line_width_cm(line, self.cell_cm) for line in self.lines)
        indent_cm = max(0, page.width_cm - widest_cm) / 2
        for line in self.lines:
            down_cm += max(one.above_cm(self.cell_cm) for one in line)
            left_cm = indent_cm
            for place, panel in enumerate(line):
                sizes = place == 0 or not self.same_sizes
                left_cm += LEFT_CM if sizes else NEXT_LEFT_CM
                width_cm = panel.cells_cm(self.cell_cm)
                room_cm = panel.room_cm(self.cell_cm)
                height_cm = len(panel.sizes) * row_cm(self.cell_cm)
                aside_cm = (room_cm - width_cm) / 2
                axes = page.axes(left_cm + aside_cm, down_cm, width_cm, height_cm)
                panel.prepare(axes, self.cell_cm, sizes)
                yield panel, axes
                left_cm += room_cm + RIGHT_CM
            down_cm += max(one.below_cm(self.cell_cm) for one in line)


def hatch(axes: Axes, places: Iterable[tuple[int, int]], pattern: str, ink: str) -> None:
    if not pattern:
        return
    for row, column in places:
        cell = Rectangle((column, row), 1, 1, fill=False, hatch=pattern, edgecolor=ink, lw=0)
        axes.add_patch(cell)


@dataclass(frozen=True)
class Bar:
    """The bar of shades and their meaning. marks: labels instead of matplotlib's; beside: at
    the right of it."""

    title: str
    colours: ScalarMappable
    marks: Mapping[float, str] = field(default_factory=dict)
    beside: str = ""

    def wrapped_title(self) -> str:
        return wrapped(self.title, LINE_PART * medium().width_cm, TITLE_PT)

    def title_cm(self) -> float:
        return TITLE_CM + self.wrapped_title().count("\n") * LINE_CM

    def draw(self, page: Sheet) -> None:
        """Draws the bar at the top of the body, in its middle."""
        part = NARROW_BAR_PART if medium().narrow else BAR_PART
        left_cm = page.width_cm * (1 - part) / 2
        axes = page.axes(left_cm, self.title_cm(), page.width_cm * part, HIGH_CM)
        scale = page.figure.colorbar(self.colours, cax=axes, orientation="horizontal")
        if self.marks:
            scale.set_ticks([*self.marks], labels=[*self.marks.values()])
        axes.text(1.01, 0.5, self.beside, transform=axes.transAxes, va="center")
        axes.set_title(self.wrapped_title())


def draw_maps(
    title: str,
    maps: Maps,
    legend: Sequence[Artist],
    caption: str,
    bar: Bar | None = None,
    below_cm: float = 0.0,
) -> Sheet:
    """The panels below the colour bar, if there is one; below_cm: of the body is left empty at its
    end."""
    bar_cm = BAR_CM + bar.title_cm() if bar else 0.0
    page = sheet(title, bar_cm + maps.height_cm + below_cm, legend, caption)
    if bar:
        bar.draw(page)
    for panel, axes in maps.place(page, bar_cm):
        panel.draw(axes, maps.cell_cm)
        page.tooltips.extend(panel.tooltips(axes))
    return page
