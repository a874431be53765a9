# SPDX-License-Identifier: BSD-3-Clause
"""Files of steps -> when each rank ran each part of its schedule, call by call."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from agformats.errors import BadInput
from agreport.data.companions import files_beside, kind_of, load_companions
from agreport.data.load import Results
from agreport.data.suffixes import STEPS_SUFFIX

BEFORE, STEP, AFTER = "before", "step", "after"
PEERS = ["to", "from"]
WHOLE = ["rank", "step", "sent_bytes", "received_bytes", "barrier"]
TIMES = ["arrived_us", "start_us", "end_us"]
STEPS_FILE = kind_of("a file of the times of steps", ["part", *PEERS], ["iteration", *WHOLE], TIMES)
MOST_RANKS = 1 << 24
RUN = re.compile(r"(\d{1,8})(?:-(\d{1,8}))?")


def load_steps(names: Sequence[str], keep_going: bool = False) -> Results:
    """Loads the files of steps that are named, or that are beside the named result files: one row
    for each part of a rank's schedule in a call. keep_going: leaves out cases that were altered.
    Raises BadInput if there are no such files or no rows of finished cases, or if a row cannot be
    true."""
    paths = files_beside(names, STEPS_SUFFIX, "times of steps")
    found = load_companions(STEPS_FILE, paths, TIMES, keep_going)
    check(found.rows, paths)
    return found


def check(rows: pd.DataFrame, paths: Sequence[Path]) -> None:
    """Raises BadInput for the first row that cannot be true: an unknown part, a rank that the
    launch does not have, more than MOST_RANKS ranks, a start before the arrival, an end before the
    start, or an infinite time."""
    bad = ~rows["part"].isin([BEFORE, STEP, AFTER])
    bad |= ~rows["rank"].between(0, rows["ranks"] - 1) | (rows["ranks"] > MOST_RANKS)
    bad |= (rows["start_us"] < 0) | (rows["end_us"] < rows["start_us"])
    bad |= rows[TIMES].isin([float("inf")]).any(axis=1)
    if bad.any():
        row = rows[bad].iloc[0]
        raise BadInput(
            f"{paths[row['launch']]}: {row['algorithm']}, iteration {row['iteration']}, rank "
            f"{row['rank']}, step {row['step']}: no part of a call"
        )


def peers(text: str, ranks: int) -> list[int]:
    """Returns the ranks that a text names, in rising order: 0-2;5 -> 0, 1, 2, 5. An empty text
    names none. Raises BadInput if the text is written otherwise, or if its ranks do not rise or are
    not below `ranks`."""
    found: list[int] = []
    for part in filter(None, text.split(";")):
        run = RUN.fullmatch(part)
        first, last = (int(run[1]), int(run[2] or run[1])) if run else (0, -1)
        if not (found[-1] if found else -1) < first <= last < ranks:
            raise BadInput(f"'{text}' are no ranks of {ranks}; expected such as 0-2;5")
        found += range(first, last + 1)
    return found
