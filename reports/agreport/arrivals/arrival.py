# SPDX-License-Identifier: BSD-3-Clause
"""Times under arrival patterns: a figure of lines, and a table of the fastest algorithms.

After Proficz (2021): the mean of the average elapsed time over the ranks, with its standard
deviation, against the maximum delay (figures 8 and 9), the block size (7) or the number of ranks
(10); with --wins how many cases each algorithm wins (6). The table on standard output has the
fastest algorithm of each case, and what the arrival-aware ones gain (tables 3 and 4); a second one
how good their predictions were.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.units import three_digits, time_unit
from agreport.arrivals import arrival_table, prediction, wins
from agreport.arrivals.experiments import SETTING, experiments, what_delay, with_balanced
from agreport.arrivals.prediction import prediction_table
from agreport.cli import options as opt
from agreport.cli import render
from agreport.cli.report import Report
from agreport.data.arrival_labels import NONE, UNKNOWN_SIZE, parse
from agreport.data.load import CASE, Results
from agreport.diagnostics.arrival_caveats import arrival_caveats
from agreport.figure.scales import aside, is_wide, linear, logarithmic, mark, panel_sheet
from agreport.figure.sheet import Sheet, lines
from agreport.figure.words import launches, plural, size_label, titles

# What is on the horizontal axis: the columns that a panel has one value of.
AXES = {
    "delay": [*SETTING, "family"],
    "bytes": [column for column in CASE if column != "bytes"],
    "ranks": [column for column in CASE if column not in ("ranks", "nodes")],
}
MOST_PANELS = 24


def add_axis_or_wins(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    opt.add_x(what, axes=AXES, former="--against")
    what.add_argument(
        "--wins",
        action="store_true",
        help="draw how many cases each algorithm wins, by delay and by block size",
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown"),
        default="text",
        help="of the table (default: %(default)s)",
    )


def show(results: Results, found: pd.DataFrame, options: Namespace) -> None:
    for caveat in arrival_caveats(results):
        print(f"agreport: warning: {caveat}", file=sys.stderr)
    for title, table in arrival_table.sections(found):
        print_table(title, table, options.format)
    print(arrival_table.LEGEND)
    predicted = prediction_table(results)
    if not predicted.empty:
        print()
        print_table(prediction.HEADING, predicted, options.format)
        print(prediction.LEGEND)


def print_table(title: str, table: pd.DataFrame, format_name: str) -> None:
    head = f"### {title}\n" if format_name == "markdown" else title
    print(f"{head}\n{render.FORMATS[format_name](table)}")


def draw(
    results: Results, found: pd.DataFrame, against: str, first_panels: int | None = None
) -> Sheet:
    """first_panels: draw so many if there are more, instead of refusing."""
    rows = with_balanced(found) if against == "delay" else found.reset_index()
    keys = panel_keys(rows, against)
    groups = [(key, group) for key, group in rows.groupby(keys, observed=True)]
    if "arrival" in keys:
        groups.sort(key=lambda one: parse(str(one[0][keys.index("arrival")])).order)
    drawn = opt.limited(groups, MOST_PANELS, first_panels, "panels")
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=keys))
    shown = pd.concat([group for _, group in drawn])
    look = lines(shown["algorithm"].astype(str).unique().tolist(), results.catalogue)
    log = any(is_wide(group["mean_us"].tolist()) for _, group in drawn)
    page, every = panel_sheet(
        rest,
        "\n".join(filter(None, ["Average elapsed time under arrival patterns", common])),
        [Line2D([], [], label=name, **style) for name, style in look.items()],
        caption(results, shown, against, len(groups) - len(drawn)),
    )
    for axes, (_, group) in zip(every, drawn, strict=True):
        draw_panel(axes, group, against, look, log)
    return page


def panel_keys(rows: pd.DataFrame, against: str) -> list[str]:
    """The columns that a panel has one value of; the nodes too if that alone tells cases apart."""
    keys = AXES[against]
    if against == "ranks" and rows.duplicated([*keys, "ranks", "algorithm"]).any():
        return [*keys, "nodes"]
    return keys


def draw_panel(
    axes: Axes, rows: pd.DataFrame, against: str, look: Mapping[str, dict[str, Any]], log: bool
) -> None:
    rows = rows.assign(x=positions(rows, against), stddev_us=rows["stddev_us"].fillna(0))
    highest = float((rows["mean_us"] + rows["stddev_us"]).max())
    us, unit = time_unit(highest)
    asides = aside(axes, len(look))
    for (name, style), transform in zip(look.items(), asides, strict=True):
        line = rows[rows["algorithm"] == name].sort_values("x")
        heights, bars = line["mean_us"] / us, line["stddev_us"] / us
        ends = heights - bars, heights + bars
        axes.vlines(line["x"], *ends, color=style["color"], lw=0.6, transform=transform)
        axes.plot(line["x"], heights, transform=transform, **style)
    if log:
        logarithmic(axes, "y", [*(rows["mean_us"] / us), highest / us])
    else:
        linear(axes, highest / us)
    axes.set_ylabel(f"average elapsed time ({unit})")
    label_positions(axes, rows, against)


def positions(rows: pd.DataFrame, against: str) -> "pd.Series[float]":
    if against != "delay":
        return rows[against].astype(float)
    return rows[delay_column(rows)]


def delay_column(rows: pd.DataFrame) -> str:
    """In t if all delays are, else in us if each is known, else what was asked of the ranks."""
    for column in ("delay_t", "delay_us"):
        if rows[column].notna().all():
            return column
    return "asked_imbalance_us"


def label_positions(axes: Axes, rows: pd.DataFrame, against: str) -> None:
    values = sorted(rows["x"].dropna().unique().tolist())
    if against == "bytes":
        mark(axes, values, [size_label(int(value)) for value in values], log_base=2)
        axes.set_xlabel("block size (bytes)")
    elif against == "ranks":
        base = 2 if is_wide(values) else None
        mark(axes, values, [str(int(value)) for value in values], base)
        axes.set_xlabel("ranks")
    else:
        column = delay_column(rows)
        us, unit = (1.0, "t") if column == "delay_t" else time_unit(max(values))
        base = 10 if is_wide(values) else None
        mark(axes, values, [three_digits(value / us) for value in values], base)
        axes.set_xlabel(f"{delay_name(rows, column)} ({unit}{conversion(rows, column)})")


def delay_name(rows: pd.DataFrame, column: str) -> str:
    if column == "asked_imbalance_us":
        return UNKNOWN_SIZE
    return what_delay(rows)


def conversion(rows: pd.DataFrame, column: str) -> str:
    """What t is, if a delay was given in it."""
    if not rows.loc[rows["delay_us"] > 0, "delay_t"].notna().any():
        return ""
    low, high = rows["message_us"].min(), rows["message_us"].max()
    us, unit = time_unit(high)
    span = dict.fromkeys([three_digits(low / us), three_digits(high / us)])
    return f"{'' if column == 'delay_t' else '; t'} = {' to '.join(span)} {unit}"


def caption(results: Results, rows: pd.DataFrame, against: str, left_out: int) -> str:
    text = (
        "Mean over all iterations of "
        f"{launches(results)} of the average over the ranks of the elapsed time (exit minus "
        "arrival); error bars: one standard deviation up and down. Lines are moved aside a little, "
        "so that their bars can be told apart."
    )
    if against == "delay" and rows["family"].ne(NONE).any():
        text += " Without delay: arrival none, the same in each panel."
        if rows["delay_t"].gt(0).any():
            text += " t: time of one block's message."
    if late := int(rows["late"].sum()):
        text += f" {late} late iterations do not count."
    if left_out > 0:
        text += f" {plural(left_out, 'panel', 'panels')} more: agreport arrival draws them."
    return text


def drawn(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    return wins.draw(results, found) if options.wins else draw(results, found, options.x)


REPORT = Report(
    "arrival",
    __doc__,
    needs=(opt.ALGORITHMS, opt.Need(add_axis_or_wins)),
    table=lambda results, _: experiments(results),
    draw=drawn,
    show=show,
)
