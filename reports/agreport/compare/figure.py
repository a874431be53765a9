# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as a figure: the change of every case, and the worst cases with intervals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.pyplot import get_cmap

from agreport.cli import options as opt
from agreport.figure.cell_grid import hatch
from agreport.figure.sheet import COLOURS, DIGIT_PT, POINTS_A_CM, SMALL_PT, WIDTH_CM, Sheet, sheet
from agreport.figure.words import in_case, size_label

from . import words
from .comparison import Comparison
from .verdicts import IMPROVEMENT, REGRESSION, WRONG

PANEL = ["collective", "mapping", "distribution", "arrival", "ranks", "nodes"]
MOST_PANELS = 24
MOST_WORST = 25
LEFT_CM, RIGHT_CM, TITLE_CM, ROW_CM, WIDEST_CM = 1.6, 0.4, 1.0, 0.42, 1.5
BAR_CM, FOREST_LEFT_CM, FOREST_ROW_CM, FOREST_REST_CM = 1.5, 5.6, 0.4, 2.2
LEAST_SCALE, MOST_SCALE = 10.0, 100.0  # percent
# Blue is faster and orange slower: apart for the common kinds of colour blindness.
MAP = get_cmap("PuOr_r")
INK = {REGRESSION: COLOURS[5], IMPROVEMENT: COLOURS[0]}
MARK = {
    REGRESSION: "\N{BLACK UP-POINTING TRIANGLE}",
    IMPROVEMENT: "\N{BLACK DOWN-POINTING TRIANGLE}",
}


@dataclass(frozen=True)
class Grid:
    """One panel: sizes down, algorithms across. cases: by bytes and algorithm."""

    title: str
    cases: pd.DataFrame

    @cached_property
    def change(self) -> pd.DataFrame:
        return self.spread("change")

    @property
    def cell_cm(self) -> float:
        return min(WIDEST_CM, (WIDTH_CM - LEFT_CM - RIGHT_CM) / len(self.change.columns))

    @property
    def label_cm(self) -> float:
        """How long the longest name of an algorithm is."""
        return float(self.change.columns.str.len().max() * DIGIT_PT / POINTS_A_CM)

    @property
    def upright(self) -> bool:
        return self.label_cm > self.cell_cm

    @property
    def height_cm(self) -> float:
        below_cm = 0.3 + (self.label_cm if self.upright else 0.4)
        return TITLE_CM + len(self.change) * ROW_CM + below_cm

    def spread(self, column: str) -> pd.DataFrame:
        return self.cases[column].unstack("algorithm").sort_index().sort_index(axis=1)

    def draw(self, page: Sheet, down_cm: float, scale: Normalize) -> None:
        rows, columns = self.change.shape
        width_cm, height_cm = self.cell_cm * columns, rows * ROW_CM
        axes = page.axes(LEFT_CM, down_cm + TITLE_CM, width_cm, height_cm)
        change = 100 * np.expm1(self.change.to_numpy(float))
        axes.pcolormesh(
            np.ma.masked_invalid(change), cmap=MAP, norm=scale, edgecolors="white", linewidth=0.3
        )
        hatch(axes, [tuple(place) for place in np.argwhere(np.isnan(change))], "xxxxx", "0.75")
        verdicts = self.spread("verdict").to_numpy().tolist()
        for (row, column), value in np.ndenumerate(change):
            verdict, known = verdicts[row][column], np.isfinite(value)
            text = f"{value:+.0f}" if known and self.cell_cm > 0.75 else ""
            text = f"{text}{MARK.get(verdict, '')}" if verdict != WRONG else "wrong"
            ink = "white" if known and abs(scale(value) - 0.5) > 0.35 else "black"
            place = column + 0.5, row + 0.5
            axes.text(*place, text, ha="center", va="center_baseline", color=ink)
            if verdict in MARK or verdict == WRONG:
                axes.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="black", lw=1.2))
        axes.invert_yaxis()
        axes.tick_params(length=2, pad=2)
        names = self.change.columns
        axes.set_xticks(np.arange(columns) + 0.5, names, rotation=90 if self.upright else 0)
        axes.set_yticks(np.arange(rows) + 0.5, map(size_label, self.change.index))
        axes.set_ylabel("block size\n(bytes)")
        axes.set_title(self.title, loc="left")


