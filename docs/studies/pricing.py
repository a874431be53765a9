# SPDX-License-Identifier: BSD-3-Clause
"""Says what is worth a try on a network, and what `allgather_schedule` says that it costs there.

Of these prices come the picks, which are held against its fluid simulation.
"""

import json
import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import product
from math import isqrt
from pathlib import Path
from typing import Any

import pandas as pd

from agreport.figure.words import size_label

ALPHA_S, BANDWIDTH = 2e-6, 1e10  # of a start-up; bytes a second of a host's link
# Each further message of a step takes this part of a start-up: the processor has to begin each.
FURTHER = 0.25
# Of a node: a rank copies as fast as its link sends. Eight channels of DDR4-3200 have 204.8 GB/s,
# over 3: a byte that is copied is read, its target is read before it is written, and is written.
MEMORY = f"copy_bandwidth={BANDWIDTH:g},memory_bandwidth={204.8e9 / 3:.2g}"
# Of a window, against messages as measured (docs/reference/algorithms.md, "One copy"): 0.75 of a
# start-up with 64 bytes, 1.4 times the rate with 256 KiB. Its slots stay in the caches, so the two
# copies need of the memory what one does.
WINDOW = (
    f"window_alpha={0.75 * ALPHA_S:g},window_bandwidth={1.4 * BANDWIDTH:g},"
    f"window_memory_bandwidth={204.8e9 / 3:.2g}"
)


def contention(alpha_s: float, bandwidth: float, further: float, *within: str) -> str:
    """within: of what ranks of a node share, as --model takes it."""
    text = f"contention:alpha={alpha_s:.6g},bandwidth={bandwidth:.6g},further={further:.3g}"
    return ",".join([text, *within])


MODEL = contention(ALPHA_S, BANDWIDTH, FURTHER, MEMORY, WINDOW)
OVERLAPPED = contention(ALPHA_S, BANDWIDTH, 0, MEMORY, WINDOW)
FLUID = f"hockney:alpha={ALPHA_S:g},beta={1 / BANDWIDTH:g},{MEMORY},{WINDOW}"
SIZES = (1, 64, 1 << 10, 16 << 10, 128 << 10, 1 << 20)  # of a block, of the map
DISTRIBUTIONS = {"regular": "equal blocks", "linear": "linearly falling", "spike": "one large"}
COMMON = ("ring", "bruck", "recursive_doubling")  # what every library has
TIE = 1.02
MOST_UNEQUAL = 256  # ranks with unequal blocks: their schedules are made anew for each size
HOPELESS = 5.0  # what costs as many times the least at all sizes is not tried with more ranks
MOST_SEGMENTED = 256  # ranks in another order: with more, many segments take gigabytes
SEGMENTED = "pipelined_ring"  # whose parameter follows the block size
NEAR = 3.0  # what costs more, times the lowest, is not held against the fluid simulation
NODE_RANKS = 8  # of the fat nodes
BY_WINDOW = ":via=window"
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

    @property
    def has_nodes(self) -> bool:
        """Returns whether several ranks share a node."""
        return "--ranks-per-node" in self.options


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
    """The plainest first: as they are, with parameters, in another order of the ranks, and all of
    these through shared memory within a node. With one rank a node, what knows nodes is its inner
    algorithm, or a flat one, and is left out."""
    plain, chosen, ordered = [], [], []
    orders = [*network.orders, *([] if equal else ["paired"])]
    for row in rows():
        if row["node_aware"] and not network.has_nodes:
            continue
        name, forms = row["name"], forms_of(row["parameters"], network, ranks)
        plain.append(name)
        chosen += [name + form for form in forms[1:]]
        if row["takes_order"]:
            if ranks > MOST_SEGMENTED:
                forms = [form for form in forms if ":segments=" not in form]
            ordered += [f"{name}@{order}{form}" for order in orders for form in forms]
    by_messages = [*plain, *chosen, *ordered]
    return [*by_messages, *(name + BY_WINDOW for name in by_messages if network.has_nodes)]


def forms_of(parameters: Sequence[dict[str, Any]], network: Network, ranks: int) -> list[str]:
    """Every combination of values, such as :k=4; that without any is the first."""
    choices = [
        ["", *(f":{each['name']}={value}" for value in values(each["name"], network, ranks))]
        for each in parameters
    ]
    return ["".join(form) for form in product(*choices)]


def segmented(network: Network, ranks: int, size: int) -> list[str]:
    """The ring of unequal blocks, whose segment follows the size: as many segments as ranks, and
    other numbers where there is time for it."""
    parts = (1 / 4, 1, 4) if ranks <= 256 else (1,)
    sizes = sorted({max(1, int(size * part)) for part in parts})
    orders = ["", *(f"@{order}" for order in network.orders)]
    forms = ["", BY_WINDOW] if network.has_nodes else [""]
    return [f"{SEGMENTED}{order}:segment={size_label(part)}{form}"
            for form in forms for order in orders for part in sizes]  # fmt: skip


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
    """Returns the prices of all that can run on this network in us, the plainest first."""
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
