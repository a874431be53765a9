# SPDX-License-Identifier: BSD-3-Clause
"""Files of counters -> by how much each counter of each host rose in each case."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from agformats.errors import BadInput
from agformats.files.result_file import CASE
from agreport.data.companions import files_beside, kind_of, load_companions
from agreport.data.load import Results
from agreport.data.suffixes import COUNTERS_SUFFIX

COUNTER = ["host", "counter", "unit"]
NUMBERS = ["difference", "between_us"]
COUNTERS_FILE = kind_of(
    "a file of counters", [*COUNTER, "reason"], ["total_bytes", "calls"], NUMBERS, ("difference",)
)


def load_counters(names: Sequence[str], keep_going: bool = False) -> Results:
    """Reads a row for each counter of a host in a case of a launch; difference is NaN where there
    is a reason why it is not known."""
    return load_files(files_beside(names, COUNTERS_SUFFIX, "counters"), keep_going)


def load_files(paths: Sequence[Path], keep_going: bool = False) -> Results:
    found = load_companions(COUNTERS_FILE, paths, NUMBERS, keep_going)
    check(found.rows, paths)
    return found


def check(rows: pd.DataFrame, paths: Sequence[Path]) -> None:
    """Raises BadInput if a counter fell, has both a difference and a reason or neither, stands
    twice, has no calls, or has a time between its readings that is negative or not finite."""
    bad = rows["difference"].isna() != rows["reason"].ne("")
    bad |= (rows["difference"] < 0) | (rows["calls"] < 1)
    bad |= ~rows["between_us"].between(0, float("inf"), inclusive="left")
    bad |= rows.duplicated(["launch", *CASE, "algorithm", "host", "counter"])
    if bad.any():
        row = rows[bad].iloc[0]
        raise BadInput(
            f"{paths[row['launch']]}: {row['algorithm']}, {row['bytes']} B, {row['host']}, "
            f"{row['counter']}: no change of a counter"
        )
