# SPDX-License-Identifier: BSD-3-Clause
"""Venn diagrams of the cases in which an algorithm is the fastest by min, avg and max time.

After figures 26, 27 and 30 of Loch (2021): one diagram a collective, mapping and distribution, and
with --united one for all mappings. In brackets the near-ties, in which it is not called the best.
"""

from math import cos, pi, sin

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle

from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import METRICS, PANEL, Results
from agreport.figure.scales import panel_sheet
from agreport.figure.sheet import SMALL_PT, Sheet, looks
from agreport.figure.words import NEAR_TIE, UNITED_TEXT, launches, panel_titles
from agreport.stats.contest import Contest

RADIUS, OUT = 1.0, 0.62  # of a circle; of its centre from the middle
ANGLES = dict(zip(METRICS, (150, 30, 270), strict=True))  # degrees


def regions(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Per panel and set of metrics: cases in which it is the fastest by these and no others.

    near_ties: those of them in which it is by none of these called the best; `cases`: all of the
    panel in which it is compared.
    """
    won, clear, compared = (
        verdicts[column].unstack("metric").fillna(False).astype(bool)
        for column in ("won", "clear", "compared")
    )
    rows = []
    for panel, cases in won.groupby(level=PANEL, observed=True):
        total = int(compared.loc[cases.index].any(axis=1).sum())
        for metrics in subsets():
            wanted = [metric in metrics for metric in METRICS]
            inside = cases[(cases[list(METRICS)] == wanted).all(axis=1)]
            near = ~clear.loc[inside.index, list(metrics)].any(axis=1)
            sums = {"fastest_in": len(inside), "near_ties": int(near.sum()), "cases": total}
            rows.append({**dict(zip(PANEL, panel, strict=True)), "by": "+".join(metrics), **sums})
    return pd.DataFrame(rows).set_index([*PANEL, "by"])


def subsets() -> list[tuple[str, ...]]:
    """Of the metrics, all but the empty one."""
    names = list(METRICS)
    return [
        tuple(name for place, name in enumerate(names) if bits >> place & 1)
        for bits in range(1, 1 << len(names))
    ]


def draw(results: Results, contest: Contest, counts: pd.DataFrame) -> Sheet:
    titles = panel_titles(counts)
    page, every = panel_sheet(
        list(titles.values()),
        f"Cases in which {contest.chosen} is the fastest by min, avg and max time",
        [],
        caption(results, contest),
    )
    colour = looks(results.catalogue)[contest.chosen].colour
    for axes, panel in zip(every, titles, strict=True):
        diagram(axes, pd.DataFrame(counts.xs(panel, level=PANEL)), colour)
    return page


def diagram(axes: Axes, counts: pd.DataFrame, colour: str) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-2.1, 2.1), ylim=(-1.85, 1.5))
    centres = {m: (OUT * cos(a * pi / 180), OUT * sin(a * pi / 180)) for m, a in ANGLES.items()}
    for metric, (x, y) in centres.items():
        axes.add_patch(
            Circle((x, y), RADIUS, facecolor=(*to_rgb(colour), 0.25), edgecolor="black", lw=0.8)
        )
        total = counts["fastest_in"][[metric in by.split("+") for by in counts.index]].sum()
        at = {"min": (-1.65, 1.3), "avg": (1.65, 1.3), "max": (1.2, -1.5)}[metric]
        axes.text(*at, f"{metric}: {total}", ha="center", weight="bold")
    for by, row in counts.iterrows():
        inside = str(by).split("+")
        x, y = (sum(centres[m][k] for m in inside) / len(inside) for k in (0, 1))
        # Alone further out, in pairs away from the third circle.
        factor = {1: 1.6, 2: 2.1, 3: 1.0}[len(inside)]
        text = str(row["fastest_in"]) + (f"\n({row['near_ties']})" if row["near_ties"] else "")
        axes.text(factor * x, factor * y, text, ha="center", va="center", size=SMALL_PT)
    any_metric, cases = int(counts["fastest_in"].sum()), int(counts["cases"].iloc[0])
    share = f" ({100 * any_metric / cases:.1f} %)" if cases else ""
    axes.text(0, -1.95, f"any: {any_metric} of {cases} cases{share}", ha="center", va="top")


def caption(results: Results, contest: Contest) -> str:
    text = (
        f"Where the {contest.statistic} of the smallest (min), average (avg) or largest (max) "
        f"elapsed time over the ranks, over all iterations of {launches(results)}, is strictly "
        f"smaller than that of {', '.join(contest.others)}. In brackets how many of these are "
        f"near-ties by every metric of the region: {NEAR_TIE}. Areas mean nothing."
    )
    return f"{text} {UNITED_TEXT}" if contest.united else text


REPORT = Report(
    "venn",
    __doc__,
    needs=(opt.CONTEST,),
    table=lambda results, options: regions(options.contest.all_verdicts(results)),
    draw=lambda results, counts, options: draw(results, options.contest, counts),
    on_page=(
        OnPage(
            "Fastest by min, avg and max",
            "Venn diagrams: cases in which {algorithm} is the fastest by min, avg and max",
        ),
    ),
)
