# SPDX-License-Identifier: BSD-3-Clause
"""The switches of a description as Slurm's topology.conf, for the benchmark's --topology."""

from agformats.errors import BadInput
from agsweep.platforms.description import BANDWIDTH, Description, Link

BITS = {"bps": 1, "Bps": 8}
THOUSANDS = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}


def bits_a_second(link: Link) -> float:
    unit = link.bandwidth.lstrip("0123456789.")
    number = link.bandwidth.removesuffix(unit)
    assert BANDWIDTH.fullmatch(link.bandwidth)
    return float(number) * 1000.0 ** THOUSANDS[unit[:-3]] * BITS[unit[-3:]]


def text(machine: Description) -> str:
    if machine.cluster:
        kind = machine.cluster.topology
        legal = "[[switches]]"
        if machine.cluster.is_torus_by_sides:
            legal += f", or allgather_schedule --topology {kind} without a file"
        raise BadInput(f"{machine.file}: cluster: {kind} has no switch tree; legal: {legal}")
    lines = []
    below = {name for switch in machine.switches for name in switch.switches}
    speed = bits_a_second(machine.switch_link) / bits_a_second(machine.host_link)
    for switch in machine.switches:
        words = [f"SwitchName={switch.name}"]
        words += [f"Nodes={','.join(switch.hosts)}"] if switch.hosts else []
        words += [f"Switches={','.join(switch.switches)}"] if switch.switches else []
        # Slurm takes whole numbers only, so nothing is said where there is no need to.
        words += [f"LinkSpeed={speed:.12g}"] if speed != 1 and switch.name in below else []
        lines.append(" ".join(words) + "\n")
    return "".join(lines)
