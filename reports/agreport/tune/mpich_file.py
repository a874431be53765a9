# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's selection files (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE), as the library goes by them.

Keys are conditions; of those beside each other the first one that holds counts, for good. Where
nothing below it holds, or a collective is not there at all, there is no choice, and MPICH ends the
program (seen with 4.0.2: `Assertion failed in file src/mpi/coll/mpir_coll.c`).
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agreport.tune.native_algorithms import PREFIX
from agreport.tune.site_files import Case, Choice, SiteFile

KIND = "MPICH's selection"
ENDS = "no rule of it, and MPICH ends the program there"
LEAVES = ("algorithm=", "composition=")
COMPARED = re.compile(r"(comm_size|avg_msg_size|total_msg_size|comm_avg_ppn)(<=|<)(\d{1,18})")
# Whether each holds for an ordinary call: an operator of MPI's own, blocks of one size.
FLAGS = {
    "comm_type=intra": True,
    "comm_type=inter": False,
    "is_commutative=yes": True,
    "is_commutative=no": False,
    "is_op_built_in=yes": True,
    "is_op_built_in=no": False,
    "is_block_regular=yes": True,
    "is_block_regular=no": False,
}
OF_CASE: Mapping[str, Callable[[Case], bool]] = {
    "comm_size=pow2": lambda case: case.ranks & (case.ranks - 1) == 0,
    "is_sendbuf_inplace=yes": lambda case: case.in_place,
    "is_sendbuf_inplace=no": lambda case: not case.in_place,
}
# These depend on the communicator, the elements or the threads: results do not say
# whether they hold.
UNKNOWN = re.compile(
    r"(?:comm_hierarchy=(?:parent|node_roots|node|flat)|is_node_consecutive=(?:yes|no)|"
    r"is_multi_threaded=(?:yes|no)|count(?:<=\d+|<pow2))"
)


def is_one(document: Any) -> bool:
    return isinstance(document, dict) and any(
        without_blanks(key).startswith("collective=") for key in document
    )


def read_json(path: Path, document: Mapping[str, Any]) -> SiteFile:
    check(path, document, "")
    tree = {without_blanks(key): value for key, value in document.items()}
    collectives = tuple(key.partition("=")[2] for key, below in tree.items() if below)
    return SiteFile(KIND, lambda case: choose(case, tree), collectives)


def check(path: Path, node: Any, place: str) -> None:
    """Refuses a file with a key that MPICH does not know, or with no object where conditions
    belong. place: the conditions above this node. Raises BadInput."""
    if not isinstance(node, dict):
        raise BadInput(f"{path}: {place or 'the whole'}: is no object; legal: conditions as keys")
    for key, below in node.items():
        name = without_blanks(key)
        if name.startswith(LEAVES):
            continue
        known = name.startswith("collective=") if not place else is_condition(name)
        if not known:
            raise BadInput(
                f"{path}: '{key}': is no condition of {KIND}; legal: such as comm_size<=8"
            )
        check(path, below, f"{place} {name}".strip())


def is_condition(name: str) -> bool:
    return bool(
        name in FLAGS
        or name in OF_CASE
        or is_any(name)
        or name == "comm_size=node_comm_size"
        or COMPARED.fullmatch(name)
        or UNKNOWN.fullmatch(name)
    )


def is_any(name: str) -> bool:
    return name == "any" or name.endswith("=any")


def choose(case: Case, tree: Mapping[str, Any]) -> Choice:
    node: Any = tree.get(f"collective={case.collective}", {})
    trail: list[str] = []
    while node:
        for key, below in node.items():
            name = without_blanks(key)
            if name.startswith(LEAVES):
                return Choice(PREFIX + name_of(case, name.partition("=")[2]), ", ".join(trail))
            holds = condition(case, name)
            if holds is None:
                return Choice("", f"it asks for {name}, which results do not say")
            if holds:
                trail.append(name)
                node = below
                break
        else:
            break
    return Choice("", ENDS)


def condition(case: Case, name: str) -> bool | None:
    """Returns whether a condition holds; None: it is not known of the case."""
    if is_any(name) or name in FLAGS:
        return FLAGS.get(name, True)
    if name in OF_CASE:
        return OF_CASE[name](case)
    if name == "comm_size=node_comm_size":
        return case.nodes == 1 if case.nodes else None
    found = COMPARED.fullmatch(name)
    values = {
        "comm_size": case.ranks,
        "avg_msg_size": case.bytes,
        "total_msg_size": case.total_bytes,
        "comm_avg_ppn": case.ranks / case.nodes if case.nodes else None,
    }
    value = values[found[1]] if found else None
    if found is None or value is None:
        return None
    return value <= int(found[3]) if found[2] == "<=" else value < int(found[3])


def name_of(case: Case, function: str) -> str:
    """Returns the benchmarks' name of a function of MPICH: MPIR_Allgather_intra_ring -> ring. Other
    functions stay as they are."""
    title = next(each.title for each in catalogue().collectives if each.name == case.collective)
    found = re.fullmatch(rf"MPIR_{title}_(?:intra|allcomm)_(\w+)", function)
    return found[1] if found else function


def without_blanks(key: str) -> str:
    return "".join(key.split())
