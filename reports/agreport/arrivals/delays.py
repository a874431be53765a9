# SPDX-License-Identifier: BSD-3-Clause
"""Asked against achieved delays of ranks under arrival patterns, and how far apart they are.

The per-rank files are what the benchmark writes with --record ranks.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from agformats.errors import BadInput
from agformats.files.result_file import CASE
from agformats.units import time_unit
from agreport.cli.report import Part
from agreport.data.load import SETTING, Results
from agreport.data.rank_delays import ERROR, beside_launches, load_delays, numbered
from agreport.figure.looks import COLOURS
from agreport.figure.panels import LINES, choose_groups, mark_beyond
from agreport.figure.scales import WIDE_RANGE, signed_ticks
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, time_text

GROUP = [SETTING, "arrival", "mapping", "ranks", "nodes"]
MOST_POINTS = 4000
NEARLY_ALL, ROOM = 0.99, 1.05
QUANTILES = {"p05_us": 0.05, "median_us": 0.5, "p95_us": 0.95}
INK, MIDDLE = COLOURS[0], COLOURS[5]
SEED = 1
LARGEST_FILES = 200_000_000  # bytes of all per-rank files that a page reads at most


def load_beside(results: Results, _: Namespace) -> pd.DataFrame | None:
    """Loads for the page the delays of its cases, if per-rank files are beside the results."""
    if not results.has_patterns:
        return None
    files = beside_launches(results)
    if sum(path.stat().st_size for path in files.values()) > LARGEST_FILES:
        raise BadInput(
            "The per-rank files are large: `agreport delays` draws what is chosen of them"
        )
    names = [str(path) for path in files.values()]
    read = load_delays(names, results.keep_going, results.left_out)
    results.leave_out(read.left_out)
    rows = numbered(read, files)
    keys = ["launch", *CASE]
    cases = results.rows[[SETTING, *keys]].drop_duplicates()
    found = results.in_order(rows.merge(cases, on=keys))
    if found.empty:
        raise BadInput("The per-rank files have no delays of these cases")
    return found


def list_parts(rows: pd.DataFrame, _: pd.DataFrame, __: Namespace) -> Iterator[Part]:
    table = errors(rows, GROUP).reset_index()
    yield "Errors: achieved \N{MINUS SIGN} asked", table
    yield summarise(rows)


def errors(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Returns a row for each value of the columns `by`: the number of delays, the longest asked
    one, QUANTILES of achieved - asked, and worst_us, which is the error furthest from 0; in us."""
    grouped = rows.groupby(list(by), observed=True)
    found = pd.DataFrame({"delays": grouped.size(), "asked_max_us": grouped["asked_us"].max()})
    for name, share in QUANTILES.items():
        found[name] = grouped[ERROR].quantile(share)
    found["worst_us"] = grouped[ERROR].agg(furthest)
    return found


def furthest(values: "pd.Series[float]") -> float:
    return float(values.loc[values.abs().idxmax()])


def summarise(rows: pd.DataFrame) -> str:
    off = rows[ERROR].abs()
    worst = rows.loc[off.idxmax()]
    half, most = np.quantile(off, [0.5, 0.95])
    return (
        f"{plural(len(rows), 'delay')}: half are within {time_text(half)} of what was asked, 95 % "
        f"within {time_text(most)}; the worst is {time_text(furthest(rows[ERROR]))} off (rank "
        f"{worst['rank']}, iteration {worst['iteration']}, {worst['arrival']})."
    )


def draw(rows: pd.DataFrame, options: Namespace) -> Sheet:
    chosen = choose_groups(rows, GROUP, options, what=LINES)
    titles = [
        ": ".join(filter(None, [title, describe_errors(group)]))
        for title, group in zip(chosen.titles, chosen.groups, strict=True)
    ]
    page, pairs = replace(chosen, titles=titles).pairs(
        "Asked and achieved delays of ranks",
        [
            Line2D([], [], color="0.4", lw=0.8, ls=(0, (4, 2)), label="as asked"),
            Line2D([], [], color=MIDDLE, lw=1, marker=".", label="median error"),
            Patch(facecolor=MIDDLE, alpha=0.3, lw=0, label="5 % to 95 % of the errors"),
            Line2D([], [], color=INK, ls="", marker="x", ms=3, label="worst error"),
        ],
        write_caption(rows, chosen.groups),
        "agreport delays",
    )
    delay_unit = time_unit(max(map(longest_drawn, chosen.groups)))
    error_unit = time_unit(max(map(usual_error, chosen.groups)))
    for (left, right), group in pairs:
        draw_delays(left, group, delay_unit)
        draw_errors(right, group, error_unit)
    return page


