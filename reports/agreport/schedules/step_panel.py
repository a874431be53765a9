# SPDX-License-Identifier: BSD-3-Clause
"""One step of a collective: senders at the left, receivers and their buffers at the right."""

from collections import defaultdict
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.patheffects import withStroke

from agreport.figure.text_size import text_cm
from agreport.schedules.diagrams import draw_arrow, ink_on, rank_colour
from agreport.schedules.schedule import Blocks, Schedule, name_blocks

RECEIVED, ABSENT, FRAME, TOKEN = "0.62", "white", "0.8", "0.35"
LEFT_CM, PILL_CM, GAP_CM = 0.12, 0.38, 0.06
HIGH_CM = 0.26  # of the ranks' numbers and of the cells
ABOVE_CM, BELOW_CM = 0.75, 0.45
LINE_CM = 0.28
LABEL_CM = LEFT_CM + PILL_CM + GAP_CM  # where labels begin
RECEIVER_CM = PILL_CM + 3.5 * GAP_CM  # with what parts it from its neighbours
SHORTEST_ARROW_CM, LONGEST_ARROW_CM, PANEL_GAP_CM = 1.0, 5.0, 0.3  # a gap is between panels
TITLE_CM = 3.7  # of the longest title of a panel
LONGEST_LABEL, MOST_LINES = 20, 3
HOLDS = "then holds"
CROWD = 2  # messages of a rank, from which on their arrows are thin


class StepPanel:
    """Draws one step of a schedule.

    number: the number of the step. cell_cm: how wide the cells of buffers are; 0: there are no
    buffers. first: for each rank the block with which its buffer begins; the other blocks follow in
    cyclic order.
    """

    def __init__(
        self, schedule: Schedule, number: int, cell_cm: float, first: Sequence[int] = ()
    ) -> None:
        self.schedule, self.cell_cm = schedule, cell_cm
        self.first = first or [0] * schedule.ranks
        self.round = schedule.rounds[number]
        self.title = schedule.title(number)
        self.labels = [label_sender(schedule, number, rank) for rank in range(schedule.ranks)]

    def label_cm(self) -> float:
        return max(text_cm(line) for lines in self.labels for line in [*lines, ""])

    def has_strides(self) -> bool:
        """Returns whether a label has a shortened run such as 0,2..14."""
        return any(".." in line for lines in self.labels for line in lines)

    def buffer_cm(self) -> float:
        """Returns the width of the buffers in centimetres; 0 if there are none."""
        cells_cm = self.cell_cm * len(self.schedule.owners)
        return max(cells_cm, text_cm(HOLDS)) if cells_cm else 0.0

    @property
    def least_cm(self) -> float:
        parts = LABEL_CM + self.label_cm() + SHORTEST_ARROW_CM + RECEIVER_CM
        return PANEL_GAP_CM + max(parts + self.buffer_cm(), TITLE_CM)

    @property
    def most_cm(self) -> float:
        return self.least_cm + LONGEST_ARROW_CM - SHORTEST_ARROW_CM

    @property
    def high_cm(self) -> float:
        """Returns the least height of the panel. A rank's line has room for the longest label, and
        some air where there are few ranks."""
        ranks = self.schedule.ranks
        airy_cm = 0.42 if ranks <= 8 else 0.36 if ranks <= 12 else 0.3
        pitch_cm = max(airy_cm, 0.04 + LINE_CM * max(map(len, self.labels)))
        return ABOVE_CM + ranks * pitch_cm + BELOW_CM

    def draw(self, axes: Axes, wide_cm: float, high_cm: float) -> None:
        """Draws the step. The arrows get the width that the rest leaves."""
        pitch_cm = (high_cm - ABOVE_CM - BELOW_CM) / self.schedule.ranks
        buffer_cm = wide_cm - PANEL_GAP_CM - self.buffer_cm()
        receiver_cm = buffer_cm - 1.5 * GAP_CM - PILL_CM
        middles = [ABOVE_CM + (rank + 0.5) * pitch_cm for rank in range(self.schedule.ranks)]
        start_cm = LABEL_CM + self.label_cm() + 1.5 * GAP_CM
        if self.round.barrier:
            axes.plot([0.03] * 2, [0.1, middles[-1] + pitch_cm / 2], color="black", lw=1.5)
        axes.text(LEFT_CM, 0.18, self.title, va="center", weight="bold")
        axes.text(LEFT_CM, ABOVE_CM - 0.2, "sends", va="center", color="0.3")
        for rank, middle in enumerate(middles):
            draw_number(axes, LEFT_CM, middle, rank)
            draw_number(axes, receiver_cm, middle, rank)
            text = "\n".join(self.labels[rank])
            axes.text(LABEL_CM, middle, text, va="center", linespacing=1.05)
        for message in self.round.messages:
            start = start_cm, middles[message.sender]
            end = receiver_cm - GAP_CM / 2, middles[message.receiver]
            colour = rank_colour(message.sender)
            if not message.blocks:
                draw_arrow(axes, start, end, color=TOKEN, linestyle=(0, (3, 2)), lw=0.8)
            elif len(self.round.messages) > CROWD * self.schedule.ranks:
                draw_arrow(axes, start, end, color=colour, lw=0.6, mutation_scale=4)
            else:  # with an edge: yellow would be lost on white
                edge = [withStroke(linewidth=1.7, foreground="0.35")]
                draw_arrow(axes, start, end, color=colour, path_effects=edge)
        if self.cell_cm:
            self.draw_buffers(axes, buffer_cm, middles)

    def draw_buffers(self, axes: Axes, left: float, middles: Sequence[float]) -> None:
        """Draws what each rank holds after the step: a cell a block."""
        owners, names, cell_cm = self.schedule.owners, self.schedule.names, self.cell_cm
        cells, colours = [], []
        for middle, first, received, held in zip(
            middles, self.first, self.round.received, self.round.held, strict=True
        ):
            for place in range(len(owners)):
                block = (first + place) % len(owners)
                corner = (left + place * cell_cm, middle - HIGH_CM / 2)
                cells.append(Rectangle(corner, cell_cm, HIGH_CM))
                if block in received:
                    colours.append(to_rgb(RECEIVED))
                else:
                    colours.append(rank_colour(owners[block]) if block in held else to_rgb(ABSENT))
        axes.add_collection(PatchCollection(cells, facecolor=colours, edgecolor=FRAME, lw=0.4))
        axes.text(left, ABOVE_CM - 0.2, HOLDS, va="center", color="0.3")
        if any(self.first):
            return  # no column is one block's
        for block in sorted({0, len(owners) - 1}):
            middle = left + (block + 0.5) * cell_cm
            axes.text(middle, middles[-1] + 0.3, names[block], ha="center", va="center")


