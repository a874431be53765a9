# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI's mpirun: Hydra with options and variables of its own."""

from agsweep.launchers.request import Request


def recognises(version: str) -> bool:
    return "Intel(R) MPI" in version


def command(request: Request) -> list[str]:
    words = [request.mpirun]
    if request.hostfile:
        words += ["-f", request.hostfile]
    if request.places_ranks:
        words += ["-rr"] if request.mapping == "cyclic" else ["-ppn", str(request.ranks_per_node)]
    if request.binding != "default":
        # compact: core after core, as the other launchers do.
        core = ["-genv", "I_MPI_PIN_DOMAIN", "core", "-genv", "I_MPI_PIN_ORDER", "compact"]
        pin = {"core": core, "none": ["-genv", "I_MPI_PIN", "0"]}
        words += pin[request.binding]
    return [*words, "-n", str(request.ranks)]
