# SPDX-License-Identifier: BSD-3-Clause
"""Named sets of algorithms to compare with: those that Loch (2021, 6.2.2) compares apart.

The names differ from every algorithm's (`linear` is one), so that both can stand in one list.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from agformats.catalogue import catalogue

if TYPE_CHECKING:  # to import it takes a second, and options name sets of algorithms
    from agreport.data.load import Results

LIBRARY = "native"
# Sets of exactly these algorithms; of the others a member may have any parameter.
WITHOUT_PARAMETERS = ("loch2021",)
ARRIVAL_AWARE = catalogue().algorithm_set("arrival_aware").algorithms


def base(name: str) -> str:
    """Returns the name without parameters and order: bruck of bruck@paired:k=4, native of
    native:ring."""
    return name.partition(":")[0].partition("@")[0]


def is_arrival_aware(name: str) -> bool:
    return base(name) in ARRIVAL_AWARE


def members(name: str, timed: Sequence[str]) -> list[str]:
    """Returns those of `timed` that are in the set of this name."""
    algorithms = catalogue().algorithm_set(name).algorithms
    key = str if name in WITHOUT_PARAMETERS else base
    return [each for each in timed if key(each) in algorithms]


def without_left_out(
    results: "Results", sets: Sequence[str], but: Collection[str] = ()
) -> "Results":
    """Leaves out the rows of what these sets leave out for a collective, but for those of
    algorithms that the user named. but: the names of these."""
    rows = results.rows
    for name in sets:
        for left in catalogue().algorithm_set(name).left_out:
            names = set(left.algorithms).difference(but)
            out = rows["collective"].eq(left.collective) & rows["algorithm"].isin(names)
            rows = rows[~out]
    return results if rows is results.rows else results.keep(rows)