def describe_errors(rows: pd.DataFrame) -> str:
    """Returns the end of the title of a line of panels: the median, the usual range and the worst
    of the errors, and how many delays are beyond the axis."""
    low, middle, high = (time_text(np.quantile(rows[ERROR], one)) for one in QUANTILES.values())
    beyond = int((rows["achieved_us"] > longest_drawn(rows)).sum())
    return (
        f"error: median {middle}, 5 % to 95 %: {low} to {high}, worst "
        f"{time_text(furthest(rows[ERROR]))}"
        + (f", {beyond} of {len(rows)} beyond" if beyond else "")
    )


def draw_delays(axes: Axes, rows: pd.DataFrame, scale: tuple[float, str]) -> None:
    """Draws achieved against asked delays: at most MOST_POINTS of them, taken at random.

    scale: how many microseconds the unit of both axes has, and the name of this unit.
    """
    us, unit = scale
    top = longest_drawn(rows)
    points = rows.sample(min(len(rows), MOST_POINTS), random_state=SEED)
    beyond = rows[rows["achieved_us"] > top]
    ends = [0, top / us]
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
    mark_beyond(axes, (beyond["asked_us"] / us).tolist(), INK)
    axes.set_xlim(-0.05 * top / us, 1.05 * top / us)
    axes.set_ylim(-0.05 * top / us, 1.05 * top / us)
    axes.set(xlabel=f"asked delay ({unit})", ylabel=f"achieved delay ({unit})")


def longest_drawn(rows: pd.DataFrame) -> float:
    """Returns where the axes of delays end, in us: a little beyond the longest asked delay, or
    beyond what NEARLY_ALL achieved if that is more; 1 if both are 0. Single delays are far beyond
    that end."""
    high = float(rows["achieved_us"].quantile(NEARLY_ALL))
    return max(float(rows["asked_us"].max()), high) * ROOM or 1.0


def usual_error(rows: pd.DataFrame) -> float:
    """Returns how far from 0 the axis of errors is linear, in us: the largest of the QUANTILES of
    all ranks; 1 if they are all 0."""
    return float(errors(rows, ["rank"])[[*QUANTILES]].abs().max().max()) or 1.0


def is_far(rows: pd.DataFrame) -> bool:
    """Returns whether the worst error is so far from the usual ones that the axis is logarithmic
    beyond these."""
    return float(rows[ERROR].abs().max()) > WIDE_RANGE * usual_error(rows)


def draw_errors(axes: Axes, rows: pd.DataFrame, scale: tuple[float, str]) -> None:
    """Draws errors by rank, since only some ranks share a core. scale: as of draw_delays."""
    us, unit = scale
    found = errors(rows, ["rank"])
    low, middle, high = (found[name] / us for name in QUANTILES)
    axes.axhline(0, color="0.4", lw=0.8, ls=(0, (4, 2)))
    axes.vlines(found.index, low, high, color=MIDDLE, alpha=0.3, lw=4)
    axes.plot(found.index, middle, color=MIDDLE, lw=1, marker=".")
    axes.plot(found.index, found["worst_us"] / us, "x", color=INK, ms=3)
    axes.locator_params(axis="x", integer=True)
    axes.set(xlabel="rank", ylabel=f"achieved \N{MINUS SIGN} asked ({unit})")
    if is_far(rows):
        signed_ticks(axes, usual_error(rows) / us, float(rows[ERROR].abs().max()) / us)


def write_caption(rows: pd.DataFrame, drawn: Sequence[pd.DataFrame]) -> str:
    text = (
        "Delay: arrival after the first rank's. All collectives, algorithms, distributions and "
        "block sizes together. Late iterations do not count."
    )
    if any((group["achieved_us"] > longest_drawn(group)).any() for group in drawn):
        text += " Triangles: beyond the axis."
    if any(map(is_far, drawn)):
        text += " Axes of errors that have powers of ten are logarithmic beyond the usual errors."
    if rows.groupby(GROUP, observed=True).size().max() > MOST_POINTS:
        text += f" Of each scatter plot at most {MOST_POINTS} points are drawn, taken at random."
    return text


def table(rows: pd.DataFrame, _: Namespace) -> pd.DataFrame:
    """Returns the errors of each rank."""
    return errors(rows, [*GROUP, "rank"])
