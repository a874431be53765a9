# SPDX-License-Identifier: BSD-3-Clause
"""One step of an all-gather: senders at the left, receivers and their buffers at the right."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextPath

from agreport.figure.sheet import COLOURS, POINTS_A_CM, SMALL_PT
from agreport.schedules.schedule import Blocks, Pattern, Step

RECEIVED, ABSENT, FRAME, TOKEN = "0.62", "white", "0.8", "0.35"
# From the ninth rank on the colours come again: towards black, towards white, towards black.
SHADES = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.55), (0.0, 0.7))
LEFT_CM, PILL_CM, GAP_CM = 0.12, 0.38, 0.06
PILL_HIGH_CM = CELL_HIGH_CM = 0.26
ABOVE_CM, BELOW_CM = 0.75, 0.45
LINE_CM = 0.28
LONGEST_LABEL, MOST_LINES = 20, 3
HOLDS = "then holds"
CROWD = 2  # messages of a rank, from which on their arrows are thin

Point = tuple[float, float]
Colour = str | tuple[float, float, float]


def colour_of(rank: int) -> tuple[float, float, float]:
    shade, amount = SHADES[rank // len(COLOURS) % len(SHADES)]
    red, green, blue = to_rgb(COLOURS[rank % len(COLOURS)])
    keep = 1 - amount
    return keep * red + amount * shade, keep * green + amount * shade, keep * blue + amount * shade


def width_cm(text: str) -> float:
    return TextPath((0, 0), text, size=SMALL_PT).get_extents().width / POINTS_A_CM if text else 0


@dataclass(frozen=True)
class Columns:
    """How wide the parts of every panel of a figure are; no buffers: cell_cm is 0."""

    label_cm: float
    arrow_cm: float
    cell_cm: float

    def width_cm(self, pattern: Pattern) -> float:
        return (
            LEFT_CM
            + 2 * PILL_CM
            + 5 * GAP_CM
            + self.label_cm
            + self.arrow_cm
            + (self.cell_cm and max(self.cell_cm * len(pattern.owners), width_cm(HOLDS)))
        )


class StepPanel:
    def __init__(self, pattern: Pattern, step: Step) -> None:
        self.pattern = pattern
        self.step = step
        self.labels = [sent(pattern, step, rank) for rank in range(pattern.ranks)]

    def title(self) -> str:
        return f"{self.step.title}{', after a barrier' if self.step.barrier else ''}"

    def title_cm(self) -> float:
        return LEFT_CM + 1.2 * width_cm(self.title())  # bold

    def label_cm(self) -> float:
        return max(width_cm(line) for lines in self.labels for line in [*lines, ""])

    def lines(self) -> int:
        return max(map(len, self.labels))

    def draw(self, axes: Axes, columns: Columns, pitch_cm: float) -> None:
        """Into axes whose unit is the centimetre."""
        middles = [ABOVE_CM + (rank + 0.5) * pitch_cm for rank in range(self.pattern.ranks)]
        label = LEFT_CM + PILL_CM + GAP_CM
        start = label + self.label_cm() + 1.5 * GAP_CM
        end = label + columns.label_cm + GAP_CM + columns.arrow_cm
        buffer = end + GAP_CM / 2 + PILL_CM + 1.5 * GAP_CM
        if self.step.barrier:
            axes.plot([0.03] * 2, [0.1, middles[-1] + pitch_cm / 2], color="black", lw=1.5)
        axes.text(LEFT_CM, 0.18, self.title(), va="center", weight="bold")
        axes.text(LEFT_CM, ABOVE_CM - 0.2, "sends", va="center", color="0.3")
        for rank, middle in enumerate(middles):
            pill(axes, LEFT_CM, middle, rank)
            pill(axes, end + GAP_CM / 2, middle, rank)
            text = "\n".join(self.labels[rank])
            axes.text(label, middle, text, va="center", linespacing=1.05)
        for message in self.step.messages:
            arrow(
                axes,
                (start, middles[message.sender]),
                (end, middles[message.receiver]),
                colour_of(message.sender) if message.blocks else TOKEN,
                dashed=not message.blocks,
                thin=len(self.step.messages) > CROWD * self.pattern.ranks,
            )
        if columns.cell_cm:
            self.draw_buffers(axes, buffer, columns.cell_cm, middles)

    def draw_buffers(
        self, axes: Axes, left: float, cell_cm: float, middles: Sequence[float]
    ) -> None:
        """What each rank holds after the step: a cell a block."""
        owners, names = self.pattern.owners, self.pattern.names
        cells, colours = [], []
        for middle, before, received in zip(
            middles, self.step.before, self.step.received, strict=True
        ):
            for block, owner in enumerate(owners):
                corner = (left + block * cell_cm, middle - CELL_HIGH_CM / 2)
                cells.append(Rectangle(corner, cell_cm, CELL_HIGH_CM))
                held = colour_of(owner) if block in before else to_rgb(ABSENT)
                colours.append(to_rgb(RECEIVED) if block in received else held)
        axes.add_collection(PatchCollection(cells, facecolor=colours, edgecolor=FRAME, lw=0.4))
        axes.text(left, ABOVE_CM - 0.2, HOLDS, va="center", color="0.3")
        for block in sorted({0, len(owners) - 1}):
            middle = left + (block + 0.5) * cell_cm
            axes.text(middle, middles[-1] + 0.3, names[block], ha="center", va="center")


def pill(axes: Axes, left: float, middle: float, rank: int) -> None:
    """The number of a rank on its colour."""
    colour = colour_of(rank)
    corner = (left, middle - PILL_HIGH_CM / 2)
    style = "round,pad=0,rounding_size=0.1"
    axes.add_patch(
        FancyBboxPatch(corner, PILL_CM, PILL_HIGH_CM, boxstyle=style, facecolor=colour, lw=0)
    )
    light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
    ink = "black" if light > 0.5 else "white"
    axes.text(left + PILL_CM / 2, middle, str(rank), color=ink, ha="center", va="center")


def arrow(axes: Axes, start: Point, end: Point, colour: Colour, dashed: bool, thin: bool) -> None:
    line = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        mutation_scale=4 if thin else 6,
        shrinkA=0,
        shrinkB=0,
        color=colour,
        lw=0.6 if thin else 0.8 if dashed else 1.1,
        linestyle=(0, (3, 2)) if dashed else "solid",
    )
    if not dashed and not thin:  # yellow would be lost on white
        line.set_path_effects([withStroke(linewidth=1.7, foreground="0.35")])
    axes.add_patch(line)


def sent(pattern: Pattern, step: Step, rank: int) -> list[str]:
    """The blocks that a rank sends; with the peers if not all of these get the same."""
    peers: dict[Blocks, list[int]] = defaultdict(list)
    for message in step.messages:
        if message.sender == rank and message.blocks:
            peers[message.blocks].append(message.receiver)
    lines = [naming(pattern.names, blocks) for blocks in peers]
    if len(peers) > 1:
        receivers = [",".join(map(str, sorted(found))) for found in peers.values()]
        lines = [
            f"{line} \N{RIGHTWARDS ARROW} {to}" for line, to in zip(lines, receivers, strict=True)
        ]
    if len(lines) > MOST_LINES or any(len(line) > LONGEST_LABEL for line in lines):
        count = sum(len(blocks) for blocks in peers)
        lines = [f"{count} block{'s' * (count > 1)}"]
    return lines


def naming(names: Sequence[str], blocks: Blocks) -> str:
    """As they are sent (7-9,0), or sorted (0,2..14) if that is shorter."""
    return min(runs(names, blocks), runs(names, sorted(blocks)), key=len)


def runs(names: Sequence[str], blocks: Sequence[int]) -> str:
    """0-3 for neighbours, 0,2..14 for four or more at another equal distance."""
    parts = []
    first = 0
    while first < len(blocks):
        last = first + 1
        stride = blocks[last] - blocks[first] if last < len(blocks) else 0
        while last + 1 < len(blocks) and blocks[last + 1] - blocks[last] == stride:
            last += 1
        if stride == 1:
            parts.append(f"{names[blocks[first]]}-{names[blocks[last]]}")
        elif stride > 1 and last - first > 2:
            parts.append(
                f"{names[blocks[first]]},{names[blocks[first + 1]]}..{names[blocks[last]]}"
            )
        else:
            parts.append(names[blocks[first]])
            last = first
        first = last + 1
    return ",".join(parts)
