# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as a figure: the change of every case, and the worst cases with intervals."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from agreport.data.load import CASE
from agreport.figure.cell_grid import Bar, CellGrid, Maps, draw_maps, hatch
from agreport.figure.looks import COLOURS
from agreport.figure.medium import medium
from agreport.figure.panels import check_count, prepare
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import LINE_CM, SMALL_PT, wrapped
from agreport.figure.words import in_case, shown, signed

from . import words
from .comparison import Comparison
from .sides import name_case
from .verdicts import IMPROVEMENT, REGRESSION, WRONG

PANEL = [column for column in CASE if column != "bytes"]
MOST_PANELS = 24
MOST_WORST = 25
NUMBER_CM = 0.8  # a cell with a number and a mark
FOREST_ROW_CM, FOREST_BESIDE_CM = 0.4, 2.2  # a row; the title and what is below the rows
FOREST_LEFT_PART = 0.35  # of the width of the figure: for the names of the cases
FOREST_TITLE = "The cases that are the most surely slower"
LEAST_SCALE, MOST_SCALE = 10.0, 100.0  # percent
# Blue is faster and orange slower. These look different with the common kinds of colour blindness.
MAP = colormaps["PuOr_r"]
MAP.colorbar_extend = "both"  # type: ignore[assignment]  # a text, says the documentation
INK = {REGRESSION: COLOURS[5], IMPROVEMENT: COLOURS[0]}
MARK = {
    REGRESSION: "\N{BLACK UP-POINTING TRIANGLE}",
    IMPROVEMENT: "\N{BLACK DOWN-POINTING TRIANGLE}",
}


class Grid(CellGrid):
    """One panel of the figure, with algorithms across."""

    def __init__(self, title: str, cases: pd.DataFrame, scale: Normalize) -> None:
        order = ["algorithm", "bytes"]
        super().__init__(title, cases.droplevel([*PANEL]).reorder_levels(order))
        self.labels = [shown(label) for label in self.labels]
        self.scale = scale
        self.change = 100 * np.expm1(self.cells["change"].to_numpy(float))
        self.missing = self.places(self.cells["change"].isna())

    def draw(self, axes: Axes, cell_cm: float) -> None:
        change = np.ma.masked_invalid(self.change.reshape(len(self.sizes), len(self.columns)))
        axes.pcolormesh(change, cmap=MAP, norm=self.scale, edgecolors="white", linewidth=0.3)
        hatch(axes, self.missing, "xxxxx", "0.75")
        for place, verdict in enumerate(self.cells["verdict"]):
            row, column = divmod(place, len(self.columns))
            value = self.change[place]
            known = np.isfinite(value)
            text = signed(value) if known and cell_cm >= NUMBER_CM else ""
            text = f"{text}{MARK.get(verdict, '')}" if verdict != WRONG else "wrong"
            ink = "white" if known and abs(self.scale(value) - 0.5) > 0.35 else "black"
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline", color=ink)
            if verdict in MARK or verdict == WRONG:
                axes.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="black", lw=1.2))


def make_grids(cases: pd.DataFrame, scale: Normalize) -> list[Grid]:
    groups = cases.groupby(level=PANEL, observed=True)
    check_count(len(groups), MOST_PANELS, "panels")
    return [Grid(in_case(pd.Series(key, PANEL)), part, scale) for key, part in groups]


def draw(comparison: Comparison) -> Sheet:
    highest = np.nanmax([0.0, *(100 * np.expm1(comparison.cases["change"].abs()))])
    limit = float(np.clip(highest, LEAST_SCALE, MOST_SCALE))
    scale = Normalize(-limit, limit)
    grids = make_grids(comparison.cases, scale)
    maps = Maps(grids, NUMBER_CM)
    worst = find_slowest(comparison)
    left_cm = FOREST_LEFT_PART * medium().width_cm
    varied = comparison.varied
    names = [
        wrapped(name_case((*case, shown(algorithm)), varied), left_cm)
        for *case, algorithm in worst.index
    ]
    row_cm = FOREST_ROW_CM + LINE_CM * max((name.count("\n") for name in names), default=0)
    page = draw_maps(
        f"New against base: {words.name_verdict(comparison, comparison.verdict)}",
        maps,
        make_legend(comparison, grids),
        write_caption(comparison, len(worst)),
        Bar("change of the time (%); orange: new is slower", ScalarMappable(scale, MAP)),
        FOREST_BESIDE_CM + len(worst) * row_cm if len(worst) else 0,
    )
    if len(worst):
        axes = page.figure.subfigs[1].subplots()
        draw_forest(axes, worst, names, comparison.rules.threshold)
        axes.set_title(FOREST_TITLE)
        axes.set_xlabel("change of the time (%), with its 95 % interval")
    return page


def find_slowest(comparison: Comparison) -> pd.DataFrame:
    """Returns at most MOST_WORST cases, the most surely slower ones: regressions first, then by
    the lower end of the interval. Cases without an interval are left out."""
    known = comparison.cases[comparison.cases["low"].notna()]
    order = known.assign(other=known["verdict"] != REGRESSION, at_least=-known["low"])
    return order.sort_values(["other", "at_least"], kind="stable").head(MOST_WORST)


def draw_forest(axes: Axes, worst: pd.DataFrame, names: list[str], threshold: float) -> None:
    places = np.arange(len(worst))
    change, low, high = (100 * np.expm1(worst[key].to_numpy()) for key in ("change", "low", "high"))
    for place, verdict in zip(places, worst["verdict"], strict=True):
        ink = INK.get(verdict, "0.35")
        axes.plot([low[place], high[place]], [place, place], color=ink, lw=1)
        axes.plot(change[place], place, "s", color=ink, ms=3.5)
    axes.axvline(0, color="black", lw=0.6)
    for end in (threshold, 1 / (1 + threshold) - 1):
        axes.axvline(100 * end, color="0.4", lw=0.8, ls=(0, (4, 2)))
    axes.set_yticks(places, names, size=SMALL_PT)
    axes.set_ylim(len(worst) - 0.5, -0.5)
    prepare(axes, "x")


def make_legend(comparison: Comparison, grids: list[Grid]) -> list[Artist]:
    found: list[Artist] = []
    for verdict, ink in INK.items():
        if (comparison.cases["verdict"] == verdict).any():
            name = words.name_verdict(comparison, verdict)
            label = f"{name} ({MARK[verdict]}, framed)"
            found.append(Line2D([], [], color=ink, marker="s", ms=3.5, lw=1, label=label))
    found.append(Line2D([], [], color="0.35", marker="s", ms=3.5, lw=1, label="no change called"))
    found.append(Line2D([], [], color="0.4", lw=0.8, ls=(0, (4, 2)), label="threshold"))
    if any(grid.missing for grid in grids):
        found.append(
            Patch(facecolor="white", edgecolor="0.75", hatch="xxxxx", lw=0, label="not compared")
        )
    return found


def write_caption(comparison: Comparison, worst: int) -> str:
    text = f"{words.describe_units(comparison)} {words.describe_power(comparison)}".rstrip()
    if worst < len(comparison.cases):
        text += f" The lower part has {worst} cases of {len(comparison.cases)}."
    return text