def make_grids(cases: pd.DataFrame) -> list[Grid]:
    found = []
    for key, part in cases.groupby(level=PANEL, observed=True):
        named = pd.Series(dict(zip(PANEL, key, strict=True)))
        found.append(Grid(in_case(named), part.droplevel([*PANEL])))
    return list(opt.limited(found, MOST_PANELS, None, "panels"))


def draw(comparison: Comparison) -> Sheet:
    grids = make_grids(comparison.cases)
    worst = find_slowest(comparison)
    forest_cm = FOREST_REST_CM + len(worst) * FOREST_ROW_CM
    page = sheet(
        f"New against base: {comparison.verdict}",
        BAR_CM + sum(grid.height_cm for grid in grids) + forest_cm,
        make_legend(comparison, grids),
        write_caption(comparison, len(worst)),
    )
    highest = np.nanmax([0.0, *(100 * np.expm1(comparison.cases["change"].abs()))])
    limit = float(np.clip(highest, LEAST_SCALE, MOST_SCALE))
    scale = Normalize(-limit, limit)
    bar = page.axes(WIDTH_CM / 4, 0.5, WIDTH_CM / 2, 0.3)
    colours = ScalarMappable(scale, MAP)
    page.figure.colorbar(colours, cax=bar, orientation="horizontal", extend="both")
    bar.set_title("change of the time (%); orange: new is slower")
    down_cm = BAR_CM
    for grid in grids:
        grid.draw(page, down_cm, scale)
        down_cm += grid.height_cm
    if len(worst):
        width_cm, height_cm = WIDTH_CM - FOREST_LEFT_CM - RIGHT_CM, len(worst) * FOREST_ROW_CM
        axes = page.axes(FOREST_LEFT_CM, down_cm + 1.0, width_cm, height_cm)
        draw_forest(axes, worst, words.find_varied(comparison.cases), comparison.threshold)
    return page


def find_slowest(comparison: Comparison) -> pd.DataFrame:
    """Regressions first, then by how surely they are slower."""
    known = comparison.cases[comparison.cases["low"].notna()]
    order = known.assign(other=known["verdict"] != REGRESSION, at_least=-known["low"])
    return order.sort_values(["other", "at_least"], kind="stable").head(MOST_WORST)


def draw_forest(axes: Axes, worst: pd.DataFrame, varied: list[str], threshold: float) -> None:
    places = np.arange(len(worst))
    change, low, high = (100 * np.expm1(worst[key].to_numpy()) for key in ("change", "low", "high"))
    for place, verdict in zip(places, worst["verdict"], strict=True):
        ink = INK.get(verdict, "0.35")
        axes.plot([low[place], high[place]], [place, place], color=ink, lw=1)
        axes.plot(change[place], place, "s", color=ink, ms=3.5)
    axes.axvline(0, color="black", lw=0.6)
    for end in (threshold, 1 / (1 + threshold) - 1):
        axes.axvline(100 * end, color="0.4", lw=0.8, ls=(0, (4, 2)))
    names = [words.name_case(case, varied) for case in worst.index]
    axes.set_yticks(places, names, size=SMALL_PT)
    axes.set_ylim(len(worst) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=2, pad=2)
    axes.set_xlabel("change of the time (%), with its 95 % interval")
    axes.set_title("The cases that are the most surely slower", loc="left")


def make_legend(comparison: Comparison, grids: list[Grid]) -> list[Artist]:
    found: list[Artist] = []
    for verdict, ink in INK.items():
        if (comparison.cases["verdict"] == verdict).any():
            label = f"{verdict} ({MARK[verdict]}, framed)"
            found.append(Line2D([], [], color=ink, marker="s", ms=3.5, lw=1, label=label))
    found.append(Line2D([], [], color="0.35", marker="s", ms=3.5, lw=1, label="no change called"))
    found.append(Line2D([], [], color="0.4", lw=0.8, ls=(0, (4, 2)), label="threshold"))
    if any(grid.change.isna().any(axis=None) for grid in grids):
        found.append(
            Patch(facecolor="white", edgecolor="0.75", hatch="xxxxx", lw=0, label="not compared")
        )
    return found


def write_caption(comparison: Comparison, worst: int) -> str:
    text = f"{words.describe_units(comparison)} {words.describe_power(comparison)}"
    if worst < len(comparison.cases):
        text += f" The lower part has {worst} cases of {len(comparison.cases)}."
    return text
