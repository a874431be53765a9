# SPDX-License-Identifier: BSD-3-Clause
"""A machine, shortly described: hosts on a tree of switches, or a cluster of SimGrid's own."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agformats.errors import Illegal
from agsweep.toml import toml_file
from agsweep.toml.schema import (
    Where,
    check_keys,
    key,
    name,
    names,
    one_of,
    read_table,
    text,
    texts,
    whole,
)

# SimGrid's units are taken, but bits or bytes have to be said, which prevents a factor of 8 by
# mistake.
BANDWIDTH = re.compile(r"\d+(\.\d+)?(k|M|G|T)?(bps|Bps)")
LATENCY = re.compile(r"\d+(\.\d+)?(ns|us|ms|s)")


LEGAL_HOSTS = "host names such as h[0-3,7] or a,b"
NUMBERS = r"\d+(?:-\d+)?"
# One entry of such a list: a name, which may have a list of numbers in brackets.
ENTRY = rf"([A-Za-z][\w.-]*)(?:\[({NUMBERS}(?:,{NUMBERS})*)\]([\w.-]*))?"
ENTRIES = re.compile(rf"{ENTRY}(?:,{ENTRY})*")

# This is what --topology of allgather_schedule takes.
TORUS = "torus:"
SIDES = re.compile(r"([2-9]|[1-9]\d{1,8})(x([2-9]|[1-9]\d{1,8}))+")

MOST_HOSTS = 2**16
DIGITS = 9


def matching(pattern: re.Pattern[str], legal: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Illegal(legal)
        return value

    return read


bandwidth = matching(BANDWIDTH, "a bandwidth such as 1Gbps (bits) or 125MBps (bytes)")
latency = matching(LATENCY, "a time such as 20us")


def hosts(value: object) -> tuple[str, ...]:
    """Returns the host names of a list such as h[0-3,7] or h0,h1. Raises Illegal if the value is no
    such list, has a name twice, or has more than MOST_HOSTS names."""
    if not isinstance(value, str) or not ENTRIES.fullmatch(value):
        raise Illegal(LEGAL_HOSTS)
    found: list[str] = []
    for before, listed, after in re.findall(ENTRY, value):
        for each in listed.split(","):
            numbers = numbers_of(each)
            if len(found) + len(numbers) > MOST_HOSTS:
                raise Illegal(f"{LEGAL_HOSTS}; at most {MOST_HOSTS} hosts")
            width = len(each.partition("-")[0])  # as Slurm reads it: 08, 09, 10 of 08-10
            found += [f"{before}{str(number).zfill(width)}{after}" for number in numbers]
    if len(set(found)) < len(found):
        raise Illegal(f"{LEGAL_HOSTS}, each once")
    return tuple(found)


def numbers_of(listed: str) -> Sequence[int | str]:
    """Returns the numbers of a range such as 3-7, or a single number as it is spelled: 007. An
    empty text, which a name without brackets has, comes back alone. Raises Illegal if a number has
    more than DIGITS digits, or if a range ends before it begins."""
    first, _, last = listed.partition("-")
    if max(len(first), len(last)) > DIGITS:
        raise Illegal(f"{LEGAL_HOSTS}, with numbers of up to {DIGITS} digits")
    numbers = range(int(first), int(last) + 1) if last else [listed]
    if not numbers:
        raise Illegal(f"{LEGAL_HOSTS}, with the smaller number first")
    return numbers


@dataclass(frozen=True)
class Link:
    bandwidth: str = key(bandwidth, "in each direction")
    latency: str = key(latency, "of a passage")


@dataclass(frozen=True)
class Switch:
    name: str = key(name, "of the switch")
    hosts: tuple[str, ...] = key(hosts, "those on it", ())
    switches: tuple[str, ...] = key(texts, "those below it", ())


SIMGRIDS_OWN = one_of("fat_tree", "dragonfly", "torus", f"{TORUS}4x4")


def cluster_topology(value: object) -> str:
    if not isinstance(value, str) or not value.startswith(TORUS):
        return SIMGRIDS_OWN(value)
    if not SIDES.fullmatch(value.removeprefix(TORUS)):
        raise Illegal(f"a torus of two sides or more, of 2 hosts or more each: {TORUS}4x4x2")
    if math.prod(sides_of_torus(value)) > MOST_HOSTS:
        raise Illegal(f"a torus of at most {MOST_HOSTS} hosts")
    return value


def sides_of_torus(topology: str) -> list[int]:
    return [int(side) for side in topology.removeprefix(TORUS).split("x")]


@dataclass(frozen=True)
class Cluster:
    """A cluster; a torus such as torus:4x4 has its parameters and hosts in its name."""

    topology: str = key(cluster_topology, f"SimGrid's kind, or {TORUS}4x4")
    parameters: str = key(text, "SimGrid's topo_parameters, such as 2;4,4;1,2;1,2", "")
    hosts: int = key(whole(1, MOST_HOSTS), "number of hosts: h0, h1, ...", 0)

    @property
    def is_torus_by_sides(self) -> bool:
        return self.topology.startswith(TORUS)

    @property
    def prefix(self) -> str:
        """The prefix of the hosts' names: n for a torus by its sides, h for all others."""
        return "n" if self.is_torus_by_sides else "h"


