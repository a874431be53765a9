# SPDX-License-Identifier: BSD-3-Clause
"""Finds on which host each rank was, as a launch says it: its hosts, how many ranks each has, and
how the ranks are numbered."""

import re

import numpy as np

from agreport.data.load import Launch

AS_LAUNCHED, SEQUENTIAL, CYCLIC = "as launched", "sequential", "cyclic"
RESUMED = re.compile(r"(?:^|; )hosts ([^;]*)")
UNKNOWN = "not told which rank was on which host (hosts, ranks_per_node, placement)"


def nodes_of(launch: Launch) -> list[tuple[str, int]]:
    """Returns the host of each node, and how many ranks the node has, nodes by their lowest rank;
    empty if the launch does not say. A node is a group of ranks that share memory, of which a host
    may have several."""
    hosts = launch.metadata.get("hosts", "").split(",")
    counts = launch.metadata.get("ranks_per_node", "").split(",")
    known = all(hosts) and all(count.isdecimal() and len(count) < 10 for count in counts)
    if not known or len(hosts) != len(counts):
        return []
    return list(zip(hosts, map(int, counts), strict=True))


def is_renumbered(launch: Launch) -> bool:
    return launch.metadata.get("mappings", AS_LAUNCHED) != AS_LAUNCHED


def why_unknown(launch: Launch) -> str:
    """Returns why hosts_of_ranks cannot tell; empty if it can."""
    said = launch.metadata
    if not nodes_of(launch):
        return UNKNOWN
    if {*RESUMED.findall(said.get("resumed", ""))} - {said["hosts"]}:
        return "resumed on other hosts"
    if is_renumbered(launch):
        pretended = said.get("pretended_ranks_per_node", "none") != "none"
        return "ranks are numbered by nodes that were pretended" if pretended else ""
    placement = said.get("placement")
    if placement is None:
        return UNKNOWN
    if placement in (SEQUENTIAL, CYCLIC):
        return ""
    return (
        f"ranks lie in an order that the file does not tell (placement={placement}); legal: "
        f"--mapping {SEQUENTIAL} or {CYCLIC}"
    )


def hosts_of_ranks(launch: Launch, mapping: str) -> list[str]:
    """Returns the hosts of the ranks in cases of this mapping."""
    order = mapping if is_renumbered(launch) else launch.metadata["placement"]
    hosts, counts = zip(*nodes_of(launch), strict=True)
    node = np.repeat(np.arange(len(counts)), counts)
    if order == CYCLIC:  # the k-th rank of each node comes in turn k
        turn = np.concatenate([np.arange(count) for count in counts])
        node = node[np.lexsort((node, turn))]
    return [hosts[each] for each in node]
