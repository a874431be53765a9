# SPDX-License-Identifier: BSD-3-Clause
"""Per-rank files -> the delay that each rank was asked for, and the one it had; or how long it
computed; or its elapsed times."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agformats.files import data_set
from agformats.files.result_file import CASE, PAIR, PANEL
from agformats.notes import tell
from agreport.data.companions import (
    beside,
    files_beside,
    kind_of,
    load_companions,
    result_of,
    tell_lacking,
)
from agreport.data.load import Results
from agreport.data.suffixes import PER_RANK_SUFFIX

TEXTS = [*PANEL, "algorithm"]
DELAYS = ("asked_us", "achieved_us")
COMPUTED = "computed_us"
RANK_ELAPSED = "elapsed_us"
RANKS_FILE = kind_of(
    "a file of per-rank times",
    whole=["iteration", "rank"],
    optional=(*DELAYS, COMPUTED, RANK_ELAPSED),
)
ERROR = "error_us"


def load_delays(names: Sequence[str], keep_going: bool = False) -> Results:
    """Reads a row for each rank and iteration with a delay, without late iterations; error_us is
    achieved_us - asked_us. What each launch says is in its per-rank file, too. Raises BadInput if
    there are no delays."""
    found = load_ranks(names, DELAYS, ("no delays", "arrival patterns have them"), keep_going)
    errors = found.rows["achieved_us"] - found.rows["asked_us"]
    return found.keep(found.rows.assign(**{ERROR: errors}))


def load_computations(
    names: Sequence[str], keep_going: bool = False, told: Sequence[str] = ()
) -> Results:
    """Reads a row for each rank and iteration for which it is known how long the rank computed
    (computed_us), without late iterations. Raises BadInput if there are none. told: as of
    load_ranks."""
    lacking = ("no times of computation", "launches with --compute have them")
    return load_ranks(names, (COMPUTED,), lacking, keep_going, told)


def load_elapsed(
    names: Sequence[str], keep_going: bool = False, told: Sequence[str] = ()
) -> Results:
    """Reads a row for each rank and iteration with its elapsed time (elapsed_us), without late
    iterations; computed_us is NaN where the rank did not compute. Raises BadInput if there are
    none. told: as of load_ranks."""
    lacking = ("no times", "rows of ranks have them")
    found = load_ranks(names, (RANK_ELAPSED,), lacking, keep_going, told)
    rows = found.rows
    return found if COMPUTED in rows else found.keep(rows.assign(**{COMPUTED: np.nan}))


def load_ranks(
    names: Sequence[str],
    values: Sequence[str],
    lacking: tuple[str, str],
    keep_going: bool,
    told: Sequence[str] = (),
) -> Results:
    """Reads the rows of per-rank files that have all of these values, without late iterations.
    Raises BadInput if there are none. Warns of altered cases, also of those of the result files,
    whose late iterations are not known. lacking: what is missing if there are none, and what would
    have it; told: what the user was warned of before."""
    paths = files_beside(names, PER_RANK_SUFFIX, "per-rank times")
    what, where = lacking
    text = f"{what} ({', '.join(values)}); {where}"
    found = load_companions(RANKS_FILE, paths, values, keep_going, text)
    every = found.rows.dropna(subset=[*values])
    parts: list[pd.DataFrame] = []
    left_out = [*found.left_out]
    for n, path in enumerate(paths):
        part, altered = not_late(path, every[every["launch"] == n], keep_going)
        parts.append(part)
        new = [sentence for sentence in altered if sentence not in told]
        for sentence in new:
            tell(f"agreport: warning: {sentence}")
        left_out += new
    rows = pd.concat(parts, ignore_index=True)
    if rows.empty:
        raise BadInput(f"{', '.join(names)}: {text}")
    return replace(found, rows=rows, left_out=left_out)


def beside_launches(results: Results) -> dict[int, Path]:
    """Returns, by the number of its launch, each per-rank file that is beside a result file."""
    files = {
        number: beside(one.path, PER_RANK_SUFFIX) for number, one in enumerate(results.launches)
    }
    found = {number: path for number, path in files.items() if path.exists()}
    if not found:
        raise BadInput("No per-rank times are beside the files (--record ranks writes them)")
    lacking = [one.path for number, one in enumerate(results.launches) if number not in found]
    tell_lacking(lacking, len(results.launches), "per-rank times")
    return found


def numbered(rows: pd.DataFrame, files: Mapping[int, Path]) -> pd.DataFrame:
    """Returns rows that were read from these files, in their order, with the launches' numbers that
    are the keys of the files."""
    return rows.assign(launch=np.array([*files])[rows["launch"]])


def not_late(
    path: Path, frame: pd.DataFrame, keep_going: bool
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Returns the rows without late iterations, which the result file beside it names; and what is
    wrong with that file's altered cases, which are left out here too: nothing tells which of their
    iterations were late."""
    result = result_of(path)
    if not result.exists() and not data_set.holds(result):
        tell(f"agreport: warning: {path}: {result.name} is not beside it, so late iterations count")
        return frame, ()
    keys = [*PAIR, "iteration"]
    launch, table = data_set.read_launch(result, keep_going)
    rows = table.to_pandas()
    if launch.left_out:
        frame = in_cases_of(frame, rows)
    late = rows.loc[rows["status"] == "late", keys].drop_duplicates()
    if late.empty:
        return frame, launch.left_out
    texts = dict.fromkeys(TEXTS, "str")
    marked = (
        frame[keys]
        .astype(texts)
        .merge(late.astype({**texts, "iteration": "int64"}), how="left", on=keys, indicator=True)
    )
    return frame[(marked["_merge"] == "left_only").to_numpy()], launch.left_out


def in_cases_of(frame: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Returns those rows of the frame whose case is one of `rows`."""
    texts = dict.fromkeys(PANEL, "str")
    cases = rows[CASE].astype(texts).drop_duplicates()
    marked = frame[CASE].astype(texts).merge(cases, how="left", on=CASE, indicator=True)
    return frame[(marked["_merge"] == "both").to_numpy()]
