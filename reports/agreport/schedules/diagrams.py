# SPDX-License-Identifier: BSD-3-Clause
"""Diagrams in lines on a sheet, in centimetres: such as ranks as discs, around a circle or in the
boxes of their nodes, and messages as arrows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, cos, dist, pi, sin
from typing import Any, Protocol

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from agformats.errors import BadInput
from agreport.figure.looks import COLOURS
from agreport.figure.medium import medium
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import POINTS_A_CM

TITLE_CM, TITLE_LINE_CM = 0.3, 0.32
DISC_CM = 0.19  # its radius
WHITE = (1.0, 1.0, 1.0)
# The colours come again from the ninth rank on: towards black, towards white, towards black.
SHADES = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.55), (0.0, 0.7))

Point = tuple[float, float]
Colour = tuple[float, float, float]
NARROWEST_CIRCLE_CM, AROUND_CM = 3.2, 0.62  # of a circle, and from rank to rank on it
BEND, AROUND_DISC_CM = 0.12, 0.6  # how far arrows bend: at least; past other ranks
MOST_DOWN = 8  # ranks below each other in a node
ACROSS_CM, DOWN_CM = 0.56, 0.6  # from rank to rank; down, with room for an arrow between
APART_CM, WIDE_APART_CM = 0.4, 0.9  # between boxes; with messages between them
PAD_CM, HEAD_CM = 0.1, 0.35  # in boxes, above them
PAST_DISC_CM, PAST_ROW_CM = 0.24, 0.045  # how far an arrow keeps from the ranks that it passes
NARROWEST_CM = 4.0  # what a title takes


def rank_colour(rank: int) -> Colour:
    shade, amount = SHADES[rank // len(COLOURS) % len(SHADES)]
    red, green, blue = (
        (1 - amount) * part + amount * shade for part in to_rgb(COLOURS[rank % len(COLOURS)])
    )
    return red, green, blue


def ink_on(colour: Colour) -> str:
    """Returns the colour of text that can be read on this colour."""
    red, green, blue = colour
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def draw_arrow(axes: Axes, start: Point, end: Point, **look: Any) -> None:
    """Draws an arrow. look: what differs from other arrows, in matplotlib's words."""
    same = {"lw": 1.1, "mutation_scale": 6, "arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}
    # add_patch() would look for the extremes of its curve, and the limits of the axes are known.
    axes.add_artist(FancyArrowPatch(start, end, **{**same, **look}))


class Diagram(Protocol):
    """A diagram, drawn into axes whose unit is the centimetre and whose origin is the upper left
    corner."""

    @property
    def least_cm(self) -> float:
        """Returns the least width of the panel."""

    @property
    def most_cm(self) -> float:
        """Returns the largest width of the panel, which it has where there is room."""

    @property
    def high_cm(self) -> float:
        """Returns the least height of the panel."""

    def draw(self, axes: Axes, wide_cm: float, high_cm: float) -> None: ...


class Places:
    """The places of the ranks in a panel. at: the middle of each rank's disc, in centimetres; y
    goes down. size_cm: the width and the height of the panel."""

    def __init__(self, at: Mapping[int, Point], size_cm: Point) -> None:
        self.at, self.size_cm = at, size_cm

    def bend(self, sender: int, receiver: int) -> float:
        """Returns how far an arrow goes to the left of its way, in parts of its length."""
        return 0.0

    def draw(self, axes: Axes) -> None:
        """Draws what is behind the ranks."""


@dataclass(frozen=True)
class Arrow:
    """A message, drawn as an arrow. look: how the arrow's line looks, in matplotlib's words. bend:
    how far the arrow bends; None: as far as the places say."""

    sender: int
    receiver: int
    look: Mapping[str, Any]
    bend: float | None = None


@dataclass(frozen=True)
class Panel:
    """A diagram of ranks as discs, and of messages as arrows between them. fill: the colours of
    ranks that are not white."""

    title: str
    places: Places
    arrows: Sequence[Arrow]
    fill: Mapping[int, Colour] = field(default_factory=dict)

    @property
    def least_cm(self) -> float:
        return self.places.size_cm[0]

    @property
    def most_cm(self) -> float:
        return self.least_cm

    @property
    def high_cm(self) -> float:
        title_cm = TITLE_CM + TITLE_LINE_CM * (1 + self.title.count("\n"))
        return title_cm + self.places.size_cm[1]

    def draw(self, axes: Axes, wide_cm: float, high_cm: float) -> None:
        at, low_cm = self.places.at, self.places.size_cm[1]
        axes.set_ylim(low_cm, low_cm - high_cm)  # the title is above the places
        axes.text(wide_cm / 2, -0.1, self.title, ha="center", va="bottom", linespacing=1.3)
        self.places.draw(axes)
        apart_pt = (DISC_CM + 0.03) * POINTS_A_CM
        to_discs = {"shrinkA": apart_pt, "shrinkB": apart_pt}
        same = {"lw": 0.9, "mutation_scale": 5, "zorder": 2, **to_discs}
        for arrow in self.arrows:
            ranks = arrow.sender, arrow.receiver
            bend = self.places.bend(*ranks) if arrow.bend is None else arrow.bend
            look = {**same, "connectionstyle": f"arc3,rad={bend}", **arrow.look}
            draw_arrow(axes, *(at[rank] for rank in ranks), **look)
        for rank, middle in at.items():
            colour = self.fill.get(rank, WHITE)
            disc = Circle(middle, DISC_CM, facecolor=colour, edgecolor="0.35", lw=0.5, zorder=3)
            axes.add_patch(disc)
            ink = ink_on(colour)
            axes.text(*middle, str(rank), ha="center", va="center_baseline", color=ink, zorder=4)


def diagram_sheet(
    diagrams: Sequence[Diagram],
    head: str,
    legend: Sequence[Artist],
    caption: str,
    together: int = 1,
) -> Sheet:
    """Puts as many diagrams on a line as fit, all of one width; `together` of them, which belong
    together, are not parted if they fit. BadInput if one is wider than the figure."""
    width_cm = medium().width_cm
    least_cm = max(one.least_cm for one in diagrams)
    if least_cm > width_cm:
        raise BadInput(
            f"--width: '{width_cm:.3g}cm' is too narrow for one diagram; legal: "
            f"{least_cm + 0.05:.1f}cm or more, or fewer ranks or nodes"
        )
    fit = max(1, int(width_cm / least_cm))
    across = ceil(len(diagrams) / ceil(len(diagrams) / fit))  # lines as long as each other
    if together <= fit:
        across = min(fit // together, ceil(across / together)) * together
    lines = [diagrams[first : first + across] for first in range(0, len(diagrams), across)]
    heights = [max(one.high_cm for one in line) for line in lines]
    share_cm = width_cm / across
    wide_cm = min(share_cm, max(one.most_cm for one in diagrams))
    indent_cm = (share_cm - wide_cm) / 2
    page = sheet(head, sum(heights), legend, caption)
    for row, (line, high_cm) in enumerate(zip(lines, heights, strict=True)):
        for column, one in enumerate(line):
            axes = page.axes(column * share_cm, sum(heights[:row]), share_cm, high_cm)
            axes.set(xlim=(-indent_cm, share_cm - indent_cm), ylim=(high_cm, 0))
            axes.set_axis_off()
            one.draw(axes, wide_cm, high_cm)
    return page


class AroundCircle(Places):
    """The places of ranks around a circle: rank 0 is at the top, the others follow clockwise."""

    def __init__(self, ranks: int) -> None:
        radius = max(NARROWEST_CIRCLE_CM / 2, ranks * AROUND_CM / (2 * pi))
        side = 2 * radius + AROUND_CM
        angles = [2 * pi * rank / ranks for rank in range(ranks)]
        middle = side / 2
        at = [(middle + radius * sin(angle), middle - radius * cos(angle)) for angle in angles]
        super().__init__(dict(enumerate(at)), (side, side))

    def bend(self, sender: int, receiver: int) -> float:
        """Returns 0 for an arrow to a neighbour, which is straight. Other arrows bend inwards, past
        the ranks between."""
        way = (receiver - sender) % len(self.at)
        if way in (1, len(self.at) - 1):
            return 0.0
        bend = max(BEND, AROUND_DISC_CM / dist(self.at[sender], self.at[receiver]))
        return bend if 2 * way < len(self.at) else -bend


class OnNodes(Places):
    """The places of ranks in the boxes of their nodes.

    node: the node of each rank. nodes: how many nodes there are. slots: how many slots a node has.
    messages: whether there are messages between the boxes, which are then further apart.
    """

    def __init__(self, node: Sequence[int], nodes: int, slots: int, messages: bool) -> None:
        self.columns = ceil(slots / MOST_DOWN)
        self.rows = ceil(slots / self.columns)
        self.box_cm = self.columns * ACROSS_CM + PAD_CM, self.rows * DOWN_CM + PAD_CM
        apart_cm = WIDE_APART_CM if messages else APART_CM
        pitch_cm = self.box_cm[0] + apart_cm
        wide_cm = max(NARROWEST_CM, nodes * pitch_cm)
        first_cm = (wide_cm - (nodes * pitch_cm - apart_cm)) / 2
        self.lefts_cm = [first_cm + number * pitch_cm for number in range(nodes)]
        taken = [0] * nodes
        at: list[Point] = []
        for one in node:
            column, row = divmod(taken[one], self.rows)
            taken[one] += 1
            left_cm = self.lefts_cm[one] + PAD_CM / 2
            middle_cm = HEAD_CM + PAD_CM / 2 + (row + 0.5) * DOWN_CM
            at.append((left_cm + (column + 0.5) * ACROSS_CM, middle_cm))
        super().__init__(dict(enumerate(at)), (wide_cm, HEAD_CM + self.box_cm[1] + APART_CM))

    def bend(self, sender: int, receiver: int) -> float:
        """Returns 0 for an arrow to a neighbour, which is straight. Other arrows bend past the
        ranks that are in a line with both."""
        start, end = self.at[sender], self.at[receiver]
        rows = abs(start[1] - end[1]) / DOWN_CM
        apart_cm = dist(start, end)
        in_column = abs(start[0] - end[0]) < DISC_CM
        if rows < 1.5 if in_column else apart_cm < ACROSS_CM + WIDE_APART_CM + 2 * PAD_CM:
            return 0.0
        return 2 * (PAST_DISC_CM + rows * PAST_ROW_CM) / apart_cm

    def draw(self, axes: Axes) -> None:
        for number, left_cm in enumerate(self.lefts_cm):
            box = FancyBboxPatch((left_cm, HEAD_CM), *self.box_cm, "round,pad=0,rounding_size=0.1")
            box.set(facecolor="0.95", edgecolor="0.6", lw=0.6)
            axes.add_patch(box)
            middle_cm = left_cm + self.box_cm[0] / 2
            name = f"node {number}"
            axes.text(middle_cm, HEAD_CM / 2, name, ha="center", va="center", color="0.3")
