# SPDX-License-Identifier: BSD-3-Clause
"""Trees of switches: their files, and the paths between their hosts."""

from dataclasses import dataclass
from itertools import pairwise

Link = tuple[str, str]  # from, to: names of hosts and switches


@dataclass(frozen=True)
class Tree:
    """Each switch with the one above it ("" for the first) and its hosts. In depth-first order, so
    that the hosts are in the order in which the programs number them."""

    switches: list[tuple[str, str, list[str]]]

    @property
    def hosts(self) -> list[str]:
        return [host for _, _, hosts in self.switches for host in hosts]

    def text(self) -> str:
        """The lines from the bottom up: their order must not matter."""
        lines = []
        for name, _, hosts in reversed(self.switches):
            below = [other for other, above, _ in self.switches if above == name]
            line = f"SwitchName={name}"
            line += f" Nodes={','.join(hosts)}" if hosts else ""
            lines.append(line + (f" Switches={','.join(below)}" if below else "") + "\n")
        return "".join(lines)

    def above(self, host: str) -> list[str]:
        """The switches from a host up to the first one."""
        at = next(name for name, _, hosts in self.switches if host in hosts)
        parents = {name: parent for name, parent, _ in self.switches}
        path = [at]
        while parents[path[-1]]:
            path.append(parents[path[-1]])
        return path

    def path(self, source: int, target: int) -> list[Link]:
        """The directed links from one host to another, by their numbers."""
        start, end = self.hosts[source], self.hosts[target]
        if start == end:
            return []
        up, down = [start, *self.above(start)], [end, *self.above(end)]
        while len(up) > 1 and len(down) > 1 and up[-2:] == down[-2:]:
            up.pop()
            down.pop()
        # Both end with the switch where they meet.
        return list(pairwise([*up, *reversed(down[:-1])]))


# Hosts everywhere, so that a two-hop ring exists on the first p of them, for any p.
CHAIN = Tree(
    [("top", "", ["a0", "a1", "a2"]), ("middle", "top", ["b0", "b1", "b2"]),
     ("end", "middle", ["c0", "c1"])]
)  # fmt: skip
# Two switches below one, where a ring in depth-first order passes three switches at its end.
FORK = Tree(
    [("top", "", ["a0", "a1"]), ("left", "top", ["b0", "b1", "b2"]), ("right", "top", ["c0", "c1"])]
)
# Most clusters are so: no host is on the upper switch, so there is no two-hop ring.
CLUSTER = Tree([("spine", "", []), ("leaf0", "spine", ["n0", "n1"]), ("leaf1", "spine", ["n2"])])
