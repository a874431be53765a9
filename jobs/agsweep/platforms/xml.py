# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's platform XML: written from a description, and asked for its hosts."""

import re
from pathlib import Path
from xml.etree import ElementTree

from agformats.errors import BadInput
from agformats.regular_file import MOST_TEXT_BYTES, read_whole
from agsweep.platforms.description import DIGITS, MOST_HOSTS, Description, Link

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
"""
# The numbers of a cluster's hosts.
NUMBERS = r"(\d+)(?:-(\d+))?"
RADICAL = re.compile(rf"\s*{NUMBERS}(?:\s*,\s*{NUMBERS})*\s*")
# The speed is of no consequence: nothing is computed in the simulation.
SPEED = "1Gf"


def text(machine: Description) -> str:
    platform = ElementTree.Element("platform", version="4.1")
    platform.append(ElementTree.Comment(comment(f"{machine.top.name}: {machine.top.source}")))
    if machine.cluster:
        add_cluster(platform, machine)
    else:
        add_tree(platform, machine)
    ElementTree.indent(platform)
    return HEAD + ElementTree.tostring(platform, encoding="unicode") + "\n"


def comment(words: str) -> str:
    """Returns the text of a comment. In XML it may have no two hyphens together: a blank comes
    between them."""
    return f" {re.sub('-(?=-)', '- ', words)} "


def add_cluster(platform: ElementTree.Element, machine: Description) -> None:
    assert machine.cluster
    ElementTree.SubElement(
        platform, "cluster", id=machine.top.name, prefix=machine.cluster.prefix, suffix="",
        radical=f"0-{machine.cluster.hosts - 1}", speed=SPEED, core=str(machine.top.cores),
        bw=machine.host_link.bandwidth, lat=machine.host_link.latency,
        loopback_bw=machine.loopback.bandwidth, loopback_lat=machine.loopback.latency,
        sharing_policy="SPLITDUPLEX", topology=machine.cluster.topology.partition(":")[0].upper(),
        topo_parameters=machine.cluster.parameters,
    )  # fmt: skip


def add_tree(platform: ElementTree.Element, machine: Description) -> None:
    """Adds the hosts, switches and links of a tree to the platform. Every cable is a link with two
    directions; the paths follow from the tree."""
    zone = ElementTree.SubElement(platform, "zone", id=machine.top.name, routing="Floyd")
    for host in machine.hosts:
        ElementTree.SubElement(zone, "host", id=host, speed=SPEED, core=str(machine.top.cores))
    for switch in machine.switches:
        ElementTree.SubElement(zone, "router", id=switch.name)
    cables = cables_of(machine)
    for end, switch_name, link in cables:
        add_link(zone, f"{end}-{switch_name}", link, "SPLITDUPLEX")
    for host in machine.hosts:
        # A FATPIPE limits each message by itself.
        add_link(zone, f"{host}-loopback", machine.loopback, "FATPIPE")
        if machine.top.memory_bandwidth:
            add_link(zone, f"{host}-memory", Link(machine.top.memory_bandwidth, "0us"), "SHARED")
    for end, switch_name, _ in cables:
        for source, target, way in ((end, switch_name, "UP"), (switch_name, end, "DOWN")):
            add_route(zone, source, target, [f"{end}-{switch_name}"], way)
    for host in machine.hosts:
        memory = [f"{host}-memory"] if machine.top.memory_bandwidth else []
        add_route(zone, host, host, [f"{host}-loopback", *memory], "")


def cables_of(machine: Description) -> list[tuple[str, str, Link]]:
    """Returns for each cable the name of its lower end, that of the switch at its upper end, and
    the link that the cable is."""
    to_hosts = [(host, switch.name, machine.host_link)
                for switch in machine.switches for host in switch.hosts]  # fmt: skip
    to_switches = [(below, switch.name, machine.switch_link)
                   for switch in machine.switches for below in switch.switches]  # fmt: skip
    return [*to_hosts, *to_switches]


def add_link(zone: ElementTree.Element, name: str, link: Link, sharing: str) -> None:
    ElementTree.SubElement(zone, "link", id=name, bandwidth=link.bandwidth, latency=link.latency,
                           sharing_policy=sharing)  # fmt: skip


def add_route(
    zone: ElementTree.Element, source: str, target: str, links: list[str], way: str
) -> None:
    route = ElementTree.SubElement(zone, "route", src=source, dst=target, symmetrical="no")
    direction = {"direction": way} if way else {}
    for link in links:
        ElementTree.SubElement(route, "link_ctn", {"id": link, **direction})


def hosts(file: Path) -> list[str]:
    """Returns the hosts of a platform in XML, in the file's order."""
    try:
        root = ElementTree.fromstring(read_whole(file, MOST_TEXT_BYTES))
    except ElementTree.ParseError as error:
        raise BadInput(f"{file}: not XML: {error}") from None
    if root.tag != "platform":
        raise BadInput(f"{file}: is <{root.tag}>; legal: SimGrid's <platform>")
    found: list[str] = []
    for element in root.iter():
        if element.tag == "host":
            found.append(element.get("id", ""))
        elif element.tag == "cluster":
            found += hosts_of_cluster(element, file, MOST_HOSTS - len(found))
    if not found:
        raise BadInput(f"{file}: has no <host> and no <cluster>; legal: one at least")
    return found


def hosts_of_cluster(cluster: ElementTree.Element, file: Path, most: int) -> list[str]:
    prefix, suffix = cluster.get("prefix", ""), cluster.get("suffix", "")
    radical = cluster.get("radical", "")
    if not RADICAL.fullmatch(radical):
        raise BadInput(f"{file}: radical: '{radical}' is no list; legal: numbers such as 0-3,7")
    found: list[str] = []
    for first, last in re.findall(NUMBERS, radical):
        if max(len(first), len(last)) > DIGITS:
            raise BadInput(f"{file}: radical: a number has more than {DIGITS} digits")
        numbers = range(int(first), int(last or first) + 1)
        if len(found) + len(numbers) > most:
            raise BadInput(f"{file}: radical: more than {MOST_HOSTS} hosts; legal: fewer")
        found += [f"{prefix}{number}{suffix}" for number in numbers]
    return found
