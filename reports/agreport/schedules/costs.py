# SPDX-License-Identifier: BSD-3-Clause
"""Costs by allgather_schedule's models -> the rows of some curves, checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from agformats.csv_text import Kind
from agformats.errors import BadInput
from agreport.cli import program
from agreport.figure.words import plural

COSTS = Kind(
    f"a table of costs by {program.NAME}",
    {
        **dict.fromkeys(["model", "algorithm", "mapping", "unit", "status", "reason"], "string"),
        **dict.fromkeys(["ranks", "machines", "cores", "bytes"], "int64"),
        "cost": "float64",
    },
    ("cost",),
)
STATUSES = ("ok", "skipped")
MAPPINGS = ("sequential", "cyclic")
NORMALISED = "cost_over_largest"


@dataclass(frozen=True)
class Curve:
    algorithm: str
    mapping: str

    def __str__(self) -> str:
        return f"{self.algorithm}, {self.mapping}"

    def rows(self, costs: pd.DataFrame) -> pd.DataFrame:
        return costs[costs["algorithm"].eq(self.algorithm) & costs["mapping"].eq(self.mapping)]


def choose_curves(curves: str, algorithms: str | None) -> list[Curve]:
    """Those of --curves, or each of --algorithms with every mapping."""
    if algorithms:
        names = dict.fromkeys(algorithms.split(","))
        return [Curve(name, mapping) for name in names for mapping in MAPPINGS]
    return parse_curves(curves)


def parse_curves(text: str) -> list[Curve]:
    """ALGORITHM:MAPPING,..., where ALGORITHM may be NAME:KEY=VALUE."""
    curves = []
    for part in text.split(","):
        name, _, mapping = part.strip().rpartition(":")
        if not name or not mapping or "=" in mapping:
            raise BadInput(f"--curves: '{part}' is no ALGORITHM:MAPPING such as bruck:cyclic")
        curves.append(Curve(name, mapping))
    return list(dict.fromkeys(curves))


def read(source: str, data: bytes) -> pd.DataFrame:
    costs = COSTS.read(source, data)
    known = costs["status"].isin(STATUSES)
    if not known.all():
        value = costs["status"][~known].iloc[0]
        raise BadInput(f"{source}: status '{value}' is not one of {', '.join(STATUSES)}")
    if not (costs.loc[costs["status"] == "ok", "cost"] >= 0).all():
        raise BadInput(f"{source}: a row with status ok has no cost, or a negative one")
    return costs


def select(source: str, costs: pd.DataFrame, curves: Sequence[Curve]) -> pd.DataFrame:
    """The rows of the curves, in their order: one a point, of one model and block size."""
    rows = pd.concat([curve.rows(costs) for curve in curves], ignore_index=True)
    for curve in curves:
        if curve.rows(costs)["cost"].isna().all():
            reasons = curve.rows(costs)["reason"]
            why = f" ({reasons.iloc[0]})" if len(reasons) else ""
            raise BadInput(
                f"{source}: no cost of {curve.algorithm}:{curve.mapping}{why}; "
                f"there are: {', '.join(list_curves(costs)) or 'none'}"
            )
    for column in ("model", "bytes", "unit"):
        if len(values := rows[column].unique()) > 1:
            raise BadInput(f"{source}: several values of {column}: {', '.join(map(str, values))}")
    twice = rows.duplicated(["algorithm", "mapping", "cores", "machines"])
    if twice.any():
        row = rows[twice].iloc[0]
        raise BadInput(
            f"{source}: several rows of {row['algorithm']}:{row['mapping']} at "
            f"{row['machines']} machines with {row['cores']} cores"
        )
    return rows


def list_curves(costs: pd.DataFrame) -> Iterable[str]:
    """What --curves may have."""
    pairs = costs.loc[costs["status"] == "ok", ["algorithm", "mapping"]].drop_duplicates()
    return [f"{name}:{mapping}" for name, mapping in pairs.itertuples(index=False)]


def normalise(costs: pd.DataFrame) -> pd.DataFrame:
    """With the cost over the largest of those with as many cores; 0 where all are 0."""
    largest = costs.groupby("cores")["cost"].transform("max")
    return costs.assign(**{NORMALISED: costs["cost"] / largest.where(largest > 0, 1)})


def describe_gaps(costs: pd.DataFrame, curve: Curve) -> str:
    """How many points of a curve were skipped, and the first reason; empty if none."""
    rows = curve.rows(costs)
    reasons = rows.loc[rows["status"] == "skipped", "reason"]
    if reasons.empty:
        return ""
    reason = reasons.iloc[0].partition("; ranks = ")[0]
    return f"{curve}: {plural(len(reasons), 'point', 'points')} skipped ({reason})."
