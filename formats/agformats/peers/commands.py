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
    """Returns the number of ranks that the launch of this program asks for. NOT_TOLD: no command
    says it, or several say different ones."""
    called = re.compile(rf"(?<![\w-]){re.escape(program)}(?![\w-])")
    found = {
        sum(map(int, counts))
        for line in joined(lines)
        if LAUNCHER.search(line) and called.search(line) and (counts := counts_in(line))
    }
    return found.pop() if len(found) == 1 else NOT_TOLD


def counts_in(command: str) -> list[str]:
    """Returns the numbers of ranks in a command: one, or of a command with colons one for each
    part. Of a command of Slurm without such a number it is the nodes times the ranks of each node.
    Empty if the command does not say them all."""
    counts = COUNT.findall(command)
    nodes, each = NODES.findall(command), EACH.findall(command)
    if not counts and len(nodes) == len(each) == 1:
        return [str(int(nodes[0]) * int(each[0]))]
    return counts if len(counts) == 1 + len(re.findall(r"\s:\s", command)) else []


def joined(lines: Sequence[str]) -> Iterator[str]:
    """Yields the lines, with those that end in a backslash joined to the lines after them."""
    begun = ""
    for line in lines:
        begun += line.removesuffix("\\") + " "
        if not line.endswith("\\"):
            yield begun
            begun = ""
