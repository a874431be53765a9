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
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from agformats.errors import BadInput, printable
from agformats.files.outputs import replacing
from agreport.data.load import PANEL
from agreport.figure.latex import commands_in, paragraph
from agreport.figure.medium import medium
from agreport.figure.scales import with_plain_labels
from agreport.figure.text_size import CM, HEAD_PT, SMALL_PT, TITLE_PT, wrapped

HIGHEST_CM = 800.0  # higher figures pass the 2^16 pixels that a PNG may have
CAPTION_PART = 0.02  # of the width, stays empty at the left and at the right of a caption
BESIDE_LABEL_CM = 1.2  # labels and titles are in the middle of the axes, not of the panel
EDGE_CM, PAD_CM = 0.15, 0.2  # around the figure's texts; around axes
HANDLE_CM = 1.2  # a legend's mark beside a label takes this

# matplotlib's settings while a report is drawn and written.
STYLE = {
    "font.size": SMALL_PT,
    "axes.titlesize": TITLE_PT,
    "axes.linewidth": 0.6,
    "axes.formatter.useoffset": False,
    "hatch.linewidth": 0.5,
    "text.parse_math": False,  # names from files may have dollar signs
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
    """A figure with its title, its body, its legend and its caption.

    Constrained layout places the axes of the body. Commands in a caption are in backticks. beside:
    whether title and caption are not drawn but go elsewhere; those of a file go into a LaTeX file
    beside it.
    """

    figure: Figure
    width_cm: float
    body_cm: float
    below_cm: float  # the height of legend and caption
    title: str
    caption: str
    beside: bool
    tooltips: list[Tooltip] = field(default_factory=list)  # of what is drawn, for browsers

    def axes(self, left_cm: float, top_cm: float, width_cm: float, height_cm: float) -> Axes:
        """Adds axes from the upper left corner of the body, for drawings whose unit is the
        centimetre: constrained layout would scale them."""
        y_cm = self.below_cm + self.body_cm - top_cm - height_cm
        wide, high = self.figure.get_size_inches() / CM
        place = (left_cm / wide, y_cm / high, width_cm / wide, height_cm / high)
        return self.figure.add_axes(place)

    def settle(self) -> None:
        """Places everything as the layout wants it, but rounded: the last digits of the layout's
        solver differ from run to run, and the same results should give the same file."""
        for axes in self.figure.axes:
            with_plain_labels(axes)
        layout = self.figure.get_layout_engine()
        placed = [axes for axes in self.figure.axes if axes.get_subplotspec()]
        for axes in placed:
            place = axes.get_subplotspec()
            assert place
            widths = np.asarray(place.get_gridspec().get_width_ratios(), np.float64)
            part = widths[place.colspan.start : place.colspan.stop].sum() / widths.sum()
            room_cm = part * self.width_cm - BESIDE_LABEL_CM
            axes.set_xlabel(wrapped(axes.get_xlabel(), room_cm))
            axes.set_title(wrapped(axes.get_title(), room_cm, TITLE_PT))
        if layout and placed:  # it warns of a figure without such axes
            layout.execute(self.figure)
        self.figure.set_layout_engine("none")  # else it would be drawn once more, for nothing
        for each in self.figure.subfigs:
            box = each.bbox_relative
            box.set(Bbox.from_extents(*np.round(box.extents, 6)))
        for axes in self.figure.axes:
            axes.set_position(np.round(axes.get_position().bounds, 4).tolist())

    def write(self, path: Path, said: Path | None = None) -> None:
        """Writes the figure. said: what the path is called on standard error, if it is going to
        have another name."""
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
            said = said or path
            beside = said.with_name(text.name)
            print(f"agreport: title and caption of {said}: {beside}", file=sys.stderr)
            for command in commands_in(self.caption):
                print(f"agreport: {said}: {plain(command)}", file=sys.stderr)

    def svg_text(self, title: str) -> str:
        """Returns the figure as SVG without control characters, which XML does not have: names from
        files may have them. title: what those hear who do not see the figure."""
        buffer = StringIO()
        self.figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": title})
        return printable(buffer.getvalue()).replace("<svg ", '<svg role="img" ', 1)

    def svg(self, title: str) -> str:
        """Returns the figure as an SVG element for a page, with tooltips. title: as of svg_text."""
        self.settle()
        text = self.svg_text(title)
        text = re.sub(r"<metadata>.*</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
        boxes = "".join(map(box, self.tooltips))
        return text.replace("</svg>", f'<g fill="transparent">{boxes}</g></svg>')


def sheet(title: str, body_cm: float, legend: Sequence[Artist], caption: str) -> Sheet:
    """Returns a sheet with a body of the given height, and with as much room for title, legend and
    caption as they need. Raises BadInput if it would be higher than HIGHEST_CM."""
    width_cm, bare = medium().width_cm, medium().bare
    lines_cm = width_cm * (1 - 2 * CAPTION_PART)
    figure = Figure((width_cm * CM, body_cm * CM), layout="constrained")
    head, key, foot = [], add_legend(figure, legend, width_cm), []
    if not bare:
        text = wrapped(title, lines_cm, HEAD_PT)
        head = [figure.text(0.5, 1, text, ha="center", va="top", size=HEAD_PT)]
        text = wrapped(plain(caption), lines_cm)
        foot = [figure.text(CAPTION_PART, 0, text, va="bottom", linespacing=1.25)]
    head_cm, key_cm, foot_cm = (sum(map(height_cm, part)) + EDGE_CM for part in (head, key, foot))
    high_cm = head_cm + body_cm + key_cm + foot_cm
    if high_cm > HIGHEST_CM:
        raise BadInput(
            f"the figure would be {high_cm / 100:.1f} m high; choose fewer cases with "
            f"{', '.join(f'--{column}' for column in PANEL)}"
        )
    figure.set_size_inches(width_cm * CM, high_cm * CM)
    for one in head:
        one.set_y(1 - EDGE_CM / high_cm)
    for one in foot:
        one.set_y(EDGE_CM / high_cm)
    below_cm = key_cm + foot_cm
    for entries in key:
        entries.set_bbox_to_anchor((0.5, below_cm / high_cm))
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    body = (0, below_cm / high_cm, 1, body_cm / high_cm)
    layout.set(w_pad=PAD_CM * CM, h_pad=PAD_CM * CM, hspace=0, wspace=0.01, rect=body)
    return Sheet(figure, width_cm, body_cm, below_cm, title, caption, beside=bare)


def height_cm(artist: Legend | Text) -> float:
    """Returns the height of a part of a sheet, with the edge that parts it from the next."""
    return artist.get_window_extent().height / artist.figure.dpi / CM + EDGE_CM


def plain(caption: str) -> str:
    """Returns the caption as it is drawn."""
    return caption.replace("`", "")


def add_legend(figure: Figure, handles: Sequence[Artist], width_cm: float) -> list[Legend]:
    """Adds a legend, if it has handles, with as many columns as fit a line."""
    for one in handles:
        one.set_label(wrapped(str(one.get_label()), width_cm - HANDLE_CM))
    found: list[Legend] = []
    for columns in range(1, len(handles) + 1):
        one = figure.legend(handles=handles, loc="upper center", ncols=columns, frameon=False,
                            borderaxespad=0, borderpad=0)  # fmt: skip
        one.set_in_layout(False)
        if found and one.get_window_extent().width > (1 - 2 * CAPTION_PART) * figure.bbox.width:
            one.remove()
            break
        for other in found:
            other.remove()
        found = [one]
    return found


def box(tip: Tooltip) -> str:
    """Returns the clear box of a tooltip, at its place in the figure as matplotlib writes it: in
    points, 72 an inch."""
    figure = tip.axes.figure.figure  # not the part of it that the axes may be in
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
