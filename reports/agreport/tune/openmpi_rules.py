# SPDX-License-Identifier: BSD-3-Clause
"""Choices as Open MPI's dynamic rules file (coll/tuned, 4.1 and 5.0).

The file names for each collective, for communicators of at least so many ranks, and for messages
of at least so many bytes, an algorithm by its number; 0 leaves it to the library. So what was not
measured, other numbers of ranks and sizes out of range, stays as it was.
"""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import Results
from agreport.tune.choices import OWN, PREFIX

IDS = {"allgather": 0, "allgatherv": 1}
NUMBERS = {
    "allgather": {
        "linear": 1,
        "bruck": 2,
        "recursive_doubling": 3,
        "ring": 4,
        "neighbor": 5,
        "two_proc": 6,
        "sparbit": 7,
    },
    "allgatherv": {
        "default": 1,
        "bruck": 2,
        "ring": 3,
        "neighbor": 4,
        "two_proc": 5,
        "sparbit": 6,
    },
}
VERSION = re.compile(r"Open MPI v(4\.1|5\.0)\.")
# Whose messages are as large as all blocks together; the others' as the mean block (seen with
# 4.1.4).
TOTAL = ("allgather",)
LIBRARY = 0  # its own decision


def rules_file(results: Results, found: pd.DataFrame) -> str:
    version = require_openmpi(results)
    collectives = found.index.unique("collective")
    lines = [f"{len(collectives)} # collectives; by gatherbench, from Open MPI {version}"]
    for collective in collectives:
        lines += of_collective(str(collective), found.xs(collective))
    return "\n".join(lines) + "\n"


def require_openmpi(results: Results) -> str:
    """The version, the same of all launches."""
    versions = set()
    for launch in results.launches:
        mpi = launch.metadata.get("mpi", "unknown")
        match = VERSION.match(mpi)
        if match is None:
            raise BadInput(f"--openmpi: {launch.path} is from '{mpi}', not Open MPI 4.1 or 5.0")
        versions.add(match[1])
    if len(versions) > 1:
        raise BadInput(f"--openmpi: the files are from Open MPI {' and '.join(sorted(versions))}")
    return versions.pop()


def of_collective(collective: str, found: Any) -> Iterator[str]:
    measured = [int(ranks) for ranks in found.index.unique("ranks")]
    others = [ranks + 1 for ranks in measured if ranks + 1 not in measured]
    every = sorted({0, *measured, *others})
    yield f"{IDS[collective]} # {collective}"
    yield f"{len(every)} # numbers of ranks"
    for ranks in every:
        yield f"{ranks} # ranks"
        if ranks not in measured:
            yield from rules([(0, LIBRARY, "not measured")])
            continue
        scale = ranks if collective in TOTAL else 1
        of_ranks = found.xs(ranks, level="ranks")["algorithm"]
        yield from rules(list(of_sizes(collective, of_ranks, scale)))


def of_sizes(
    collective: str, algorithms: "pd.Series[str]", scale: int
) -> Iterator[tuple[int, int, str]]:
    """From each size on at which the algorithm changes."""
    yield 0, LIBRARY, "below what was measured"
    before = ""
    for size, name in algorithms.items():
        if name != before:
            yield int(str(size)) * scale, number(collective, name), f"{name} from {size} B a rank"
            before = name
    yield int(algorithms.index[-1]) * scale + 1, LIBRARY, "above what was measured"


def rules(sizes: list[tuple[int, int, str]]) -> Iterator[str]:
    """The two zeros: no fan-out and no segments, which no all-gather has."""
    if sizes[1:] and sizes[1][0] == 0:
        sizes = sizes[1:]
    yield f"{len(sizes)} # sizes"
    yield from (f"{size} {algorithm} 0 0 # {note}" for size, algorithm, note in sizes)


def number(collective: str, name: str) -> int:
    if name == OWN:
        return LIBRARY
    known = NUMBERS[collective]
    own = name.removeprefix(PREFIX)
    if own not in known:
        raise BadInput(
            f"--openmpi: the number of '{own}' among the algorithms of {collective} is not known "
            f"here; known: {', '.join(known)}"
        )
    return known[own]
