# SPDX-License-Identifier: BSD-3-Clause
"""A sweep, multiplied out: the launches, and which of them belong together."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from agformats import total_sizes
from agformats.errors import BadInput
from agsweep.launchers import LAUNCHERS, template
from agsweep.launchers.request import filled
from agsweep.sweep.sweep_file import Sweep, told_with
from agsweep.sweep.tables import Bench, Build, Points

MOST_LAUNCHES = 1_000_000  # more are a slip, and fill the memory
MOST_LETTERS = 255 - len(".counters.csv.gz")  # Linux has no longer names of files

# One of the two orders of builds may be so many rounds ahead of the other; in the first FEW_ROUNDS
# rounds, one round.
MOST_AHEAD = 2
FEW_ROUNDS = 3


@dataclass(frozen=True)
class Point:
    """What a launch covers, but for the build: one of the combinations that a sweep has."""

    nodes: int
    ranks: int
    ranks_per_node: int
    mapping: str
    binding: str
    bench: Bench
    cores: int = 0  # of a node; 0: not told
    cluster: str = ""
    platform: str = ""

    @property
    def overcommitted(self) -> bool:
        """True if there are more ranks than cores, which schedulers have to be told: all nodes
        are filled to ranks_per_node, then again from the first one (Loch 2021, 6.2.2)."""
        return 0 < self.cores * self.nodes < self.ranks

    @property
    def filled(self) -> int:
        """The number of nodes that have ranks."""
        return filled(self.nodes, self.ranks, self.ranks_per_node, self.mapping)

    @property
    def name(self) -> str:
        where = f"{self.cluster}_" if self.cluster else ""
        return f"{where}n{self.nodes}_p{self.ranks}_{self.mapping}_{self.bench.name}"


@dataclass(frozen=True)
class Launch:
    """One start of the benchmark, and one result file."""

    point: Point
    build: Build
    number: int
    pair: str = ""  # of an alternated launch: what it shares with the one it is compared with
    turn: str = ""  # A if it is the first of the two
    partner: str = ""  # of a duet: the other build
    alone: bool = False  # beside a duet of the same build and number

    @property
    def paired(self) -> bool:
        """True if this launch is compared with a launch of another build."""
        return bool(self.pair or self.partner)

    @property
    def name(self) -> str:
        alone = "_alone" if self.alone else ""
        return f"{self.point.name}_{self.build.name}_{self.number}{alone}"

    def notes(self, sweep: str) -> dict[str, str]:
        pair = {"pair": self.pair, "turn": self.turn} if self.pair else {}
        totals = ",".join(map(str, self.point.bench.sizes_times_ranks))
        cluster = {"cluster": self.point.cluster} if self.point.cluster else {}
        return {
            **cluster,
            "sweep": sweep,
            "build": self.build.name,
            "point": self.point.name,
            "launch": str(self.number),
            **({total_sizes.ASKED: totals} if totals else {}),
            **pair,
        }


# Launches that run at the same time: one, or the two of a duet.
Step = tuple[Launch, ...]


@dataclass(frozen=True)
class Plan:
    """The launches of a sweep, in their order, by their points. left_out: a line for each point
    that is not launched, with the reason."""

    groups: dict[Point, list[Step]]
    left_out: list[str]

    @property
    def steps(self) -> list[Step]:
        return [step for steps in self.groups.values() for step in steps]

    @property
    def launches(self) -> list[Launch]:
        return [launch for step in self.steps for launch in step]


def plan(sweep: Sweep, counts: Mapping[str, int] | None = None) -> Plan:
    """Returns the plan of a sweep: all launches in their order, and what is left out. Raises
    BadInput if no point is left, if there are too many launches, or if two of them have one name.
    counts: the numbers of launches of points, by their names, where there are more than the sweep
    file says."""
    numbers, left_out = count_launches(sweep, counts or {})
    if not numbers:
        raise BadInput(f"{sweep.file}: points: none is left; {left_out[0]}")
    check_templates(sweep, numbers)
    groups = {point: list(steps(sweep, point, count)) for point, count in numbers.items()}
    planned = Plan(groups, left_out)
    for name, count in Counter(launch.name for launch in planned.launches).items():
        if count > 1:  # a bench a_b and a build c, or a bench a and a build b_c
            raise BadInput(f"{sweep.file}: {count} launches are named {name}; legal: other names")
        if len(name) > MOST_LETTERS:
            raise BadInput(
                f"{sweep.file}: a launch would be named {name}, of {len(name)} letters; legal: "
                f"names of builds, benches and clusters that make {MOST_LETTERS} at most"
            )
    return planned


def check_templates(sweep: Sweep, points: Iterable[Point]) -> None:
    """Refuses points that a launcher in the sweep file's own words cannot be asked for: such
    launchers say less than those that agsweep knows. Raises BadInput."""
    given = {
        build.name: build.launcher if build.launcher != "auto" else sweep.top.launcher
        for build in sweep.builds
    }
    texts = {name: text for name, text in given.items() if text not in ("auto", *LAUNCHERS)}
    own = [template.read(text) for text in dict.fromkeys(texts.values())]
    with told_with(sweep.file):
        if sweep.top.pairing != "none" and 0 < len(texts) < len(given):
            one, other = (next(iter(names)) for names in (texts, given.keys() - texts.keys()))
            raise BadInput(
                f"pairing: '{sweep.top.pairing}' is not legal where launcher = '{texts[one]}' of "
                f"build {one} binds its ranks itself and agsweep those of build {other}; legal: "
                "such a launcher for both, or for none"
            )
        for each, p in product(own, points):
            each.check(p.nodes, p.ranks, p.ranks_per_node, p.mapping, p.binding)


def count_launches(sweep: Sweep, counts: Mapping[str, int]) -> tuple[dict[Point, int], list[str]]:
    """Counts the launches of each point, before any is made, since there may be too many. Returns
    the counts, and a line for each point that is left out. Raises BadInput if there are more than
    MOST_LAUNCHES, or if a point stands twice."""
    numbers: dict[Point, int] = {}
    left_out: dict[str, None] = {}
    named: set[str] = set()
    total = 0
    for point in points(sweep):
        if point.nodes == 1 and point.mapping == "cyclic":
            left_out[f"{point.name}: on one node cyclic is sequential"] = None
        elif point.name in named:
            raise BadInput(f"{sweep.file}: points: {point.name} stands twice")
        else:
            named.add(point.name)
            count = counts.get(point.name, sweep.top.launches)
            total += count * len(sweep.builds)
            if total > MOST_LAUNCHES:
                raise BadInput(
                    f"{sweep.file}: points: more than {MOST_LAUNCHES} launches; "
                    "legal: fewer points, builds or launches"
                )
            numbers[point] = count
    return numbers, list(left_out)


def points(sweep: Sweep) -> Iterator[Point]:
    for given, bench in product(sweep.points, sweep.bench):
        if given.bench and bench.name not in given.bench:
            continue
        for nodes in given.nodes:
            for ranks in given.ranks or [nodes * given.ranks_per_node]:
                sized = with_sizes(sweep, bench, ranks)
                for mapping in given.mappings:
                    yield Point(
                        nodes, ranks, filled_to(given, nodes, ranks), mapping, given.binding, sized,
                        given.cores, given.cluster, given.platform,
                    )  # fmt: skip


def filled_to(given: Points, nodes: int, ranks: int) -> int:
    """Returns how many ranks `sequential` puts on a node before it goes to the next: as many as the
    node has cores, else ranks_per_node, else an equal share of all ranks, rounded up."""
    return given.cores or given.ranks_per_node or -(-ranks // nodes)


def with_sizes(sweep: Sweep, bench: Bench, ranks: int) -> Bench:
    """Returns the bench with sizes_times_ranks as block sizes, rounded to the nearest byte. Raises
    BadInput if a block has no byte, or if two totals have the same block."""
    if not bench.sizes_times_ranks:
        return bench
    sizes: dict[int, int] = {}
    for total in bench.sizes_times_ranks:
        size = total_sizes.block_of(total, ranks)
        if size == 0 or size in sizes:
            why = f"is that of {sizes[size]} too" if size else "is nothing"
            raise BadInput(
                f"{sweep.file}: bench {bench.name}: sizes_times_ranks: {total} over {ranks} ranks "
                f"{why}; legal: sizes that are a byte or more a rank, and differ"
            )
        sizes[size] = total
    return replace(bench, options={**bench.options, "sizes": ",".join(map(str, sizes))})


def turns(sweep: Sweep, point: Point, count: int) -> Iterator[list[Build]]:
    """Yields the order of the builds in each round: that of the sweep file or the opposite, by lot.
    In a fixed order (a b b a) what comes back every four launches would hit one build alone. A lot
    that would put one order more than MOST_AHEAD rounds ahead of the other is turned round, so that
    a drift of the machine hits the builds alike, too (the big stick design; Soares and Wu 1983).
    The same point has the same lots, and a longer sweep begins with those of a shorter one."""
    lots = random.Random(point.name)
    ahead = 0
    for number in range(count):
        step = lots.choice((1, -1))
        if abs(ahead + step) > (1 if number < FEW_ROUNDS else MOST_AHEAD):
            step = -step
        ahead += step
        yield list(sweep.builds[::step])


def steps(sweep: Sweep, point: Point, count: int) -> Iterator[Step]:
    for number, order in enumerate(turns(sweep, point, count)):
        launches = {build: Launch(point, build, number) for build in order}
        both = sweep.top.pairing == "both"
        if both or sweep.top.pairing == "duet":
            a, b = (launches[build] for build in sweep.builds)
            yield replace(a, partner=b.build.name), replace(b, partner=a.build.name)
        if both or sweep.top.pairing == "alternate":
            pair = f"{point.name}_{number}"
            for turn, launch in zip("AB", launches.values(), strict=True):
                yield (replace(launch, pair=pair, turn=turn, alone=both),)
        if sweep.top.pairing == "none":
            yield from ((launch,) for launch in launches.values())
