# SPDX-License-Identifier: BSD-3-Clause
"""How many experiments each algorithm wins, by delay and by block size (Proficz 2021, figure 6)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from agreport.arrivals.experiments import what_delay, with_balanced
from agreport.cli import options as opt
from agreport.data.load import Results
from agreport.figure.scales import BESIDE_CM, pair_sheet
from agreport.figure.sheet import DIGIT_PT, POINTS_A_CM, WIDTH_CM, Look, Sheet, looks
from agreport.figure.words import launches, plural, size_label, titles
from agreport.stats.inference import CONFIDENCE

LINE = ["collective", "mapping", "distribution", "family"]
MOST_LINES = 12
WIDE_CM = WIDTH_CM / 2 - BESIDE_CM


def draw(results: Results, found: pd.DataFrame, first_lines: int | None = None) -> Sheet:
    """A line of two panels for each pattern; first_lines: so many, instead of refusing."""
    rows = with_balanced(found)
    won = rows[rows["fastest"]]
    groups = list(won.groupby(LINE, observed=True))
    drawn = opt.limited(groups, MOST_LINES, first_lines, "lines of panels")
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=LINE))
    names = set(won["algorithm"].astype(str))
    look = {name: one for name, one in looks(results.catalogue).items() if name in names}
    page, pairs = pair_sheet(
        rest,
        "\n".join(filter(None, ["Experiments won by each algorithm", common])),
        [one.patch(name) for name, one in look.items()],
        caption(results, rows, len(groups) - len(drawn)),
    )
    for (left, right), (_, group) in zip(pairs, drawn, strict=True):
        stack(left, group.sort_values("delay_us"), "size", look)
        left.set_xlabel(what_delay(group))
        stack(right, group.sort_values("bytes"), "bytes", look)
        right.set_xlabel("block size (bytes)")
    return page


def stack(axes: Axes, won: pd.DataFrame, column: str, look: Mapping[str, Look]) -> None:
    """One bar a value, one part of it an algorithm: sure wins filled, below hollow ones."""
    values = won[column].unique().tolist()
    bottom = np.zeros(len(values))
    for name, one in look.items():
        for sure in (True, False):
            part = won[(won["algorithm"] == name) & (won["lead_sure"] == sure)]
            counts = part[column].value_counts().reindex(values, fill_value=0).to_numpy()
            there = np.flatnonzero(counts)
            axes.bar(
                there,
                counts[there],
                bottom=bottom[there],
                facecolor=one.colour if sure else "white",
                hatch=one.hatch,
                edgecolor="white" if sure else one.colour,
                lw=0.4 if sure else 1,
                width=0.75,
            )
            bottom += counts
    labels = bar_labels(won, column)
    axes.set_xticks(range(len(values)), labels, rotation=90 if are_upright(labels) else 0)
    axes.set_ylim(0, 1.05 * bottom.max())
    axes.set_ylabel("experiments")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.grid(visible=False, axis="x")


def bar_labels(won: pd.DataFrame, column: str) -> list[str]:
    values = won[column].unique().tolist()
    return [size_label(value) if column == "bytes" else value for value in values]


def are_upright(labels: list[str]) -> bool:
    """Whether they are too wide to stand side by side."""
    return max(map(len, labels)) * DIGIT_PT * len(labels) * 1.2 > WIDE_CM * POINTS_A_CM


def caption(results: Results, rows: pd.DataFrame, left_out: int) -> str:
    text = (
        "An experiment is one case; the algorithm with the smallest mean average elapsed time over "
        f"the iterations of {launches(results)} wins it. Hollow: not surely, the "
        f"{100 * CONFIDENCE:.0f} % interval of the second's time over the winner's has 1 in it, or "
        "there are too few iterations. Cases without delays count for every pattern."
    )
    if left_out > 0:
        text += f" {plural(left_out, 'pattern', 'patterns')} more: agreport arrival --wins."
    return text
