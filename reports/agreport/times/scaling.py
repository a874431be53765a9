# SPDX-License-Identifier: BSD-3-Clause
"""Time against block size or against ranks, logarithmic, with confidence bands.

The lines are medians of the launches' medians, the bands their 95 % confidence intervals: of what
other launches give where there are two or more, else of the launch alone. A cross below all lines
is a point without a value; where it was skipped, the line goes on over it. --y ratio draws times
over the lowest of the case, --y bandwidth the bus bandwidth of nccl-tests, --y schedule what it
takes to make the schedules of algorithms that predict arrivals (Marendic et al. 2016, figure 9).
"""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.errors import BadInput
from agformats.files.result_file import SCHEDULE, TIMES
from agreport.cli import settle
from agreport.cli.inputs import require_times
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.data.total_sizes import require_ranks_times_block
from agreport.figure.looks import draw_line, line_handles, lines
from agreport.figure.panels import FARTHEST, choose_groups, times_apart
from agreport.figure.scales import axes_width_cm, logarithmic, mark_cases, middle_unit
from agreport.figure.sheet import Sheet, Tooltip
from agreport.figure.text_size import POINTS_A_CM
from agreport.figure.words import interval_of, plural, sample_of, shown, time_of, timed_once
from agreport.reports.algorithms import MOST_LINES
from agreport.stats.medians import (
    AGAINST,
    NOT_MEASURED,
    POINT,
    bus_bandwidth,
    nearest_to_best,
    over_best,
    points,
)

BAND_ROOM = 1.25
MARKER_PART, SMALLEST_PT = 0.8, 1.5  # a marker over the distance of points, and the least marker
CROSS, CROSS_PT = {"marker": "x", "linestyle": ""}, 3.0
CROSS_ROW = 0.03  # the height of a row of crosses of one algorithm, as a part of the axes
MOST_CROSS_ROWS = 8  # further algorithms have their crosses upon those of the first ones
NO_VALUE = "no value, for the reasons below"
# The vertical axis has one of these: the first is the default.
HEADS = {
    "time": "Median {metric} time",
    "schedule": "Median time to make a schedule",
    "ratio": "Median {metric} time over the best",
    "bandwidth": "Bus bandwidth by median {metric} time",
    "speedup": "Speed-up over {baseline}",
    "impact": "Impact of what goes on beside, by median {metric} time",
}
LABELS = {
    "time": "time ({unit})",
    "schedule": "time to make a schedule ({unit})",
    "ratio": "time / lowest time",
    "bandwidth": "bus bandwidth (GB/s)",
    "speedup": "times as fast as {baseline}",
    "impact": "time beside it / time alone",
}
BANDS = {
    "time": ".",
    "schedule": ". Calls that had the schedule of the one before do not count.",
    "ratio": "; all over the lowest median of the case.",
    "bandwidth": ". Bus bandwidth: bytes of a rank's result over time, by nccl-tests' factor.",
    "speedup": "; of a speed-up, from the lowest to the highest quotient of two.",
    "impact": "; of an impact, from the lowest to the highest quotient of two.",
}
# Panels are in the order of this: of times, unless these have another word.
APART = {
    "speedup": ", by how many times the lowest speed-up the highest is (median of a panel)",
    "impact": ", by how many times the lowest impact the highest is (median of a panel)",
}
# These have a report of their own; else the report is this one.
COMMANDS = {"speedup": "agreport speedup --baseline {baseline}", "impact": "agreport impact"}


def of_top(points: pd.DataFrame, options: Namespace, always: str = LIBRARY) -> pd.DataFrame:
    """Returns the points that are drawn: those of the algorithms that are nearest to the best, as
    many as --top or the default says, among them `always`. Sets options.not_drawn to the number of
    algorithms left out, and options.timed to the number of all that have times."""
    timed = points.loc[points["value"].notna(), "algorithm"].nunique()
    count: int = options.top or (timed if options.algorithms else MOST_LINES)
    options.timed, options.not_drawn = timed, max(0, timed - count)
    if not options.not_drawn:
        return points
    return points[points["algorithm"].isin(nearest_to_best(points, count, always))]


def describe_others(options: Namespace) -> str:
    """Returns the sentence of a caption on algorithms that are not drawn; empty if all are."""
    if not (others := options.not_drawn):
        return ""
    return (
        f" {plural(others, 'algorithm')} further from the best in the median case "
        f"{'is' if others == 1 else 'are'} not drawn; --top {options.timed} draws all."
    )


def settle_vertical(options: Namespace, results: Results) -> Results:
    """Leaves only the calls that made a schedule, if --y asks for that time."""
    if options.y != SCHEDULE:
        return results
    if options.metric is not None:
        raise BadInput(f"--metric {options.metric}: does not go with --y {SCHEDULE}; legal: none")
    options.metric = SCHEDULE
    made = results.keep(results.rows[results.rows[TIMES[SCHEDULE]] > 0])
    return require_times(made, [f"--y {SCHEDULE}, as no call made a schedule"])


