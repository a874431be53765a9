# SPDX-License-Identifier: BSD-3-Clause
"""Slurm's srun: a step of the job that it is called in."""

from agsweep.launchers.request import Request


def recognises(version: str) -> bool:
    return version.startswith("slurm ")


def command(request: Request) -> list[str]:
    request.refuse_hostfile("srun", "none, in an allocation, which has the hosts")
    words = [
        "srun",
        "--kill-on-bad-exit=1",
        f"--mpi={request.pmi}",
        f"--nodes={request.filled}",
    ]
    words += [f"--ntasks={request.ranks}", f"--distribution={distribution(request)}"]
    if request.overcommitted:
        words.append("--overcommit")
    if request.shared:
        words.append("--overlap")
    if request.binding != "default":
        words.append(f"--cpu-bind={'cores' if request.binding == 'core' else 'none'}")
    return words


def distribution(request: Request) -> str:
    """Returns the value of srun's --distribution. `block` deals unequal numbers of ranks out
    evenly, so these get `plane`, which fills each node first, and begins again."""
    if request.mapping == "cyclic":
        return "cyclic"
    even = request.ranks % request.ranks_per_node == 0 and not request.overcommitted
    return "block" if even else f"plane={request.ranks_per_node}"
