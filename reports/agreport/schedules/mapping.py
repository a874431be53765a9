# SPDX-License-Identifier: BSD-3-Clause
"""Where each rank is under a mapping, and which messages of an algorithm stay on their node.

After figures 15, 17 and 18 of Loch (2021). With --algorithm a diagram a step, and of each step the
share of the messages, and of their bytes, that stays on a node. All comes from allgather_schedule.
"""

from argparse import Namespace
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.lines import Line2D

from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agreport.cli import program
from agreport.cli.report import Part
from agreport.figure.looks import COLOURS
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, shown
from agreport.schedules import schedule as schedules
from agreport.schedules import source
from agreport.schedules.diagrams import Arrow, OnNodes, Panel, diagram_sheet
from agreport.schedules.schedule import Message, Schedule, check_ranks

SETTING: dict[Hashable, str] = {
    **dict.fromkeys(["ranks", "nodes", "ranks_per_node"], "int64"),
    "mapping": "string",
}
NODES = Kind(f"a table of nodes by {program.NAME}", {**SETTING, "rank": "int64", "node": "int64"})
COUNTS = ("step", "sends", "sends_on_node", "sent_bytes", "sent_bytes_on_node")
LOCALITY = Kind(
    f"a table of localities by {program.NAME}",
    {
        **SETTING,
        **dict.fromkeys(["algorithm", "status", "reason"], "string"),
        **dict.fromkeys(COUNTS, "float64"),
    },
    ("reason", *COUNTS),
)
STAYS, LEAVES = COLOURS[0], COLOURS[5]
SHARES = {"sends_percent": "sends", "bytes_percent": "sent_bytes"}


@dataclass(frozen=True)
class Placed:
    """Where mappings put the ranks, and what then stays on a node of an algorithm's messages.

    nodes: a row for each mapping and rank. locality: a row for each mapping and step; None without
    an algorithm. schedules: the schedule of each mapping; empty unless they are drawn.
    """

    nodes: pd.DataFrame
    locality: pd.DataFrame | None
    schedules: Mapping[str, Schedule]

    @property
    def mappings(self) -> list[str]:
        return [*self.nodes["mapping"].unique()]


def load(options: Namespace) -> Placed:
    where = ["--nodes", str(options.nodes), "--ranks-per-node", str(options.ranks_per_node)]
    if options.ranks is not None:
        where += ["--ranks", str(options.ranks)]
    under = [*where, "--mapping", options.mapping]
    nodes = program.read(NODES, options.program, "mapping", *under)
    if options.algorithm is None:
        if options.steps:
            raise BadInput(f"--steps {options.steps}: needs --algorithm, whose steps they are")
        if options.collective:
            raise BadInput(f"--collective {options.collective}: needs --algorithm, whose it is")
        return Placed(nodes, None, {})
    chosen = ["--algorithms", options.algorithm, *source.of_collective(options)]
    locality = shares_on_node(
        options.algorithm, program.read(LOCALITY, options.program, "locality", *chosen, *under)
    )
    drawn: dict[str, Schedule] = {}
    if options.output:
        ranks = len(nodes) // nodes["mapping"].nunique()
        check_ranks(ranks)
        for mapping in nodes["mapping"].unique():
            said = ["--algorithm", options.algorithm, "--ranks", str(ranks), *where[:4]]
            said += ["--mapping", mapping, "--format", "json", *source.of_collective(options)]
            drawn[mapping] = schedules.read(
                program.NAME, program.run(options.program, "show", *said)
            )
    return Placed(nodes, locality, drawn)


