#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where each algorithm wins, by the model `contention`: docs/where_each_wins.md and its figures.

    where_each_wins.py [--build BUILD] [--ranks 16,64] [--page FILE.md --figures FOLDER]

On each network and at each number of ranks, `allgather_schedule cost` prices all algorithms that
can run, with the values of their parameters and the orders of the ranks that are worth a try. A
cell names the plainest one within TIE of the fastest: of many that do the same at a place, a user
wants to know the one that every library has. At the smaller numbers of ranks the picks are held
against `allgather_schedule time`, where messages share links max-min fairly and nobody waits for a
step's end.
"""

import argparse
import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from itertools import product
from math import isqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from agreport.figure.looks import Look, looks
from agreport.figure.sheet import STYLE, sheet
from agreport.figure.words import size_label

ALPHA_S, BANDWIDTH = 2e-6, 1e10  # of a start-up; bytes a second of a host's link
# Of a start-up, what each further message of a step takes: the processor has to begin each.
FURTHER = 0.25
MODEL = f"contention:alpha={ALPHA_S:g},bandwidth={BANDWIDTH:g},further={FURTHER}"
OVERLAPPED = f"contention:alpha={ALPHA_S:g},bandwidth={BANDWIDTH:g},further=0"
FLUID = f"hockney:alpha={ALPHA_S:g},beta={1 / BANDWIDTH:g}"
RANKS = (16, 64, 256, 1024)
SIZES = (1, 64, 1 << 10, 16 << 10, 128 << 10, 1 << 20)
DISTRIBUTIONS = {"regular": "equal blocks", "linear": "linearly falling", "spike": "one large"}
COMMON = ("ring", "bruck", "recursive_doubling")  # what every library has
TIE = 1.02
MOST_UNEQUAL = 256  # ranks with unequal blocks: their schedules are made anew for each size
HOPELESS = 5.0  # what costs as many times the least at all sizes is not tried with more ranks
SEGMENTED = "pipelined_ring"  # whose parameter follows the block size
FLUID_RANKS = 64  # at most
NEAR = 3.0  # what costs more, times the lowest, is not held against the fluid simulation
NODE_RANKS = 8  # of the fat nodes
KEYS = ["network", "ranks", "distribution", "bytes"]
CATALOGUE = "formats/agformats/catalogue.json"


@dataclass(frozen=True)
class Network:
    """topology: what the file of --topology says, or a torus; options: where ranks run on it;
    orders: those of the ranks that do something here; sides: of a torus."""

    title: str
    topology: str
    options: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    sides: str = ""


def networks(ranks: int) -> list[Network]:
    """As many leaves as hosts on each, and a quarter of their bandwidth above them; the torus has
    two dimensions."""
    side = isqrt(ranks)
    leaves = [
        f"SwitchName=s{n} Nodes=h[{side * n}-{side * n + side - 1}] LinkSpeed={side / 4:g}"
        for n in range(side)
    ]
    tree = "\n".join([f"SwitchName=top Switches=s[0-{side - 1}]", *leaves]) + "\n"
    scattered = [f"h{n}" for n in range(ranks)]
    random.Random(1).shuffle(scattered)
    nodes = ranks // NODE_RANKS
    return [
        Network("one switch", f"SwitchName=s Nodes=h[0-{ranks - 1}]\n"),
        Network("4:1 tree, ranks in order", tree),
        Network("4:1 tree, ranks scattered", tree, ("--hosts", ",".join(scattered)), ("switch",)),
        Network(
            f"{NODE_RANKS} ranks a node, one switch",
            f"SwitchName=s Nodes=h[0-{nodes - 1}]\n",
            ("--ranks-per-node", str(NODE_RANKS)),
            ("cyclic",),
        ),
        Network("torus of two dimensions", f"torus:{side}x{side}", sides=f"{side}x{side}"),
    ]


@cache
def rows() -> list[dict[str, Any]]:
    """Of the catalogue: all-gathers with a schedule that need no arrival times and end without a
    broadcast of the library's, which no model prices."""
    found = json.loads(Path(CATALOGUE).read_text(encoding="utf-8"))["algorithms"]
    return [row for row in found if "allgather" in row["collectives"] and row["has_schedule"]
            and not row["arrival_aware"] and row["name"] != "file"
            and "MPI_Bcast" not in row["steps"]]  # fmt: skip


