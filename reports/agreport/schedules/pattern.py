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
from agreport.figure.sheet import ENDINGS, WIDTH_CM, Sheet, sheet
from agreport.figure.words import plural
from agreport.schedules import schedule
from agreport.schedules.schedule import MOST_RANKS, Pattern
from agreport.schedules.step_panel import (
    ABOVE_CM,
    ABSENT,
    BELOW_CM,
    FRAME,
    HOLDS,
    LINE_CM,
    RECEIVED,
    TOKEN,
    Columns,
    StepPanel,
    colour_of,
    width_cm,
)

MOST_STEPS, MOST_BUFFERED = 40, 64
SHORTEST_ARROW_CM, LONGEST_ARROW_CM = 1.0, 5.0
NARROWEST_CELL_CM, WIDEST_CELL_CM = 0.09, 0.24
PANEL_GAP_CM, NOTE_CM = 0.3, 0.5
# Handed on to the program as they are.
PASSED = {
    "ranks_per_node": ("N", "ranks on a node, for algorithms that use nodes"),
    "topology": ("FILE", "switches and hosts, for algorithms that use them"),
    "bytes": ("BYTES", "size of a block, for algorithms that cut blocks"),
}


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--algorithm", metavar="NAME", help="as allgather_schedule names it")
    parser.add_argument("--ranks", type=int, metavar="NUMBER", help=f"at most {MOST_RANKS}")
    for name, (value, text) in PASSED.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=value, help=text)
    parser.add_argument(
        "--schedule",
        metavar="FILE",
        help="read what `allgather_schedule show --format json` wrote instead (-: standard input)",
    )
    parser.add_argument(
        "--steps", metavar="LIST", help="draw only these, such as 0,3 or 0:4 (default: all)"
    )
    program.add_program(parser)
    opt.add_output(parser, ENDINGS)


def run(options: Namespace) -> None:
    pattern = load(options)
    draw(pattern, settings(options), chosen_steps(options, pattern)).write(options.output)


def settings(options: Namespace) -> dict[str, str]:
    """What is handed on to the program, by option."""
    names = {f"--{name.replace('_', '-')}": getattr(options, name) for name in PASSED}
    return {option: value for option, value in names.items() if value is not None}


def title(pattern: Pattern, given: Mapping[str, str]) -> str:
    settled = [f"{option} {value.rpartition('/')[2]}" for option, value in given.items()]
    what = ", ".join([pattern.algorithm, plural(pattern.ranks, "rank", "ranks"), *settled])
    return f"{what}: who sends which blocks to whom"


def load(options: Namespace) -> Pattern:
    """From the program, or what it printed before."""
    if options.schedule:
        own = {"--algorithm": options.algorithm, "--ranks": options.ranks, **settings(options)}
        if given := [option for option, value in own.items() if value is not None]:
            raise BadInput(f"{given[0]}: --schedule {options.schedule} has that already")
        if options.schedule == "-":
            pattern = schedule.read("standard input", sys.stdin.read())
        else:
            text = Path(options.schedule).read_text(encoding="utf-8", errors="replace")
            pattern = schedule.read(options.schedule, text)
    elif options.algorithm is None or options.ranks is None:
        raise BadInput("needs --algorithm NAME and --ranks NUMBER, or --schedule FILE")
    else:
        schedule.check_ranks(options.ranks)
        chosen = {"--algorithm": options.algorithm, "--ranks": str(options.ranks)}
        given = [part for pair in {**chosen, **settings(options)}.items() for part in pair]
        text = program.run(options.program, "show", *given, "--format", "json")
        pattern = schedule.read(program.NAME, text)
    if not pattern.steps:
        raise BadInput(f"{pattern.algorithm} has no steps at --ranks {pattern.ranks}")
    return pattern


def chosen_steps(options: Namespace, pattern: Pattern) -> list[int]:
    count = len(pattern.steps)
    steps = list(range(count))
    if options.steps:
        steps = opt.numbers("--steps", options.steps)
        if steps[-1] >= count:
            raise BadInput(f"--steps {options.steps}: legal: 0 to {count - 1}")
    if len(steps) > MOST_STEPS:
        raise BadInput(
            f"{len(steps)} steps are more than the {MOST_STEPS} that a figure has; "
            f"choose with --steps, of 0 to {count - 1}"
        )
    return steps


