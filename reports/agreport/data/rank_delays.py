# SPDX-License-Identifier: BSD-3-Clause
"""Per-rank files -> the delay that each rank was asked for, and the one it had."""

import sys
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import pandas as pd
from pandas.api.types import union_categoricals

from agformats.csv_text import Kind
from agformats.errors import BadInput
from agformats.result_file import read_finished
from agformats.result_rows import read
from agreport.data.arrival_labels import pattern_name
from agreport.data.load import CASE, PAIR, PANEL, PER_RANK_SUFFIX, cut_note, expand

TEXTS = [*PANEL, "algorithm"]
COLUMNS: dict[Hashable, str] = {
    **dict.fromkeys(TEXTS, "category"),
    **dict.fromkeys([*CASE[len(PANEL) :], "iteration", "rank"], "int64"),
}
RANKS_FILE = Kind("a file of per-rank times", COLUMNS, (), ("asked_us", "achieved_us"))
ERROR = "error_us"


def load_delays(names: Sequence[str]) -> pd.DataFrame:
    """One row a rank and iteration with a delay, without late ones; error: achieved - asked."""
    frames = []
    for path in ranks_files(names):
        found = read_finished(RANKS_FILE, path)
        frame = RANKS_FILE.frame(path, found.header, found.body)
        if found.launch.cut_rows:
            print(f"agreport: warning: {cut_note(found.launch)}", file=sys.stderr)
        frames.append(not_late(path, frame.dropna(subset=["asked_us", "achieved_us"])).copy())
    rows = join(frames)
    if rows.empty:
        raise BadInput(
            f"{', '.join(names)}: no delays (asked_us, achieved_us); arrival patterns have them"
        )
    return rows.assign(**{ERROR: rows["achieved_us"] - rows["asked_us"]})


def ranks_files(names: Sequence[str]) -> Iterator[Path]:
    """Each file once; for a result file the one beside it."""
    found: dict[Path, Path] = {}
    for name in names:
        for path in expand(Path(name)):
            ranks = path if path.name.endswith(PER_RANK_SUFFIX) else beside(path)
            if ranks.is_file():
                found[ranks.resolve()] = ranks
    if not found:
        raise BadInput(
            f"{', '.join(names)}: no per-rank times (*{PER_RANK_SUFFIX}); the benchmark writes "
            "them with --record ranks"
        )
    yield from found.values()


def join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate with shared categories; plain concat would turn them into Python strings."""
    for column in TEXTS:
        union = union_categoricals([frame[column] for frame in frames]).categories.sort_values()
        for frame in frames:
            frame[column] = frame[column].cat.set_categories(union)
    rows = pd.concat(frames, ignore_index=True)
    return rows.assign(pattern=rows["arrival"].map(pattern_name).astype("category"))


def beside(result: Path) -> Path:
    return result.with_name(f"{result.name.removesuffix('.csv')}{PER_RANK_SUFFIX}")


def not_late(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    """Which iterations were late stands in the result file beside it."""
    result = path.with_name(f"{path.name.removesuffix(PER_RANK_SUFFIX)}.csv")
    if not result.is_file():
        print(
            f"agreport: warning: {path}: {result.name} is not beside it, so late iterations count",
            file=sys.stderr,
        )
        return frame
    keys = [*PAIR, "iteration"]
    rows = read(result)[1].to_pandas()
    late = rows.loc[rows["status"] == "late", keys].drop_duplicates()
    if late.empty:
        return frame
    texts = dict.fromkeys(TEXTS, "str")
    marked = (
        frame[keys]
        .astype(texts)
        .merge(late.astype({**texts, "iteration": "int64"}), how="left", on=keys, indicator=True)
    )
    return frame[(marked["_merge"] == "left_only").to_numpy()]
