# SPDX-License-Identifier: BSD-3-Clause
"""Time against block size or against ranks, logarithmic, with confidence bands.

The lines are medians over the iterations of all launches, the bands their 95 % confidence
intervals. A cross at the bottom is a point that was skipped, wrong or not measured.
"""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.units import time_unit
from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import Results
from agreport.figure.scales import logarithmic, mark, panel_sheet
from agreport.figure.sheet import Sheet, lines
from agreport.figure.words import launches, plural, size_label, titles
from agreport.stats.medians import AGAINST, panels, points, without_values

MOST_PANELS = 24
BAND_ALPHA = 0.2
CROSS_ROWS = 8  # so many algorithms' crosses stand above each other
NO_VALUE = "skipped, wrong or not measured"


def draw(
    results: Results,
    found: pd.DataFrame,
    against: str,
    metric: str,
    over: str = "",
    first_panels: int | None = None,
) -> Sheet:
    """over: the values are speed-ups over that algorithm."""
    keys, groups = panels(found, against)
    drawn = opt.limited(groups, MOST_PANELS, first_panels, "panels")
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=keys))
    shown = pd.concat([group for _, group in drawn])
    named = shown.dropna(subset="value")["algorithm"].unique().tolist()
    look = lines(named, results.catalogue)
    handles: list[Artist] = [Line2D([], [], label=name, **style) for name, style in look.items()]
    if len(without_values(shown, named)):
        handles.append(Line2D([], [], marker="x", color="0.3", ls="", ms=4, label=NO_VALUE))
    what = f"Speed-up over {over}" if over else f"Median {metric} time"
    axis = {"bytes": "block size", "ranks": "ranks"}[against]
    page, every = panel_sheet(
        rest,
        "\n".join(filter(None, [f"{what} against {axis}", common])),
        handles,
        caption(results, shown, metric, over, len(groups) - len(drawn)),
    )
    for axes, (_, group) in zip(every, drawn, strict=True):
        draw_panel(axes, group, against, look, over)
    return page


def draw_panel(
    axes: Axes, rows: pd.DataFrame, against: str, look: Mapping[str, dict[str, Any]], over: str
) -> None:
    top = max(rows["value"].max(), rows["high"].max())
    us, unit = (1.0, "") if over else time_unit(top if top == top else 1.0)
    rows = rows.assign(x=rows[against].astype(float))
    for row, (name, style) in enumerate(look.items()):
        # Rows without a time stay, as breaks of the line.
        line = rows[rows["algorithm"] == name].sort_values("x")
        band = line["low"] / us, line["high"] / us
        axes.fill_between(line["x"], *band, color=style["color"], alpha=BAND_ALPHA, lw=0)
        axes.plot(line["x"], line["value"] / us, **style)
        gaps = line.loc[line["value"].isna(), "x"]
        height = 0.03 + 0.03 * (row % CROSS_ROWS)
        axes.plot(
            gaps,
            [height] * len(gaps),
            transform=axes.get_xaxis_transform(),
            **{**style, "marker": "x", "linestyle": "", "mec": style["color"], "mew": 1, "ms": 3},
        )
    heights = [*(rows["value"] / us).dropna(), *(rows["low"] / us).dropna()]
    heights += [*(rows["high"] / us).dropna(), *([1.0] if over else [])]
    logarithmic(axes, "y", heights)
    if over:
        axes.axhline(1, color="black", lw=0.8)
    axes.set_ylabel(f"times as fast as {over}" if over else f"time ({unit})")
    values = sorted(rows["x"].unique().tolist())
    labels = [size_label(int(v)) if against == "bytes" else str(int(v)) for v in values]
    mark(axes, values, labels, 2 if len(values) > 1 else None)
    axes.set_xlabel("block size (bytes)" if against == "bytes" else "ranks")


def caption(results: Results, rows: pd.DataFrame, metric: str, over: str, left_out: int) -> str:
    text = (
        f"Medians over all iterations of {launches(results)} of the {metric} elapsed time over "
        "the ranks; bands: 95 % confidence intervals of the medians"
    )
    text += (
        ", of a speed-up from the lowest to the highest quotient of two."
        if over
        else "; none below 6 iterations."
    )
    if missing := int(rows["value"].isna().sum()):
        text += f" {plural(missing, 'point has', 'points have')} no value: "
        counts = rows.loc[rows["value"].isna(), "status"].value_counts()
        text += ", ".join(f"{count} {status}" for status, count in counts.items()) + "."
    if left_out > 0:
        text += f" {plural(left_out, 'panel', 'panels')} more are not drawn."
    return text


def several_ranks(results: Results, _: Namespace) -> Results | None:
    return results if results.rows["ranks"].nunique() > 1 else None


X_AXIS = opt.Need(partial(opt.add_x, axes=AGAINST, former="--by"))
REPORT = Report(
    "scaling",
    __doc__,
    needs=(opt.ALGORITHMS, opt.METRIC, X_AXIS),
    table=lambda results, options: points(results, options.metric),
    draw=lambda results, found, options: draw(
        results, found, options.x, options.metric, first_panels=options.first
    ),
    on_page=(
        OnPage(
            "Time against block size",
            "Lines: median time of each algorithm against block size, with confidence bands",
        ),
        OnPage(
            "Time against ranks",
            "Lines: median time of each algorithm against ranks, with confidence bands",
            {"x": "ranks"},
            several_ranks,
        ),
    ),
)