def draw(pattern: Pattern, given: Mapping[str, str], steps: Sequence[int]) -> Sheet:
    panels = [StepPanel(pattern, pattern.steps[index]) for index in steps]
    across, columns = share_out(pattern, panels)
    lines = [panels[first : first + across] for first in range(0, len(panels), across)]
    pitches = [pitch_cm(pattern, line) for line in lines]
    heights = [ABOVE_CM + pattern.ranks * pitch + BELOW_CM for pitch in pitches]
    note = ending(pattern)
    page = sheet(
        title(pattern, given),
        sum(heights) + (NOTE_CM if note else 0),
        legend(pattern, panels, buffers=bool(columns.cell_cm)),
        caption(pattern, panels, buffers=bool(columns.cell_cm)),
    )
    share_cm = WIDTH_CM / across
    indent_cm = max(0.0, share_cm - columns.width_cm(pattern)) / 2
    down_cm = 0.0
    for line, pitch, height in zip(lines, pitches, heights, strict=True):
        for place, panel in enumerate(line):
            axes = page.axes(place * share_cm, down_cm, share_cm, height)
            axes.set(xlim=(-indent_cm, share_cm - indent_cm), ylim=(height, 0))
            axes.set_axis_off()
            panel.draw(axes, columns, pitch)
        down_cm += height
    if note:
        axes = page.axes(0, down_cm, WIDTH_CM, NOTE_CM)
        axes.set_axis_off()
        axes.text(0.5, 0.5, note, ha="center", va="center", weight="bold")
    return page


def share_out(pattern: Pattern, panels: Sequence[StepPanel]) -> tuple[int, Columns]:
    """How many panels a line has, all of one width, and what their parts get of it."""
    label_cm = max(panel.label_cm() for panel in panels)
    blocks = len(pattern.owners)
    cell_cm = 0.0
    if blocks <= MOST_BUFFERED:
        cell_cm = min(max(NARROWEST_CELL_CM, width_cm(HOLDS) / blocks), WIDEST_CELL_CM)
    parts_cm = Columns(label_cm, SHORTEST_ARROW_CM, cell_cm).width_cm(pattern)
    narrowest = PANEL_GAP_CM + max(parts_cm, *(panel.title_cm() for panel in panels))
    across = min(len(panels), max(1, int(WIDTH_CM / narrowest)))
    across = ceil(len(panels) / ceil(len(panels) / across))  # lines as long as each other
    spare_cm = max(0.0, WIDTH_CM / across - PANEL_GAP_CM - parts_cm)
    if cell_cm:
        wider_cm = min(WIDEST_CELL_CM - cell_cm, spare_cm / 2 / blocks)
        cell_cm += wider_cm
        spare_cm -= wider_cm * blocks
    return across, Columns(label_cm, min(SHORTEST_ARROW_CM + spare_cm, LONGEST_ARROW_CM), cell_cm)


def pitch_cm(pattern: Pattern, line: Sequence[StepPanel]) -> float:
    """From a rank to the next one."""
    airy = 0.42 if pattern.ranks <= 8 else 0.36 if pattern.ranks <= 12 else 0.3
    return max(airy, 0.04 + LINE_CM * max(panel.lines() for panel in line))


def legend(pattern: Pattern, panels: Sequence[StepPanel], buffers: bool) -> list[Artist]:
    messages = [message for panel in panels for message in panel.step.messages]
    found: list[Artist] = []
    if any(message.blocks for message in messages):
        label = "message (sender's colour)"
        found.append(Line2D([], [], color=colour_of(0), lw=1.1, label=label))
    if not all(message.blocks for message in messages):
        label = "token (message without blocks)"
        found.append(Line2D([], [], color=TOKEN, lw=0.8, ls=(0, (3, 2)), label=label))
    if buffers:
        for colour, label in (
            (colour_of(0), "block (owner's colour)"),
            (RECEIVED, "received in this step"),
            (ABSENT, "not held"),
        ):
            found.append(Patch(facecolor=colour, edgecolor=FRAME, lw=0.4, label=label))
    return found


def caption(pattern: Pattern, panels: Sequence[StepPanel], buffers: bool) -> str:
    blocks = "blocks (n is rank n's)"
    if pattern.segmented:
        blocks = "segments (2.1 is the second of rank 2's block)"
    if any(".." in line for panel in panels for lines in panel.labels for line in lines):
        blocks += "; 0,2..6 is 0,2,4,6"
    then = "; the buffers are too wide to be drawn"
    if buffers:
        ends = f"of {pattern.names[0]} to {pattern.names[-1]}".replace(" ", "\N{NO-BREAK SPACE}")
        then = f", and what it then holds {ends}"
    said = f"Left: who sends which {blocks}. Right: who receives{then}."
    if pattern.waiting:
        said += " A rank may wait for its next step over several rounds."
    return said


def ending(pattern: Pattern) -> str:
    """What follows the last step, if anything does."""
    if pattern.broadcast_at_end:
        root = f" from rank {pattern.complete[0]}" if len(pattern.complete) == 1 else ""
        return f"then the MPI library broadcasts all blocks{root}"
    lacking = [str(rank) for rank in range(pattern.ranks) if rank not in pattern.complete]
    return f"incomplete after the last step: {', '.join(lacking)}" if lacking else ""
