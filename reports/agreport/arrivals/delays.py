# SPDX-License-Identifier: BSD-3-Clause
"""Asked against achieved delays of ranks under arrival patterns, and how far apart they are.

The per-rank files are what the benchmark writes with --record ranks.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from agformats.errors import BadInput
from agformats.units import three_digits, time_unit
from agreport.cli import options as opt
from agreport.cli import render
from agreport.cli.report import Report
from agreport.data.arrival_labels import parse, pattern_name
from agreport.data.rank_delays import ERROR, load_delays
from agreport.figure.scales import pair_sheet
from agreport.figure.sheet import COLOURS, Sheet
from agreport.figure.words import plural, titles

GROUP = ["arrival", "mapping", "ranks", "nodes"]
MOST_GROUPS, MOST_POINTS = 12, 4000
QUANTILES = {"p05_us": 0.05, "median_us": 0.5, "p95_us": 0.95}
INK, MIDDLE = COLOURS[0], COLOURS[5]
SEED = 1


def add_inputs(parser: ArgumentParser) -> None:
    opt.add_inputs(
        parser,
        "per-rank files (*.ranks.csv), result files that have one beside them, "
        "globs, or directories",
    )


def load(options: Namespace) -> pd.DataFrame:
    rows, given = opt.filtered(options, with_pattern(load_delays(options.files)))
    if rows.empty:
        raise BadInput(f"{', '.join(options.files)}: no delays{opt.left(given)}")
    return rows


def show(rows: pd.DataFrame, _: pd.DataFrame, __: Namespace) -> None:
    table = errors(rows, GROUP).reset_index()
    table = table.sort_values("arrival", key=in_order, kind="stable")
    print(render.text(table))
    print(in_short(rows))


def with_pattern(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(pattern=rows["arrival"].astype(str).map(pattern_name))


def errors(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Quantiles of achieved - asked, and the one that is furthest from 0."""
    grouped = rows.groupby(list(by), observed=True)
    found = pd.DataFrame({"delays": grouped.size(), "asked_max_us": grouped["asked_us"].max()})
    for name, share in QUANTILES.items():
        found[name] = grouped[ERROR].quantile(share)
    found["worst_us"] = grouped[ERROR].agg(furthest)
    return found


def furthest(values: "pd.Series[float]") -> float:
    return float(values.loc[values.abs().idxmax()])


def in_order(labels: "pd.Series[str]") -> "pd.Series[int]":
    """The place of each arrival pattern: families together, with growing delays."""
    order = sorted(labels.astype(str).unique(), key=lambda label: parse(label).order)
    return labels.astype(str).map(order.index)


def in_short(rows: pd.DataFrame) -> str:
    off = rows[ERROR].abs()
    worst = rows.loc[off.idxmax()]
    half, most = np.quantile(off, [0.5, 0.95])
    return (
        f"{plural(len(rows), 'delay', 'delays')}: half are within {format_time(half)} of "
        f"what was asked, 95 % within {format_time(most)}; the worst is "
        f"{format_time(furthest(rows[ERROR]))} off (rank {worst['rank']}, "
        f"iteration {worst['iteration']}, {worst['arrival']})."
    )


def format_time(us: float) -> str:
    divisor, unit = time_unit(abs(us))
    return f"{three_digits(us / divisor)} {unit}"


def draw(rows: pd.DataFrame, first_groups: int | None = None) -> Sheet:
    """first_groups: draw so many if there are more, instead of refusing."""
    groups = [(key, group) for key, group in rows.groupby(GROUP, observed=True)]
    groups.sort(key=lambda one: (parse(str(one[0][0])).order, one[0]))
    drawn = opt.limited(groups, MOST_GROUPS, first_groups, "lines of panels")
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=GROUP))
    page, pairs = pair_sheet(
        rest,
        "\n".join(filter(None, ["Asked and achieved delays of ranks", common])),
        [
            Line2D([], [], color="0.4", lw=0.8, ls=(0, (4, 2)), label="as asked"),
            Line2D([], [], color=MIDDLE, lw=1, marker=".", label="median error"),
            Patch(facecolor=MIDDLE, alpha=0.3, lw=0, label="5 % to 95 % of the errors"),
            Line2D([], [], color=INK, ls="", marker="x", ms=3, label="worst error"),
        ],
        caption(rows, len(groups) - len(drawn)),
    )
    for (left, right), (_, group) in zip(pairs, drawn, strict=True):
        draw_delays(left, group)
        draw_errors(right, group)
    return page


def draw_delays(axes: Axes, rows: pd.DataFrame) -> None:
    highest = float(rows[["asked_us", "achieved_us"]].to_numpy().max())
    us, unit = time_unit(highest)
    points = rows.sample(min(len(rows), MOST_POINTS), random_state=SEED)
    ends = [0, highest / us]
    axes.plot(ends, ends, color="0.4", lw=0.8, ls=(0, (4, 2)))
    axes.plot(
        points["asked_us"] / us,
        points["achieved_us"] / us,
        ".",
        color=INK,
        ms=3,
        mew=0,
        alpha=0.4,
        rasterized=True,
    )
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.set_xlabel(f"asked delay ({unit})")
    axes.set_ylabel(f"achieved delay ({unit})")
    low, middle, high = np.quantile(rows[ERROR], list(QUANTILES.values()))
    axes.text(
        0.03,
        0.97,
        f"error: median {format_time(middle)}\n5 % to 95 %: {format_time(low)} to "
        f"{format_time(high)}\nworst {format_time(furthest(rows[ERROR]))}",
        transform=axes.transAxes,
        va="top",
        linespacing=1.3,
        bbox={"color": "white", "alpha": 0.7, "pad": 1},
    )


def draw_errors(axes: Axes, rows: pd.DataFrame) -> None:
    """By rank, since some ranks share a core, and others do not."""
    found = errors(rows, ["rank"])
    us, unit = time_unit(float(found["worst_us"].abs().max()))
    low, middle, high = (found[name] / us for name in QUANTILES)
    axes.axhline(0, color="0.4", lw=0.8, ls=(0, (4, 2)))
    axes.vlines(found.index, low, high, color=MIDDLE, alpha=0.3, lw=4)
    axes.plot(found.index, middle, color=MIDDLE, lw=1, marker=".")
    axes.plot(found.index, found["worst_us"] / us, "x", color=INK, ms=3)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 4, 5, 10]))
    axes.set_xlabel("rank")
    axes.set_ylabel(f"achieved \N{MINUS SIGN} asked ({unit})")


def caption(rows: pd.DataFrame, left_out: int) -> str:
    text = (
        "Delay: arrival after the first rank's. All collectives, algorithms, distributions and "
        "block sizes together. Late iterations do not count."
    )
    if rows.groupby(GROUP, observed=True).size().max() > MOST_POINTS:
        text += f" Of each scatter plot at most {MOST_POINTS} points are drawn, taken at random."
    if left_out > 0:
        text += f" {plural(left_out, 'line', 'lines')} more: agreport delays draws them."
    return text


REPORT = Report(
    "delays",
    __doc__,
    options=add_inputs,
    load=load,
    table=lambda rows, _: errors(rows, [*GROUP, "rank"]),
    draw=lambda rows, _, __: draw(rows),
    show=show,
)
