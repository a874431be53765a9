# SPDX-License-Identifier: BSD-3-Clause
"""Measured times beside those of a model, and the cases in which the model is off by a factor.

The prices are from a file that `allgather_schedule cost` wrote by a model in microseconds (hockney,
contention), for the hosts and the numbers of ranks of the launches. They are held against the
median times of the same distributions without an arrival pattern, whatever the mapping.
"""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from agformats.case_words import EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.comment_lines import comments
from agformats.files.csv_text import Kind
from agformats.files.result_file import metadata
from agformats.regular_file import read_whole
from agreport.cli import inputs, program, settle
from agreport.cli.report import Part
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, PANEL, Results
from agreport.figure.looks import lines
from agreport.figure.panels import panel_sheet
from agreport.figure.scales import logarithmic, mark_cases
from agreport.figure.sheet import Sheet
from agreport.figure.words import launches, plural, shown, time_of
from agreport.stats.medians import points

MOST_TOLD = 20  # cases where the model is off
PRICES = Kind(
    f"a table of costs by {program.NAME}",
    {
        **dict.fromkeys(["model", "algorithm", "distribution", "unit", "status"], "string"),
        **dict.fromkeys(["ranks", "bytes"], "int64"),
        "cost": "float64",
    },
    ("cost",),
)
US = "us"
PRICED = ["algorithm", "distribution", "ranks", "bytes"]
KEYS = [*CASE, "algorithm"]


@dataclass(frozen=True)
class Predicted:
    """Measured results, and the prices that a model predicts. prices: one in us for each of PRICED.
    model: the name of the model."""

    results: Results
    prices: "pd.Series[float]"
    model: str


def load(options: Namespace) -> Predicted:
    source = options.costs
    costs = PRICES.read(source, read_whole(source))
    for column, legal in (("unit", US), ("model", "")):
        found = sorted(costs[column].dropna().unique())
        if len(found) != 1 or (legal and found != [legal]):
            raise BadInput(
                f"--costs {source}: {column}: '{', '.join(found)}' is not legal; legal: "
                + (f"{US}, as the models hockney and contention have" if legal else "one model")
            )
    priced = costs[costs["status"] == "ok"]
    twice = priced[priced.duplicated(PRICED)]
    if len(twice):
        row = twice.iloc[0]
        raise BadInput(
            f"--costs {source}: several prices of {row['algorithm']}, distribution "
            f"{row['distribution']}, at {plural(row['ranks'], 'rank')} with "
            f"{plural(row['bytes'], 'byte')}"
        )
    if not (priced["cost"] >= 0).all():
        raise BadInput(f"--costs {source}: a row with status ok has no cost, or a negative one")
    prices = priced.astype({"algorithm": "str", "distribution": "str"}).set_index(PRICED)["cost"]
    results = only_of(inputs.load_selected(options), source)
    return Predicted(results, prices, str(costs["model"].iloc[0]))


def only_of(results: Results, costs: Path) -> Results:
    """Returns the rows whose algorithms the file prices: another collective's may have the same
    names."""
    priced = metadata(comments(read_whole(costs))).get("collective", "allgather")
    kind = catalogue().of_kind(priced)
    rows = results.rows[results.rows["collective"].isin(kind)]
    if rows.empty:
        raise BadInput(
            f"--costs {costs}: prices {priced}, and these launches have "
            f"{', '.join(map(str, results.rows['collective'].unique()))}"
        )
    return results.keep(rows)


