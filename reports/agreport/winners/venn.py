# SPDX-License-Identifier: BSD-3-Clause
"""Venn diagrams of the cases in which an algorithm is the fastest by min, avg and max time.

After figures 26, 27 and 30 of Loch (2021): one diagram a collective, mapping and distribution, and
with --united one for all mappings. In brackets the near-ties, in which it is not called the best.
"""

from argparse import Namespace
from collections.abc import Sequence
from itertools import combinations
from math import cos, pi, sin

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle

from agreport.data.load import ELAPSED, PANEL, Results
from agreport.figure.looks import looks
from agreport.figure.panels import panel_sheet
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import SMALL_PT
from agreport.figure.words import (
    caption_of_cases,
    listed,
    near_tie,
    panel_titles,
    sample_of,
    shown,
)
from agreport.stats.contest import Contest

HEIGHT_CM = 5.3  # of a diagram: in lower ones numbers overlap
RADIUS, OUT = 1.0, 0.62  # of a circle; from the diagram's middle to its centre
SUBSETS = ["+".join(some) for count in (1, 2, 3) for some in combinations(ELAPSED, count)]
EDGE = 1.75  # where labels begin and end
ANGLES = dict(zip(ELAPSED, (150, 30, 270), strict=True))  # degrees


def regions(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Counts per panel and set of metrics the cases in which the algorithm is the fastest by these
    metrics and by no others (fastest_in).

    near_ties: those of them in which the algorithm is called the best by none of these metrics;
    `cases`: all of the panel in which the algorithm is compared.
    """
    won, clear, compared = (
        verdicts[column].unstack("metric").fillna(False).astype(bool)[list(ELAPSED)]
        for column in ("won", "clear", "compared")
    )
    cases = pd.DataFrame(
        {
            "by": ["+".join(won.columns[inside]) for inside in won.to_numpy()],
            "near_ties": ~clear.any(axis=1),  # a case is clear only where it is won
            "compared": compared.any(axis=1),
        },
        won.index,
    )
    rows = []
    for panel, part in cases.groupby(level=PANEL, observed=True):
        for metrics in SUBSETS:
            near = part.loc[part["by"] == metrics, "near_ties"]
            sums = {"fastest_in": len(near), "near_ties": int(near.sum())}
            named = {**dict(zip(PANEL, panel, strict=True)), "by": metrics}
            rows.append({**named, **sums, "cases": int(part["compared"].sum())})
    return pd.DataFrame(rows).set_index([*PANEL, "by"])


def draw(results: Results, counts: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    titles = panel_titles(counts)
    page, every = panel_sheet(
        list(titles.values()),
        f"Cases in which {shown(contest.chosen)} is the fastest by min, avg and max time",
        [],
        write_caption(results, contest, bool(counts["near_ties"].any())),
        least_height_cm=HEIGHT_CM,
    )
    colour = looks(results.catalogue)[contest.chosen].colour
    for axes, panel in zip(every, titles, strict=True):
        diagram(axes, pd.DataFrame(counts.xs(panel, level=PANEL)), colour)
    return page


def diagram(axes: Axes, counts: pd.DataFrame, colour: str) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-EDGE, EDGE), ylim=(-1.85, 1.6))
    centres = {m: (OUT * cos(a * pi / 180), OUT * sin(a * pi / 180)) for m, a in ANGLES.items()}
    for metric, (x, y) in centres.items():
        axes.add_patch(
            Circle((x, y), RADIUS, facecolor=(*to_rgb(colour), 0.25), edgecolor="black", lw=0.8)
        )
        total = counts["fastest_in"][[metric in by.split("+") for by in counts.index]].sum()
        left = metric == "min"
        at = (-EDGE if left else EDGE, -1.7 if metric == "max" else 1.4)
        axes.text(*at, f"{metric}: {total}", ha="left" if left else "right", weight="bold")
    for by, row in counts.iterrows():
        x, y = middle_of([centres[metric] for metric in str(by).split("+")])
        text = str(row["fastest_in"]) + (f"\n({row['near_ties']})" if row["near_ties"] else "")
        axes.text(x, y, text, ha="center", va="center", size=SMALL_PT)
    any_metric, cases = int(counts["fastest_in"].sum()), int(counts["cases"].iloc[0])
    share = f" ({100 * any_metric / cases:.1f} %)" if cases else ""
    axes.text(0, -1.95, f"any: {any_metric} of {cases}{share}", ha="center", va="top")


def middle_of(circles: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Returns the middle of the region that only the circles with these centres have in common."""
    x, y = (sum(parts) / len(circles) for parts in zip(*circles, strict=True))
    # A circle's own region is further out, that of a pair is away from the third circle.
    factor = {1: 1.6, 2: 2.4, 3: 1.0}[len(circles)]
    return factor * x, factor * y


def write_caption(results: Results, contest: Contest, near: bool) -> str:
    brackets = (
        " In brackets how many of these are near-ties by every metric of the region: "
        f"{near_tie(results)}."
    )
    text = (
        f"Where the {contest.statistic} of the smallest (min), average (avg) or largest (max) "
        f"elapsed time over the ranks, {sample_of(results, contest.statistic)}, is strictly "
        f"smaller than that of {listed(contest.others)}.{brackets if near else ''} Areas mean "
        "nothing."
    )
    return caption_of_cases(text, results, contest.united)
