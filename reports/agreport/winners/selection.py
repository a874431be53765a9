# SPDX-License-Identifier: BSD-3-Clause
"""Map of the fastest algorithm for each block size and number of ranks, with near-ties marked.

A cell with a corner is a near-tie: the algorithm of the corner's colour is as good. --csv writes
all of them, and how much slower the second is.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import PANEL, Results
from agreport.figure.cell_grid import LEFT_CM, ROW_CM, CellGrid, hatch, near_handle
from agreport.figure.sheet import WIDTH_CM, Look, Sheet, looks, sheet
from agreport.figure.words import NEAR_TIE, UNITED_TEXT, launches, panel_titles, plural
from agreport.stats.times import times_of
from agreport.winners.heatmap import cell_width_cm, flow, line_width_cm
from agreport.winners.heatmap_panel import NOT_MEASURED


def selections(results: Results, metric: str, statistic: str, united: bool) -> pd.DataFrame:
    """One row a case: the fastest, the second, how much slower it is, and all near-ties."""
    times = times_of(results, metric, statistic, united)
    names = times.us.columns.astype(str).to_numpy()
    us = times.us.fillna(np.inf).to_numpy(float)
    order = np.argsort(us, axis=1, kind="stable")
    ordered = np.take_along_axis(us, order, axis=1)
    second = ordered[:, 1] if us.shape[1] > 1 else np.full(len(us), np.inf)
    there, compared = np.isfinite(ordered[:, 0]), np.isfinite(second)
    with np.errstate(invalid="ignore"):
        slower = 100 * (second / ordered[:, 0] - 1)
    return pd.DataFrame(
        {
            "fastest": pd.Series(names[order[:, 0]], times.us.index).where(there),
            "fastest_us": np.where(there, ordered[:, 0], np.nan),
            "second": pd.Series(names[order[:, min(1, us.shape[1] - 1)]], times.us.index).where(
                compared
            ),
            "second_slower_percent": np.where(compared, slower, np.nan),
            "near": times.near_names(),
            "timed": times.us.notna().sum(axis=1),
        },
        times.us.index,
    )


class SelectionPanel(CellGrid):
    def __init__(self, title: str, found: pd.DataFrame) -> None:
        super().__init__(title, found)
        self.fastest = self.cells["fastest"].fillna("")
        self.missing = self.places(self.fastest.eq(""))

    def draw(self, axes: Axes, look: Mapping[str, Look]) -> None:
        colours = [to_rgb(look[name].colour if name else "white") for name in self.fastest]
        cells = np.array(colours).reshape(len(self.sizes), len(self.columns), 3)
        axes.pcolormesh(cells, edgecolors="white", linewidth=0.3)
        for name in self.fastest[self.fastest.ne("")].unique():
            hatch(axes, self.places(self.fastest.eq(name)), look[name].hatch, "white")
        hatch(axes, self.missing, NOT_MEASURED.hatch, NOT_MEASURED.ink)
        axes.invert_yaxis()
        axes.tick_params(length=2, pad=2)


def draw(
    results: Results, found: pd.DataFrame, metric: str, statistic: str, united: bool = False
) -> Sheet:
    groups = found.groupby(level=PANEL, observed=True)
    panels = [SelectionPanel(t, groups.get_group(p)) for p, t in panel_titles(found).items()]
    cell_cm = cell_width_cm(panels)
    lines = flow(panels, cell_cm)
    above = [max(panel.above_cm(cell_cm) for panel in line) for line in lines]
    below = [max(panel.below_cm(cell_cm) for panel in line) for line in lines]
    look = looks(results.catalogue)
    page = sheet(
        f"Fastest algorithm by {statistic} {metric} time",
        sum(above) + sum(below),
        legend(results, panels),
        caption(results, found, metric, statistic, united),
    )
    down_cm = 0.0
    for line, above_cm, below_cm in zip(lines, above, below, strict=True):
        left_cm = max(0, WIDTH_CM - line_width_cm(lines[0], cell_cm)) / 2
        for panel in line:
            width_cm, height_cm = cell_cm * len(panel.columns), len(panel.sizes) * ROW_CM
            axes = page.axes(left_cm + LEFT_CM, down_cm + above_cm, width_cm, height_cm)
            panel.draw(axes, look)
            panel.label(axes, cell_cm)
            panel.draw_near(axes, look, cell_cm)
            left_cm += panel.width_cm(cell_cm)
        down_cm += above_cm + below_cm
    return page


def legend(results: Results, panels: Sequence[SelectionPanel]) -> list[Artist]:
    shown = {name for panel in panels for name in [*panel.fastest, *panel.near] if name}
    look = looks(results.catalogue)
    handles: list[Artist] = [look[n].patch(n) for n in results.catalogue if n in shown]
    if any(panel.missing for panel in panels):
        handles.append(NOT_MEASURED.patch(""))
    if any(panel.near.ne("").any() for panel in panels):
        handles.append(near_handle())
    return handles


def caption(
    results: Results, found: pd.DataFrame, metric: str, statistic: str, united: bool
) -> str:
    timed = found["fastest"].notna()
    near, alone = int(found["near"].ne("").sum()), int((found["timed"] == 1).sum())
    text = (
        f"The {statistic} is of the {metric} elapsed time over the ranks, over all iterations of "
        f"{launches(results)}. {near} of {plural(int(timed.sum()), 'case', 'cases')} are "
        f"near-ties: {NEAR_TIE}, or there are too few iterations for an interval."
    )
    if alone:
        text += f" In {plural(alone, 'case', 'cases')} only one algorithm has a time."
    return f"{text} {UNITED_TEXT}" if united else text


REPORT = Report(
    "selection",
    __doc__,
    needs=(opt.ALGORITHMS, opt.UNITED, opt.STATISTIC, opt.METRIC),
    table=lambda results, options: selections(
        results, options.metric, options.statistic, options.united
    ),
    draw=lambda results, found, options: draw(
        results, found, options.metric, options.statistic, options.united
    ),
    on_page=(
        OnPage(
            "Which algorithm to select",
            "Map: block sizes down, rank counts across; the fastest algorithm of each case, with "
            "a corner in the colour of a near-tie",
        ),
    ),
)
