# SPDX-License-Identifier: BSD-3-Clause
"""Communication cost over the number of nodes, with the mapping that suits each algorithm.

After figures 19 and 20 of Loch (2021): the sum over all messages of their bytes times the distance
between the nodes of sender and receiver, one panel a number of ranks per node. The axes are
logarithmic, so that costs of few nodes can be told apart; --scale linear is the thesis's own. The
costs come from allgather_schedule, or from a file that it wrote.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from agformats.errors import BadInput, read_option
from agformats.files.comment_lines import comments
from agformats.files.result_file import metadata
from agformats.ranges import numbers
from agformats.regular_file import read_whole
from agformats.units import exactly, three_digits
from agreport.cli import program
from agreport.data.load import Launch, list_algorithms
from agreport.figure.looks import STYLES, line_handles, looks
from agreport.figure.panels import panel_sheet
from agreport.figure.scales import axes_width_cm, logarithmic
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, shown
from agreport.reports.schedules import LINEAR, NODES, RANKS_PER_NODE, RELATIVE
from agreport.schedules import costs as co
from agreport.schedules import source
from agreport.schedules.costs import NORMALISED

MODEL = "hop-bytes"
MOST_PANELS = 60
TICK_CM = 0.36  # what the label of a tick needs
LARGEST = "cost / largest of the panel"
CHEAPER: dict[str, Any] = {
    "marker": "o",
    "ls": "",
    "ms": 7,
    "mfc": "none",
    "mec": "black",
    "mew": 0.8,
    "clip_on": False,
}


@dataclass(frozen=True)
class Costs:
    """The costs that the figure shows.

    rows: the normalised costs of the curves. curves: the names of the curves, ALGORITHM:MAPPING.
    known: the algorithms in the order that gives them their colours.
    """

    rows: pd.DataFrame
    curves: Sequence[str]
    known: Sequence[str]


def load(options: Namespace) -> Costs:
    curves = co.choose_curves(options.curves, options.algorithms)
    chosen = {"nodes": options.nodes, "ranks_per_node": options.ranks_per_node}
    limits = {
        column: read_option(f"--{column.replace('_', '-')}", text, numbers)
        for column, text in chosen.items()
        if text
    }
    if options.costs:
        if options.collective:
            raise BadInput(f"--collective {options.collective}: --costs {options.costs} has one")
        name, table = str(options.costs), read_whole(options.costs)
    else:
        name, table = program.NAME, run_program(options, curves)
    costs = co.read(name, table)
    for column, kept in limits.items():
        costs = costs[costs[column].isin(kept)]
    rows = co.select(name, costs, curves)
    if (count := rows["ranks_per_node"].nunique()) > MOST_PANELS:
        raise BadInput(f"--ranks-per-node: {count} numbers; a figure has at most {MOST_PANELS}")
    launch = Launch(Path(name), metadata(comments(table)), 0)
    return Costs(rows, curves, list_algorithms([launch], rows["algorithm"].unique()))


def run_program(options: Namespace, curves: Sequence[str]) -> bytes:
    """Returns the table that allgather_schedule prints of the curves' costs. It has every algorithm
    with every mapping that is in a curve."""
    split = [curve.rpartition(":") for curve in curves]
    arguments = {
        "--algorithms": ",".join(dict.fromkeys(name for name, _, _ in split)),
        "--bytes": "1",
        "--model": MODEL,
        "--nodes": options.nodes or NODES,
        "--ranks-per-node": options.ranks_per_node or RANKS_PER_NODE,
        "--mapping": ",".join(dict.fromkeys(mapping for _, _, mapping in split)),
    }
    flat = [part for pair in arguments.items() for part in pair]
    return program.run(options.program, "cost", *flat, *source.of_collective(options)).encode()


def draw(costs: Costs, scale: str) -> Sheet:
    rows, curves = costs.rows, costs.curves
    if scale == RELATIVE and len(curves) == 1:
        raise BadInput(f"--scale {RELATIVE}: is for two curves or more; there is {curves[0]} alone")
    styles = {curve: make_style(curve, curves, costs.known) for curve in curves}
    counts = sorted(rows["ranks_per_node"].unique())
    names = {curve: name_curve(curve) for curve in curves}
    legend = line_handles({names[curve]: style for curve, style in styles.items()})
    if len(curves) > 1:
        legend += line_handles({f"cheaper than {names[curves[0]]}": CHEAPER})
    page, panels = panel_sheet(
        ["" for _ in counts],
        "Communication cost over the number of nodes",
        legend,
        write_caption(rows, scale, names[curves[0]]),
    )
    relative = scale == RELATIVE
    column, label = (co.RELATIVE, "relative cost") if relative else (NORMALISED, LARGEST)
    for axes, count in zip(panels, counts, strict=True):
        if scale == LINEAR:
            axes.set_ylim(-0.03, 1.05)
        else:
            logarithmic(axes, "y", rows[column].dropna().tolist())
            axes.set_xscale("log", base=2)
        draw_panel(axes, rows, int(count), styles, column)
        axes.set(xlabel="nodes", ylabel=label)
    return page


def name_curve(curve: str) -> str:
    name, _, mapping = curve.rpartition(":")
    return f"{shown(name)}, {mapping}"


def make_style(curve: str, curves: Sequence[str], known: Sequence[str]) -> dict[str, Any]:
    """Returns the look of a curve, in matplotlib's words. Each algorithm has one colour, and each
    of its mappings has one kind of line."""
    name = curve.rpartition(":")[0]
    repeat = [other for other in curves if other.rpartition(":")[0] == name].index(curve)
    look = looks(known)[name]
    colour = look.colour
    return {
        "color": colour,
        "marker": look.marker,
        "linestyle": STYLES[repeat % len(STYLES)],
        "lw": 1,
        "ms": 3.5,
        "mfc": "white" if repeat else colour,
        "mec": colour if repeat else "white",
        "mew": 0.6 if repeat else 0.3,
    }


def draw_panel(
    axes: Axes,
    costs: pd.DataFrame,
    ranks_per_node: int,
    styles: Mapping[str, dict[str, Any]],
    column: str,
) -> None:
    panel = costs[costs["ranks_per_node"] == ranks_per_node]
    nodes = sorted(costs["nodes"].unique())
    powers = [n for n in nodes if n.bit_count() == 1]
    log = axes.get_yscale() == "log"
    for curve, look in styles.items():
        rows = panel[panel["curve"] == curve].set_index("nodes").reindex(nodes)
        heights = rows[column].where(rows[column] > 0) if log else rows[column]
        draw_curve(axes, heights, look)
        cheaper = heights.where(rows[co.RELATIVE] < 1).dropna()
        if len(cheaper):
            axes.plot(cheaper.index, cheaper, **CHEAPER)
    title = f"{plural(ranks_per_node, 'rank')} per node"
    if column == NORMALISED:
        title += f"\n1 = {three_digits(float(panel['cost'].max()))} {panel['unit'].iloc[0]}"
    axes.set_title(title)
    if log:
        axes.xaxis.set_minor_locator(NullLocator())
        ticks = powers or nodes[:1]
    else:
        ticks = choose_ticks(powers, nodes, TICK_CM / axes_width_cm(axes))
    axes.set_xticks(ticks, [str(n) for n in ticks])


def draw_curve(axes: Axes, heights: "pd.Series[Any]", look: Mapping[str, Any]) -> None:
    """Draws a curve over the nodes. Its line breaks where there is no cost. Powers of two, and
    points without a neighbour on the line, have a marker."""
    alone = heights.shift(1).isna() & heights.shift(-1).isna()
    nodes = heights.index.tolist()
    marked = [n.bit_count() == 1 or alone[n] for n in nodes]
    axes.plot(nodes, heights, markevery=marked, **look)


def choose_ticks(powers: Sequence[int], nodes: Sequence[int], share: float) -> list[int]:
    """Returns the numbers of nodes that have a tick: the last of the powers of two, as many as have
    room for their labels. share: the part of the axis that each label needs."""
    apart = share * max(1, nodes[-1] - nodes[0])
    near = [place for place, (a, b) in enumerate(pairwise(powers), 1) if b - a < apart]
    return list(powers[max(near, default=0) :])


def write_caption(costs: pd.DataFrame, scale: str, first: str) -> str:
    model, size = costs["model"].iloc[0], int(costs["bytes"].iloc[0])
    text = f"Cost by the model {model}, with blocks of {exactly(size)}"
    if model == MODEL:
        text += (
            ": sum over the messages of all ranks of bytes times the distance between the "
            "nodes of sender and receiver, which are numbered along a line"
        )
    text += "."
    if scale == RELATIVE:
        text += f" Costs are divided by those of {first}."
    else:
        text += " Each panel is divided by its largest cost, which it names."
    text += " Marked: powers of two."
    if scale != LINEAR and costs[NORMALISED].eq(0).any():
        text += " Costs of 0 (no message leaves its node) are not on the logarithmic scale."
    return text + co.describe_gaps(costs)
