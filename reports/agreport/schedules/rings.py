# SPDX-License-Identifier: BSD-3-Clause
"""The component rings of each step: who sends around which ring; g_max and k_min.

After figure 16 and section 5.2 of Loch (2021). Where each rank sends to one rank and receives from
one, the messages of a step form disjoint rings. g_max is the highest number of rings of a step,
k_min the lowest number of ranks of a ring. The rings come from allgather_schedule.
"""

from argparse import Namespace
from collections.abc import Iterable

import pandas as pd

from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agreport.cli import program
from agreport.cli.report import Part
from agreport.figure.looks import COLOURS, STYLES
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, shown
from agreport.reports.schedules import MOST_RANKS
from agreport.schedules import source
from agreport.schedules.diagrams import BEND, AroundCircle, Arrow, Panel, diagram_sheet

RINGS = Kind(
    f"a table of rings by {program.NAME}",
    {
        **dict.fromkeys(["algorithm", "members", "status", "reason"], "string"),
        "ranks": "int64",
        **dict.fromkeys(["step", "rings", "least_ranks", "most_ranks"], "float64"),
    },
    ("members", "reason", "step", "rings", "least_ranks", "most_ranks"),
)
EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # not broken in captions
COUNTS = ["step", "rings", "least_ranks", "most_ranks"]


def load(options: Namespace) -> pd.DataFrame:
    """Returns a table with a row for each step of each algorithm and number of ranks. Raises
    BadInput if an algorithm has no rings there, or if a rank alone has no steps."""
    given = ["--algorithms", options.algorithms, "--ranks", options.ranks]
    given += source.of_collective(options)
    rows = program.read(RINGS, options.program, "rings", *given)
    if (lacking := rows[rows["status"] != "ok"]).size:
        first = lacking.iloc[0]
        raise BadInput(f"--algorithms {first['algorithm']}: {first['reason']}")
    if rows.empty:
        raise BadInput(f"--ranks {options.ranks}: a rank alone has no steps")
    return rows.astype(dict.fromkeys(COUNTS, "int64")).drop(columns=["status", "reason"])


def find_extremes(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a table with g_max and k_min of each algorithm and number of ranks."""
    return (
        rows.groupby(["algorithm", "ranks"], sort=False)
        .agg(g_max=("rings", "max"), k_min=("least_ranks", "min"))
        .reset_index()
    )


def parts(rows: pd.DataFrame) -> Iterable[Part]:
    yield "Component rings", rows.drop(columns="members")
    yield "g_max: most rings of a step; k_min: fewest ranks of a ring", find_extremes(rows)


def choose_steps(rows: pd.DataFrame, text: str | None) -> pd.DataFrame:
    """Returns the rows of the steps that are drawn. Raises BadInput if there are several numbers of
    ranks, or more ranks than a figure can show. text: the value of --steps."""
    if (counts := rows["ranks"].unique()).size > 1 or counts[0] > MOST_RANKS:
        raise BadInput(
            f"--ranks: a figure has one number of ranks, {MOST_RANKS} at most; without -o all are "
            "printed"
        )
    return rows[rows["step"].isin(source.choose_steps(text, int(rows["step"].max()) + 1))]


def draw(rows: pd.DataFrame, text: str | None) -> Sheet:
    """Draws a panel for each chosen step of each algorithm. text: the value of --steps."""
    chosen = choose_steps(rows, text)
    ranks = int(rows["ranks"].iloc[0])
    places = AroundCircle(ranks)
    shown_columns = (chosen[column] for column in ["algorithm", "members", *COUNTS])
    panels = [
        Panel(
            f"{shown(algorithm)}, step {step}\n{count_rings(rings, least, most)}",
            places,
            draw_arrows(members),
        )
        for algorithm, members, step, rings, least, most in zip(*shown_columns, strict=True)
    ]
    head = f"Component rings of {plural(ranks, 'rank')}"
    return diagram_sheet(panels, head, [], write_caption(find_extremes(rows)))


def count_rings(rings: int, least: int, most: int) -> str:
    size = plural(most, "rank") if least == most else f"{least} to {most} ranks"
    return f"{plural(rings, 'ring')} of {size}"


def draw_arrows(members: str) -> list[Arrow]:
    """Returns the arrows of a step; each ring has a colour and a kind of line.

    members: the ranks of each ring, in the order in which they send: 0 2;1 3.
    """
    arrows = []
    for number, ring in enumerate(members.split(";")):
        ranks = [*map(int, ring.split())]
        style = STYLES[number // len(COLOURS) % len(STYLES)]
        look = {"color": COLOURS[number % len(COLOURS)], "linestyle": style}
        pairs = zip(ranks, [*ranks[1:], ranks[0]], strict=True)
        bend = BEND if len(ranks) == 2 else None  # so that the two arrows are apart
        arrows += [Arrow(sender, receiver, look, bend) for sender, receiver in pairs]
    return arrows


def write_caption(extremes: pd.DataFrame) -> str:
    found = [
        f"{shown(str(row.algorithm))}: g_max = {row.g_max}, k_min = {row.k_min}.".replace(
            " = ", EQUALS
        )
        for row in extremes.itertuples(index=False)
    ]
    return " ".join(
        [
            "A colour, with its kind of line, is a ring.",
            *found,
            "g_max is the highest number of rings of a step, k_min the lowest number of ranks of a "
            "ring, over all steps.",
        ]
    )
