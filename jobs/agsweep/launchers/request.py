# SPDX-License-Identifier: BSD-3-Clause
"""Says what a launcher is asked for."""

from dataclasses import dataclass, field
from pathlib import Path

from agformats.errors import BadInput


@dataclass(frozen=True)
class Request:
    name: str  # of the launch
    mpirun: str
    nodes: int
    ranks: int
    ranks_per_node: int  # most of them: `sequential` fills a node to here, then goes to the next
    mapping: str  # sequential, cyclic
    binding: str  # core, none, default
    processors: int  # of this machine, threads of a core counted; 0 if the ranks run elsewhere
    root: bool
    folder: Path  # of this launch, should the launcher need files of its own
    hostfile: str = ""
    pmi: str = ""  # for srun's --mpi
    platform: str = ""  # for a simulator
    simulation: dict[str, str] = field(default_factory=dict)  # options of the simulator
    overcommitted: bool = False  # more ranks than cores, as far as these are told
    refused: bool = False  # by a launcher that counts slots, unless it is told to share them
    shared: bool = False  # with another step of the same allocation: a duet

    @property
    def places_ranks(self) -> bool:
        """True if the launcher has to be told how many ranks a node takes: with several nodes, and
        with one node if a hostfile names others. The launcher goes on to these when the slots of
        the first are full."""
        return self.nodes > 1 or bool(self.hostfile)

    @property
    def filled(self) -> int:
        """The number of nodes that have ranks."""
        return filled(self.nodes, self.ranks, self.ranks_per_node, self.mapping)

    @property
    def oversubscribed(self) -> bool:
        return 0 < self.processors < self.ranks or self.overcommitted or self.refused

    def refuse_hostfile(self, launcher: str, legal: str) -> None:
        """Raises BadInput if there is a hostfile, which this launcher does not read."""
        if self.hostfile:
            raise BadInput(
                f"--hostfile: '{self.hostfile}' does not go with {launcher}; legal: {legal}"
            )


def filled(nodes: int, ranks: int, ranks_per_node: int, mapping: str) -> int:
    """Returns how many of the nodes have ranks: `sequential` leaves the last ones empty when those
    before them suffice."""
    return min(nodes, ranks if mapping == "cyclic" else -(-ranks // ranks_per_node))