def draw_number(axes: Axes, left: float, middle: float, rank: int) -> None:
    """Draws the number of a rank on the rank's colour."""
    colour = rank_colour(rank)
    corner = (left, middle - HIGH_CM / 2)
    style = "round,pad=0,rounding_size=0.1"
    # add_patch() would look for the extremes of its curves, and the limits of the axes are known.
    axes.add_artist(FancyBboxPatch(corner, PILL_CM, HIGH_CM, style, facecolor=colour, lw=0))
    ink = ink_on(colour)
    axes.text(left + PILL_CM / 2, middle, str(rank), color=ink, ha="center", va="center")


def label_sender(schedule: Schedule, number: int, rank: int) -> list[str]:
    """Returns the lines that name the blocks that a rank sends, with the peers if not all of these
    get the same. If the lines are too many or too long, one line says how many blocks there are."""
    peers: dict[Blocks, list[int]] = defaultdict(list)
    for message in schedule.rounds[number].messages:
        if message.sender == rank and message.blocks:
            peers[message.blocks].append(message.receiver)
    lines = [name_blocks(schedule.names, blocks) for blocks in peers]
    if len(peers) > 1:
        lines = [
            f"{line} \N{RIGHTWARDS ARROW} {','.join(map(str, sorted(receivers)))}"
            for line, receivers in zip(lines, peers.values(), strict=True)
        ]
    if len(lines) > MOST_LINES or any(len(line) > LONGEST_LABEL for line in lines):
        count = sum(len(blocks) for blocks in peers)
        lines = [f"{count} block{'s' * (count > 1)}"]
    return lines
