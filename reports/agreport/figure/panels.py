# SPDX-License-Identifier: BSD-3-Clause
"""Panels of lines on a sheet."""

from collections.abc import Sequence
from math import ceil
from typing import Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from agreport.figure.medium import medium
from agreport.figure.scales import BESIDE_CM
from agreport.figure.sheet import BESIDE_LABEL_CM, Sheet, sheet
from agreport.figure.text_size import TITLE_PT, wrapped

LEAST_PANEL_CM = 4.2
# How high panels of these widths are.
PANEL_CM, HEIGHT_CM = (4.2, 17 / 3, 8.5, 17.0), (4.7, 5.3, 6.5, 8.9)
HIGH_LINES, LOW_CM = 3, 4.4  # lines of panels that are high; more are low
# So many lines fit a page of 24 cm with title, legend and caption.
LINES_A_PAGE, PAIR_LINES_A_PAGE = 4, 3


def panel_sheet(
    titles: Sequence[str],
    head: str,
    legend: Sequence[Artist],
    caption: str,
    least_height_cm: float = 0.0,
) -> tuple[Sheet, list[Axes]]:
    """A panel a title: one alone is as wide as the figure, more are two or three a line, if these
    are wide enough."""
    across = at_most(panels_a_line(len(titles)))
    down = ceil(len(titles) / across)
    panel_cm = medium().width_cm / across
    height_cm = LOW_CM if down > HIGH_LINES else float(np.interp(panel_cm, PANEL_CM, HEIGHT_CM))
    page = sheet(head, down * max(least_height_cm, height_cm), legend, caption)
    every = page.body.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, title in zip(every, titles, strict=False):
        prepare(axes)
        axes.set_title(wrapped(title, panel_cm - BESIDE_LABEL_CM, TITLE_PT))
    for axes in every[len(titles) :]:
        axes.remove()
    return page, every[: len(titles)]


def panels_a_page() -> int:
    """So many of a panel_sheet fit a page."""
    long_caption = medium().narrow and not medium().bare
    return at_most(3) * (LINES_A_PAGE - long_caption)


def pairs_a_page() -> int:
    """So many of a pair_sheet do."""
    return max(1, PAIR_LINES_A_PAGE * at_most(2) // 2)


def panels_a_line(count: int) -> int:
    """Two rather than three where three would leave one alone and two do not."""
    if count <= 4:
        return min(count, 2)
    return 2 if count % 3 == 1 and count % 2 == 0 else 3


def pair_sheet(
    titles: Sequence[str],
    head: str,
    legend: Sequence[Artist],
    caption: str,
    line_cm: float = 6.2,
) -> tuple[Sheet, list[tuple[Axes, Axes]]]:
    """A line of two panels for each title; in a narrow figure the second is below the first."""
    across = at_most(2)
    down = len(titles) * 2 // across
    page = sheet(head, down * line_cm, legend, caption)
    every = page.body.subplots(down, across, squeeze=False).ravel().tolist()
    pairs = list(zip(every[::2], every[1::2], strict=True))
    for (left, right), title in zip(pairs, titles, strict=True):
        prepare(left)
        prepare(right)
        left.set_title(wrapped(title, page.width_cm - BESIDE_CM, TITLE_PT), loc="left")
    return page, pairs


def at_most(most: int) -> int:
    """So many panels a line, or those that are wide enough."""
    return max(1, min(most, int(medium().width_cm / LEAST_PANEL_CM)))


def prepare(axes: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    axes.tick_params(length=2, pad=2)
    axes.grid(axis=grid, color="0.9", lw=0.6)
    axes.set_axisbelow(True)
