# SPDX-License-Identifier: BSD-3-Clause
"""The figure of agreport steps: time across, ranks down, the steps coloured by what they take."""

from argparse import Namespace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from agformats.units import time_unit
from agreport.data.load import PAIR
from agreport.data.step_times import STEP
from agreport.diagnostics.step_spans import Found
from agreport.figure.groups import PANELS, choose_groups
from agreport.figure.panels import panel_sheet
from agreport.figure.scales import axes_width_cm, few_ticks
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM, SMALL_PT
from agreport.stats.inference import Floats

MOST_PANELS, MOST_RANKS = 12, 32
# Up to these many times the first quartile; the colours beyond them are of more.
LIMITS = (1.5, 2.0, 4.0)
COLOURS = ("#fee5d9", "#fcae91", "#fb6a4a", "#a50f15")  # ColorBrewer's Reds
WAITS, COPIES = "0.93", "0.6"
BAR, EDGE = 0.84, 0.25  # of a rank's line; points
RANK_CM, AROUND_CM = 0.36, 2.0


def draw(found: Found, options: Namespace) -> Sheet:
    chosen = choose_groups(found.steps, PAIR, MOST_PANELS, options, PANELS)
    groups = [with_most(group) for group in chosen.groups]
    ranks = max(group["rank"].nunique() for group in groups)
    page, panels = panel_sheet(
        chosen.titles,
        chosen.head("Where the time of a call goes"),
        legend(),
        write_caption(found) + chosen.describe_rest("agreport steps"),
        AROUND_CM + RANK_CM * ranks,
    )
    for axes, group in zip(panels, groups, strict=True):
        draw_ranks(axes, group)
    return page


def with_most(steps: pd.DataFrame) -> pd.DataFrame:
    """Of many ranks those with the slowest steps."""
    slowest = steps[steps["part"] == STEP].groupby("rank")["ratio"].max()
    if steps["rank"].nunique() <= MOST_RANKS:
        return steps
    return steps[steps["rank"].isin(slowest.nlargest(MOST_RANKS).index)]


def legend() -> list[Patch]:
    bounds = [f"to {limit:g}" for limit in LIMITS]
    labels = [f"step {bounds[0]} times the first quartile", *bounds[1:], f"over {LIMITS[-1]:g}"]
    colours = [*zip(labels, COLOURS, strict=True), ("waits for others to begin", WAITS),
               ("copies before and after", COPIES)]  # fmt: skip
    return [Patch(facecolor=fill, edgecolor="0.4", lw=0.4, label=text) for text, fill in colours]


def draw_ranks(axes: Axes, steps: pd.DataFrame) -> None:
    """Each rank's parts at the medians of their begins and ends."""
    us, unit = time_unit(float(steps["end_us"].max()))
    ranks = sorted(steps["rank"].unique())
    line = steps["rank"].map({rank: place for place, rank in enumerate(ranks)}).to_numpy(float)
    start, end = (steps[name].to_numpy(float) / us for name in ("start_us", "end_us"))
    is_step = steps["part"].eq(STEP).to_numpy()
    own = np.where(is_step, steps["own_us"].to_numpy(float) / us, end - start)
    ready = np.clip(end - own, start, end)
    ratios = steps["ratio"].fillna(0).to_numpy(float)
    places = np.searchsorted(LIMITS, ratios, side="left")
    colours = np.where(is_step, np.array(COLOURS)[places], COPIES).tolist()
    draw_bars(axes, line, start, ready, [WAITS] * len(steps))
    draw_bars(axes, line, ready, end, colours)
    first, last = min(0.0, float(start.min())), float(end.max()) or 1.0
    axes.set(xlim=(first, last * 1.01), ylim=(len(ranks) - 0.5, -0.5))
    every = -(-len(ranks) // 16)
    axes.set_yticks(range(0, len(ranks), every), [str(rank) for rank in ranks[::every]])
    axes.set_ylabel("rank")
    axes.set_xlabel(f"time after the first rank's arrival ({unit})")
    axes.xaxis.set_major_locator(few_ticks(axes, 8, steps=[1, 2, 5, 10]))
    axes.grid(visible=False)
    a_unit_pt = axes_width_cm(axes) * POINTS_A_CM / (last * 1.01 - first)
    for n, source in enumerate(steps["from"].astype(str)):
        text = f"\N{LEFTWARDS ARROW}{source}"
        room_pt = (end[n] - ready[n]) * a_unit_pt
        if is_step[n] and source.isdecimal() and room_pt > (len(text) + 1.5) * DIGIT_PT:
            axes.text(
                (ready[n] + end[n]) / 2, line[n], text, ha="center", va="center_baseline",
                fontsize=SMALL_PT - 1, color="white" if places[n] == len(LIMITS) else "black",
            )  # fmt: skip


def draw_bars(axes: Axes, line: Floats, left: Floats, right: Floats, colours: list[str]) -> None:
    """Those that have a length."""
    there = np.flatnonzero(right > left)
    boxes = [
        [(left[n], line[n] - BAR / 2), (right[n], line[n] - BAR / 2),
         (right[n], line[n] + BAR / 2), (left[n], line[n] + BAR / 2)]
        for n in there
    ]  # fmt: skip
    filled = [colours[n] for n in there]
    axes.add_collection(
        PolyCollection(boxes, facecolors=filled, edgecolors="0.35", linewidths=EDGE)
    )


def write_caption(found: Found) -> str:
    """What the colours are of."""
    calls = found.steps["calls"]
    counts = f"{calls.min()}" if calls.min() == calls.max() else f"{calls.min()} to {calls.max()}"
    text = (
        f"Medians of {counts} recorded calls. Coloured: from when the rank and those that it sends "
        "to and receives from have begun the step, over the first quartile of steps that move as "
        "many bytes in the same case; \N{LEFTWARDS ARROW}n: what is received comes from rank n. A "
        "slow link is dark at both ends."
    )
    if found.steps["rank"].nunique() > MOST_RANKS:
        text += f" Of more than {MOST_RANKS} ranks those with the slowest steps are drawn."
    return text
