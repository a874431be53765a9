# SPDX-License-Identifier: BSD-3-Clause
"""Says what the suite's algorithms are, and which numbers of ranks their papers allow.

They are all-gathers where no other collective is named.
"""

words = str.split

SCHEDULES = words(
    """
    ring neighbor_exchange recursive_doubling bruck bruck_in_place sparbit linear spread shift
    shift_light_barrier shift_mpi_barrier shift_n_barriers pair pair_light_barrier
    pair_mpi_barrier pair_n_barriers mesh2d mesh3d gather_bcast linear_gather_bcast
    topology_ring topology_ring_two_hop topology_ring_optimal recursive_halving
    recursive_exchange circulant bine pat recursive_multiplying bine_doubling bine_remap
    recursive_halving_remap bruck_two_sided far_first pipelined_ring ring_bidirectional k_ring
    leader lane locality_p2p locality_bruck multi_leader bucket swing bdr bslb clairvoyant
    arrival_rings portfolio
    """
)
# These are of the set `all`.
ALGORITHMS = [*SCHEDULES, "library_gather_bcast", "native"]
# These can be asked for, in the order of the table.
LIBRARY_CALLS = ["native", "native_nonblocking", "native_persistent"]
NAMES = [*ALGORITHMS[:-1], "adaptive", "file", *LIBRARY_CALLS]
SETS = words(
    """
    loch2021 proficz2021 regular arrival_aware all linear-steps logarithmic-steps library
    library-calls
    """
)
# These are his of allgather; he has no recursive doubling for allgatherv.
LOCH2021 = ["ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit"]
LOCH2021_OF_ALLGATHERV = [name for name in LOCH2021 if name != "recursive_doubling"]
PROFICZ2021 = ["ring", "neighbor_exchange", "linear_gather_bcast", "bdr", "bslb"]
ARRIVAL_AWARE = ["bdr", "bslb", "clairvoyant", "arrival_rings", "portfolio"]
TOPOLOGY_RINGS = ["topology_ring", "topology_ring_two_hop", "topology_ring_optimal"]

PARAMETERS = {
    "bruck": ["k"],
    "bruck_in_place": ["k"],
    "shift_n_barriers": ["n"],
    "pair_n_barriers": ["n"],
    "gather_bcast": ["bcast"],
    "linear_gather_bcast": ["bcast"],
    "recursive_exchange": ["k"],
    "circulant": ["segments"],
    "pat": ["aggregate"],
    "recursive_multiplying": ["factors"],
    "far_first": ["k"],
    "pipelined_ring": ["segment"],
    "k_ring": ["k"],
    "leader": ["inner"],
    "lane": ["inner"],
    "multi_leader": ["leaders", "inner"],
    "bucket": ["dims", "ports"],
    "swing": ["dims", "ports"],
    "bdr": ["tau"],
    "bslb": ["head", "bcast"],
    "clairvoyant": ["segments", "tau", "alpha"],
    "arrival_rings": ["tau"],
    "portfolio": ["tau", "alpha"],
}


ALLTOALLS = words(
    """
    linear spread shift shift_light_barrier shift_mpi_barrier shift_n_barriers pair
    pair_light_barrier pair_mpi_barrier pair_n_barriers bruck mesh2d mesh3d recursive_doubling
    topology_phases topology_phases_dummy topology_phases_sender topology_phases_receiver
    topology_phases_barrier topology_phases_barrier_sender topology_phases_barrier_receiver
    """
)
ALLTOALL_PARAMETERS = {
    "bruck": ["k"],
    "shift_n_barriers": ["n"],
    "pair_n_barriers": ["n"],
    **{name: ["n"] for name in ALLTOALLS if name.endswith(("_sender", "_receiver"))},
    "topology_phases_barrier": ["n"],
}

BCASTS = words(
    "flat binomial scatter_allgather linear_pipeline binary k_ary topology_linear topology_binary"
)
REDUCTIONS = words(
    "binomial parallel_ring butterfly radix_k linear_pipeline two_tree clairvoyant local_redirect"
)
ALLREDUCES = words(
    "recursive_doubling ring rabenseifner alltoall_allgather allgather_reduce clairvoyant"
)

POWERS_OF_TWO = words(
    "recursive_doubling recursive_halving bine_doubling bine_remap recursive_halving_remap swing"
)


def prime_factors(p: int) -> int:
    """Returns how many there are, each as often as it divides."""
    smallest = next((n for n in range(2, p + 1) if p % n == 0), None)
    return 0 if smallest is None else 1 + prime_factors(p // smallest)


def is_power_of_two(p: int) -> bool:
    return p & (p - 1) == 0


def runs_at(algorithm: str, p: int) -> bool:
    """Nodes and switches aside."""
    name = algorithm.partition(":")[0]
    if name == "neighbor_exchange":
        return p % 2 == 0
    if name == "k_ring":
        return p % int(algorithm.partition("=")[2] or 2) == 0
    if name == "shift_n_barriers":
        return p >= 3
    if name == "pair_n_barriers":
        return p >= 4 and is_power_of_two(p)
    if name in ("mesh2d", "mesh3d"):
        return prime_factors(p) >= int(name[-2])
    power = name.startswith("pair") or name in POWERS_OF_TWO
    return is_power_of_two(p) or not power
