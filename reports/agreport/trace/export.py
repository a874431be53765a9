# SPDX-License-Identifier: BSD-3-Clause
"""The arrival times of a call site, as `--arrival trace:FILE` of the benchmarks replays them."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from agformats.errors import BadInput
from agformats.files.outputs import write_text
from agreport.trace.calls import Trace
from agreport.trace.imbalance import US


def write(path: Path, trace: Trace, rows: pd.DataFrame) -> None:
    """A line a call, in order: a column a rank, microseconds after the first of them. All rows are
    of one number of ranks."""
    write_text(path, "\n".join([*head(trace, rows), *body(trace, rows)]) + "\n")


def head(trace: Trace, rows: pd.DataFrame) -> Iterator[str]:
    metadata = trace.metadata
    first = rows.iloc[0]
    low, high = rows["bytes"].min(), rows["bytes"].max()
    yield "# Arrival times, microseconds after the first rank; a line a call, a column a rank"
    yield f"# program: {metadata.get('command', '?')}"
    yield f"# traced: {metadata.get('started', '?')} with {metadata.get('mpi', '?')}"
    yield (
        f"# call site {first['site']}: {trace.operations[first['operation']]} from "
        f"{trace.sites[first['place']]}"
    )
    sizes = f"{low}" if low == high else f"{low} to {high}"
    yield f"# {len(rows)} calls of {first['ranks']} ranks, messages of {sizes} bytes"
    if trace.sample > 1:
        yield f"# of {trace.sample} calls that are alike one is on record"
    yield f"# clocks within {trace.clock_error_ns / US:g} us"


def body(trace: Trace, rows: pd.DataFrame) -> Iterator[str]:
    delays = {number: trace.groups[number].delays_ns() for number in rows["group"].unique()}
    for group, call in zip(rows["group"], rows["call"], strict=True):
        yield " ".join(f"{delay / US:.3f}" for delay in delays[group][call])


def choose_site(rows: pd.DataFrame, operations: list[str]) -> pd.DataFrame:
    """The call site that is exported if none is chosen: the all-gather that is called the most."""
    gathers = [n for n, name in enumerate(operations) if name.startswith("MPI_Allgather")]
    counts = rows[rows["operation"].isin(gathers)].groupby("site")["weight"].sum()
    if counts.empty:
        raise BadInput("--export: no all-gather in this trace; choose a call site with --site")
    return rows[rows["site"] == counts.idxmax()]
