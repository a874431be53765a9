# SPDX-License-Identifier: BSD-3-Clause
"""Choices as MPICH 4's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE). Experimental:
the library documents neither the file nor where its own selection is.

Such a file replaces the selection of all collectives, so it is made of the library's own, which is
a text inside of libmpich.so: only the measured collectives of intracommunicators are changed, for
the numbers of ranks and the sizes that were measured, and only for calls that the algorithm can
serve. Of several rules the first one that holds counts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from agformats.errors import BadInput
from agformats.regular_file import read_whole
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.tune.native_algorithms import MPICH

INTRA = "comm_type=intra"
TOTAL = ("allgather", "allgatherv")  # their rules are of all blocks' bytes, others of one's
Selection = dict[str, Any]


class Need(NamedTuple):
    """What an algorithm asks of a call, as two conditions, one of which always holds.

    takes_first: whether the algorithm can serve calls under the first condition; else it can under
    the second. MPICH does not check the condition again: where it does not hold, the algorithm
    fails, or its result is wrong.
    """

    first: str
    second: str
    takes_first: bool

    def choose(self, chosen: Selection, own: Selection) -> Selection:
        taken = (chosen, own) if self.takes_first else (own, chosen)
        return dict(zip((self.first, self.second), taken, strict=True))


TWO_BUFFERS = Need("is_sendbuf_inplace=yes", "is_sendbuf_inplace=no", takes_first=False)
ONE_BUFFER = TWO_BUFFERS._replace(takes_first=True)
POWER_OF_TWO = Need("comm_size=pow2", "comm_size=any", takes_first=True)
SEVERAL_NODES = Need("comm_hierarchy=parent", "comm_hierarchy=any", takes_first=True)
COMMUTATIVE = Need("is_commutative=yes", "is_commutative=no", takes_first=True)
OF_MPI = Need("is_op_built_in=yes", "is_op_built_in=no", takes_first=True)
AN_ELEMENT_A_RANK = Need("count<pow2", "count=any", takes_first=False)

# These needs stand in the library's own selection, and in its checks of forced algorithms (4.0.2).
NEEDS: Mapping[str, Sequence[Need]] = {
    "MPIR_Alltoall_intra_brucks": (TWO_BUFFERS,),
    "MPIR_Alltoall_intra_pairwise": (TWO_BUFFERS,),
    "MPIR_Alltoall_intra_pairwise_sendrecv_replace": (ONE_BUFFER,),
    "MPIR_Alltoall_intra_scattered": (TWO_BUFFERS,),
    "MPIR_Bcast_intra_smp": (SEVERAL_NODES,),
    "MPIR_Bcast_intra_scatter_recursive_doubling_allgather": (POWER_OF_TWO,),
    "MPIR_Reduce_intra_smp": (SEVERAL_NODES, COMMUTATIVE),
    "MPIR_Reduce_intra_reduce_scatter_gather": (OF_MPI, AN_ELEMENT_A_RANK),
    "MPIR_Allreduce_intra_smp": (SEVERAL_NODES, COMMUTATIVE),
    "MPIR_Allreduce_intra_reduce_scatter_allgather": (OF_MPI, AN_ELEMENT_A_RANK),
}


def settings(file: Path) -> dict[str, str]:
    """Returns the environment variable with which MPICH reads this file: name -> value."""
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file.resolve())}


def selection_file(results: Results, found: pd.DataFrame, library: Path) -> str:
    MPICH.require(results)
    selection = read_library(library)
    for collective in found.index.unique("collective"):
        MPICH.require_collective(str(collective))
        whole = selection[f"collective={collective}"]
        whole[INTRA] = choose_by_ranks(str(collective), found.xs(collective), whole[INTRA])
    return json.dumps(selection, indent=1) + "\n"


def read_library(library: Path) -> Selection:
    """Returns the selection of algorithms that this libmpich.so has; the library has other
    selections, of compositions and of devices. Raises BadInput if there is none of MPICH 4's."""
    data = read_whole(library)
    for match in re.finditer(rb'\{"collective=', data):
        text = data[match.start() : data.find(b"\0", match.start())]
        if b'"algorithm=MPIR_Allgather_intra_ring"' not in text:
            continue
        try:
            found: Selection = json.loads(text)
        except ValueError:
            continue
        if all(INTRA in found.get(f"collective={name}", {}) for name in MPICH.algorithms):
            return found
    raise BadInput(
        f"--mpich-library: {library} has no selection of MPICH 4's in it; legal: its libmpich.so"
    )


def choose_by_ranks(collective: str, found: Any, own: Selection) -> Selection:
    """Returns the conditions on the number of ranks, and what each leads to. found: a collective's
    choices by ranks and bytes; own: the library's choice, for what was not measured."""
    rules: Selection = {}
    covered = 0
    for ranks in found.index.unique("ranks"):
        if ranks > covered + 1:
            rules[f"comm_size<={ranks - 1}"] = own
        algorithms = found.xs(ranks, level="ranks")["algorithm"]
        rules[f"comm_size<={ranks}"] = choose_by_size(collective, algorithms, int(ranks), own)
        covered = int(ranks)
    return {**rules, "comm_size=any": own}


def choose_by_size(
    collective: str, algorithms: "pd.Series[str]", ranks: int, own: Selection
) -> Selection:
    """Returns the conditions on the size of messages, and what each leads to: the algorithm of each
    measured size from that size on, up to the next. own: the library's choice, for sizes out of
    range."""
    rules: Selection = {}
    before = own
    size_is, scale = ("total", ranks) if collective in TOTAL else ("avg", 1)
    for size, name in algorithms.items():
        chosen = own if name == LIBRARY else taken(MPICH.find_algorithm(collective, name), own)
        if chosen != before and (least := int(str(size)) * scale) > 0:
            rules[f"{size_is}_msg_size<={least - 1}"] = before
        before = chosen
    if before != own:
        rules[f"{size_is}_msg_size<={int(algorithms.index[-1]) * scale}"] = before
    return {**rules, f"{size_is}_msg_size=any": own}


def taken(algorithm: str, own: Selection) -> Selection:
    """Returns the choice of an algorithm for calls that the algorithm can serve, and of `own` for
    others."""
    chosen: Selection = {f"algorithm={algorithm}": {}}
    for need in reversed(NEEDS.get(algorithm, ())):
        chosen = need.choose(chosen, own)
    return chosen
