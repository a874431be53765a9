# SPDX-License-Identifier: BSD-3-Clause
"""Reads result files and OSU tables strictly: what the documents do not promise fails."""

import csv
import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path

from agformats.catalogue import catalogue
from shared.checksums import checksummed, without_checksums

TITLES = "|".join(row.title for row in catalogue().collectives)
KEYS = [
    "collective",
    "algorithm",
    "distribution",
    "arrival",
    "mapping",
    "group",
    "beside",
    "buffer_offset",
    "ranks",
    "nodes",
    "bytes",
    "total_bytes",
]
# Empty where there is no timing.
MEASURED = ["iteration", "min_us", "avg_us", "max_us", "run_us"]
# Empty but where calls are back to back.
BACK_TO_BACK = ["period_us"]
# These are empty but on the last iteration of a turn, where cycles are timed.
CYCLE = ["cycle_us"]
# These are empty where ranks do not write what they send before a call, or do not read the result.
BESIDE_THE_CALL = ["write_us", "read_us"]
APART = ["imbalance_us"]
# These are empty where no two ranks share a node.
LINE = ["line_before_us", "line_after_us"]
# Empty but where something is computed between the begin of a call and its end.
OVERLAP = ["overlapped_us"]
# Empty where no arrival pattern was injected.
DELAYS = ["asked_imbalance_us", "asked_run_us", "delay_error_us", "message_us"]
# Empty for an algorithm that does not choose among others.
SELECTION = ["chosen"]
# Empty for an algorithm that does not predict arrivals.
PREDICTION = ["prediction_error_us", "helper_us"]
TIMES = [*MEASURED, *APART, "clock_error_us", "prepare_us"]
COLUMNS = [
    *KEYS,
    *MEASURED,
    *BACK_TO_BACK,
    *CYCLE,
    *BESIDE_THE_CALL,
    *APART,
    *DELAYS,
    "clock_error_us",
    *LINE,
    *PREDICTION,
    "schedule_us",
    *OVERLAP,
    *SELECTION,
    "prepare_us",
    "status",
    "reason",
]
RANK_COLUMNS = [*KEYS, "iteration", "rank", "elapsed_us", "asked_us", "achieved_us",
                "computed_us"]  # fmt: skip
STEP_COLUMNS = [*KEYS, "iteration", "rank", "part", "step", "to", "from", "sent_bytes",
                "received_bytes", "barrier", "arrived_us", "start_us", "end_us"]  # fmt: skip
COUNTER_COLUMNS = [*KEYS, "host", "counter", "unit", "difference", "between_us", "calls",
                   "reason"]  # fmt: skip
CASE_END = "#@case_end="

Row = dict[str, str]


@dataclass
class Results:
    metadata: dict[str, str] = field(default_factory=dict)
    cases: list[str] = field(default_factory=list)  # as their end marks name them
    rows: list[Row] = field(default_factory=list)
    resumed: int = 0

    def of(self, algorithm: str) -> list[Row]:
        return [row for row in self.rows if row["algorithm"] == algorithm]

    def counts(self) -> dict[tuple[str, str], int]:
        """Timed iterations by case and algorithm, which count from 0 on."""
        counted: dict[tuple[str, str], int] = {}
        for row in self.rows:
            if row["status"] == "ok":
                key = (case_of(row), row["algorithm"])
                assert int(row["iteration"]) == counted.get(key, 0)
                counted[key] = counted.get(key, 0) + 1
        return counted


def case_of(row: Row) -> str:
    names = ("collective", "distribution", "arrival", "mapping", "ranks", "bytes")
    return ",".join(row[name] for name in names)


def text_of(path: Path) -> str:
    """Returns the text of a file, of a compressed one too."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def read_results(path: Path, columns: list[str] = COLUMNS) -> Results:
    """A result file that is whole: every line complete, every row in a case with an end mark, every
    checksum right."""
    text = text_of(path)
    assert checksummed(text) == text
    assert text.endswith("\n"), f"{path} ends in half a line"
    results = Results()
    pending: list[Row] = []
    has_columns = False
    for line in without_checksums(text).splitlines():
        if line == ",".join(columns):
            assert not has_columns, "two headers"
            has_columns = True
        elif not has_columns:
            key, _, value = line.removeprefix("#@").partition("=")
            assert line.startswith("#@") and re.fullmatch(r"[\w.-]+", key), line
            assert key not in results.metadata, f"{key} stands twice"
            results.metadata[key] = value
        elif line == "#@head_end=columns":
            assert not results.cases and not pending
        elif line.startswith("#@resumed="):
            assert not pending
            results.resumed += 1
        elif line.startswith(CASE_END):
            case = line.removeprefix(CASE_END)
            assert pending and {case_of(row) for row in pending} == {case}
            results.cases.append(case)
            results.rows += pending
            pending = []
        elif line.startswith("#@load_end="):
            assert not pending
            results.metadata["load_end"] = line.removeprefix("#@load_end=")
        else:
            cells = next(csv.reader([line], strict=True))
            assert len(cells) == len(columns), line
            pending.append(dict(zip(columns, cells, strict=True)))
    assert has_columns and not pending, "rows without an end mark"
    assert len(set(results.cases)) == len(results.cases), "a case stands twice"
    return results


@dataclass
class Table:
    """One table of standard output."""

    title: str
    notes: list[str]
    header: str
    rows: list[str]

    @property
    def algorithm(self) -> str:
        match = re.search(r"\balgorithm: ([^,\s]+)", self.title)
        assert match, self.title
        return match[1]


def read_tables(stdout: str) -> list[Table]:
    """All of standard output as tables of OSU's form: an empty line, the title, `#` lines, rows."""
    assert stdout.endswith("\n")
    tables: list[Table] = []
    lines = stdout[:-1].split("\n")
    while lines:
        assert lines.pop(0) == "", "a table begins with an empty line"
        title = lines.pop(0)
        assert re.match(rf"# .*MPI ({TITLES}) Latency Test", title)
        assert re.match(r"# Datatype: MPI_[A-Z_]+\.$", lines.pop(0))
        assert re.match(r"# Buffers: [a-z:0-9]+\. Order: [a-z:0-9]+\.$", lines.pop(0))
        notes = []
        while not lines[0].startswith("# Size"):
            notes.append(lines.pop(0))
            assert notes[-1].startswith("# ")
        table = Table(title, notes, lines.pop(0), [])
        while lines and lines[0] != "":
            table.rows.append(lines.pop(0))
        tables.append(table)
    return tables
