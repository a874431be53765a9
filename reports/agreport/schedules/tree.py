# SPDX-License-Identifier: BSD-3-Clause
"""The tree on which a block travels from its rank to all others, step by step.

After figures 10 and 12 of Loch (2021): Sparbit's are binomial trees. The schedules come from
allgather_schedule, or from a file that it wrote.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from agformats.errors import BadInput
from agreport.figure.medium import medium
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural
from agreport.schedules import source
from agreport.schedules.diagrams import Arrow, Panel, Places, diagram_sheet, rank_colour
from agreport.schedules.schedule import Schedule

MOST_TREES = 32
LEFT_CM, STEP_CM = 0.1, 1.1  # where the numbers of the steps stand, and the ranks begin
ROOT_CM = 0.35  # below the title
WIDEST_CM, NARROWEST_CM = 0.62, 0.48  # from rank to rank
FLAT, AIRY_CM, DENSE_CM = 8, 0.85, 0.5  # from step to step, if there are so many


@dataclass(frozen=True)
class Edge:
    """An edge of a tree: in a step, the receiver gets the block from the sender."""

    step: int
    sender: int
    receiver: int


@dataclass(frozen=True)
class Tree:
    """The tree on which a block travels.

    name: the name of the block. root: the rank that has the block at the start. again: how often a
    rank receives the block though it has the block already.
    """

    name: str
    root: int
    edges: list[Edge]
    again: int

    def places(self) -> dict[int, int]:
        """Returns the place of each rank in a line, chosen so that no two edges cross: behind a
        rank are its subtrees, those that begin last first."""
        children: dict[int, list[int]] = {}
        for edge in self.edges:
            children.setdefault(edge.sender, []).insert(0, edge.receiver)
        line: list[int] = []
        left = [self.root]
        while left:
            line.append(rank := left.pop())
            left += reversed(children.get(rank, []))
        return {rank: place for place, rank in enumerate(line)}


def load(options: Namespace) -> tuple[Schedule, list[Tree]]:
    schedule = source.load(options)
    if schedule.combines:
        raise BadInput(
            f"{schedule.algorithm} combines what ranks begin with, so no block travels from one "
            "rank to all others; legal: a schedule that combines nothing on its way"
        )
    return schedule, [grow(schedule, block) for block in choose_blocks(schedule, options.block)]


def choose_blocks(schedule: Schedule, text: str) -> list[int]:
    names = schedule.names
    chosen = names if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in chosen:
        if name not in names:
            raise BadInput(f"--block: '{name}' is no block; legal: {names[0]} to {names[-1]}, all")
    if len(chosen) > MOST_TREES:
        raise BadInput(f"--block {text}: {len(chosen)} trees; a figure has at most {MOST_TREES}")
    return [names.index(name) for name in chosen]


def grow(schedule: Schedule, block: int) -> Tree:
    root = schedule.owners[block]
    edges: dict[int, Edge] = {}
    again = 0
    for step, one in enumerate(schedule.rounds):
        for message in one.messages:
            if block not in message.blocks:
                continue
            if message.receiver == root or message.receiver in edges:
                again += 1
            else:
                edges[message.receiver] = Edge(step, message.sender, message.receiver)
    return Tree(schedule.names[block], root, [*edges.values()], again)


def table(trees: Sequence[Tree]) -> pd.DataFrame:
    rows = [
        (tree.name, tree.root, edge.step, edge.sender, edge.receiver)
        for tree in trees
        for edge in tree.edges
    ]
    return pd.DataFrame(rows, columns=["block", "root", "step", "sender", "receiver"])


class OnLines(Places):
    """The places of ranks on lines, one for each step.

    On a line are the ranks that get the block in that step; the root is above all lines. steps: how
    many lines there are. word: what a line is called, such as step.
    """

    def __init__(self, tree: Tree, ranks: int, steps: int, word: str) -> None:
        pitch_cm = max(NARROWEST_CM, min(WIDEST_CM, (medium().width_cm - STEP_CM) / ranks))
        step_cm = AIRY_CM if steps <= FLAT else DENSE_CM
        places = tree.places()
        self.right_cm = STEP_CM + len(places) * pitch_cm
        self.heights_cm = {
            f"{word} {step}": ROOT_CM + (step + 1) * step_cm for step in range(steps)
        }
        lines = {tree.root: 0, **{edge.receiver: edge.step + 1 for edge in tree.edges}}
        at = {
            rank: (STEP_CM + (place + 0.5) * pitch_cm, ROOT_CM + lines[rank] * step_cm)
            for rank, place in places.items()
        }
        super().__init__(at, (STEP_CM + ranks * pitch_cm, 2 * ROOT_CM + steps * step_cm))

    def draw(self, axes: Axes) -> None:
        for name, high_cm in self.heights_cm.items():
            axes.text(LEFT_CM, high_cm, name, va="center_baseline", color="0.3")
            axes.plot([STEP_CM, self.right_cm], [high_cm] * 2, color="0.9", lw=0.6, zorder=0)


def draw(schedule: Schedule, trees: Sequence[Tree], given: Mapping[str, str]) -> Sheet:
    """Draws a panel for each tree. given: the settings that the title names."""
    what = "segment" if schedule.segmented else "block"
    panels = [
        Panel(
            f"{what} {tree.name}",
            OnLines(tree, schedule.ranks, len(schedule.rounds), schedule.step_word),
            [Arrow(edge.sender, edge.receiver, {"color": "0.35"}) for edge in tree.edges],
            {tree.root: rank_colour(tree.root)},
        )
        for tree in trees
    ]
    head = f"{source.describe(schedule, given)}: the tree on which a {what} travels"
    return diagram_sheet(panels, head, [], write_caption(schedule, trees, what))


def write_caption(schedule: Schedule, trees: Sequence[Tree], what: str) -> str:
    text = (
        f"The {what} begins at the coloured rank. An arrow sends it; its end is at the "
        f"{schedule.step_word} in which that happens."
    )
    if again := sum(tree.again for tree in trees):
        text += f" Not drawn: ranks receive what they have, {plural(again, 'time')}."
    return text + source.remarks(schedule)
