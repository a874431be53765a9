# SPDX-License-Identifier: BSD-3-Clause
"""Choices as MPICH 4's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE). Experimental:
the library documents neither the file nor where its own selection is.

Such a file replaces the selection of all collectives, so it is made of the library's own, which is
a text inside of libmpich.so: only the all-gathers of intracommunicators are changed, for the
numbers of ranks and the sizes that were measured. Of several rules the first one that holds counts.
"""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agformats.regular_file import read_whole
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results
from agreport.tune.native_algorithms import MPICH

INTRA = "comm_type=intra"
Selection = dict[str, Any]


def settings(file: Path) -> dict[str, str]:
    """The variable with which the library reads it."""
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
    """The one of the algorithms; the library has others, of compositions and of devices."""
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
    """own: the library's choice, for what was not measured."""
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
    """Sizes are of all blocks together; from each measured one on, up to the next."""
    rules: Selection = {}
    before = own
    for size, name in algorithms.items():
        chosen = own
        if name != LIBRARY:
            chosen = {f"algorithm={MPICH.find_algorithm(collective, name)}": {}}
        if chosen != before and (total := int(str(size)) * ranks) > 0:
            rules[f"total_msg_size<={total - 1}"] = before
        before = chosen
    if before != own:
        rules[f"total_msg_size<={int(algorithms.index[-1]) * ranks}"] = before
    return {**rules, "total_msg_size=any": own}
