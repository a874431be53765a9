# SPDX-License-Identifier: BSD-3-Clause
"""The most that an algorithm absorbs at any delay, against the size (Marendic 2016, figure 6)."""

from argparse import Namespace

import pandas as pd
from matplotlib.axes import Axes

from agformats.errors import BadInput
from agformats.student import CONFIDENCE
from agreport.arrivals.absorption_table import DEFINITION
from agreport.arrivals.size_by import size_column, with_size
from agreport.data.load import Results
from agreport.figure.looks import draw_line, line_handles, lines
from agreport.figure.panels import choose_groups
from agreport.figure.scales import mark_cases
from agreport.figure.sheet import Sheet
from agreport.figure.words import launches
from agreport.stats.medians import BALANCED_CASE

ENDS = ["absorbed_n", "absorbed_n_low", "absorbed_n_high"]


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    """Draws the largest normalised absorption of each algorithm against the size, a panel for each
    combination of the other columns of BALANCED_CASE. found: what absorption_table returned."""
    size = size_column(options)
    keys = with_size(BALANCED_CASE, size)
    rows = largest(found, [*keys, "algorithm"])
    chosen = choose_groups(rows, [key for key in keys if key != size], options)
    look = lines(chosen.rows["algorithm"], results.catalogue)
    page, panels = chosen.panels(
        "Largest absorption of delays, by size",
        line_handles(look),
        write_caption(results, chosen.rows),
        "agreport absorption --x bytes",
    )
    for axes, group in panels:
        for name, style in look.items():
            line = group[group["algorithm"] == name].sort_values(size)
            draw_line(axes, line[size].astype(float), [line[end] for end in ENDS], style)
        label(axes, group[size].astype(float).unique().tolist(), size)
    return page


def largest(found: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Returns the arrival pattern of which most is absorbed, for each size and algorithm."""
    known = found.reset_index().dropna(subset="absorbed_n")
    if known.empty:
        raise BadInput("--x bytes: no case has both delays and a balanced run; legal: imbalance")
    return known.loc[known.groupby(keys, observed=True)["absorbed_n"].idxmax()]


def label(axes: Axes, sizes: list[float], size: str) -> None:
    axes.axhline(0, color="0.5", lw=0.8)
    axes.set_ylabel("largest absorption A / t(balanced)")
    mark_cases(axes, sorted(sizes), size)


def write_caption(results: Results, rows: pd.DataFrame) -> str:
    text = f"{DEFINITION}; over t(balanced), the largest of the arrival patterns of a size, of "
    text += f"{launches(results)}."
    if rows["absorbed_n_low"].notna().any():
        text += f" Bands: {100 * CONFIDENCE:.0f} % (bootstrap)."
    return text
