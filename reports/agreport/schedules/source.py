# SPDX-License-Identifier: BSD-3-Clause
"""The schedule that a figure draws: allgather_schedule makes it now, or has written it before."""

import sys
from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agformats import paths
from agformats.catalogue import catalogue
from agformats.errors import BadInput, read_option
from agformats.ranges import numbers
from agformats.regular_file import MOST_TEXT_BYTES, read_text, too_large
from agreport.cli import program
from agreport.figure.words import plural, shown
from agreport.reports.schedules import COLLECTIVE, GATHERS, PASSED
from agreport.schedules import schedule as data
from agreport.schedules.schedule import Schedule

MOST_STEPS = 40


def of_collective(options: Namespace) -> list[str]:
    return [COLLECTIVE, options.collective] if options.collective else []


def settings(options: Namespace) -> dict[str, str]:
    """Returns the given options that are handed on to the program, and their values."""
    given = {option: getattr(options, option[2:].replace("-", "_")) for option in PASSED}
    return {option: value for option, value in given.items() if value is not None}


def load(options: Namespace) -> Schedule:
    """Returns the schedule that the program prints, or that it printed into a file before. Raises
    BadInput if the options do not fit together, or if the schedule has no steps."""
    chosen = {"--algorithm": options.algorithm, "--ranks": options.ranks, **settings(options)}
    given = {option: str(value) for option, value in chosen.items() if value is not None}
    if options.schedule:
        if given:
            raise BadInput(f"{next(iter(given))}: --schedule {options.schedule} has that already")
        schedule = written_before(options.schedule)
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


def written_before(path: Path) -> Schedule:
    if str(path) != paths.STANDARD_INPUT:
        return data.read(str(path), read_text(path, errors="replace"))
    name, text = "standard input", sys.stdin.read(MOST_TEXT_BYTES + 1)
    if len(text) > MOST_TEXT_BYTES:
        raise BadInput(f"{name}: {too_large(len(text), MOST_TEXT_BYTES)}")
    return data.read(name, text)


def choose_steps(text: str | None, count: int) -> list[int]:
    """Returns the numbers of the steps that are drawn, in ascending order. Raises BadInput if there
    is no such step, or if they are more than a figure has.

    text: the value of --steps; None: all steps. count: how many steps there are.
    """
    read = partial(numbers, least=0)
    steps = sorted(read_option("--steps", text, read)) if text else [*range(count)]
    if steps[-1] >= count:
        raise BadInput(f"--steps {text}: legal: 0 to {count - 1}")
    if len(steps) > MOST_STEPS:
        raise BadInput(
            f"{len(steps)} steps are more than the {MOST_STEPS} that a figure has; "
            f"choose with --steps, of 0 to {count - 1}"
        )
    return steps


def describe(schedule: Schedule, given: Mapping[str, str]) -> str:
    """Returns the part of a title that names the schedule and the settings that were given."""
    settled = [
        f"{option} {value.rpartition('/')[2]}"
        for option, value in given.items()
        if option != COLLECTIVE
    ]
    word = catalogue().word_for(schedule.collective)
    of = [] if word == catalogue().word_for(GATHERS) else [word]
    ranks = plural(schedule.ranks, "rank")
    return ", ".join([shown(schedule.algorithm), *of, ranks, *settled])


def remarks(schedule: Schedule) -> str:
    """Returns the end of a caption, which says what the steps alone do not show. The text is empty
    if they show everything."""
    text = ""
    if schedule.ranks_wait:
        text += " A rank may wait for its next step over several rounds."
    if schedule.broadcast_at_end:
        root = schedule.broadcast_root
        text += f" After the last one the MPI library broadcasts all blocks from rank {root}."
    if schedule.combines_at_end:
        text += " After the last one each rank combines all blocks, in the order of ranks."
    return text
