# SPDX-License-Identifier: BSD-3-Clause
"""Communication cost over the number of machines, with the mapping that suits each algorithm.

After figures 19 and 20 of Loch (2021): the sum over all messages of their bytes times the distance
between the machines of sender and receiver, one panel a number of cores a machine. The costs come
from allgather_schedule, or from a file that it wrote.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.csv_text import comments
from agformats.errors import BadInput
from agformats.result_file import metadata
from agformats.units import in_units, three_digits
from agreport.cli import options as opt
from agreport.cli import program
from agreport.cli.report import Report
from agreport.data.load import Launch, catalogue
from agreport.figure.scales import panel_sheet
from agreport.figure.sheet import STYLES, Sheet, looks
from agreport.figure.words import plural
from agreport.schedules import costs as co
from agreport.schedules.costs import MAPPINGS, NORMALISED, Curve

MODEL, MACHINES, CORES = "hop-bytes", "1:64", "1,2,4,8,12,16,24,32,64,128"
CURVES = "sparbit:sequential,bruck:cyclic"
MOST_PANELS = 60
TICK_SHARE = 0.09  # of the axis: what the label of a tick needs


@dataclass(frozen=True)
class Costs:
    """rows: the normalised costs of the curves; known: the algorithms in the order that colours
    them."""

    rows: pd.DataFrame
    curves: Sequence[Curve]
    known: Sequence[str]


def add_options(parser: ArgumentParser) -> None:
    for name, default in (("machines", MACHINES), ("cores", CORES)):
        parser.add_argument(
            f"--{name}",
            metavar="LIST",
            help=f"numbers of {name}, such as 2,4 or 1:8 (default: {default}, or all of --costs)",
        )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--curves",
        default=CURVES,
        metavar="ALGORITHM:MAPPING,...",
        help="what is drawn (default: %(default)s)",
    )
    what.add_argument(
        "--algorithms",
        metavar="LIST",
        help=f"what is drawn: each of these with {' and '.join(MAPPINGS)}",
    )
    parser.add_argument(
        "--costs",
        type=Path,
        metavar="FILE",
        help="read what `allgather_schedule cost` wrote instead",
    )
    parser.add_argument("--log", action="store_true", help="logarithmic costs")
    program.add_program(parser)


def load(options: Namespace) -> Costs:
    curves = co.choose_curves(options.curves, options.algorithms)
    chosen = {"machines": options.machines, "cores": options.cores}
    limits = {column: opt.numbers(f"--{column}", text) for column, text in chosen.items() if text}
    if options.costs:
        source, tables = str(options.costs), [options.costs.read_bytes()]
    else:
        source, tables = program.NAME, list(run_program(options, curves))
    costs = pd.concat([co.read(source, table) for table in tables], ignore_index=True)
    for column, numbers in limits.items():
        costs = costs[costs[column].isin(numbers)]
    rows = co.normalise(co.select(source, costs, curves))
    check_panels(rows["cores"].nunique())
    known = metadata(comments(tables[0]))
    names = {curve.algorithm for curve in curves}
    return Costs(rows, curves, catalogue([Launch(Path(source), known, 0)], names))


def check_panels(count: int) -> None:
    if count > MOST_PANELS:
        raise BadInput(f"--cores: {count} numbers; a figure has at most {MOST_PANELS} panels")


def run_program(options: Namespace, curves: Sequence[Curve]) -> Iterator[bytes]:
    """One run of the program a mapping and number of cores."""
    many = opt.numbers("--cores", options.cores or CORES)
    check_panels(len(many))
    for mapping in dict.fromkeys(curve.mapping for curve in curves):
        names = [curve.algorithm for curve in curves if curve.mapping == mapping]
        for cores in many:
            arguments = {
                "--algorithms": ",".join(names),
                "--bytes": "1",
                "--model": MODEL,
                "--machines": options.machines or MACHINES,
                "--cores": str(cores),
                "--mapping": mapping,
            }
            flat = [part for pair in arguments.items() for part in pair]
            yield program.run(options.program, "cost", *flat).encode()


def draw(costs: Costs, log: bool = False) -> Sheet:
    rows, curves = costs.rows, costs.curves
    styles = {curve: style(curve, curves, costs.known) for curve in curves}
    cores = sorted(rows["cores"].unique())
    page, panels = panel_sheet(
        ["" for _ in cores],
        "Communication cost over the number of machines",
        [Line2D([], [], label=str(curve), **styles[curve]) for curve in curves],
        caption(rows, curves, log),
    )
    for axes, count in zip(panels, cores, strict=True):
        if log:
            axes.set(yscale="log", ylim=(rows[NORMALISED].where(lambda y: y > 0).min() / 2, 2))
        else:
            axes.set_ylim(-0.03, 1.05)
        draw_panel(axes, rows, int(count), styles)
        axes.set(xlabel="machines", ylabel="cost / largest of the panel")
    return page


def style(curve: Curve, curves: Sequence[Curve], known: Sequence[str]) -> dict[str, Any]:
    """One colour an algorithm, one kind of line a mapping of it."""
    mappings = [other.mapping for other in curves if other.algorithm == curve.algorithm]
    repeat = mappings.index(curve.mapping)
    look = looks(known)[curve.algorithm]
    colour = look.colour
    return {
        "color": colour,
        "marker": look.marker,
        "linestyle": STYLES[repeat % len(STYLES)],
        "lw": 1,
        "ms": 3.5,
        "mfc": "white" if repeat else colour,
        "mec": colour if repeat else "white",
        "mew": 0.6 if repeat else 0.3,
    }


def draw_panel(
    axes: Axes, costs: pd.DataFrame, cores: int, styles: Mapping[Curve, dict[str, Any]]
) -> None:
    """A line breaks where there is no cost; powers of two, and what stands alone, have a marker."""
    panel = costs[costs["cores"] == cores]
    machines = sorted(costs["machines"].unique())
    log = axes.get_yscale() == "log"
    for curve, look in styles.items():
        heights = curve.rows(panel).set_index("machines")[NORMALISED].reindex(machines)
        if log:
            heights = heights.where(heights > 0)
        alone = heights.shift(1).isna() & heights.shift(-1).isna()
        marked = [m.bit_count() == 1 or alone[m] for m in machines]
        axes.plot(machines, heights, markevery=marked, **look)
    scale = f"1 = {three_digits(float(panel['cost'].max()))} {panel['unit'].iloc[0]}"
    axes.set_title(f"{plural(cores, 'core', 'cores')} a machine\n{scale}")
    axes.set_xticks(choose_ticks([m for m in machines if m.bit_count() == 1], machines))


def choose_ticks(powers: Sequence[int], machines: Sequence[int]) -> list[int]:
    """The last of the powers, as many as have room for their labels."""
    apart = TICK_SHARE * max(1, machines[-1] - machines[0])
    near = [place for place, (a, b) in enumerate(pairwise(powers), 1) if b - a < apart]
    return list(powers[max(near, default=0) :])


def caption(costs: pd.DataFrame, curves: Sequence[Curve], log: bool) -> str:
    model, size = costs["model"].iloc[0], int(costs["bytes"].iloc[0])
    text = f"Cost by the model {model}, with blocks of {in_units(size)}"
    if model == MODEL:
        text += (
            ": sum over the messages of all ranks of bytes times the distance between the "
            "machines of sender and receiver, which are numbered along a line"
        )
    text += ". Each panel is divided by its largest cost, which it names. Marked: powers of two."
    if log and costs[NORMALISED].eq(0).any():
        text += " Costs of 0 (no message leaves its machine) are not on the logarithmic scale."
    return " ".join([text, *filter(None, (co.describe_gaps(costs, curve) for curve in curves))])


REPORT = Report(
    "cost",
    __doc__,
    options=add_options,
    load=load,
    table=lambda costs, _: costs.rows,
    draw=lambda costs, _, options: draw(costs, options.log),
    formerly=("placement",),
)
