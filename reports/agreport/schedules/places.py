# SPDX-License-Identifier: BSD-3-Clause
"""Ranks around a circle, or in the boxes of their nodes."""

from collections.abc import Sequence
from math import ceil, cos, dist, pi, sin

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from agreport.schedules.diagrams import DISC_CM, Places, Point

NARROWEST_CIRCLE_CM, AROUND_CM = 3.2, 0.62  # of a circle, and from rank to rank on it
BEND, AROUND_DISC_CM = 0.12, 0.6  # of arrows: at least; past other ranks
MOST_DOWN = 8  # ranks below each other in a node
ACROSS_CM, DOWN_CM = 0.56, 0.5  # from rank to rank
APART_CM, WIDE_APART_CM = 0.4, 0.9  # between boxes; with messages between them
PAD_CM, HEAD_CM = 0.1, 0.35  # in boxes, above them
PAST_DISC_CM, PAST_ROW_CM = 0.24, 0.03  # how far an arrow keeps from the ranks that it passes
NARROWEST_CM = 4.0  # what a title takes


class AroundCircle(Places):
    """Rank 0 is at the top, the others follow clockwise."""

    def __init__(self, ranks: int) -> None:
        radius = max(NARROWEST_CIRCLE_CM / 2, ranks * AROUND_CM / (2 * pi))
        side = 2 * radius + AROUND_CM
        angles = [2 * pi * rank / ranks for rank in range(ranks)]
        middle = side / 2
        at = [(middle + radius * sin(angle), middle - radius * cos(angle)) for angle in angles]
        super().__init__(dict(enumerate(at)), (side, side))

    def bend(self, sender: int, receiver: int) -> float:
        """Straight to a neighbour, else inwards, past the ranks between."""
        way = (receiver - sender) % len(self.at)
        if way in (1, len(self.at) - 1):
            return 0.0
        bend = max(BEND, AROUND_DISC_CM / dist(self.at[sender], self.at[receiver]))
        return bend if 2 * way < len(self.at) else -bend


class OnNodes(Places):
    """node: of each rank; slots: of a node."""

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
        """Straight to a neighbour, else past the ranks that are in a line with both."""
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
