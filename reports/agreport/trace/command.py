# SPDX-License-Identifier: BSD-3-Clause
"""How far apart ranks arrive at collective calls, from a trace that libagtrace.so wrote.

A table of the call sites; with -o a figure, and with --export the arrival times of one call site
for `--arrival trace:FILE`. Of several folders, a table and a figure with the programs side by side.
After Faraj (2006), 4.2.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from agformats.errors import BadInput
from agformats.files.outputs import write_text
from agreport.cli import inputs, render
from agreport.cli.report import Part
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural
from agreport.trace import calls, figure, programs
from agreport.trace.calls import Trace
from agreport.trace.imbalance import US, MessageTimes, describe_shares, imbalances, summarise_sites

OF_ONE = ("site", "calls", "export")  # options


@dataclass(frozen=True)
class Chosen:
    """A trace, and which of its calls were chosen.

    rows: all calls of the trace. kept: those of them that were chosen and not disturbed. exported:
    those of the call site whose arrival times are wanted; None: none are.
    """

    trace: Trace
    times: MessageTimes
    rows: pd.DataFrame
    kept: pd.DataFrame
    exported: pd.DataFrame | None = None


def load(options: Namespace) -> list[Chosen]:
    """Reads and filters the trace of each folder."""
    if len(options.folders) > 1:
        for option in OF_ONE:
            if getattr(options, option) is not None:
                raise BadInput(f"--{option}: is of one program; legal: one DIR, or without it")
    for folder in options.folders:
        if options.folders.count(folder) > 1:
            raise BadInput(f"{folder}: given twice")
    return [choose(folder, options) for folder in options.folders]


def choose(folder: Path, options: Namespace) -> Chosen:
    trace = calls.load(folder)
    times = MessageTimes(options.message_time, trace.messages)
    rows = imbalances(trace, times)
    kept = exported = select(trace, rows, options)
    if options.export and options.site is None:
        exported = most_called_gather(kept, trace.operations)
    return Chosen(trace, times, rows, kept, exported if options.export else None)


def by_program(chosen: Sequence[Chosen]) -> dict[str, pd.DataFrame]:
    """Returns the chosen calls of each program by the program's name. A program is called like its
    folder; if two would be called the same, all are called by the folders' paths."""
    names = [each.trace.folder.resolve().name for each in chosen]
    if len(set(names)) < len(names):
        names = [str(each.trace.folder) for each in chosen]
    return {name: each.kept for name, each in zip(names, chosen, strict=True)}


def table(chosen: Sequence[Chosen], _: Namespace) -> pd.DataFrame:
    if len(chosen) > 1:
        return programs.summarise(by_program(chosen))
    return summarise_sites(chosen[0].trace, chosen[0].kept)


def draw(chosen: Sequence[Chosen], table: pd.DataFrame, _: Namespace) -> Sheet:
    if len(chosen) > 1:
        return programs.draw(by_program(chosen))
    return figure.draw(chosen[0].trace, chosen[0].kept, table, chosen[0].times)


def parts(chosen: Sequence[Chosen], table: pd.DataFrame, _: Namespace) -> list[Part]:
    told = "\n".join(describe(each) for each in chosen)
    return [(told, table.reset_index())]


def write(chosen: Sequence[Chosen], _: pd.DataFrame, options: Namespace) -> None:
    """Writes the files of --calls and --export, which are of one program."""
    if options.calls:
        write_text(options.calls, render.FORMATS["csv"](chosen[0].kept))
    if chosen[0].exported is not None:
        trace, rows = chosen[0].trace, chosen[0].exported
        write_text(options.export, "\n".join([*head(trace, rows), *body(trace, rows)]) + "\n")


def select(trace: Trace, rows: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    if options.site is not None and options.site not in rows["site"].to_numpy():
        last = rows["site"].max()
        raise BadInput(f"--site: '{options.site}' is no call site here; legal: 0 to {last}")
    kept = rows[~rows["after_write"]]
    given = ""
    if options.site is not None:
        kept = kept[kept["site"] == options.site]
        given += f" --site {options.site}"
    if options.operation:
        legal = [trace.operations[number] for number in sorted(rows["operation"].unique())]
        names = inputs.split_names("--operation", options.operation, legal)
        kept = kept[kept["operation"].isin([trace.operations.index(name) for name in names])]
        given += f" --operation {','.join(names)}"
    if options.size is not None:
        low, high = options.size
        kept = kept[kept["bytes"].between(low, high)]
        given += f" --size {low}:{high}"
    if kept.empty:
        raise BadInput(f"{trace.folder}: no calls left after{given or ' what was disturbed'}")
    return kept


def describe(chosen: Chosen) -> str:
    """Returns lines, each with # before it, that say what the numbers of a trace are based on."""
    trace, times, rows, kept = chosen.trace, chosen.times, chosen.rows, chosen.kept
    calls = plural(len(rows), "call")
    text = [f"{trace.metadata.get('command', '?')}: {trace.ranks} ranks, {calls}"]
    if trace.sample > 1:
        text.append(
            f"of {trace.sample} calls that are alike one is on record (AGTRACE_SAMPLE): counts, "
            f"means and shares are estimates, of about {rows['weight'].sum()} calls"
        )
    if trace.clock_error_ns:
        text.append(f"clocks of the nodes within {trace.clock_error_ns / US:.2f} µs")
    else:
        text.append("one clock for all ranks")
    if disturbed := int(rows["after_write"].sum()):
        written = plural(disturbed, "call")
        text.append(f"left out: {written} right after a rank had to write its buffer to the file")
    if len(kept) < len(rows) - disturbed:
        text.append(f"chosen: {plural(len(kept), 'call')}")
    text.append(f"time from the first call to the last: {trace.span_ns() / 1e9:.3g} s, of which "
                f"{describe_shares(trace, kept)}")  # fmt: skip
    if times.given_us is None and not times.measured:
        text.append("factors: none, for this trace has no message times; give --message-time")
    else:
        text.append(f"factors: relative to {times.describe()}")
    return "\n".join(f"# {line}" for line in text)


def head(trace: Trace, rows: pd.DataFrame) -> Iterator[str]:
    """Yields the comments at the head of the file that `--arrival trace:FILE` of the benchmarks
    replays. All rows are of one number of ranks."""
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
    """Yields a line for each call, in order: a column for each rank, with the microseconds that the
    rank came after the first one."""
    delays = {number: trace.groups[number].delays_ns() for number in rows["group"].unique()}
    for group, call in zip(rows["group"], rows["call"], strict=True):
        yield " ".join(f"{delay / US:.3f}" for delay in delays[group][call])


def most_called_gather(rows: pd.DataFrame, operations: list[str]) -> pd.DataFrame:
    """Returns the calls of the call site that is exported if none is chosen: the all-gather that is
    called the most. Raises BadInput if there is no all-gather."""
    gathers = [n for n, name in enumerate(operations) if name.startswith("MPI_Allgather")]
    counts = rows[rows["operation"].isin(gathers)].groupby("site")["weight"].sum()
    if counts.empty:
        raise BadInput(
            "--export: no all-gather among the chosen calls; choose a call site with --site"
        )
    return rows[rows["site"] == counts.idxmax()]
