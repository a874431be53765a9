# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as its TOML file says it, read and checked as a whole."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from agformats.catalogue import catalogue
from agformats.errors import BadInput, Illegal
from agsweep.sweep.tables import Bench, Budget, Build, Points, Resources, Simulation, Top
from agsweep.toml import toml_file
from agsweep.toml.schema import Where, check_keys, name, names, read_table, settings

T = TypeVar("T")

# agsweep itself gives these to the benchmark, or they do not measure.
RESERVED = {
    "output": "agsweep names the files",
    "resume": "agsweep resumes",
    "duet": 'write pairing = "duet"',
    "note": "agsweep writes the notes",
    "launched-mapping": "agsweep tells it: write mappings",
    **dict.fromkeys(("list", "dry-run", "version", "help", "config"), "that measures nothing"),
}


@dataclass(frozen=True)
class Sweep:
    file: Path
    top: Top
    builds: tuple[Build, ...]
    points: tuple[Points, ...]
    bench: tuple[Bench, ...]
    resources: Resources
    budget: Budget
    simulation: Simulation

    @property
    def name(self) -> str:
        return self.top.name


LEGAL = "a sweep file; gatherbench's sources have ready ones in jobs/sweeps/"
LISTS = ("builds", "points", "bench")
TABLES = ("resources", "budget", "simulation")


def load(file: Path) -> Sweep:
    where = Where(file)
    content = toml_file.read(file, LEGAL)
    check_keys(content, (*names(Top), *LISTS, *TABLES, "options"), where)
    above = {each: value for each, value in content.items() if each in names(Top)}
    sweep = Sweep(
        file,
        named(read_table(Top, above, where), where),
        read_list(Build, content, "builds", where),
        read_list(Points, content, "points", where),
        benches(content, where),
        read_table(Resources, content.get("resources", {}), where.below("resources")),
        read_table(Budget, content.get("budget", {}), where.below("budget")),
        read_table(Simulation, content.get("simulation", {}), where.below("simulation")),
    )
    check(sweep, where)
    return sweep


@contextmanager
def told_with(file: Path) -> Iterator[None]:
    """Tells what is wrong with a build or a launch together with the sweep file that asks for
    it."""
    try:
        yield
    except BadInput as error:
        if str(file) in str(error):
            raise
        raise BadInput(f"{file}: {error}") from None


def read_list(
    kind: type[T], content: Mapping[str, object], table: str, where: Where
) -> tuple[T, ...]:
    listed = content.get(table)
    if not isinstance(listed, list) or not listed:
        legal = f"legal keys: {', '.join(names(kind))}"
        raise where.wrong(f"there is no [[{table}]], and it takes one at least; {legal}")
    return tuple(
        read_table(kind, each, where.below(f"{table}[{number}]"))
        for number, each in enumerate(listed)
    )


def named(top: Top, where: Where) -> Top:
    try:
        return top if top.name else replace(top, name=str(name(where.file.stem)))
    except Illegal as error:
        raise where.bad("name", where.file.stem, f"of this file; legal: {error}") from None


def benches(content: Mapping[str, object], where: Where) -> tuple[Bench, ...]:
    """Returns the [[bench]] tables with their names, and with the options that all have."""
    try:
        common = settings(content.get("options", {}))
    except Illegal as error:
        raise where.bad("options", content["options"], f"legal: {error}") from None
    return tuple(
        replace(
            bench,
            name=bench.name or catalogue().collective_of(bench.program).name,
            options={**common, **bench.options},
        )
        for bench in read_list(Bench, content, "bench", where)
    )


def check(sweep: Sweep, where: Where) -> None:
    """Checks what no single key can know."""
    only_once((build.name for build in sweep.builds), where.below("builds"))
    only_once((bench.name for bench in sweep.bench), where.below("bench"))
    if sweep.top.pairing != "none" and len(sweep.builds) != 2:
        count = f"there {'is' if len(sweep.builds) == 1 else 'are'} {len(sweep.builds)}"
        raise where.bad("pairing", sweep.top.pairing, f"it takes two [[builds]], and {count}")
    check_precision(sweep.top, where)
    if 0 < sweep.resources.time <= sweep.resources.signal:
        raise where.below("resources").bad(
            "signal",
            f"{sweep.resources.signal}s",
            f"legal: less than time, {sweep.resources.time}s",
        )
    for number, points in enumerate(sweep.points):
        check_points(sweep, points, where.below(f"points[{number}]"))
    for number, bench in enumerate(sweep.bench):
        check_reserved(sweep, bench, where.below(f"bench[{number}].options"))
        check_sizes(bench, where.below(f"bench[{number}]"))


def check_precision(top: Top, where: Where) -> None:
    if not top.precision:
        return
    given = f"{100 * top.precision:g}%"
    if top.pairing != "none":
        # A sweep that stopped when a difference shows would make agreport compare call too many.
        raise where.bad("precision", given, "legal with pairing = \"none\"; agreport compare says "
                        "how many more pairs it takes")  # fmt: skip
    if top.most_launches < top.launches:
        legal = f"legal: from launches, {top.launches}, on"
        raise where.bad("most_launches", top.most_launches, legal)


def only_once(given: Iterable[str], where: Where) -> None:
    for each, count in Counter(given).items():
        if count > 1:
            raise where.bad("name", each, f"it stands {count} times; legal: a name for each")


def check_points(sweep: Sweep, points: Points, where: Where) -> None:
    known = [bench.name for bench in sweep.bench]
    for each in points.bench:
        if each not in known:
            raise where.bad("bench", each, f"legal: {', '.join(known)}")
    if points.ranks_per_node and points.cores > points.ranks_per_node:
        legal = f"legal: up to ranks_per_node, {points.ranks_per_node}"
        raise where.bad("cores", points.cores, legal)
    if not points.ranks and not points.ranks_per_node:
        raise where.wrong("neither ranks nor ranks_per_node is given; legal: one of them, or both")
    for nodes in points.nodes:
        most = nodes * points.ranks_per_node
        if points.ranks and 0 < most < max(points.ranks):
            legal = f"legal: up to {most} = {nodes} nodes of {points.ranks_per_node} ranks_per_node"
            raise where.bad("ranks", max(points.ranks), legal)


def check_reserved(sweep: Sweep, bench: Bench, where: Where) -> None:
    for each, value in bench.options.items():
        if each in RESERVED:
            raise where.bad(each, value, f"{RESERVED[each]}")
        if each in ("max-time", "precision") and sweep.top.pairing in ("duet", "both"):
            raise where.bad(each, value, "both of a duet have the same rounds; legal: iterations")
        if each == "mem-limit" and sweep.budget.memory:
            raise where.bad(each, value, "budget.memory says it already; legal: one of the two")


def check_sizes(bench: Bench, where: Where) -> None:
    for each in ("sizes", "message-size"):
        if bench.sizes_times_ranks and each in bench.options:
            why = "sizes_times_ranks says it already; legal: one of the two"
            raise where.below("options").bad(each, bench.options[each], why)