@dataclass(frozen=True)
class Top:
    name: str = key(name, "of the machine")
    cores: int = key(whole(1, 4096), "of each host", 1)
    memory_bandwidth: str = key(bandwidth, "of a host, shared by messages between its ranks", "")
    source: str = key(text, "where the numbers are from", "")
    order: tuple[str, ...] = key(hosts, "in which ranks fill hosts; else switch by switch", ())


@dataclass(frozen=True)
class Description:
    file: Path
    top: Top
    host_link: Link  # from a host to its switch
    switch_link: Link  # between two switches
    loopback: Link  # each message between ranks of a host, beside the others
    switches: tuple[Switch, ...]  # a tree; empty: cluster
    cluster: Cluster | None

    @property
    def hosts(self) -> list[str]:
        """Returns the hosts in the order in which ranks fill them."""
        if self.cluster:
            return [f"{self.cluster.prefix}{number}" for number in range(self.cluster.hosts)]
        on_switches = [host for switch in self.switches for host in switch.hosts]
        return list(self.top.order) or on_switches


LEGAL = "a machine's description; gatherbench's sources have some in jobs/platforms/"
LINKS = ("host_link", "switch_link", "loopback")
# The link within a host: what two of its processes exchange through memory. These numbers are an
# assumption.
MEMORY = {"bandwidth": "3GBps", "latency": "0.5us"}


def load(file: Path) -> Description:
    where = Where(file)
    content = toml_file.read(file, LEGAL)
    check_keys(content, (*names(Top), *LINKS, "switches", "cluster"), where)
    if ("switches" in content) == ("cluster" in content):
        raise where.wrong("legal: either [[switches]] or [cluster]")
    if "cluster" in content and "switch_link" in content:
        raise where.bad("switch_link", content["switch_link"], "legal: only with [[switches]]")
    links = read_links(content, where)
    switches = read_switches(content.get("switches", []), where)
    cluster = (
        read_cluster(content["cluster"], where.below("cluster")) if "cluster" in content else None
    )
    above = {each: value for each, value in content.items() if each in names(Top)}
    top = read_table(Top, above, where)
    if top.memory_bandwidth and cluster:
        raise where.bad("memory_bandwidth", top.memory_bandwidth, "legal: only with [[switches]]")
    check_order(top, switches, where)
    return Description(file, top, switches=switches, cluster=cluster, **links)


