# SPDX-License-Identifier: BSD-3-Clause
"""Choices as Open MPI's dynamic rules file (coll/tuned, 4.1 and 5.0).

The file names for each collective, for communicators of at least so many ranks, and for messages
of at least so many bytes, an algorithm by its number; 0 leaves it to the library. So what was not
measured, other numbers of ranks and sizes out of range, stays as it was.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.tune.native_algorithms import OPEN_MPI, PREFIX

# Open MPI numbers the collectives so (COLLTYPE in its coll_base_functions.h).
COLLECTIVES = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block"),
    *("scan", "scatter", "scatterv", "neighbor_allgather", "neighbor_allgatherv"),
    *("neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"),
)
IDS = {name: str(number) for number, name in enumerate(COLLECTIVES)}
# The messages of these are as large as all blocks together; those of the others are as large as the
# mean block (seen with 4.1.4).
TOTAL = ("allgather", "alltoall")
UNCHANGED = "0"  # the library's own decision
# The fan-out that the library takes where it is told an algorithm and no rule says it, and so the
# one that native:NAME is measured with (coll_tuned_init_chain_fanout). In a rule 0 is one chain.
FAN_OUTS = {f"{PREFIX}chain": 4}

Rule = tuple[int, str, int, str]  # from this size on, this algorithm, its fan-out, and why


def settings(file: Path) -> dict[str, str]:
    """Returns the variables with which the library reads it."""
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(file.resolve()),
    }


def rules_file(results: Results, found: pd.DataFrame) -> str:
    version = OPEN_MPI.require(results)
    collectives = found.index.unique("collective")
    lines = [f"{len(collectives)} # collectives; by gatherbench, from Open MPI {version}"]
    for collective in collectives:
        lines += collective_lines(str(collective), found.xs(collective))
    return "\n".join(lines) + "\n"


def collective_lines(collective: str, found: Any) -> Iterator[str]:
    measured = [int(ranks) for ranks in found.index.unique("ranks")]
    others = [ranks + 1 for ranks in measured if ranks + 1 not in measured]
    every = sorted({0, *measured, *others})
    OPEN_MPI.require_collective(collective)
    yield f"{IDS[collective]} # {collective}"
    yield f"{len(every)} # numbers of ranks"
    for ranks in every:
        yield f"{ranks} # ranks"
        if ranks not in measured:
            yield from rule_lines([(0, UNCHANGED, 0, "not measured")])
            continue
        scale = ranks if collective in TOTAL else 1
        of_ranks = found.xs(ranks, level="ranks")["algorithm"]
        yield from rule_lines(list(choose_by_size(collective, of_ranks, scale)))


def choose_by_size(collective: str, algorithms: "pd.Series[str]", scale: int) -> Iterator[Rule]:
    """Yields a rule for each size at which the algorithm changes."""
    yield 0, UNCHANGED, 0, "below what was measured"
    before = ""
    for size, name in algorithms.items():
        if name != before:
            chosen = UNCHANGED if name == LIBRARY else OPEN_MPI.find_algorithm(collective, name)
            fan_out = FAN_OUTS.get(name, 0)
            yield int(str(size)) * scale, chosen, fan_out, f"{name} from {size} B a rank"
            before = name
    yield int(algorithms.index[-1]) * scale + 1, UNCHANGED, 0, "above what was measured"


def rule_lines(sizes: Sequence[Rule]) -> Iterator[str]:
    """Yields the lines. The zero at the end is: no segments, as native:NAME is measured."""
    if sizes[1:] and sizes[1][0] == 0:
        sizes = sizes[1:]
    yield f"{len(sizes)} # sizes"
    yield from (f"{size} {algorithm} {fan} 0 # {note}" for size, algorithm, fan, note in sizes)