def table(results: Results, options: Namespace) -> pd.DataFrame:
    found = points(results, options.metric)
    if options.y == "ratio":
        return of_top(over_best(found), options)
    kept = of_top(found, options)
    if options.y == "bandwidth":
        require_ranks_times_block(results, "--y bandwidth")
        return bus_bandwidth(kept)
    return kept


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    """Draws the panels with the points of `found` against options.x. options.y: what the values
    are, one of HEADS; a speed-up is over options.baseline."""
    x = options.x
    # Nobody asked for what is in no file.
    found = found[found["status"] != NOT_MEASURED]
    order = APART.get(options.y, FARTHEST)
    chosen = choose_groups(found, AGAINST[x], options, times_apart("value", x), order=order)
    rows = chosen.rows
    named = {*rows.dropna(subset="value")["algorithm"]}
    look = lines(named, results.catalogue)
    handles = line_handles(look)
    if (rows["value"].isna() & rows["algorithm"].isin(named)).any():
        handles.append(Line2D([], [], marker="x", color="0.3", ls="", ms=4, label=NO_VALUE))
    what = HEADS[options.y].format(metric=options.metric, baseline=baseline(options))
    page, panels = chosen.panels(
        f"{what} against {'block size' if x == 'bytes' else x}",
        handles,
        write_caption(results, rows, options),
        again(results, options),
    )
    unit = middle_unit(rows["value"]) if options.y in ("time", SCHEDULE) else (1.0, "")
    for axes, group in panels:
        page.tooltips.extend(draw_panel(axes, group, options, look, unit))
    return page


def baseline(options: Namespace) -> str:
    return shown(options.baseline) if options.y == "speedup" else ""


def draw_panel(
    axes: Axes,
    rows: pd.DataFrame,
    options: Namespace,
    look: Mapping[str, dict[str, Any]],
    scale: tuple[float, str],
) -> list[Tooltip]:
    """Draws the lines, bands and crosses of one panel, and returns a tooltip for each point. look:
    the style of each algorithm; scale: the microseconds of the unit of times, and its name."""
    us, unit = scale
    quotients = options.y in ("ratio", "speedup", "impact")
    rows = rows.assign(x=rows[options.x].astype(float))
    # Smaller markers where there are so many points that they would hide the lines.
    point_pt = axes_width_cm(axes) * POINTS_A_CM / max(1, rows["x"].nunique())
    small = max(SMALLEST_PT, MARKER_PART * point_pt)
    look = {name: {**style, "ms": min(style["ms"], small)} for name, style in look.items()}
    for name, style in look.items():
        # Rows without a time stay, as breaks of the line; over skipped ones the line goes on.
        line = rows[(rows["algorithm"] == name) & (rows["status"] != "skipped")].sort_values("x")
        draw_line(axes, line["x"], [line[name] / us for name in POINT], style)
    # Bands do not set the axis: few iterations make them very wide.
    ends = rows["value"].min() / BAND_ROOM, rows["value"].max() * BAND_ROOM
    heights = rows[POINT].clip(*ends).div(us).to_numpy(float).ravel()
    logarithmic(axes, "y", heights[~np.isnan(heights)].tolist(), quotients)
    draw_gaps(axes, rows[rows["value"].isna()], look, min(CROSS_PT, small))
    if quotients:
        axes.axhline(1, color="black", lw=0.8)
    axes.set_ylabel(LABELS[options.y].format(unit=unit, baseline=baseline(options)))
    mark_cases(axes, sorted(rows["x"].unique().tolist()), options.x)
    drawn = rows[rows["algorithm"].isin(look) & rows["value"].notna()]
    return [
        Tooltip(axes, ((x, y), (x, y)), f"{name}: {y:.4g} {unit}".rstrip())
        for x, y, name in zip(drawn["x"], drawn["value"] / us, drawn["algorithm"], strict=True)
    ]


def draw_gaps(
    axes: Axes, gaps: pd.DataFrame, look: Mapping[str, dict[str, Any]], size_pt: float
) -> None:
    """Draws a row of crosses for each algorithm that has gaps, below all lines."""
    found = {name: gaps.loc[gaps["algorithm"] == name, "x"] for name in look}
    found = {name: places for name, places in found.items() if len(places)}
    if not found:
        return
    part = CROSS_ROW * (min(len(found), MOST_CROSS_ROWS) + 1)
    low, high = axes.get_ylim()
    axes.set_ylim(low * (low / high) ** (part / (1 - part)), high)
    for row, (name, places) in enumerate(found.items()):
        height = CROSS_ROW * (1 + row % MOST_CROSS_ROWS)
        style = {**look[name], **CROSS, "mec": look[name]["color"], "mew": size_pt / 3}
        axes.plot(places, [height] * len(places), transform=axes.get_xaxis_transform(),
                  **{**style, "ms": size_pt})  # fmt: skip


def write_caption(results: Results, rows: pd.DataFrame, options: Namespace) -> str:
    missing = rows[rows["value"].isna()]
    text = f"Medians of the {time_of(options.metric)} {sample_of(results, 'median')}"
    banded = rows["low"].notna()
    if banded.any():
        text += f"; bands, cut where they are wide: {interval_of(results)}"
    if (rows["value"].notna() & ~banded).any():
        text += f"; no band below 6 {timed_once(options.metric)}s"
    text += BANDS[options.y]
    if len(missing):
        text += f" {plural(len(missing), 'point has', 'points have')} no value: "
        counts = missing["status"].value_counts()
        text += ", ".join(f"{count} {status}" for status, count in counts.items()) + "."
    return text + describe_others(options)


def again(results: Results, options: Namespace) -> str:
    """Returns the command that draws this figure; a caption gives it where panels are left out."""
    command = COMMANDS.get(options.y, "agreport scaling")
    command = command.format(**vars(options)) if options.y == "speedup" else command
    command += "" if options.y in (*COMMANDS, "time") else f" --y {options.y}"
    command += f" --x {options.x}"
    ordinary = (settle.default_metric(results), SCHEDULE)  # --y has the latter
    command += f" --metric {options.metric}" if options.metric not in ordinary else ""
    command += f" --algorithms {','.join(options.algorithms)}" if options.algorithms else ""
    return command + (f" --top {options.top}" if options.top else "")
