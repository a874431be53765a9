# SPDX-License-Identifier: BSD-3-Clause
"""Result files -> one table of rows, and what each launch says about itself."""

import re
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from pandas.api.types import union_categoricals

from agreport.arrival_patterns import pattern_name
from agreport.csv_text import Kind, comments
from agreport.errors import BadInput

# What makes two rows comparable; the first four also name a panel of a figure.
CASE = ["collective", "mapping", "distribution", "arrival", "ranks", "nodes", "bytes"]
PANEL = CASE[:4]
PAIR = [*CASE, "algorithm"]
METRICS = {"min": "min_us", "avg": "avg_us", "max": "max_us"}
STATUSES = ("ok", "late", "skipped", "wrong")
TEXTS = [*PANEL, "algorithm", "status", "reason"]
COLUMNS: dict[Hashable, str] = {
    **dict.fromkeys(TEXTS, "category"),
    **dict.fromkeys(CASE[len(PANEL) :], "int64"),
    **dict.fromkeys(["iteration", *METRICS.values()], "float64"),
}
# What older files lack, and what is empty where it has no meaning.
OPTIONAL = (
    *("run_us", "imbalance_us", "asked_imbalance_us"),
    *("delay_error_us", "message_us", "clock_error_us"),
    *("prediction_error_us", "helper_us"),
)
RESULT_FILE = Kind("a result file", COLUMNS, ("iteration", *METRICS.values()), OPTIONAL)
PER_RANK_SUFFIX = ".ranks.csv"

RESUMED = re.compile(rb"^(?=#@resumed=)", re.MULTILINE)
CASE_END = b"#@case_end="


@dataclass(frozen=True)
class Launch:
    """One file: its `#@key=value` lines, and how many rows of an unfinished case were dropped."""

    path: Path
    metadata: dict[str, str]
    cut_rows: int


@dataclass(frozen=True)
class Results:
    """The rows of all launches; `catalogue` orders the algorithms, whatever is filtered later."""

    rows: pd.DataFrame
    launches: list[Launch]
    catalogue: list[str]

    def with_status(self, status: str) -> pd.DataFrame:
        return self.rows[self.rows["status"] == status]

    def timed(self) -> pd.DataFrame:
        """The ok rows, without those of an algorithm that was wrong in the same case."""
        ok, wrong = self.with_status("ok"), self.with_status("wrong")
        if wrong.empty:
            return ok
        marked = ok[PAIR].merge(wrong[PAIR].drop_duplicates(), how="left", indicator=True)
        return ok[(marked["_merge"] == "left_only").to_numpy()]

    def keep(self, rows: pd.DataFrame) -> "Results":
        return replace(self, rows=rows)


def load(names: Sequence[str]) -> Results:
    """Read every result file that the names, globs and directories stand for."""
    launches: list[Launch] = []
    frames: list[pd.DataFrame] = []
    for number, path in enumerate(result_files(names)):
        launch, frame = read(path)
        launches.append(launch)
        frames.append(frame.assign(launch=number))
        if launch.cut_rows:
            print(f"agreport: warning: {cut_note(launch)}", file=sys.stderr)
    rows = join(frames)
    counts = rows["status"].value_counts()
    if wrong := counts.get("wrong", 0):
        print(f"agreport: warning: {wrong} wrong results; they have no time", file=sys.stderr)
    if late := counts.get("late", 0):
        print(f"agreport: warning: {late} iterations were late and do not count", file=sys.stderr)
    return Results(rows, launches, catalogue(launches, rows["algorithm"].cat.categories))


def cut_note(launch: Launch) -> str:
    return f"{launch.path}: cut off; {launch.cut_rows} rows of an unfinished case dropped"


