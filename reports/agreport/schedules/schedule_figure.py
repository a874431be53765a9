# SPDX-License-Identifier: BSD-3-Clause
"""Who sends which blocks to whom in each step of an algorithm, and what the ranks then hold.

After figures 4 to 7, 11 and 13 of Loch (2021). The schedules come from allgather_schedule, or from
a file that it wrote.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence

from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from agformats.errors import BadInput
from agreport.figure.sheet import Sheet
from agreport.schedules import source
from agreport.schedules.diagrams import diagram_sheet, rank_colour
from agreport.schedules.schedule import Schedule
from agreport.schedules.step_panel import ABSENT, FRAME, RECEIVED, TOKEN, StepPanel

MOST_BUFFERED = 64
# A cell has the first width, and all of them together are between these limits.
NARROWEST_CM, WIDEST_CM, BUFFER_CM = 0.09, 0.24, 2.4


def choose_steps(options: Namespace, schedule: Schedule) -> list[int]:
    return source.choose_steps(options.steps, len(schedule.rounds))


def draw(
    schedule: Schedule, given: Mapping[str, str], steps: Sequence[int], scratch: bool = False
) -> Sheet:
    """Draws a panel for each step. Raises BadInput if scratch is true and there are no scratch
    buffers.

    given: the settings that the title names; scratch: the value of --scratch.
    """
    if scratch and not schedule.scratch:
        raise BadInput(f"--scratch: {schedule.algorithm} has none: it works at final places")
    first = schedule.scratch if scratch else ()
    cell_cm = find_cell_cm(len(schedule.owners))
    panels = [StepPanel(schedule, number, cell_cm, first) for number in steps]
    return diagram_sheet(
        panels,
        f"{source.describe(schedule, given)}: who sends which blocks to whom",
        make_legend(schedule, panels, buffers=bool(cell_cm)),
        write_caption(schedule, panels, buffers=bool(cell_cm), scratch=scratch),
    )


def find_cell_cm(blocks: int) -> float:
    """Returns the width of a buffer's cells in centimetres; 0 if buffers of so many blocks are too
    wide to be drawn."""
    if blocks > MOST_BUFFERED:
        return 0.0
    return min(max(NARROWEST_CM, BUFFER_CM / blocks), WIDEST_CM)


def make_legend(schedule: Schedule, panels: Sequence[StepPanel], buffers: bool) -> list[Artist]:
    messages = [message for panel in panels for message in panel.round.messages]
    found: list[Artist] = []
    if any(message.blocks for message in messages):
        label = "message (sender's colour)"
        found.append(Line2D([], [], color=rank_colour(0), lw=1.1, label=label))
    if not all(message.blocks for message in messages):
        label = "token (message without blocks)"
        found.append(Line2D([], [], color=TOKEN, lw=0.8, ls=(0, (3, 2)), label=label))
    if buffers:
        own = "own or combined part" if schedule.combines else "block (owner's colour)"
        for colour, label in (
            (rank_colour(0), own),
            (RECEIVED, "received in this step"),
            (ABSENT, "not held"),
        ):
            found.append(Patch(facecolor=colour, edgecolor=FRAME, lw=0.4, label=label))
    return found


def write_caption(
    schedule: Schedule, panels: Sequence[StepPanel], buffers: bool, scratch: bool
) -> str:
    blocks = name_what_is_sent(schedule)
    if any(panel.has_strides() for panel in panels):
        blocks += "; 0,2..6 is 0,2,4,6"
    then = "; the buffers are too wide to be drawn"
    if buffers:
        ends = f"of {schedule.names[0]} to {schedule.names[-1]}".replace(" ", "\N{NO-BREAK SPACE}")
        then = f", and what it then holds {'in its scratch buffer' if scratch else ends}"
    text = f"Left: who sends which {blocks}. Right: who receives{then}."
    if schedule.combines:
        text += " What comes in is combined with what the rank has; what it sends it has no more."
    if scratch:
        text += " At the end each rank copies its blocks to their final places."
    return text + source.remarks(schedule)


def name_what_is_sent(schedule: Schedule) -> str:
    """Returns what the messages consist of, with an example of the names of blocks."""
    if schedule.combines:
        return "segments of the vector" if schedule.segmented else "vector"
    if schedule.ranks > 1 and len(set(schedule.owners)) == 1:
        of = f"rank {schedule.owners[0]}'s"
        if schedule.segmented:
            return f"segments (0.1 is the second of {of} block)"
        return f"blocks (0 is {of})"
    if schedule.segmented:
        return "segments (2.1 is the second of rank 2's block)"
    if schedule.for_pairs:
        return "blocks (1>3 is what rank 1 has for rank 3)"
    return "blocks (n is rank n's)"
