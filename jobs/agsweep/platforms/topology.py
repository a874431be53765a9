# SPDX-License-Identifier: BSD-3-Clause
"""The switches of a description as Slurm's topology.conf, for the benchmark's --topology."""

from agformats.errors import BadInput
from agsweep.platforms.description import Description


def text(machine: Description) -> str:
    if machine.cluster:
        kind = machine.cluster.topology
        raise BadInput(f"{machine.file}: cluster: {kind} has no switch tree; legal: [[switches]]")
    lines = []
    for switch in machine.switches:
        words = [f"SwitchName={switch.name}"]
        words += [f"Nodes={','.join(switch.hosts)}"] if switch.hosts else []
        words += [f"Switches={','.join(switch.switches)}"] if switch.switches else []
        lines.append(" ".join(words) + "\n")
    return "".join(lines)