def shares_on_node(algorithm: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows with the percentages of messages and of bytes that stay on a node, NaN where
    nothing is sent. Raises BadInput if the rows are not those of one algorithm with steps."""
    if rows["algorithm"].nunique() > 1:
        raise BadInput(f"--algorithm {algorithm}: is more than one algorithm")
    if len(lacking := rows[rows["status"] != "ok"]):
        raise BadInput(f"--algorithm {algorithm}: {lacking.iloc[0]['reason']}")
    if rows.empty:
        raise BadInput("--ranks 1: a rank alone has no steps")
    rows = rows.astype(dict.fromkeys(COUNTS, "int64")).drop(columns=["status", "reason"])
    for share, counted in SHARES.items():
        rows[share] = 100 * rows[f"{counted}_on_node"] / rows[counted].where(rows[counted] > 0)
    return rows


def parts(placed: Placed) -> Iterable[Part]:
    if placed.locality is None:
        for mapping, rows in placed.nodes.groupby("mapping", sort=False):
            cells = rows.assign(slot=rows.groupby("node").cumcount(), rank=rows["rank"].astype(str))
            listed = cells.pivot(index="slot", columns="node", values="rank").fillna("-")
            yield f"Ranks on nodes, {mapping}", listed.add_prefix("node ").reset_index()
        return
    columns = ["mapping", "step", "sends", "sends_on_node", *SHARES]
    yield "What stays on a node, of each step", placed.locality[columns]
    totals = placed.locality.groupby("mapping", sort=False)[[*COUNTS[1:]]].sum()
    for share, counted in SHARES.items():
        totals[share] = 100 * totals[f"{counted}_on_node"] / totals[counted]
    yield "Of all steps", totals[["sends", "sends_on_node", *SHARES]].reset_index()


def draw(placed: Placed, options: Namespace) -> Sheet:
    """Draws a panel for each mapping; if there is an algorithm, one for each step and mapping."""
    every = placed.nodes.groupby("mapping", sort=False)["node"]
    node: dict[str, list[int]] = {str(name): of_ranks.tolist() for name, of_ranks in every}
    counted = placed.locality is not None
    places = {
        name: OnNodes(of_ranks, options.nodes, options.ranks_per_node, counted)
        for name, of_ranks in node.items()
    }
    on_nodes = f"{plural(options.nodes, 'node')} with {plural(options.ranks_per_node, 'slot')} each"
    if placed.locality is None:
        panels = [Panel(f"{name} mapping", where, []) for name, where in places.items()]
        return diagram_sheet(panels, f"Where each rank is on {on_nodes}", [], "", len(places))
    drawn = placed.schedules
    steps = source.choose_steps(options.steps, max(len(one.rounds) for one in drawn.values()))
    word = "round" if any(one.ranks_wait for one in drawn.values()) else "step"
    panels = [
        Panel(
            f"{word} {step}, {name}\n{describe_step(placed.locality, name, step)}",
            where,
            draw_arrows(drawn[name].messages_of(step), node[name]),
        )
        for step in steps
        for name, where in places.items()
    ]
    return diagram_sheet(
        panels,
        f"{shown(next(iter(drawn.values())).algorithm)}, {on_nodes}: which messages stay on their "
        "node",
        legend_handles(),
        "A message is all that a rank sends to another in a step. Percent: of the bytes.",
        len(places),
    )


def draw_arrows(messages: Sequence[Message], node: Sequence[int]) -> list[Arrow]:
    """Returns an arrow for each message; its colour says whether the message stays on its node.

    node: the node of each rank.
    """
    looks = {True: {"color": STAYS, "lw": 0.7}, False: {"color": LEAVES, "lw": 0.7}}
    return [
        Arrow(one.sender, one.receiver, looks[node[one.sender] == node[one.receiver]])
        for one in messages
    ]


def legend_handles() -> list[Artist]:
    named = {"message that stays on its node": STAYS, "message to another node": LEAVES}
    return [Line2D([], [], color=colour, lw=1.1, label=name) for name, colour in named.items()]


def describe_step(locality: pd.DataFrame, mapping: str, step: int) -> str:
    found = locality[(locality["mapping"] == mapping) & (locality["step"] == step)]
    if found.empty:
        return "no such step"
    row = found.iloc[0]
    share = row["bytes_percent"]
    percent = "" if pd.isna(share) else f" ({share:.3g} %)"
    return f"{row['sends_on_node']} of {row['sends']} stay{percent}"
