# SPDX-License-Identifier: BSD-3-Clause
"""The sheet every figure is drawn on: as wide as asked, in one font."""

import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import Bbox

from agformats.errors import BadInput, printable
from agformats.files.outputs import replacing
from agreport.data.load import PANEL
from agreport.figure.latex import commands_in, paragraph
from agreport.figure.medium import medium
from agreport.figure.text_size import (
    CM,
    HEAD_PT,
    LINE_CM,
    POINTS_A_CM,
    SMALL_PT,
    TITLE_PT,
    text_cm,
    wrapped,
)

ENDINGS = (".png", ".svg", ".pdf")
HIGHEST_CM = 800.0  # higher ones pass the 2^16 pixels that a PNG may have
CAPTION_PART = 0.02  # of the width, at the left and at the right of it
BESIDE_LABEL_CM = 1.2  # labels and titles are in the middle of the axes, not of the panel
EDGE_CM = 0.1  # of a figure without title and caption
PAD_CM = 0.2  # around axes that matplotlib places
# These are distances in matplotlib's legends: beside a label its mark, between columns, and at both
# ends of a line.
MARK_CM, BETWEEN_CM, ENDS_CM = (em * SMALL_PT / POINTS_A_CM for em in (2.8, 2.0, 1.8))

# matplotlib's settings while a report is drawn and written.
STYLE = {
    "font.size": SMALL_PT,
    "axes.titlesize": TITLE_PT,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,  # TrueType: publishers refuse matplotlib's Type 3
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text is text, to be found and copied
    "svg.hashsalt": "agreport",  # the same data gives the same file
}
POINT = 4.0  # half the width of the box around a point of a line


@dataclass(frozen=True)
class Tooltip:
    """Shows a text at the pointer in a browser, for a cell or a point: it is the title of a clear
    box on top of an SVG figure. The corners are in data coordinates of the axes."""

    axes: Axes
    corners: tuple[tuple[float, float], tuple[float, float]]
    text: str


