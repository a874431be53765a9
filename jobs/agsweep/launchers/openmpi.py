# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's mpirun (4, 5) and what is made of PRRTE."""

from agsweep.launchers.flags import flags
from agsweep.launchers.request import Request


def recognises(version: str) -> bool:
    return any(word in version for word in ("Open MPI", "OpenRTE", "PRRTE"))


def command(request: Request) -> list[str]:
    words = [request.mpirun]
    if request.root:
        words += flags("openmpi", "as_root")
    if request.oversubscribed:
        words += flags("openmpi", "oversubscribed")
    if request.hostfile:
        words += ["--hostfile", request.hostfile]
    if request.places_ranks:
        words += ["--map-by", "node" if request.mapping == "cyclic" else by_node(request)]
    elif request.binding == "core":
        # Core after core, as other launchers do; Open MPI's own way goes round the sockets.
        words += ["--map-by", "slot"]
    if request.binding != "default":
        words += ["--bind-to", request.binding]
    return [*words, "-n", str(request.ranks)]


def trial(request: Request) -> list[str]:
    """Returns a command that fails where Open MPI has fewer slots than ranks. A slot is a core, not
    a hardware thread, or what a scheduler granted: Open MPI alone knows."""
    return [*command(request), "true"]


def by_node(request: Request) -> str:
    if request.overcommitted and request.nodes > 1:
        # Open MPI's own way to begin again deals the ranks beyond the cores out evenly.
        return "slot"
    return f"ppr:{request.ranks_per_node}:node"
