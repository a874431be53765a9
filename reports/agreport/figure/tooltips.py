# SPDX-License-Identifier: BSD-3-Clause
"""Values that a browser shows at the pointer: clear boxes with a title, on top of an SVG figure."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from matplotlib.axes import Axes

POINT = 4.0  # half the width of the box around a point of a line


@dataclass(frozen=True)
class Tooltip:
    """A text for a cell or a point; the corners are in data coordinates of the axes."""

    axes: Axes
    corners: tuple[tuple[float, float], tuple[float, float]]
    text: str


def cell(axes: Axes, row: int, column: int, text: str) -> Tooltip:
    return Tooltip(axes, ((column, row), (column + 1, row + 1)), text)


def point(axes: Axes, x: float, y: float, text: str) -> Tooltip:
    return Tooltip(axes, ((x, y), (x, y)), text)


def with_tooltips(svg: str, tooltips: Iterable[Tooltip]) -> str:
    """The figure as matplotlib writes it, in points, 72 an inch."""
    boxes = "".join(map(box, tooltips))
    return svg.replace("</svg>", f'<g fill="transparent">{boxes}</g></svg>')


def box(tip: Tooltip) -> str:
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
