# SPDX-License-Identifier: BSD-3-Clause
"""Panels of lines on a sheet, and values that are far beyond all others in them."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.errors import BadInput
from agreport.data.filters import FILTERS
from agreport.figure.medium import medium
from agreport.figure.scales import BESIDE_CM
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import TITLE_PT, wrapped
from agreport.figure.words import plural, titles

LEAST_PANEL_CM = 4.2
# Panels of these widths have these heights.
PANEL_CM, HEIGHT_CM = (4.2, 17 / 3, 8.5, 17.0), (4.7, 5.3, 6.5, 8.9)
HIGH_LINES, LOW_CM = 3, 4.4  # lines of panels that are high; more are low
# A page of 24 cm has room for so many lines, with title, legend and caption.
LINES_A_PAGE, PAIR_LINES_A_PAGE = 4, 3
Apart = Callable[[pd.DataFrame], float]  # how far apart the algorithms of a group are
# A value is far if it is over FAR times the highest of the lowest 95 % of each group.
NEARLY_ALL, FAR = 0.95, 2.0
TRIANGLE = "^"
PANELS, LINES = ("panel", "panels"), ("line of panels", "lines of panels")
FARTHEST = (
    ", by how many times as long the slowest algorithm takes as the fastest (median of a panel)"
)


def panel_sheet(
    titles: Sequence[str],
    head: str,
    legend: Sequence[Artist],
    caption: str,
    least_height_cm: float = 0.0,
) -> tuple[Sheet, list[Axes]]:
    """Returns a sheet with one panel for each title, and the axes of the panels. One alone is as
    wide as the figure; more are two or three a line, if these are wide enough."""
    across = at_most(panels_a_line(len(titles)))
    down = ceil(len(titles) / across)
    panel_cm = medium().width_cm / across
    height_cm = LOW_CM if down > HIGH_LINES else float(np.interp(panel_cm, PANEL_CM, HEIGHT_CM))
    page = sheet(head, down * max(least_height_cm, height_cm), legend, caption)
    every = page.figure.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, title in zip(every, titles, strict=False):
        prepare(axes)
        axes.set_title(title)
    for axes in every[len(titles) :]:
        axes.remove()
    return page, every[: len(titles)]


def panels_a_page() -> int:
    """Returns how many panels of a panel_sheet fit a page."""
    long_caption = medium().narrow and not medium().bare
    return at_most(3) * (LINES_A_PAGE - long_caption)


def pairs_a_page() -> int:
    """Returns how many pairs of a pair_sheet fit a page."""
    return max(1, PAIR_LINES_A_PAGE * at_most(2) // 2)


def panels_a_line(count: int) -> int:
    """Returns how many panels a line has, of `count` in all: up to two for at most four panels,
    else three. They are two rather than three where three would leave one alone and two do not."""
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
    """Returns a sheet with a line of two panels for each title, and the axes of each pair. In a
    narrow figure the second panel of a pair is below the first."""
    across = at_most(2)
    down = len(titles) * 2 // across
    page = sheet(head, down * line_cm, legend, caption)
    every = page.figure.subplots(down, across, squeeze=False).ravel().tolist()
    pairs = list(zip(every[::2], every[1::2], strict=True))
    for (left, right), title in zip(pairs, titles, strict=True):
        prepare(left)
        prepare(right)
        left.set_title(wrapped(title, page.width_cm - BESIDE_CM, TITLE_PT), loc="left")
    return page, pairs


def at_most(most: int) -> int:
    """Returns how many panels a line has: `most`, or as many as are wide enough."""
    return max(1, min(most, int(medium().width_cm / LEAST_PANEL_CM)))


def prepare(axes: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    axes.tick_params(length=2, pad=2)
    axes.grid(axis=grid, color="0.9", lw=0.6)
    axes.set_axisbelow(True)


def highest_drawn(values: "pd.Series[float]", group: "pd.Series[str]") -> float:
    """Returns the highest value; if that is far beyond nearly all of each group, the highest value
    that is not.

    values, group: by the same index.
    """
    limit = FAR * float(values.groupby(group).quantile(NEARLY_ALL).max())
    near = values[values <= limit]
    return float(near.max() if len(near) else values.max())


def mark_beyond(axes: Axes, across: Sequence[float], colour: str) -> None:
    """Draws triangles at the upper end of the axes, for values beyond it. across: where these are
    on the horizontal axis."""
    if len(across):  # nothing would still take room
        (line,) = axes.plot(across, np.ones(len(across)), TRIANGLE, color=colour, ms=3, mew=0)
        line.set(transform=axes.get_xaxis_transform(), clip_on=False)


def beyond_handle() -> Line2D:
    """Returns the entry of a legend for the triangles of mark_beyond."""
    return Line2D([], [], color="0.3", marker=TRIANGLE, ls="", ms=4, label="beyond the axis")


@dataclass(frozen=True)
class Groups:
    """The groups of rows that a figure draws, each in its own panel or panels.

    common: what all groups have in common. titles: of each group, the rest. start: the number of
    the first group that is drawn. of: how many groups there are. what: what one of them is called,
    and what several are. order: the end of a sentence that says by what the groups are numbered;
    empty: by their places in the catalogue's order.
    """

    groups: list[pd.DataFrame]
    common: str
    titles: list[str]
    start: int
    of: int
    what: tuple[str, str]
    order: str

    @property
    def rows(self) -> pd.DataFrame:
        return pd.concat(self.groups)

    def panels(
        self,
        head: str,
        legend: Sequence[Artist],
        caption: str,
        command: str,
        least_height_cm: float = 0.0,
    ) -> tuple[Sheet, list[tuple[Axes, pd.DataFrame]]]:
        """Returns a panel_sheet, and for each group its axes and its rows. command: the command
        that draws what is left out."""
        text = caption + self.describe_rest(command)
        page, every = panel_sheet(self.titles, self.head(head), legend, text, least_height_cm)
        return page, list(zip(every, self.groups, strict=True))

    def pairs(
        self, head: str, legend: Sequence[Artist], caption: str, command: str
    ) -> tuple[Sheet, list[tuple[tuple[Axes, Axes], pd.DataFrame]]]:
        """Returns the same as `panels`, with a pair_sheet and two axes for each group."""
        text = caption + self.describe_rest(command)
        page, every = pair_sheet(self.titles, self.head(head), legend, text)
        return page, list(zip(every, self.groups, strict=True))

    def head(self, what: str) -> str:
        return "\n".join(filter(None, [what, self.common]))

    def describe_rest(self, command: str) -> str:
        """Returns the end of a caption: which groups are drawn, and the command that draws the
        others. It is empty if all groups are drawn."""
        if len(self.groups) == self.of:
            return ""
        last = self.start + len(self.groups) - 1
        text = f" Drawn: {self.start} to {last} of {plural(self.of, *self.what)}"
        text += self.order
        after = last + 1 if last < self.of else 1
        return f"{text}; `{command} --from {after}` draws {'more' if after > 1 else 'the first'}."


def times_apart(value: str, x: str) -> Apart:
    """Returns, for each group, how many times the lowest value of all algorithms the highest one
    is, in the median over x; 0 without values."""

    def of_group(rows: pd.DataFrame) -> float:
        positive = rows[value].where(rows[value] > 0)
        ends = positive.groupby(rows[x], observed=True).agg(["min", "max"])
        apart = (ends["max"] / ends["min"]).dropna()
        return float(apart.median()) if len(apart) else 0.0

    return of_group


def choose_groups(
    rows: pd.DataFrame,
    keys: Sequence[str],
    options: Namespace,
    apart: Apart | None = None,
    what: tuple[str, str] = PANELS,
    most: int | None = None,
    order: str = FARTHEST,
) -> Groups:
    """Returns the groups that are drawn, of one for each combination of keys, from the number
    options.start on. There are at most options.first of them; if that is None, at most `most`, or
    as many as fit a page. apart: a group's number is its place among all by this, the largest
    first, which the caption says in the words of `order`; None: its place in the catalogue's order.
    Those that are drawn are in the catalogue's order. Raises BadInput if options.start is beyond
    the last."""
    a_page = most or (panels_a_page() if what == PANELS else pairs_a_page())
    every = list(rows.groupby(list(keys), observed=True))
    start = options.start
    if start > len(every):
        raise BadInput(f"--from: '{start}' is beyond the last; legal: 1 to {len(every)}")
    numbered = list(range(len(every)))
    if apart:
        far = [apart(group) for _, group in every]
        numbered.sort(key=lambda place: -far[place])
    places = sorted(numbered[start - 1 : start - 1 + (options.first or a_page)])
    drawn = [every[place] for place in places]
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=list(keys)))
    groups = [group for _, group in drawn]
    return Groups(groups, common, rest, start, len(every), what, order if apart else "")


def check_count(count: int, most: int, what: str) -> None:
    """Raises BadInput if a figure without --from would have too many of something."""
    if count > most:
        raise BadInput(
            f"the figure would have {count} {what}, and {most} are the most; choose fewer "
            f"cases with {', '.join(f'--{name}' for name in FILTERS)}"
        )