@dataclass(frozen=True)
class Sheet:
    """A figure with its title above `body`, its legend and caption below; beside: title and caption
    go elsewhere: of a file into one of LaTeX beside it. Commands in a caption are in backticks."""

    figure: Figure
    body: SubFigure
    width_cm: float
    body_cm: float
    title: str
    caption: str
    beside: bool
    tooltips: list[Tooltip] = field(default_factory=list)  # of what is drawn, for browsers

    def axes(self, left_cm: float, top_cm: float, width_cm: float, height_cm: float) -> Axes:
        """Axes in the body, placed from its upper left corner."""
        bottom_cm = self.body_cm - top_cm - height_cm
        x, width = left_cm / self.width_cm, width_cm / self.width_cm
        y, height = bottom_cm / self.body_cm, height_cm / self.body_cm
        return self.body.add_axes((x, y, width, height))

    def settle(self) -> None:
        """Places everything as the layout wants it, but rounded: the last digits of its solver
        differ from run to run, and the same results should give the same file."""
        for axes in self.figure.axes:
            if place := axes.get_subplotspec():
                panels = place.get_gridspec().ncols / len(place.colspan)
                room_cm = self.width_cm / panels - BESIDE_LABEL_CM
                axes.set_xlabel(wrapped(axes.get_xlabel(), room_cm))
        # A figure that has a layout is drawn once more when it is saved, for nothing.
        pads = ConstrainedLayoutEngine(w_pad=PAD_CM * CM, h_pad=PAD_CM * CM, hspace=0, wspace=0.01)
        pads.execute(self.figure)
        for part in self.figure.subfigs:
            box = part.bbox_relative
            box.set(Bbox.from_extents(*np.round(box.extents, 6)))
        for axes in self.figure.axes:
            axes.set_position(np.round(axes.get_position().bounds, 4).tolist())

    def write(self, path: Path) -> None:
        self.settle()
        undated = {".pdf": {"CreationDate": None}}
        ending = path.suffix.lower()
        with ExitStack() as files:
            if self.beside:
                text = path.with_name(f"{path.name}.tex")
                files.enter_context(replacing(text)).write(
                    f"{paragraph(self.title, self.caption)}\n"
                )
            file = files.enter_context(replacing(path, "wb"))
            if ending == ".svg":
                file.write(self.svg_text(self.title).encode())
            else:
                self.figure.savefig(file, format=ending[1:], metadata=undated.get(ending))
        if self.beside:
            print(f"agreport: title and caption of {path}: {text}", file=sys.stderr)
            for command in commands_in(self.caption):
                print(f"agreport: {path}: {plain(command)}", file=sys.stderr)

    def svg_text(self, title: str) -> str:
        """Takes out control characters, which XML does not have: names from files may. title: what
        those hear who do not see it."""
        buffer = StringIO()
        self.figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": title})
        return printable(buffer.getvalue()).replace("<svg ", '<svg role="img" ', 1)

    def svg(self, title: str) -> str:
        """An element for a page, with tooltips."""
        self.settle()
        text = self.svg_text(title)
        text = re.sub(r"<metadata>.*</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
        boxes = "".join(map(box, self.tooltips))
        return text.replace("</svg>", f'<g fill="transparent">{boxes}</g></svg>')


def sheet(title: str, body_cm: float, legend: Sequence[Artist], caption: str) -> Sheet:
    """An empty body of the given height; title, legend and caption take the lines they need."""
    width_cm, bare = medium().width_cm, medium().bare
    lines_cm = width_cm * (1 - 2 * CAPTION_PART)
    title_lines = [
        line for part in title.split("\n") for line in wrapped(part, lines_cm, HEAD_PT).split("\n")
    ]
    caption_lines = wrapped(plain(caption), lines_cm).split("\n")
    label_all(legend, width_cm)
    columns, legend_lines = legend_columns([str(one.get_label()) for one in legend], width_cm)
    head_cm = EDGE_CM if bare else (len(title_lines) + 0.6) * LINE_CM * 1.3
    legend_cm = (legend_lines + 0.8) * LINE_CM * 1.2
    foot_cm = legend_cm + (EDGE_CM if bare else (len(caption_lines) + 0.8) * LINE_CM)
    heights = [head_cm, body_cm, foot_cm]
    if sum(heights) > HIGHEST_CM:
        raise BadInput(
            f"the figure would be {sum(heights) / 100:.1f} m high; choose fewer cases with "
            f"{', '.join(f'--{column}' for column in PANEL)}"
        )
    figure = Figure(figsize=(width_cm * CM, sum(heights) * CM))
    head, body, foot = figure.subfigures(3, 1, height_ratios=heights, hspace=0)
    if legend:
        foot.legend(handles=legend, loc="upper center", ncols=columns, frameon=False)
    if not bare:
        head.text(0.5, 0.5, "\n".join(title_lines), ha="center", va="center", size=HEAD_PT)
        top = 1 - legend_cm / foot_cm
        foot.text(CAPTION_PART, top, "\n".join(caption_lines), va="top", linespacing=1.25)
    return Sheet(figure, body, width_cm, body_cm, title, caption, beside=bare)


def plain(caption: str) -> str:
    """Returns the caption as it is drawn."""
    return caption.replace("`", "")


def label_all(legend: Sequence[Artist], width_cm: float) -> None:
    """Labels that are longer than the figure is wide get several lines."""
    for one in legend:
        one.set_label(wrapped(str(one.get_label()), width_cm - MARK_CM - ENDS_CM))


def legend_columns(labels: Sequence[str], width_cm: float) -> tuple[int, int]:
    """Returns as many columns as fit a line, and how many lines of text are then below each
    other."""
    for count in range(len(labels), 0, -1):
        columns = [list(column) for column in np.array_split(labels, count)]
        widths = [max(text_cm(line) for label in column for line in label.split("\n"))
                  for column in columns]  # fmt: skip
        whole = ENDS_CM + sum(widths) + count * MARK_CM + (count - 1) * BETWEEN_CM
        if whole <= width_cm or count == 1:
            return count, max(sum(label.count("\n") + 1 for label in c) for c in columns)
    return 1, 0


def box(tip: Tooltip) -> str:
    """Returns the box in the figure as matplotlib writes it, in points, 72 an inch."""
    figure = tip.axes.figure.figure  # not the part of it that the axes are in
    width, height = figure.get_size_inches() * 72
    (left, low), (right, high) = (
        figure.transFigure.inverted().transform(tip.axes.transData.transform(corner))
        for corner in tip.corners
    )
    x, y = left * width, (1 - high) * height
    wide, tall = (right - left) * width, (high - low) * height
    if wide == tall == 0:
        x, y, wide, tall = x - POINT, y - POINT, 2 * POINT, 2 * POINT
    place = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
    return f"<rect {place}><title>{escape(tip.text)}</title></rect>"