def compare(data: Predicted, options: Namespace) -> pd.DataFrame:
    """Makes a row for each case and algorithm with a time and a price."""
    found = points(data.results, options.metric)
    fits = (found["arrival"] == NONE) & (found["status"] == "ok") & found["value"].notna()
    timed = found[fits].astype({"distribution": "str"})
    joined = timed.join(data.prices.rename("predicted_us"), on=PRICED)
    joined = joined[joined["predicted_us"].notna()]
    if joined.empty:
        names = ", ".join(sorted(data.prices.index.unique("algorithm")))
        raise BadInput(
            f"--costs {options.costs}: has no price of a case of these launches without an arrival "
            f"pattern; it has {names or 'none'} at ranks "
            f"{', '.join(map(str, sorted(data.prices.index.unique('ranks'))))}, distributions "
            f"{', '.join(sorted(data.prices.index.unique('distribution')))}"
        )
    ratio = joined["value"] / joined["predicted_us"].where(joined["predicted_us"] > 0)
    order = {name: place for place, name in enumerate(data.results.catalogue)}
    table = joined.assign(measured_us=joined["value"], ratio=ratio)
    table["off"] = (ratio > options.off) | (ratio < 1 / options.off)
    table = table.sort_values(
        [*PANEL, "algorithm", "ranks", "bytes"],
        key=lambda column: column.map(order) if column.name == "algorithm" else column,
        kind="stable",
    )
    return table.set_index(KEYS)[["measured_us", "predicted_us", "ratio", "off"]]


def parts(data: Predicted, table: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    """Returns how far the model is off for each algorithm, then the cases, the furthest first."""
    grouped = table.groupby("algorithm", sort=False, observed=True)
    overview = grouped.agg(
        cases=("off", "size"),
        ratio_median=("ratio", "median"),
        ratio_least=("ratio", "min"),
        ratio_most=("ratio", "max"),
        off=("off", "sum"),
    )
    yield f"Measured over predicted by {data.model}", overview.reset_index()
    off = table[table["off"]]
    far = (
        off["ratio"]
        .where(off["ratio"] > 1, 1 / off["ratio"])
        .sort_values(ascending=False, kind="stable")
    )
    if off.empty:
        yield f"No case is off by more than a factor of {options.off:g}."
        return
    title = f"Off by more than a factor of {options.off:g}"
    if len(off) > MOST_TOLD:
        title += f": the furthest {MOST_TOLD} of {len(off)} cases; --csv FILE has all"
    told = off.loc[far.index[:MOST_TOLD]].drop(columns="off").reset_index()
    equal = (told["distribution"] == EQUAL_BLOCKS).all()
    yield title, told.drop(columns=["arrival", *(["distribution"] if equal else [])])


def draw(data: Predicted, table: pd.DataFrame, options: Namespace) -> Sheet:
    """Draws a panel an algorithm, a line for each number of ranks, distribution and mapping."""
    names = table.index.unique("algorithm").tolist()
    look = lines(names, data.results.catalogue)
    page, panels = panel_sheet(
        [shown(name) for name in names],
        f"Measured over predicted time, {options.metric}",
        [],
        write_caption(data, table, options),
    )
    sizes = sorted(table.index.unique("bytes"))
    apart = [name for name in KEYS if name not in ("algorithm", "bytes")]
    values = [*table["ratio"].dropna(), options.off, 1 / options.off]
    for axes, name in zip(panels, names, strict=True):
        axes.axhspan(1 / options.off, options.off, color="0.93", lw=0, zorder=0)
        axes.axhline(1, color="0.4", lw=0.8)
        for _, line in table.xs(name, level="algorithm").groupby(apart, observed=True):
            across = line.reset_index().sort_values("bytes")
            axes.plot(across["bytes"], across["ratio"], **look[name])
        logarithmic(axes, "y", values, quotients=True)
        mark_cases(axes, sizes, "bytes")
        axes.set_ylabel("measured / predicted")
    return page


def write_caption(data: Predicted, table: pd.DataFrame, options: Namespace) -> str:
    ranks = ", ".join(map(str, sorted(table.index.unique("ranks"))))
    blocks = ", ".join(map(shown, table.index.unique("distribution")))
    return (
        f"Median of the {time_of(options.metric)}, of {launches(data.results)}, over the time that "
        f"the model {data.model} predicts for the same blocks; a line for each number of ranks "
        f"({ranks}), distribution ({blocks}) and mapping. Of {plural(len(table), 'time')} "
        f"{int(table['off'].sum())} are off by more than a factor of {options.off:g}: outside of "
        "the grey band."
    )


def settle_call(options: Namespace, data: Predicted) -> Predicted:
    settle.settle_metric(options, data.results)
    return data
