# SPDX-License-Identifier: BSD-3-Clause
"""Who sends which blocks to whom in each step of an algorithm, and what the ranks then hold.

After figures 4 to 7, 11 and 13 of Loch (2021). The schedules come from allgather_schedule, or from
a file that it wrote.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.cli import program
from agreport.cli.report import Report
from agreport.figure.sheet import WIDTH_CM, Sheet, sheet
from agreport.figure.words import plural
from agreport.schedules import schedule as data
from agreport.schedules.schedule import MOST_RANKS, Schedule
from agreport.schedules.step_panel import (
    ABOVE_CM,
    ABSENT,
    BELOW_CM,
    FRAME,
    LINE_CM,
    RECEIVED,
    TOKEN,
    Columns,
    StepPanel,
    rank_colour,
)

MOST_STEPS, MOST_BUFFERED = 40, 64
SHORTEST_ARROW_CM, LONGEST_ARROW_CM = 1.0, 5.0
# Of a cell, and how wide all of them are between these limits.
NARROWEST_CM, WIDEST_CM, BUFFER_CM = 0.09, 0.24, 2.4
PANEL_GAP_CM, TITLE_CM = 0.3, 3.7  # between panels; of the longest title of one
# Handed on to the program as they are.
PASSED = {
    "--ranks-per-node": ("N", "ranks on a node, for algorithms that use nodes"),
    "--topology": ("FILE", "switches and hosts, for algorithms that use them"),
    "--bytes": ("BYTES", "size of a block, for algorithms that cut blocks"),
}


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--algorithm", metavar="NAME", help="as allgather_schedule names it")
    parser.add_argument("--ranks", type=int, metavar="NUMBER", help=f"at most {MOST_RANKS}")
    for name, (value, text) in PASSED.items():
        parser.add_argument(name, metavar=value, help=text)
    parser.add_argument(
        "--schedule",
        metavar="FILE",
        help="read what `allgather_schedule show --format json` wrote instead (-: standard input)",
    )
    parser.add_argument(
        "--steps", metavar="LIST", help="draw only these, such as 0,3 or 0:4 (default: all)"
    )
    program.add_program(parser)


def settings(options: Namespace) -> dict[str, str]:
    """What is handed on to the program, by option."""
    given = {option: getattr(options, option[2:].replace("-", "_")) for option in PASSED}
    return {option: value for option, value in given.items() if value is not None}


def load(options: Namespace) -> Schedule:
    """From the program, or what it printed before."""
    chosen = {"--algorithm": options.algorithm, "--ranks": options.ranks, **settings(options)}
    given = {option: str(value) for option, value in chosen.items() if value is not None}
    if options.schedule:
        if given:
            raise BadInput(f"{next(iter(given))}: --schedule {options.schedule} has that already")
        if options.schedule == "-":
            schedule = data.read("standard input", sys.stdin.read())
        else:
            text = Path(options.schedule).read_text(encoding="utf-8", errors="replace")
            schedule = data.read(options.schedule, text)
    elif options.algorithm is None or options.ranks is None:
        raise BadInput("needs --algorithm NAME and --ranks NUMBER, or --schedule FILE")
    else:
        data.check_ranks(options.ranks)
        flat = [part for pair in given.items() for part in pair]
        printed = program.run(options.program, "show", *flat, "--format", "json")
        schedule = data.read(program.NAME, printed)
    if not schedule.rounds:
        raise BadInput(f"{schedule.algorithm} has no steps at --ranks {schedule.ranks}")
    return schedule


def choose_steps(options: Namespace, schedule: Schedule) -> list[int]:
    count = len(schedule.rounds)
    steps = opt.numbers("--steps", options.steps) if options.steps else list(range(count))
    if steps[-1] >= count:
        raise BadInput(f"--steps {options.steps}: legal: 0 to {count - 1}")
    if len(steps) > MOST_STEPS:
        raise BadInput(
            f"{len(steps)} steps are more than the {MOST_STEPS} that a figure has; "
            f"choose with --steps, of 0 to {count - 1}"
        )
    return steps


def draw(schedule: Schedule, given: Mapping[str, str], steps: Sequence[int]) -> Sheet:
    """given: the settings that the title names."""
    panels = [StepPanel(schedule, number) for number in steps]
    across, columns = choose_columns(schedule, panels)
    lines = [panels[first : first + across] for first in range(0, len(panels), across)]
    pitches = [choose_pitch_cm(schedule, line) for line in lines]
    heights = [ABOVE_CM + schedule.ranks * pitch + BELOW_CM for pitch in pitches]
    settled = [f"{option} {value.rpartition('/')[2]}" for option, value in given.items()]
    what = ", ".join([schedule.algorithm, plural(schedule.ranks, "rank", "ranks"), *settled])
    page = sheet(
        f"{what}: who sends which blocks to whom",
        sum(heights),
        legend(panels, buffers=bool(columns.cell_cm)),
        caption(schedule, panels, buffers=bool(columns.cell_cm)),
    )
    share_cm = WIDTH_CM / across
    indent_cm = max(0.0, share_cm - columns.width_cm(len(schedule.owners))) / 2
    for row, (line, pitch, height) in enumerate(zip(lines, pitches, heights, strict=True)):
        for column, panel in enumerate(line):
            axes = page.axes(column * share_cm, sum(heights[:row]), share_cm, height)
            axes.set(xlim=(-indent_cm, share_cm - indent_cm), ylim=(height, 0))
            axes.set_axis_off()
            panel.draw(axes, columns, pitch)
    return page


def choose_columns(schedule: Schedule, panels: Sequence[StepPanel]) -> tuple[int, Columns]:
    """How many panels a line has, all of one width, and what their parts get of it."""
    blocks = len(schedule.owners)
    label_cm = max(panel.label_cm() for panel in panels)
    cell_cm = min(max(NARROWEST_CM, BUFFER_CM / blocks), WIDEST_CM)
    if blocks > MOST_BUFFERED:
        cell_cm = 0.0
    least = Columns(label_cm, SHORTEST_ARROW_CM, cell_cm).width_cm(blocks)
    narrowest = PANEL_GAP_CM + max(least, TITLE_CM)
    across = min(len(panels), max(1, int(WIDTH_CM / narrowest)))
    across = ceil(len(panels) / ceil(len(panels) / across))  # lines as long as each other
    spare_cm = max(0.0, WIDTH_CM / across - PANEL_GAP_CM - least)
    return across, Columns(label_cm, min(SHORTEST_ARROW_CM + spare_cm, LONGEST_ARROW_CM), cell_cm)


def choose_pitch_cm(schedule: Schedule, line: Sequence[StepPanel]) -> float:
    """From a rank to the next one."""
    airy = 0.42 if schedule.ranks <= 8 else 0.36 if schedule.ranks <= 12 else 0.3
    return max(airy, 0.04 + LINE_CM * max(panel.lines() for panel in line))


def legend(panels: Sequence[StepPanel], buffers: bool) -> list[Artist]:
    messages = [message for panel in panels for message in panel.round.messages]
    found: list[Artist] = []
    if any(message.blocks for message in messages):
        label = "message (sender's colour)"
        found.append(Line2D([], [], color=rank_colour(0), lw=1.1, label=label))
    if not all(message.blocks for message in messages):
        label = "token (message without blocks)"
        found.append(Line2D([], [], color=TOKEN, lw=0.8, ls=(0, (3, 2)), label=label))
    if buffers:
        for colour, label in (
            (rank_colour(0), "block (owner's colour)"),
            (RECEIVED, "received in this step"),
            (ABSENT, "not held"),
        ):
            found.append(Patch(facecolor=colour, edgecolor=FRAME, lw=0.4, label=label))
    return found


def caption(schedule: Schedule, panels: Sequence[StepPanel], buffers: bool) -> str:
    blocks = "blocks (n is rank n's)"
    if schedule.segmented:
        blocks = "segments (2.1 is the second of rank 2's block)"
    if any(".." in line for panel in panels for lines in panel.labels for line in lines):
        blocks += "; 0,2..6 is 0,2,4,6"
    then = "; the buffers are too wide to be drawn"
    if buffers:
        ends = f"of {schedule.names[0]} to {schedule.names[-1]}".replace(" ", "\N{NO-BREAK SPACE}")
        then = f", and what it then holds {ends}"
    text = f"Left: who sends which {blocks}. Right: who receives{then}."
    if schedule.ranks_wait:
        text += " A rank may wait for its next step over several rounds."
    if schedule.broadcast_at_end:
        text += " After the last one the MPI library broadcasts all blocks from rank 0."
    return text


REPORT = Report(
    "schedule",
    __doc__,
    options=add_options,
    load=load,
    table=lambda schedule, options: schedule.table(choose_steps(options, schedule)),
    draw=lambda schedule, _, options: draw(
        schedule, settings(options), choose_steps(options, schedule)
    ),
    formerly=("pattern",),
)