def read_links(content: Mapping[str, object], where: Where) -> dict[str, Link]:
    links = {"loopback": MEMORY, **{each: content[each] for each in LINKS if each in content}}
    if "host_link" not in links:
        raise where.wrong("the table [host_link] is missing: from a host to its switch")
    links.setdefault("switch_link", links["host_link"])
    return {each: read_table(Link, links[each], where.below(each)) for each in LINKS}


def read_switches(listed: object, where: Where) -> tuple[Switch, ...]:
    if not isinstance(listed, list):
        raise where.below("switches").wrong("is no list; legal: [[switches]]")
    switches = tuple(
        read_table(Switch, each, where.below(f"switches[{number}]"))
        for number, each in enumerate(listed)
    )
    if switches:
        check_tree(switches, where)
    return switches


def read_cluster(table: object, where: Where) -> Cluster:
    given = read_table(Cluster, table, where)
    if not given.is_torus_by_sides:
        for each in ("parameters", "hosts"):
            if not getattr(given, each):
                raise where.wrong(f"the key {each} is missing; only {TORUS}4x4 needs none")
        return given
    for each in ("parameters", "hosts"):
        if getattr(given, each):
            raise where.wrong(f"{each} is not for '{given.topology}', which says it itself")
    # SimGrid's first side is the one along which hosts are numbered first.
    sides = sides_of_torus(given.topology)
    parameters = ",".join(str(side) for side in reversed(sides))
    return replace(given, parameters=parameters, hosts=math.prod(sides))


def check_order(top: Top, switches: tuple[Switch, ...], where: Where) -> None:
    on_switches = [host for switch in switches for host in switch.hosts]
    if top.order and sorted(top.order) != sorted(on_switches):
        legal = f"legal: each of the {len(on_switches)} hosts on [[switches]], once"
        raise where.bad("order", f"{len(top.order)} hosts", legal)


def check_tree(switches: tuple[Switch, ...], where: Where) -> None:
    named = Counter(switch.name for switch in switches)
    above = Counter(below for switch in switches for below in switch.switches)
    taken = named + Counter(host for switch in switches for host in switch.hosts)
    for number, switch in enumerate(switches):
        here = where.below(f"switches[{number}]")
        if not switch.hosts and not switch.switches:
            raise here.wrong(f"{switch.name} has neither hosts nor switches; legal: one of them")
        if named[switch.name] > 1:
            raise here.bad("name", switch.name, "it stands twice; legal: a name for each")
        check_below(switch, named, above, here)
        check_hosts(switch, taken, here)
    check_top({switch.name: switch for switch in switches}, above, where)


def check_below(switch: Switch, named: Counter[str], above: Counter[str], here: Where) -> None:
    """Refuses a switch above one that is not in the file or that is below another, too. Raises
    BadInput. above: how many switches each switch is below."""
    for below in switch.switches:
        if below not in named:
            raise here.bad("switches", below, f"legal: {', '.join(named)}")
        if above[below] > 1:
            raise here.bad("switches", below, "it is below two; legal: a tree")


def check_hosts(switch: Switch, taken: Counter[str], here: Where) -> None:
    """Refuses a switch with a host whose name another host or a switch has. Raises BadInput. taken:
    how many hosts and switches have a name."""
    for host in switch.hosts:
        if taken[host] > 1:
            raise here.bad("hosts", host, "the name stands twice; legal: a name for each")


def check_top(known: dict[str, Switch], above: Counter[str], where: Where) -> None:
    """Refuses switches without a single top that all others are below. Raises BadInput. above: how
    many switches each switch is below."""
    tops = [each for each in known if not above[each]]
    if len(tops) != 1 or len(reached(known, tops[0])) < len(known):
        raise where.below("switches").wrong(
            f"{len(tops)} of them are below no other ({', '.join(tops) or 'none'}); legal: a tree"
        )


def reached(known: dict[str, Switch], start: str) -> set[str]:
    found = {start}
    for below in known[start].switches:
        found |= reached(known, below)
    return found
