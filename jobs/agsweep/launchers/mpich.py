# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's mpiexec (Hydra).

The build's mpirun_here throttles MPICH's progress where ranks share processors, so that tests end.
A sweep measures, and what it measures is for its `environment` to say: nothing is set here.
"""

from agsweep.launchers.request import Request


def recognises(version: str) -> bool:
    return "HYDRA" in version


def command(request: Request) -> list[str]:
    words = [request.mpirun]
    if request.hostfile:
        words += ["-f", request.hostfile]
    if request.places_ranks:  # with one rank on a node at a time it goes round the nodes
        words += ["-ppn", "1" if request.mapping == "cyclic" else str(request.ranks_per_node)]
    if request.binding != "default":
        words += ["-bind-to", request.binding]
    return [*words, "-n", str(request.ranks)]
