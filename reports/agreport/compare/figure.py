# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as a figure: the change of every case, and the worst cases with intervals."""

from dataclasses import dataclass

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
from agreport.figure.words import said, size_label

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
    """One panel: sizes down, algorithms across."""

    title: str
    cases: pd.DataFrame  # by bytes and algorithm

    @property
    def sizes(self) -> list[int]:
        return sorted(self.cases.index.unique("bytes"))

    @property
    def algorithms(self) -> list[str]:
        return sorted(map(str, self.cases.index.unique("algorithm")))

    @property
    def cell_cm(self) -> float:
        return min(WIDEST_CM, (WIDTH_CM - LEFT_CM - RIGHT_CM) / len(self.algorithms))

    @property
    def below_cm(self) -> float:
        longest = max(map(len, self.algorithms))
        upright = longest * DIGIT_PT > self.cell_cm * POINTS_A_CM
        return 0.3 + (longest * DIGIT_PT / POINTS_A_CM if upright else 0.4)

    @property
    def height_cm(self) -> float:
        return TITLE_CM + len(self.sizes) * ROW_CM + self.below_cm

    def wide(self, column: str) -> pd.DataFrame:
        found: pd.DataFrame = self.cases[column].unstack("algorithm")
        return found.reindex(index=self.sizes, columns=self.algorithms)

    def draw(self, axes: Axes, scale: Normalize) -> None:
        change = 100 * np.expm1(self.wide("change").to_numpy(float))
        axes.pcolormesh(
            np.ma.masked_invalid(change), cmap=MAP, norm=scale, edgecolors="white", linewidth=0.3
        )
        hatch(axes, [tuple(place) for place in np.argwhere(np.isnan(change))], "xxxxx", "0.75")
        verdicts = self.wide("verdict").to_numpy().tolist()
        for (row, column), value in np.ndenumerate(change):
            verdict = verdicts[row][column]
            text = f"{value:+.0f}" if np.isfinite(value) and self.cell_cm > 0.75 else ""
            text = f"{text}{MARK.get(verdict, '')}" if verdict != WRONG else "wrong"
            dark = np.isfinite(value) and abs(scale(value) - 0.5) > 0.35
            axes.text(
                column + 0.5,
                row + 0.5,
                text,
                ha="center",
                va="center_baseline",
                color="white" if dark else "black",
            )
            if verdict in MARK or verdict == WRONG:
                axes.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="black", lw=1.2))
        axes.invert_yaxis()
        axes.tick_params(length=2, pad=2)
        longest = max(map(len, self.algorithms)) * DIGIT_PT
        axes.set_xticks(
            np.arange(len(self.algorithms)) + 0.5,
            self.algorithms,
            rotation=90 if longest > self.cell_cm * POINTS_A_CM else 0,
        )
        axes.set_yticks(np.arange(len(self.sizes)) + 0.5, map(size_label, self.sizes))
        axes.set_ylabel("block size\n(bytes)")
        axes.set_title(self.title, loc="left")


def grids(cases: pd.DataFrame) -> list[Grid]:
    found = []
    for key, part in cases.groupby(level=PANEL, observed=True):
        named = dict(zip(PANEL, key, strict=True))
        named = {k: v for k, v in named.items() if not (k == "arrival" and v == "none")}
        title = ", ".join(said(name, value) for name, value in named.items())
        found.append(Grid(title, part.droplevel([*PANEL])))
    return list(opt.limited(found, MOST_PANELS, None, "panels"))


def draw(comparison: Comparison) -> Sheet:
    panels = grids(comparison.cases)
    worst = most_changed(comparison)
    forest_cm = FOREST_REST_CM + len(worst) * FOREST_ROW_CM
    page = sheet(
        f"New against base: {comparison.verdict}",
        BAR_CM + sum(panel.height_cm for panel in panels) + forest_cm,
        legend(comparison),
        caption(comparison, len(worst)),
    )
    highest = 100 * np.expm1(comparison.cases["change"].abs()).max()
    limit = float(np.clip(highest if highest == highest else 0, LEAST_SCALE, MOST_SCALE))
    scale = Normalize(-limit, limit)
    bar = page.axes(WIDTH_CM / 4, 0.5, WIDTH_CM / 2, 0.3)
    page.figure.colorbar(
        ScalarMappable(scale, MAP), cax=bar, orientation="horizontal", extend="both"
    )
    bar.set_title("change of the time (%); orange: new is slower")
    down_cm = BAR_CM
    for panel in panels:
        axes = page.axes(
            LEFT_CM,
            down_cm + TITLE_CM,
            panel.cell_cm * len(panel.algorithms),
            len(panel.sizes) * ROW_CM,
        )
        panel.draw(axes, scale)
        down_cm += panel.height_cm
    if len(worst):
        axes = page.axes(
            FOREST_LEFT_CM,
            down_cm + 1.0,
            WIDTH_CM - FOREST_LEFT_CM - RIGHT_CM,
            len(worst) * FOREST_ROW_CM,
        )
        forest(axes, worst, words.varied(comparison.cases), comparison.threshold)
    return page


def most_changed(comparison: Comparison) -> pd.DataFrame:
    """Regressions first, then by how surely they are slower."""
    known = comparison.cases[comparison.cases["low"].notna()]
    order = known.assign(other=known["verdict"] != REGRESSION, at_least=-known["low"])
    return order.sort_values(["other", "at_least"], kind="stable").head(MOST_WORST)


def forest(axes: Axes, worst: pd.DataFrame, varied: list[str], threshold: float) -> None:
    places = np.arange(len(worst))
    change, low, high = (100 * np.expm1(worst[key].to_numpy()) for key in ("change", "low", "high"))
    for place, verdict in zip(places, worst["verdict"], strict=True):
        ink = INK.get(verdict, "0.35")
        axes.plot([low[place], high[place]], [place, place], color=ink, lw=1)
        axes.plot(change[place], place, "s", color=ink, ms=3.5)
    axes.axvline(0, color="black", lw=0.6)
    ends = 100 * threshold, 100 * (1 / (1 + threshold) - 1)
    for end in ends:
        axes.axvline(end, color="0.4", lw=0.8, ls=(0, (4, 2)))
    names = [words.case_name(case, varied) for case in worst.index]
    axes.set_yticks(places, names, size=SMALL_PT)
    axes.set_ylim(len(worst) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=2, pad=2)
    axes.set_xlabel("change of the time (%), with its 95 % interval")
    axes.set_title("The cases that are the most surely slower", loc="left")


def legend(comparison: Comparison) -> list[Artist]:
    found: list[Artist] = []
    for verdict, ink in INK.items():
        if (comparison.cases["verdict"] == verdict).any():
            label = f"{verdict} ({MARK[verdict]}, framed)"
            found.append(Line2D([], [], color=ink, marker="s", ms=3.5, lw=1, label=label))
    found.append(Line2D([], [], color="0.35", marker="s", ms=3.5, lw=1, label="no change called"))
    found.append(Line2D([], [], color="0.4", lw=0.8, ls=(0, (4, 2)), label="threshold"))
    gaps = any(grid.wide("change").isna().any(axis=None) for grid in grids(comparison.cases))
    if gaps:
        found.append(
            Patch(facecolor="white", edgecolor="0.75", hatch="xxxxx", lw=0, label="not compared")
        )
    return found


def caption(comparison: Comparison, worst: int) -> str:
    text = f"{words.compared(comparison)} {words.outlook(comparison)}"
    if worst < len(comparison.cases):
        text += f" The lower part has {worst} cases of {len(comparison.cases)}."
    return text
