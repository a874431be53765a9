# SPDX-License-Identifier: BSD-3-Clause
"""How many experiments each algorithm wins, by delay and by size (Proficz 2021, figure 6)."""

from argparse import Namespace
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from agformats.student import CONFIDENCE
from agreport.arrivals.experiments import what_delay, with_balanced
from agreport.data.load import PANEL, Results
from agreport.figure.groups import LINES, Groups, choose_groups
from agreport.figure.looks import Look, looks
from agreport.figure.panels import pair_sheet, pairs_a_page
from agreport.figure.scales import AXIS_NAMES, axes_width_cm
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.words import launches, size_label

LINE = [*[column for column in PANEL if column != "arrival"], "family"]


def draw(results: Results, found: pd.DataFrame, options: Namespace, size: str = "bytes") -> Sheet:
    """A line of two panels for each pattern."""
    rows = with_balanced(found)
    won = rows[rows["fastest"]]
    chosen = choose_groups(won, LINE, pairs_a_page(), options, LINES)
    names = set(won["algorithm"].astype(str))
    look = {name: one for name, one in looks(results.catalogue).items() if name in names}
    hollow = Patch(facecolor="white", edgecolor="0.4", label="hollow: not surely")
    page, pairs = pair_sheet(
        chosen.titles,
        chosen.head("Experiments won by each algorithm"),
        [*(one.patch(name) for name, one in look.items()), hollow],
        write_caption(results, chosen),
    )
    for (left, right), group in zip(pairs, chosen.groups, strict=True):
        stack(left, group.sort_values("delay_us"), "size", look)
        left.set_xlabel(what_delay(group))
        stack(right, group.sort_values(size), size, look)
        right.set_xlabel(AXIS_NAMES[size])
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
            bars = axes.bar(
                there,
                counts[there],
                bottom=bottom[there],
                facecolor=one.colour if sure else "white",
                hatch=one.hatch,
                edgecolor="white" if sure else one.colour,
                lw=0.4 if sure else 2.4,
                width=0.75,
            )
            if not sure:  # its edge is inside, where no neighbour hides it
                for bar in bars:
                    bar.set_clip_path(bar.get_path(), bar.get_transform())
            bottom += counts
    labels = [*map(delay_label if column == "size" else size_label, values)]
    room_pt = axes_width_cm(axes) * POINTS_A_CM
    wide = max(map(len, labels)) * DIGIT_PT * len(labels) * 1.2 > room_pt
    axes.set_xticks(range(len(values)), labels, rotation=90 if wide else 0)
    axes.set_ylim(0, 1.05 * bottom.max())
    axes.set_ylabel("experiments")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.grid(visible=False, axis="x")


def delay_label(spelled: str) -> str:
    """100us -> 100 and its unit, as axes of times have them."""
    number = spelled.rstrip("tums")
    unit = spelled[len(number) :].replace("us", "\N{MICRO SIGN}s")
    return f"{number} {unit}".rstrip()


def write_caption(results: Results, chosen: Groups) -> str:
    text = (
        "An experiment is one case; the algorithm with the smallest mean average elapsed time over "
        f"the iterations of {launches(results)} wins it. Hollow: not surely, the "
        f"{100 * CONFIDENCE:.0f} % interval of the second's time over the winner's has 1 in it, or "
        "there are too few iterations. Cases without delays count for every pattern."
    )
    return text + chosen.describe_rest("agreport arrival --wins")
