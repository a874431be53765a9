# SPDX-License-Identifier: BSD-3-Clause
"""Costs by allgather_schedule's models -> the rows of some curves, checked."""

from collections.abc import Sequence

import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput, check_known
from agformats.files.csv_text import Kind
from agreport.cli import program
from agreport.figure.words import plural
from agreport.reports.schedules import MAPPINGS

BLOCKS = "distribution"
COSTS = Kind(
    f"a table of costs by {program.NAME}",
    {
        **dict.fromkeys(["model", "algorithm", "mapping", "unit", "status", "reason"], "string"),
        **dict.fromkeys(["ranks", "nodes", "ranks_per_node", "bytes"], "int64"),
        "cost": "float64",
    },
    ("cost",),
    optional=(BLOCKS,),
    texts=(BLOCKS,),
)
NORMALISED, RELATIVE = "cost_over_largest", "cost_over_first_curve"


def choose_curves(curves: str, algorithms: str | None) -> list[str]:
    """Returns the curves of --curves, ALGORITHM:MAPPING, or each of --algorithms with every
    mapping; ALGORITHM may be NAME:KEY=VALUE."""
    if algorithms:
        names = dict.fromkeys(algorithms.split(","))
        return [f"{name}:{mapping}" for name in names for mapping in MAPPINGS]
    found = list(dict.fromkeys(curve.strip() for curve in curves.split(",")))
    for curve in found:
        name, _, mapping = curve.rpartition(":")
        if not name or not mapping or "=" in mapping:
            raise BadInput(f"--curves: '{curve}' is no ALGORITHM:MAPPING such as bruck:cyclic")
    return found


def read(source: str, data: bytes) -> pd.DataFrame:
    """Returns the rows of a cost table, each with the name of its curve. Raises BadInput if a
    status is unknown, or if a row with status ok has no cost or a negative one.

    source: what messages call the table.
    """
    costs = COSTS.read(source, data)
    check_known(f"{source}: status", costs["status"], catalogue().names_of("status"), "a status")
    if not (costs.loc[costs["status"] == "ok", "cost"] >= 0).all():
        raise BadInput(f"{source}: a row with status ok has no cost, or a negative one")
    return costs.assign(curve=costs["algorithm"] + ":" + costs["mapping"])


def select(source: str, costs: pd.DataFrame, curves: Sequence[str]) -> pd.DataFrame:
    """Returns the rows of the curves, in the order of the curves, with two relative costs.

    NORMALISED is the cost over the largest one of the rows with as many ranks per node, 0 where all
    of them are 0. RELATIVE is the cost over that of the first curve at the same point, NaN where
    the first curve's cost is 0 or skipped. Raises BadInput if a curve has no cost at all, if it has
    several rows at a point, or if the rows have several models, distributions, block sizes or
    units.
    """
    rows = pd.concat([costs[costs["curve"] == curve] for curve in curves], ignore_index=True)
    for curve in curves:
        own = rows[rows["curve"] == curve]
        if own["cost"].isna().all():
            why = f" ({own['reason'].iloc[0]})" if len(own) else ""
            known = costs.loc[costs["status"] == "ok", "curve"].unique()
            raise BadInput(
                f"{source}: no cost of {curve}{why}; there are: {', '.join(known) or 'none'}"
            )
    for column in ("model", BLOCKS, "bytes", "unit"):
        if column in rows and len(values := rows[column].unique()) > 1:
            raise BadInput(f"{source}: several values of {column}: {', '.join(map(str, values))}")
    twice = rows.duplicated(["curve", "ranks_per_node", "nodes"])
    if twice.any():
        row = rows[twice].iloc[0]
        raise BadInput(
            f"{source}: several rows of {row['curve']} at {plural(row['nodes'], 'node')} "
            f"with {plural(row['ranks_per_node'], 'rank')}"
        )
    largest = rows.groupby("ranks_per_node")["cost"].transform("max")
    point = ["ranks_per_node", "nodes"]
    first = rows[rows["curve"] == curves[0]].set_index(point)["cost"]
    over = rows[point].join(first, on=point)["cost"]
    return rows.assign(
        **{
            NORMALISED: rows["cost"] / largest.where(largest > 0, 1),
            RELATIVE: rows["cost"] / over.where(over > 0),
        }
    )


def describe_gaps(costs: pd.DataFrame) -> str:
    """Returns a sentence for each curve with skipped points: how many they are, and the first
    reason. The text is empty if there are none."""
    skipped = costs[costs["status"] == "skipped"]
    return "".join(
        f" {curve}: {plural(len(reasons), 'point')} skipped "
        f"({reasons.iloc[0].partition('; ranks = ')[0]})."
        for curve, reasons in skipped.groupby("curve", sort=False)["reason"]
    )
