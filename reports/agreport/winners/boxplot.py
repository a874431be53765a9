# SPDX-License-Identifier: BSD-3-Clause
"""Boxplot of the chosen algorithm's improvement over the second best, where it is the best.

After figures 25 and 32 of Loch (2021): one group a collective, mapping and distribution; in it
one box each for the smallest, average and largest elapsed time over the ranks.
"""

from argparse import Namespace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from agreport.data.load import ELAPSED, PANEL, Results
from agreport.figure.looks import looks
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import SMALL_PT, wrapped
from agreport.figure.words import (
    FORMULA,
    caption_of_cases,
    listed,
    near_tie,
    panel_titles,
    sample_of,
    shown,
)
from agreport.stats.contest import IMPROVEMENT, Contest

BESIDE_CM = 1.7  # above and below the boxes
LABEL_PART = 0.25  # a label has this part of the figure's width at most
BOX_CM, GAP_CM = 0.4, 0.25
# So much white is mixed into the algorithm's colour, from the first metric to the last.
TINTS = (0.75, 0.4, 0.0)


def draw(results: Results, verdicts: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    titles = panel_titles(verdicts)
    colour = np.array(to_rgb(looks(results.catalogue)[contest.chosen].colour))
    tints = {
        metric: tuple(colour + (1 - colour) * white)
        for metric, white in zip(ELAPSED, TINTS, strict=True)
    }
    group_cm = len(ELAPSED) * BOX_CM + GAP_CM
    height_cm = len(titles) * group_cm
    page = sheet(
        f"Improvement of {shown(contest.chosen)} over the second best algorithm "
        "where it is the fastest",
        height_cm + BESIDE_CM,
        [Patch(facecolor=tint, ec="black", lw=0.6, label=m) for m, tint in tints.items()],
        write_caption(results, contest),
    )
    axes = page.figure.subplots()
    groups = verdicts.groupby(level=[*PANEL, "metric"], observed=True)
    for group, panel in enumerate(titles):
        for place, (metric, tint) in enumerate(tints.items()):
            position = group * group_cm + GAP_CM / 2 + (place + 0.5) * BOX_CM
            draw_box(axes, position, groups.get_group((*panel, metric)), tint)
        if group:
            axes.axhline(group * group_cm, color="0.8", lw=0.6)
    axes.set_yticks(
        (np.arange(len(titles)) + 0.5) * group_cm,
        [wrapped(title, LABEL_PART * page.width_cm) for title in titles.values()],
    )
    axes.set_ylim(height_cm, 0)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    label = "improvement over the second best algorithm (%)"
    axes.set_xlabel(wrapped(label, 2 * LABEL_PART * page.width_cm))
    axes.text(
        1.02, 1.0, "best in +\nnear-ties", transform=axes.transAxes, va="bottom", weight="bold"
    )
    return page


def write_caption(results: Results, contest: Contest) -> str:
    text = (
        f"{', '.join(ELAPSED)}: of the elapsed time over the ranks, of which the "
        f"{contest.statistic} t {sample_of(results, contest.statistic)} is compared. Improvement: "
        f"{FORMULA} %, in the cases where {shown(contest.chosen)} is strictly the fastest; at the "
        "right, in how many of the cases compared: those in which it is called best, and near-ties "
        f"({near_tie(results)}). Others: {listed(contest.others)}. Box: quartiles and median; "
        "whiskers: to the last case within 1.5 box lengths; circles: cases beyond; diamond: "
        "mean."
    )
    return caption_of_cases(text, results, contest.united)


def draw_box(axes: Axes, position: float, cases: pd.DataFrame, tint: tuple[float, ...]) -> None:
    """Draws one box of the cases that the algorithm won, and writes beside the box how many of the
    compared cases these are. Without such cases there is no box."""
    won = cases.loc[cases["won"], IMPROVEMENT]
    clear = int(cases["clear"].sum())
    count = f"{clear} + {len(won) - clear} of {int(cases['compared'].sum())}"
    axes.text(
        1.02, position, count, transform=axes.get_yaxis_transform(), va="center", size=SMALL_PT
    )
    if won.empty:
        return
    axes.boxplot(
        [won.to_numpy()],
        positions=[position],
        widths=BOX_CM * 0.75,
        orientation="horizontal",
        manage_ticks=False,
        patch_artist=True,
        showmeans=True,
        boxprops={"facecolor": tint, "linewidth": 0.6},
        medianprops={"color": "black", "linewidth": 1.2},
        meanprops={"marker": "D", "markersize": 3, "mfc": "white", "mec": "black", "mew": 0.6},
        flierprops={"marker": "o", "markersize": 2, "mew": 0.4},
        whiskerprops={"linewidth": 0.6},
        capprops={"linewidth": 0.6},
    )
