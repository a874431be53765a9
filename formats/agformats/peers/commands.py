# SPDX-License-Identifier: BSD-3-Clause
"""Finds on how many ranks a program ran, by the command that a log has before its output."""

import re
from collections.abc import Iterator, Sequence

from agformats.peers.tables import NOT_TOLD

LAUNCHER = re.compile(
    r"(?<![\w-])(?:mpirun|mpiexec(?:\.hydra)?|mpirun_rsh|orterun|prun|srun|aprun)(?![\w-])"
)
COUNT = re.compile(r"(?<!\S)(?:-np|-n|--np|--ntasks)(?:=|\s*)(\d{1,9})(?!\S)")
NODES = re.compile(r"(?<!\S)(?:-N|--nodes)(?:=|\s*)(\d{1,9})(?!\S)")
EACH = re.compile(r"(?<!\S)--ntasks-per-node(?:=|\s+)(\d{1,9})(?!\S)")


def ranks_told(lines: Sequence[str], program: str) -> int:
    """NOT_TOLD: by no command, or by several that differ."""
    called = re.compile(rf"(?<![\w-]){re.escape(program)}(?![\w-])")
    found = {
        sum(map(int, counts))
        for line in joined(lines)
        if LAUNCHER.search(line) and called.search(line) and (counts := counts_in(line))
    }
    return found.pop() if len(found) == 1 else NOT_TOLD


def counts_in(command: str) -> list[str]:
    """One, or of a command with colons one a part; of Slurm's also nodes times ranks of each."""
    counts = COUNT.findall(command)
    nodes, each = NODES.findall(command), EACH.findall(command)
    if not counts and len(nodes) == len(each) == 1:
        return [str(int(nodes[0]) * int(each[0]))]
    return counts if len(counts) == 1 + len(re.findall(r"\s:\s", command)) else []


def joined(lines: Sequence[str]) -> Iterator[str]:
    """Lines that end in a backslash go on."""
    begun = ""
    for line in lines:
        begun += line.removesuffix("\\") + " "
        if not line.endswith("\\"):
            yield begun
            begun = ""
