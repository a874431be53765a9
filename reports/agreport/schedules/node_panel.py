# SPDX-License-Identifier: BSD-3-Clause
"""Nodes as boxes with their ranks, and messages between these."""

from collections.abc import Sequence
from math import ceil, dist

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from agreport.figure.looks import COLOURS
from agreport.schedules.diagrams import DISC_CM, Point, draw_message, draw_rank
from agreport.schedules.schedule import Message

STAYS, LEAVES = COLOURS[0], COLOURS[5]
MOST_DOWN = 8  # ranks below each other in a node
ACROSS_CM, DOWN_CM = 0.56, 0.5  # from rank to rank
APART_CM, WIDE_APART_CM = 0.4, 0.9  # between boxes; with messages between them
PAD_CM, HEAD_CM = 0.1, 0.35  # in boxes, above them
PAST_DISC_CM, PAST_ROW_CM = 0.24, 0.03  # how far an arrow keeps from the ranks that it passes
NARROWEST_CM = 4.0  # what a title takes


class NodePanel:
    """One mapping: `node` is the node of each rank."""

    def __init__(self, node: Sequence[int], nodes: int, slots: int, messages: bool) -> None:
        self.nodes = nodes
        self.apart_cm = WIDE_APART_CM if messages else APART_CM
        self.columns = ceil(slots / MOST_DOWN)
        self.rows = ceil(slots / self.columns)
        self.box_cm = self.columns * ACROSS_CM + PAD_CM
        taken = [0] * nodes
        self.at: list[Point] = []
        for one in node:
            column, row = divmod(taken[one], self.rows)
            taken[one] += 1
            left_cm = self.left_cm(one) + PAD_CM / 2
            middle_cm = HEAD_CM + PAD_CM / 2 + (row + 0.5) * DOWN_CM
            self.at.append((left_cm + (column + 0.5) * ACROSS_CM, middle_cm))
        self.node = node

    def left_cm(self, node: int) -> float:
        boxes_cm = self.nodes * (self.box_cm + self.apart_cm) - self.apart_cm
        return (self.size_cm()[0] - boxes_cm) / 2 + node * (self.box_cm + self.apart_cm)

    def size_cm(self) -> Point:
        wide_cm = self.nodes * (self.box_cm + self.apart_cm)
        return max(NARROWEST_CM, wide_cm), HEAD_CM + self.rows * DOWN_CM + PAD_CM + APART_CM

    def draw(self, axes: Axes, messages: Sequence[Message] = ()) -> None:
        high_cm = self.rows * DOWN_CM + PAD_CM
        for node in range(self.nodes):
            left_cm = self.left_cm(node)
            axes.add_patch(
                FancyBboxPatch(
                    (left_cm, HEAD_CM),
                    self.box_cm,
                    high_cm,
                    "round,pad=0,rounding_size=0.1",
                    facecolor="0.95",
                    edgecolor="0.6",
                    lw=0.6,
                )
            )
            middle_cm = left_cm + self.box_cm / 2
            axes.text(middle_cm, HEAD_CM / 2, f"node {node}", ha="center", va="center", color="0.3")
        for one in messages:
            stays = self.node[one.sender] == self.node[one.receiver]
            start, end = self.at[one.sender], self.at[one.receiver]
            draw_message(
                axes, start, end, STAYS if stays else LEAVES, find_bend(start, end), lw=0.7
            )
        for rank, at in enumerate(self.at):
            draw_rank(axes, at, str(rank), "white")


def find_bend(start: Point, end: Point) -> float:
    """Straight to a neighbour, else past the ranks that are in a line with both."""
    rows = abs(start[1] - end[1]) / DOWN_CM
    apart_cm = dist(start, end)
    in_column = abs(start[0] - end[0]) < DISC_CM
    if rows < 1.5 if in_column else apart_cm < ACROSS_CM + WIDE_APART_CM + 2 * PAD_CM:
        return 0.0
    return 2 * (PAST_DISC_CM + rows * PAST_ROW_CM) / apart_cm


def handles() -> list[Artist]:
    """Of a legend."""
    named = {"message that stays on its node": STAYS, "message to another node": LEAVES}
    return [Line2D([], [], color=colour, lw=1.1, label=name) for name, colour in named.items()]
