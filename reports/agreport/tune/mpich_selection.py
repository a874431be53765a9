# SPDX-License-Identifier: BSD-3-Clause
"""Choices as MPICH 4's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE).

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
from agreport.data.load import Results
from agreport.tune.choices import OWN, PREFIX

VERSION = re.compile(r"MPICH Version:\s*4\.")
KINDS = {"brucks": "intra", "recursive_doubling": "intra", "ring": "intra", "nb": "allcomm"}
COLLECTIVES = ("allgather", "allgatherv")
INTRA = "comm_type=intra"
Selection = dict[str, Any]


def selection_file(results: Results, found: pd.DataFrame, library: Path) -> str:
    require_mpich(results)
    selection = of_library(library)
    for collective in found.index.unique("collective"):
        whole = selection[f"collective={collective}"]
        whole[INTRA] = of_ranks(str(collective), found.xs(collective), whole[INTRA])
    return json.dumps(selection, indent=1) + "\n"


def require_mpich(results: Results) -> None:
    for launch in results.launches:
        mpi = launch.metadata.get("mpi", "unknown")
        if not VERSION.match(mpi):
            raise BadInput(f"--mpich: {launch.path} is from '{mpi[:40]}', not MPICH 4")


def of_library(library: Path) -> Selection:
    """The one of the algorithms; the library has others, of compositions and of devices."""
    data = library.read_bytes()
    for match in re.finditer(rb'\{"collective=', data):
        text = data[match.start() : data.find(b"\0", match.start())]
        if b'"algorithm=MPIR_Allgather_intra_ring"' not in text:
            continue
        try:
            found: Selection = json.loads(text)
        except ValueError:
            continue
        if all(INTRA in found.get(f"collective={name}", {}) for name in COLLECTIVES):
            return found
    raise BadInput(
        f"--mpich-library: {library} has no selection of MPICH 4's in it; legal: its libmpich.so"
    )


def of_ranks(collective: str, found: Any, own: Selection) -> Selection:
    """own: the library's choice, for what was not measured."""
    rules: Selection = {}
    covered = 0
    for ranks in found.index.unique("ranks"):
        if ranks > covered + 1:
            rules[f"comm_size<={ranks - 1}"] = own
        algorithms = found.xs(ranks, level="ranks")["algorithm"]
        rules[f"comm_size<={ranks}"] = of_sizes(collective, algorithms, int(ranks), own)
        covered = int(ranks)
    return {**rules, "comm_size=any": own}


def of_sizes(
    collective: str, algorithms: "pd.Series[str]", ranks: int, own: Selection
) -> Selection:
    """Sizes are of all blocks together; from each measured one on, up to the next."""
    rules: Selection = {}
    before = own
    for size, name in algorithms.items():
        chosen = own if name == OWN else {algorithm(collective, name): {}}
        if chosen != before and (total := int(str(size)) * ranks) > 0:
            rules[f"total_msg_size<={total - 1}"] = before
        before = chosen
    if before != own:
        rules[f"total_msg_size<={int(algorithms.index[-1]) * ranks}"] = before
    return {**rules, "total_msg_size=any": own}


def algorithm(collective: str, name: str) -> str:
    own = name.removeprefix(PREFIX)
    if own not in KINDS:
        raise BadInput(
            f"--mpich: '{own}' is not known among the algorithms of {collective}; known: "
            f"{', '.join(KINDS)}"
        )
    return f"algorithm=MPIR_{collective.capitalize()}_{KINDS[own]}_{own}"