def result_files(names: Sequence[str]) -> list[Path]:
    """Each file once, however often it is named: a launch must not be pooled with itself."""
    found: dict[Path, Path] = {}
    for name in names:
        paths = expand(Path(name))
        # A shell's *.csv also matches the per-rank files beside the results.
        results = [path for path in paths if not path.name.endswith(PER_RANK_SUFFIX)]
        found.update({path.resolve(): path for path in results})
    if not found:
        raise BadInput(f"{', '.join(names)}: only per-rank times (*{PER_RANK_SUFFIX}), no results")
    return list(found.values())


def expand(name: Path) -> list[Path]:
    """The file itself, what a glob matches, and for a directory every *.csv below; at least one."""
    if name.exists():
        matches = [name]
    else:
        root = Path(name.anchor or ".")
        try:
            matches = sorted(root.glob(str(name.relative_to(name.anchor))))
        except ValueError as error:  # of a pattern such as a**b
            raise BadInput(f"{name}: no such file; as a glob: {error}") from None
    paths = [
        path
        for match in matches
        for path in (sorted(match.rglob("*.csv")) if match.is_dir() else [match])
    ]
    if not paths:
        raise BadInput(f"{name}: no {'*.csv below it' if name.is_dir() else 'such file'}")
    return paths


def read(path: Path) -> tuple[Launch, pd.DataFrame]:
    launch, frame = read_finished(RESULT_FILE, path)
    check(path, frame)
    return launch, frame


def read_finished(kind: Kind, path: Path) -> tuple[Launch, pd.DataFrame]:
    """Metadata, and the rows of the finished cases."""
    data = path.read_bytes()
    header, rest = kind.split(path, data)
    body, cut_rows = finished_cases(rest)
    return Launch(path, metadata(comments(data)), cut_rows), kind.frame(path, header, body)


def finished_cases(body: bytes) -> tuple[bytes, int]:
    """Drop what a kill cut off: rows after the last case_end, of the file or before a resume."""
    kept: list[bytes] = []
    cut = 0
    for part in RESUMED.split(body):
        last = part.rfind(b"\n" + CASE_END)
        end = part.find(b"\n", last + 1) if last >= 0 else 0
        tail = part[end:] if end >= 0 else b""
        kept += [part[: len(part) - len(tail)], b"\n" * max(1, tail.count(b"\n"))]
        cut += sum(1 for line in tail.splitlines() if line.strip() and not line.startswith(b"#"))
    return b"".join(kept), cut


def check(path: Path, frame: pd.DataFrame) -> None:
    known = frame["status"].isin(STATUSES)
    if not known.all():
        value = frame["status"][~known].iloc[0]
        raise BadInput(f"{path}: status '{value}' is not one of {', '.join(STATUSES)}")
    times = frame.loc[frame["status"] == "ok", list(METRICS.values())]
    if not (times >= 0).all(axis=None):
        raise BadInput(f"{path}: a row with status ok has no time, or a negative one")


def metadata(lines: Iterable[bytes]) -> dict[str, str]:
    """`#@key=value` lines; the values of a repeated key are joined."""
    values: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith(b"#@") and not line.startswith(CASE_END):
            key, _, value = line[2:].decode(errors="replace").partition("=")
            values.setdefault(key.strip(), []).append(value.strip())
    return {key: "; ".join(value) for key, value in values.items()}


def join(frames: Sequence[pd.DataFrame], texts: Sequence[str] = TEXTS) -> pd.DataFrame:
    """Concatenate with shared categories; plain concat would turn them into Python strings."""
    for column in texts:
        union = union_categoricals([frame[column] for frame in frames]).categories.sort_values()
        for frame in frames:
            frame[column] = frame[column].cat.set_categories(union)
    rows = pd.concat(frames, ignore_index=True)
    return rows.assign(pattern=rows["arrival"].map(pattern_name).astype("category"))


def catalogue(launches: Iterable[Launch], found: Iterable[str]) -> list[str]:
    """The suites' own order; then, sorted, the names no launch's registry knows."""
    registries = [launch.metadata.get("registry", "") for launch in launches]
    known = [name.strip() for registry in registries for name in registry.split(",")]
    return [name for name in dict.fromkeys([*known, *sorted(found)]) if name]
