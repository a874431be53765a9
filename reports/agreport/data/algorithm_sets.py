# SPDX-License-Identifier: BSD-3-Clause
"""Named sets of algorithms to compare with: those that Loch (2021, 6.2.2) strips all others for.

The names differ from every algorithm's (`linear` is one), so that both can stand in one list.
"""

from collections.abc import Callable, Sequence

LIBRARY = "native"
THESIS = ("ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit")
# By how their number of steps grows with p. linear and spread are one step of p - 1 messages.
LINEAR = (
    *("ring", "neighbor_exchange", "pipelined_ring", "linear", "spread", "linear_gather_bcast"),
    *("shift", "shift_light_barrier", "shift_mpi_barrier", "shift_n_barriers"),
    *("pair", "pair_light_barrier", "pair_mpi_barrier", "pair_n_barriers"),
    *("topology_ring", "topology_ring_two_hop", "topology_ring_optimal"),
)
LOGARITHMIC = (
    *("recursive_doubling", "bruck", "bruck_in_place", "sparbit"),
    *("recursive_halving", "recursive_exchange", "gather_bcast"),
)


def base(name: str) -> str:
    """Without the parameter: bruck of bruck:k=4, native of native:ring."""
    return name.partition(":")[0]


SETS: dict[str, Callable[[str], bool]] = {
    "thesis": lambda name: name in THESIS,
    "linear-steps": lambda name: base(name) in LINEAR,
    "logarithmic-steps": lambda name: base(name) in LOGARITHMIC,
    "library": lambda name: base(name) == LIBRARY,
}
HELP = (
    "thesis (the five of Loch 2021), linear-steps and logarithmic-steps (by how their steps grow "
    "with the ranks), library (the MPI library's own)"
)


def members(baseline: str, timed: Sequence[str]) -> list[str]:
    return [name for name in timed if SETS[baseline](name)]
