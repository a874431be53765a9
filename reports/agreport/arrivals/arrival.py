# SPDX-License-Identifier: BSD-3-Clause
"""Times under arrival patterns: a figure of lines, and a table of the fastest algorithms.

After Proficz (2021): the average elapsed time over the ranks against the maximum delay (figures 8
and 9), the size (7) or the number of ranks (10); with --wins how many cases each algorithm wins
(6). Lines are medians; --statistic mean draws means, as the paper has them. The table on standard
output has the fastest algorithm of each case, and what the arrival-aware ones gain (tables 3 and
4); a second one how good their predictions were.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from agformats.errors import BadInput
from agformats.units import three_digits, time_unit
from agreport.arrivals import arrival_table
from agreport.arrivals.experiments import MEAN, MEDIAN, what_delay, with_balanced
from agreport.arrivals.size_by import size_column, with_size
from agreport.cli.options import STATISTICS
from agreport.cli.report import Part
from agreport.data.arrival_labels import NONE, UNKNOWN_SIZE
from agreport.data.load import SETTING, Results
from agreport.figure.looks import draw_line, line_handles, lines
from agreport.figure.panels import choose_groups, times_apart
from agreport.figure.scales import (
    AXIS_NAMES,
    is_wide,
    logarithmic,
    mark,
    mark_cases,
    middle_unit,
)
from agreport.figure.sheet import Sheet
from agreport.figure.words import interval_of, sample_of
from agreport.stats.medians import AGAINST, POINT

MEDIANS = STATISTICS[0]
DRAWN = dict(zip(STATISTICS, (MEDIAN, MEAN), strict=True))


def no_wins_of_medians(options: Namespace, results: Results) -> Results:
    if options.wins and options.statistic != MEDIANS:
        raise BadInput(f"--statistic {options.statistic}: does not go with --wins; legal: one")
    return results


def list_parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    yield from arrival_table.sections(found, size_column(options))
    yield arrival_table.LEGEND
    predicted = arrival_table.prediction_table(results)
    if not predicted.empty:
        yield arrival_table.PREDICTION, predicted
        yield arrival_table.PREDICTION_LEGEND
    errors = delay_errors(results)
    if not errors.empty:
        yield "How far the worst rank of an iteration was from the asked delay", errors


def delay_errors(results: Results) -> pd.DataFrame:
    """Returns a row for each setting, pattern and number of ranks: how far the worst rank of an
    iteration was from the asked delay, as median, 95 % quantile and largest of the iterations, in
    us, with the asked imbalance. Empty if no iteration has such an error."""
    timed = results.timed().dropna(subset="delay_error_us")
    grouped = timed.groupby([SETTING, "arrival", "ranks"], observed=True)
    errors = grouped["delay_error_us"]
    table = {
        "asked_imbalance_us": grouped["asked_imbalance_us"].median(),
        "median_us": errors.median(),
        "p95_us": errors.quantile(0.95),
        "worst_us": errors.max(),
    }
    return pd.DataFrame(table).reset_index()


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    if options.wins:
        return arrival_table.draw_wins(results, found, options, size_column(options))
    x, size = options.x, size_column(options)
    found = found.assign(
        **{name: found[of] for name, of in zip(POINT, DRAWN[options.statistic], strict=True)}
    )
    rows = with_balanced(found) if x == "delay" else found.reset_index()
    keys = with_size(AGAINST[x], size)
    apart = times_apart("value", {"delay": "arrival", "bytes": size}.get(x, x))
    chosen = choose_groups(rows, keys, options, apart)
    rows = chosen.rows
    look = lines(rows["algorithm"], results.catalogue)
    log = any(is_wide(group["value"].tolist()) for group in chosen.groups)
    highest = float(rows[["value", "high"]].max().max())
    unit = middle_unit(rows["value"]) if log else time_unit(highest)
    page, panels = chosen.panels(
        "Average elapsed time under arrival patterns",
        line_handles(look),
        write_caption(results, rows, options),
        "agreport arrival"
        + (f" --x {x}" if x != "delay" else "")
        + (f" --statistic {options.statistic}" if options.statistic != MEDIANS else ""),
    )
    for axes, group in panels:
        draw_panel(axes, group, size if x == "bytes" else x, look, unit, log)
    return page


def draw_panel(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    look: Mapping[str, dict[str, Any]],
    scale: tuple[float, str],
    log: bool,
) -> None:
    """Draws a line against x for each algorithm.

    scale: how many microseconds the unit of the vertical axis has, and the name of this unit.
    """
    us, unit = scale
    column = delay_column(rows) if x == "delay" else x
    rows = rows.assign(x=rows[column].astype(float))
    for name, style in look.items():
        line = rows[rows["algorithm"] == name].sort_values("x")
        draw_line(axes, line["x"], [line[of] / us for of in POINT], style)
    heights = rows[POINT].div(us).to_numpy(float).ravel()
    heights = heights[~np.isnan(heights)]
    if log:
        logarithmic(axes, "y", heights.tolist())
    else:
        axes.set_ylim(0, 1.05 * float(heights.max()) or 1.0)
    axes.set_ylabel(f"average elapsed time ({unit})")
    label_x(axes, rows, column)


def delay_column(rows: pd.DataFrame) -> str:
    """Returns the column of delays: delay_t or delay_us if no row lacks it, else what was asked."""
    for column in ("delay_t", "delay_us"):
        if rows[column].notna().all():
            return column
    return "asked_imbalance_us"


def label_x(axes: Axes, rows: pd.DataFrame, column: str) -> None:
    values = sorted(rows["x"].dropna().unique().tolist())
    if column in AXIS_NAMES:
        mark_cases(axes, values, column)
        return
    us, unit = (1.0, "t") if column == "delay_t" else time_unit(max(values))
    base = 10 if is_wide(values) else None
    mark(axes, values, [three_digits(value / us) for value in values], base)
    name = UNKNOWN_SIZE if column == "asked_imbalance_us" else what_delay(rows)
    axes.set_xlabel(f"{name} ({unit}{conversion(rows, column)})")


def conversion(rows: pd.DataFrame, column: str) -> str:
    """Returns for the label of the axis how long t is, if a delay was given in t; else ""."""
    if not rows.loc[rows["delay_us"] > 0, "delay_t"].notna().any():
        return ""
    low, high = rows["message_us"].min(), rows["message_us"].max()
    us, unit = time_unit(high)
    span = dict.fromkeys([three_digits(low / us), three_digits(high / us)])
    return f"{'' if column == 'delay_t' else '; t'} = {' to '.join(span)} {unit}"


def write_caption(results: Results, rows: pd.DataFrame, options: Namespace) -> str:
    statistic = options.statistic
    text = (
        f"{statistic.capitalize()} {sample_of(results, statistic)} of the average over the ranks "
        "of the elapsed time (exit minus arrival)"
    )
    if rows["low"].notna().any():
        middle = "the middle 68 % of the iterations, which a few slow ones leave below the mean"
        text += f"; bands: {middle if statistic == 'mean' else interval_of(results)}"
    text += "."
    if options.x == "delay" and rows["family"].ne(NONE).any():
        text += " Without delay: arrival none, the same in each panel."
        if rows["delay_t"].gt(0).any():
            text += " t: time of one block's message."
    if late := int(rows["late"].sum()):
        text += f" {late} late iterations do not count."
    return text


def with_patterns(results: Results, _: Namespace) -> Results | None:
    return results if results.has_patterns else None