def values(parameter: str, network: Network, ranks: int) -> list[str]:
    """Worth a try beside the default."""
    of_any = {
        "k": ["4", "8", "16"],
        "segments": ["1", "16", "64"],
        "aggregate": ["1", str(ranks // 2)],
        "factors": [f"{isqrt(ranks)}x{isqrt(ranks)}"],
        "inner": ["ring", "recursive_doubling", "spread", "sparbit"],
        "leaders": ["4"],
        "dims": [network.sides] if network.sides else [],
        "ports": ["4"] if network.sides else [],
    }
    return of_any.get(parameter, [])


def candidates(network: Network, ranks: int, equal: bool) -> list[str]:
    """The plainest first: as they are, with parameters, in another order of the ranks. With one
    rank a node, what knows nodes is its inner algorithm, or a flat one, and is left out."""
    plain, chosen, ordered = [], [], []
    orders = [*network.orders, *([] if equal else ["paired"])]
    has_nodes = "--ranks-per-node" in network.options
    for row in rows():
        if row["node_aware"] and not has_nodes:
            continue
        choices = [
            [f":{one['name']}={value}" for value in values(one["name"], network, ranks)]
            for one in row["parameters"]
        ]
        forms = ["".join(form) for form in product(*([["", *each] for each in choices]))]
        plain.append(row["name"])
        chosen += [row["name"] + form for form in forms[1:]]
        if row["takes_order"]:
            # Many segments in another order of many ranks take gigabytes.
            few = [form for form in forms if ranks <= 256 or ":segments=" not in form]
            ordered += [f"{row['name']}@{order}{form}" for order in orders for form in few]
    return [*plain, *chosen, *ordered]


def segmented(network: Network, ranks: int, size: int) -> list[str]:
    """The ring of unequal blocks, whose segment follows the size: as many segments as ranks, and
    other numbers where there is time for it."""
    parts = (1 / 4, 1, 4) if ranks <= 256 else (1,)
    sizes = sorted({max(1, int(size * part)) for part in parts})
    orders = ["", *(f"@{order}" for order in network.orders)]
    return [f"{SEGMENTED}{order}:segment={size_label(part)}" for order in orders for part in sizes]


def printed(build: str, command: str, *options: str) -> pd.DataFrame:
    tool = f"{build}/bin/allgather_schedule"
    done = subprocess.run([tool, command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"where_each_wins: allgather_schedule {command}: {done.stderr}")
    return pd.read_csv(StringIO(done.stdout), comment="#")


def placed(network: Network, folder: Path, ranks: int) -> list[str]:
    topology = network.topology
    if "\n" in topology:
        path = folder / f"{ranks} {network.title}.conf"
        path.write_text(topology)
        topology = str(path)
    return ["--ranks", str(ranks), "--topology", topology, *network.options]


def prices(
    build: str, folder: Path, model: str, sizes: Sequence[int], ranks: Sequence[int], place: int
) -> pd.DataFrame:
    """Of all that can run on this network, the plainest first, in microseconds."""
    found = []
    for distribution in DISTRIBUTIONS:
        hopeless: set[str] = set()
        for p in sorted(ranks):
            if p > MOST_UNEQUAL and distribution != "regular":
                continue
            network = networks(p)[place]
            given = [*placed(network, folder, p), "--model", model, "--distributions", distribution]
            names = [name for name in candidates(network, p, distribution == "regular")
                     if base_of(name) != SEGMENTED and name not in hopeless]  # fmt: skip
            parts = [printed(build, "cost", *given, "--algorithms", ",".join(names),
                             "--bytes", ",".join(map(str, sizes)))]  # fmt: skip
            for size in sizes:
                names = segmented(network, p, size)
                parts.append(printed(build, "cost", *given, "--algorithms", ",".join(names),
                                     "--bytes", str(size)))  # fmt: skip
            table = pd.concat(parts)
            table = table[table["status"] == "ok"].assign(network=network.title)
            found.append(table)
            times = table["cost"] / table.groupby("bytes")["cost"].transform("min")
            least = times.groupby(table["algorithm"]).min()
            hopeless |= set(least[least > HOPELESS].index) - set(COMMON)
    return pd.concat(found)


def picks(costs: pd.DataFrame) -> pd.DataFrame:
    """Of each case the plainest within TIE of the fastest, its cost, and how many times that of the
    fastest the best common one costs; `also`: how many others are as good."""
    found = []
    for key in dict.fromkeys(costs[KEYS].itertuples(index=False, name=None)):
        case = part(costs, **dict(zip(KEYS, key, strict=True)))
        fastest = case["cost"].min()
        near = case[case["cost"] <= TIE * fastest]
        common = case.loc[case["algorithm"].isin(COMMON), "cost"].min()
        found.append((*key, near["algorithm"].iloc[0], near["cost"].iloc[0], common / fastest,
                      len(near) - 1))  # fmt: skip
    return pd.DataFrame(found, columns=[*KEYS, "algorithm", "us", "gain", "also"])


def part(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows that have these values in these columns."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table


def fluid_ratios(build: str, folder: Path, costs: pd.DataFrame) -> pd.DataFrame:
    """Of each case the fluid simulation's time of the pick over that of the best of all that are
    near it by the model OVERLAPPED. That simulation lets all start-ups of a step overlap, too."""
    found = []
    for pick in picks(costs).to_dict("records"):
        key = {name: pick[name] for name in KEYS}
        network = next(each for each in networks(key["ranks"]) if each.title == key["network"])
        priced = part(costs, **key)
        few = priced.loc[priced["cost"] <= NEAR * priced["cost"].min(), "algorithm"]
        unequal = () if key["distribution"] == "regular" else (
            "--distributions", key["distribution"])  # fmt: skip
        times = printed(build, "time", *placed(network, folder, key["ranks"]), "--model", FLUID,
                        "--algorithms", ",".join(few), "--sizes", str(key["bytes"]), "-i", "1",
                        *unequal)  # fmt: skip
        us = times[times["status"] == "ok"].set_index("algorithm")["max_us"]
        found.append({**key, "ratio": us[pick["algorithm"]] / us.min()})
    return pd.DataFrame(found)


def base_of(name: str) -> str:
    return name.partition(":")[0].partition("@")[0]


def label_of(name: str, gain: float) -> str:
    """In two lines: the algorithm; its order, parameters and gain. What has no room: the end of a
    long name, which begins the second line, and the key of segments, which is left out."""
    base = base_of(name)
    first = base if len(base) <= WIDEST else base[: base.rindex("_")]
    name = name.replace(":segments=", ":").replace(":segment=", ":")
    return f"{first}\n{name[len(first) :]} x {gain:.2f}".replace("\n ", "\n")


WIDEST = 19  # letters in a cell
CELL_CM, LEFT_CM, RIGHT_CM, ABOVE_CM, BELOW_CM = 0.68, 1.5, 0.2, 0.55, 0.45


def draw(path: Path, distribution: str, chosen: pd.DataFrame, look: dict[str, Look]) -> None:
    titles = list(dict.fromkeys(chosen["network"]))
    ranks = sorted(set(chosen["ranks"]))
    panel_cm = ABOVE_CM + len(ranks) * CELL_CM + BELOW_CM
    winners = {base_of(name) for name in chosen["algorithm"]}
    legend = [look[name].patch(name) for name in look if name in winners]
    page = sheet(
        f"Where each wins, {DISTRIBUTIONS[distribution]}"
        + ("" if distribution == "regular" else f" (distribution {distribution})"),
        len(titles) * panel_cm + 0.5,
        legend,
        f"Model {MODEL}. In a cell the plainest algorithm within {TIE - 1:.0%} of the fastest, its "
        f"order of the ranks and parameters, and how many times faster the fastest is than the "
        f"best of {', '.join(COMMON)}.",
    )
    for number, title in enumerate(titles):
        width_cm = page.width_cm - LEFT_CM - RIGHT_CM
        top_cm = number * panel_cm + ABOVE_CM
        axes = page.axes(LEFT_CM, top_cm, width_cm, len(ranks) * CELL_CM)
        draw_panel(axes, title, part(chosen, network=title), ranks, look)
        if number == len(titles) - 1:
            axes.set_xlabel("block size c (bytes)")
    page.write(path)


def draw_panel(
    axes: Axes, title: str, cells: pd.DataFrame, ranks: Sequence[int], look: dict[str, Look]
) -> None:
    sizes = sorted(set(cells["bytes"]))
    for cell in cells.to_dict("records"):
        x, y = sizes.index(cell["bytes"]), ranks.index(cell["ranks"])
        of = look[base_of(cell["algorithm"])]
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=of.colour, hatch=of.hatch,
                                 edgecolor="white", lw=0.8))  # fmt: skip
        axes.text(x + 0.5, y + 0.5, label_of(cell["algorithm"], cell["gain"]), ha="center",
                  va="center", size=5.8, linespacing=1.1,
                  bbox={"facecolor": "white", "lw": 0, "pad": 1.2})  # fmt: skip
    axes.set_xticks([n + 0.5 for n in range(len(sizes))], [size_label(size) for size in sizes])
    axes.set_yticks([n + 0.5 for n in range(len(ranks))], [str(p) for p in ranks])
    axes.set(xlim=(0, len(sizes)), ylim=(0, len(ranks)), ylabel="ranks")
    axes.set_title(title)
    axes.tick_params(length=2, pad=2)


def groups(rows: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Network, ranks, and the rows of both."""
    for title, ranks in dict.fromkeys(zip(rows["network"], rows["ranks"], strict=True)):
        yield title, ranks, part(rows, network=title, ranks=ranks)


def table(chosen: pd.DataFrame) -> Iterator[str]:
    sizes = sorted(set(chosen["bytes"]))
    yield f"| network | ranks | {' | '.join(size_label(size) for size in sizes)} |"
    yield "|---" * (2 + len(sizes)) + "|"
    for title, ranks, cells in groups(chosen):
        texts = [f"`{cell['algorithm']}` {cell['gain']:.2f}" for cell in cells.to_dict("records")]
        yield f"| {title} | {ranks} | {' | '.join(texts)} |"


def fluid_table(ratios: pd.DataFrame) -> Iterator[str]:
    yield "| network | ranks | cases | within 1.05 | median | worst |"
    yield "|---|---:|---:|---:|---:|---:|"
    for title, ranks, cells in groups(ratios):
        of = cells["ratio"]
        yield (f"| {title} | {ranks} | {len(of)} | {(of <= 1.05).sum()} | {of.median():.2f} "
               f"| {of.max():.2f} |")  # fmt: skip


def page_text(chosen: pd.DataFrame, ratios: pd.DataFrame, figures: str) -> Iterator[str]:
    yield "<!-- docs/studies/where_each_wins.py writes this page. -->"
    yield "# Where each algorithm wins: all cases\n"
    yield f"What it is, and what to take home: [algorithms](algorithms.md). Model `{MODEL}`."
    yield f"A cell has the plainest algorithm within {TIE - 1:.0%} of the fastest, and how many"
    common = ", ".join(f"`{name}`" for name in COMMON)
    yield f"times faster the fastest is than the best of {common}."
    for distribution, text in DISTRIBUTIONS.items():
        cases = part(chosen, distribution=distribution)
        yield f"\n## Distribution `{distribution}`: {text}\n"
        yield f"![Where each wins, {text}]({figures}/where-each-wins-{distribution}.png)\n"
        yield from table(cases)
    yield "\n## Held against the fluid simulation\n"
    yield "The time of the model's pick in `allgather_schedule time --topology` over that of the"
    yield f"best of all whose price is within {NEAR:g} times the lowest, with `{OVERLAPPED}`: in"
    yield "that simulation all start-ups of a step overlap.\n"
    yield from fluid_table(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), help="squares, of 16 on")
    parser.add_argument("--bytes", default=",".join(map(str, SIZES)))
    parser.add_argument("--page", type=Path, default=Path("docs/where_each_wins.md"))
    parser.add_argument("--figures", type=Path, default=Path("docs/figures"))
    parser.add_argument("--costs", type=Path, help="written, or read if it is there")
    options = parser.parse_args()
    ranks = [int(text) for text in options.ranks.split(",")]
    sizes = [int(text) for text in options.bytes.split(",")]
    places = range(len(networks(min(ranks))))
    with TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        if options.costs and options.costs.exists():
            costs = pd.read_csv(options.costs)
        else:
            one = partial(prices, options.build, folder, MODEL, sizes, ranks)
            costs = pd.concat(pool.map(one, places), ignore_index=True)
            if options.costs:
                costs.to_csv(options.costs, index=False)
        chosen = picks(costs)
        few = [p for p in ranks if p <= FLUID_RANKS] or [min(ranks)]
        overlapped = partial(prices, options.build, folder, OVERLAPPED, sizes, few)
        fluid = partial(fluid_ratios, options.build, folder)
        ratios = pd.concat(pool.map(fluid, pool.map(overlapped, places)))
    look = looks([row["name"] for row in rows()])
    with mpl.rc_context(STYLE):
        for distribution in DISTRIBUTIONS:
            path = options.figures / f"where-each-wins-{distribution}.png"
            draw(path, distribution, part(chosen, distribution=distribution), look)
    text = "\n".join(page_text(chosen, ratios, options.figures.name)) + "\n"
    options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
