# SPDX-License-Identifier: BSD-3-Clause
"""Where each rank is under a mapping, and which messages of an algorithm stay on their node.

After figures 15, 17 and 18 of Loch (2021). With --algorithm a diagram a step, and of each step the
share of the messages, and of their bytes, that stays on a node. All comes from allgather_schedule.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agreport.cli import arg_types, program
from agreport.cli.render import Part
from agreport.cli.report import Report
from agreport.figure.names import shown
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural
from agreport.schedules import schedule as schedules
from agreport.schedules import source
from agreport.schedules.costs import MAPPINGS
from agreport.schedules.diagrams import diagram_sheet
from agreport.schedules.node_panel import NodePanel, handles
from agreport.schedules.schedule import Schedule, check_ranks

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
SHARES = {"sends_percent": "sends", "bytes_percent": "sent_bytes"}


@dataclass(frozen=True)
class Placed:
    """nodes: a row a mapping and rank; locality: a row a mapping and step, if there is an
    algorithm; schedules: of each mapping, if they are drawn."""

    nodes: pd.DataFrame
    locality: pd.DataFrame | None
    schedules: Mapping[str, Schedule]

    @property
    def mappings(self) -> list[str]:
        return [*self.nodes["mapping"].unique()]


def add_options(parser: ArgumentParser) -> None:
    number: dict[str, Any] = {"type": arg_types.count, "metavar": "NUMBER"}
    parser.add_argument("--nodes", required=True, **number, help="such as 4")
    parser.add_argument("--ranks-per-node", required=True, **number, help="slots of a node")
    parser.add_argument("--ranks", **number, help="default: as many as there are slots")
    parser.add_argument(
        "--mapping",
        default=",".join(MAPPINGS),
        metavar="LIST",
        help="such as cyclic (default: %(default)s)",
    )
    parser.add_argument("--algorithm", metavar="NAME", help="whose messages are drawn and counted")
    source.add_collective(parser)
    source.add_steps(parser)
    program.add_program(parser)


def load(options: Namespace) -> Placed:
    where = ["--nodes", str(options.nodes), "--ranks-per-node", str(options.ranks_per_node)]
    if options.ranks is not None:
        where += ["--ranks", str(options.ranks)]
    under = [*where, "--mapping", options.mapping]
    nodes = NODES.read(program.NAME, program.run(options.program, "mapping", *under).encode())
    if options.algorithm is None:
        if options.steps:
            raise BadInput(f"--steps {options.steps}: needs --algorithm, whose steps they are")
        if options.collective:
            raise BadInput(f"--collective {options.collective}: needs --algorithm, whose it is")
        return Placed(nodes, None, {})
    chosen = ["--algorithms", options.algorithm, *source.of_collective(options)]
    text = program.run(options.program, "locality", *chosen, *under)
    locality = read_locality(options.algorithm, text)
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


def read_locality(algorithm: str, text: str) -> pd.DataFrame:
    """With the shares that stay on a node, in percent; none where nothing is sent."""
    rows = LOCALITY.read(program.NAME, text.encode())
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
    counted = placed.locality is not None
    panels = [
        NodePanel(rows["node"].tolist(), options.nodes, options.ranks_per_node, counted)
        for _, rows in placed.nodes.groupby("mapping", sort=False)
    ]
    on_nodes = (
        f"{plural(options.nodes, 'node', 'nodes')} with "
        f"{plural(options.ranks_per_node, 'slot', 'slots')} each"
    )
    if placed.locality is None:
        return draw_ranks(placed.mappings, panels, on_nodes)
    steps = source.choose_steps(options.steps, max(map(len_rounds, placed.schedules.values())))
    return draw_messages(placed, placed.locality, panels, steps, on_nodes)


def draw_ranks(mappings: Sequence[str], panels: Sequence[NodePanel], on_nodes: str) -> Sheet:
    page, every = diagram_sheet(
        [f"{mapping} mapping" for mapping in mappings],
        panels[0].size_cm(),
        f"Where each rank is on {on_nodes}",
        [],
        "",
        len(panels),
    )
    for axes, panel in zip(every, panels, strict=True):
        panel.draw(axes)
    return page


def draw_messages(
    placed: Placed,
    locality: pd.DataFrame,
    panels: Sequence[NodePanel],
    steps: Sequence[int],
    on_nodes: str,
) -> Sheet:
    """Of each step, under each mapping."""
    some = next(iter(placed.schedules.values()))
    what = "round" if any(one.ranks_wait for one in placed.schedules.values()) else "step"
    titles = [
        f"{what} {step}, {mapping}\n{describe_step(locality, mapping, step)}"
        for step in steps
        for mapping in placed.mappings
    ]
    page, every = diagram_sheet(
        titles,
        panels[0].size_cm(),
        f"{shown(some.algorithm)}, {on_nodes}: which messages stay on their node",
        handles(),
        "A message is all that a rank sends to another in a step. Percent: of the bytes.",
        len(panels),
    )
    drawn = [(step, place) for step in steps for place in range(len(panels))]
    for axes, (step, place) in zip(every, drawn, strict=True):
        rounds = placed.schedules[placed.mappings[place]].rounds
        panels[place].draw(axes, rounds[step].messages if step < len(rounds) else [])
    return page


def len_rounds(schedule: Schedule) -> int:
    return len(schedule.rounds)


def describe_step(locality: pd.DataFrame, mapping: str, step: int) -> str:
    found = locality[(locality["mapping"] == mapping) & (locality["step"] == step)]
    if found.empty:
        return "no such step"
    row = found.iloc[0]
    share = row["bytes_percent"]
    percent = "" if pd.isna(share) else f" ({share:.3g} %)"
    return f"{row['sends_on_node']} of {row['sends']} stay{percent}"


REPORT = Report(
    "mapping",
    __doc__,
    options=add_options,
    load=load,
    table=lambda placed, _: placed.nodes if placed.locality is None else placed.locality,
    draw=lambda placed, _, options: draw(placed, options),
    parts=lambda placed, *_: parts(placed),
)
