# SPDX-License-Identifier: BSD-3-Clause
"""A sheet of diagrams of one size, drawn in centimetres: ranks as discs, messages as arrows."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from agformats.errors import BadInput
from agreport.figure.medium import medium
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import POINTS_A_CM

TITLE_CM, TITLE_LINE_CM = 0.3, 0.32
DISC_CM = 0.19  # its radius

Point = tuple[float, float]


def diagram_sheet(
    titles: Sequence[str],
    size_cm: Point,
    head: str,
    legend: Sequence[Artist],
    caption: str,
    together: int = 1,
) -> tuple[Sheet, list[Axes]]:
    """A diagram of this width and height a title, as many a line as fit; `together` of them, which
    belong together, are not parted if they fit. Their axes are in centimetres, y goes down."""
    wide_cm, high_cm = size_cm
    if wide_cm > medium().width_cm:
        raise BadInput(
            f"a diagram would be {wide_cm:.1f} cm wide, and the figure is {medium().width_cm:g} "
            "cm; choose fewer ranks or nodes, or a larger --width"
        )
    fit = max(1, int(medium().width_cm / wide_cm))
    lines = ceil(len(titles) / fit)
    across = ceil(len(titles) / lines)  # lines as long as each other
    if together <= fit:
        across = min(fit // together, ceil(across / together)) * together
    head_cm = TITLE_CM + TITLE_LINE_CM * (1 + max(title.count("\n") for title in titles))
    share_cm, line_cm = medium().width_cm / across, head_cm + high_cm
    page = sheet(head, ceil(len(titles) / across) * line_cm, legend, caption)
    found = []
    for place, title in enumerate(titles):
        row, column = divmod(place, across)
        axes = page.axes(column * share_cm, row * line_cm, share_cm, line_cm)
        indent_cm = (share_cm - wide_cm) / 2
        axes.set(xlim=(-indent_cm, share_cm - indent_cm), ylim=(high_cm, -head_cm))
        axes.set_axis_off()
        axes.text(wide_cm / 2, -0.1, title, ha="center", va="bottom", linespacing=1.3)
        found.append(axes)
    return page, found


def draw_rank(axes: Axes, at: Point, name: str, colour: Any, ink: str = "black") -> None:
    axes.add_patch(Circle(at, DISC_CM, facecolor=colour, edgecolor="0.35", lw=0.5, zorder=3))
    axes.text(*at, name, ha="center", va="center_baseline", color=ink, zorder=4)


def draw_message(
    axes: Axes, start: Point, end: Point, colour: Any, bend: float = 0.0, **more: Any
) -> None:
    """An arrow from disc to disc; bend: to the left of its way, in parts of its length."""
    apart_pt = (DISC_CM + 0.03) * POINTS_A_CM
    look: dict[str, Any] = {"lw": 0.9, "mutation_scale": 5, "arrowstyle": "-|>", "zorder": 2}
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            color=colour,
            shrinkA=apart_pt,
            shrinkB=apart_pt,
            connectionstyle=f"arc3,rad={bend}",
            **{**look, **more},
        )
    )
