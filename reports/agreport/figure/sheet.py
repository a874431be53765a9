# SPDX-License-Identifier: BSD-3-Clause
"""The sheet every figure is drawn on: one width, one font, one colour for each algorithm."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from matplotlib.transforms import Bbox

from agformats.errors import BadInput
from agreport.data.load import PANEL

ENDINGS = (".png", ".svg", ".pdf")
CM = 1 / 2.54  # in inches
# The text width of a page. Figures are drawn at it, so a font size here is one on paper.
WIDTH_CM = 17.0
SMALL_PT = 7.0
DIGIT_PT = 0.64 * SMALL_PT  # the width of the font's digits
POINTS_A_CM = 72 * CM
HIGHEST_CM = 800.0  # higher ones pass the 2^16 pixels that a PNG may have
LINE_CM = 0.36
PAD_CM = 0.2  # around axes that matplotlib places
CHARACTERS_A_LINE = 116
# Okabe and Ito (2008) without black, and Tol's (2021) indigo: far apart for the common kinds of
# colour blindness, and far from every grey, which the heat map needs for itself.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#D55E00", "#F0E442", "#332288"),
)
MARKERS = "os^Dv"  # of lines, from the ninth, seventeenth, ... algorithm on another one
STYLES = ("-", (0, (3, 1)), (0, (1, 1)))  # of lines with one colour
# From the ninth algorithm on the colours come again, with one of these; then twice as dense.
HATCHES = ("////", "....", "----", "++++", "\\\\\\\\", "oooo")

# matplotlib's settings while a report is drawn and written.
STYLE = {
    "font.size": SMALL_PT,
    "axes.titlesize": SMALL_PT + 1,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "savefig.dpi": 200,
    "svg.hashsalt": "agreport",  # the same data gives the same file
}


@dataclass(frozen=True)
class Look:
    """How an algorithm looks in every figure."""

    colour: str
    hatch: str
    marker: str

    def patch(self, label: str) -> Patch:
        return Patch(facecolor=self.colour, hatch=self.hatch, edgecolor="white", label=label)


def looks(catalogue: Sequence[str]) -> dict[str, Look]:
    """By position in the catalogue, so that neither filters nor figures change a colour."""
    return {name: look(position) for position, name in enumerate(catalogue)}


def look(position: int) -> Look:
    repeat, colour = divmod(position, len(COLOURS))
    marker = MARKERS[repeat % len(MARKERS)]
    if repeat == 0:
        return Look(COLOURS[colour], "", marker)
    density, hatch = divmod(repeat - 1, len(HATCHES))
    return Look(COLOURS[colour], HATCHES[hatch] * (density + 1), marker)


def lines(shown: Sequence[str], catalogue: Sequence[str]) -> dict[str, dict[str, Any]]:
    """How the algorithms of one figure are drawn as lines: of two with one colour, the second is
    dashed."""
    look = looks(catalogue)
    styles: dict[str, dict[str, Any]] = {}
    for name in sorted(shown, key=list(look).index):
        colour = look[name].colour
        before = sum(style["color"] == colour for style in styles.values())
        styles[name] = {
            "color": colour,
            "marker": look[name].marker,
            "linestyle": STYLES[before % len(STYLES)],
            "lw": 1,
            "ms": 3.5,
            "mec": "white",
            "mew": 0.3,
        }
    return styles


@dataclass(frozen=True)
class Sheet:
    """A figure with its title above `body`, its legend and caption below."""

    figure: Figure
    body: SubFigure
    body_cm: float

    def axes(self, left_cm: float, top_cm: float, width_cm: float, height_cm: float) -> Axes:
        """Axes in the body, placed from its upper left corner."""
        bottom_cm = self.body_cm - top_cm - height_cm
        x, width = left_cm / WIDTH_CM, width_cm / WIDTH_CM
        y, height = bottom_cm / self.body_cm, height_cm / self.body_cm
        return self.body.add_axes((x, y, width, height))

    def settle(self) -> None:
        """Places everything as the layout wants it, but rounded: the last digits of its solver
        differ from run to run, and the same results should give the same file."""
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")
        for part in self.figure.subfigs:
            box = part.bbox_relative
            box.set(Bbox.from_extents(*np.round(box.extents, 6)))
        for axes in self.figure.axes:
            axes.set_position(np.round(axes.get_position().bounds, 4).tolist())

    def write(self, path: Path) -> None:
        self.settle()
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        self.figure.savefig(path, metadata=undated.get(path.suffix.lower()))

    def png(self) -> bytes:
        self.settle()
        buffer = BytesIO()
        self.figure.savefig(buffer, format="png")
        return buffer.getvalue()


def sheet(title: str, body_cm: float, legend: Sequence[Artist], caption: str) -> Sheet:
    """An empty body of the given height; title, legend and caption take the lines they need."""
    labels = [str(artist.get_label()) for artist in legend]
    columns = legend_columns(labels)
    title_lines = [
        line for part in title.split("\n") for line in wrap(part, CHARACTERS_A_LINE * 3 // 4)
    ]
    caption_lines = wrap(caption, CHARACTERS_A_LINE, break_on_hyphens=False)
    head_cm = (len(title_lines) + 0.6) * LINE_CM * 1.3
    legend_cm = (ceil(len(labels) / columns) + 0.8) * LINE_CM * 1.2
    foot_cm = legend_cm + (len(caption_lines) + 0.8) * LINE_CM
    heights = [head_cm, body_cm, foot_cm]
    if sum(heights) > HIGHEST_CM:
        raise BadInput(
            f"the figure would be {sum(heights) / 100:.1f} m high; choose fewer cases with "
            f"{', '.join(f'--{column}' for column in PANEL)}"
        )
    pads = ConstrainedLayoutEngine(w_pad=PAD_CM * CM, h_pad=PAD_CM * CM, hspace=0, wspace=0.01)
    figure = Figure(figsize=(WIDTH_CM * CM, sum(heights) * CM), layout=pads)
    head, body, foot = figure.subfigures(3, 1, height_ratios=heights, hspace=0)
    head.text(0.5, 0.5, "\n".join(title_lines), ha="center", va="center", size=SMALL_PT + 2)
    if legend:
        foot.legend(handles=legend, loc="upper center", ncols=columns, frameon=False)
    top = 1 - legend_cm / foot_cm
    foot.text(0.02, top, "\n".join(caption_lines), va="top", linespacing=1.25)
    return Sheet(figure, body, body_cm)


def legend_columns(labels: Sequence[str]) -> int:
    """As many as fit a line; a column is as wide as its longest label and a patch."""
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(labels, columns)
        if sum(max(map(len, part)) + 8 for part in parts) <= CHARACTERS_A_LINE:
            return columns
    return 1
