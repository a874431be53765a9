# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries whose selection can be written, and what their files call the algorithms that
result files have as native:NAME.

The benchmarks ask the library itself for the names (MPI_T), so they need no such table; a result
file has the names without the library's numbers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agformats.errors import BadInput
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import Results

PREFIX = f"{LIBRARY}:"


@dataclass(frozen=True)
class Library:
    """An MPI library whose selection can be written.

    option: the option that messages name. name: what the metadata key mpi begins with. title: the
    name with the known versions. version: a pattern for this beginning, whose group is the version
    that is known. algorithms: by collective, NAME -> what the library's file calls the algorithm.
    """

    option: str
    name: str
    title: str
    version: re.Pattern[str]
    algorithms: Mapping[str, Mapping[str, str]]

    def require(self, results: Results) -> str:
        """Returns the library's version, which all launches have. Raises BadInput if a launch is of
        another library or of a version that is not known, or if launches differ."""
        versions = set()
        for launch in results.launches:
            mpi = launch.metadata.get("mpi", "unknown")
            match = self.version.match(mpi)
            if match is None:
                raise BadInput(
                    f"{self.option}: {launch.path} is from '{mpi[:40]}', not {self.title}"
                )
            versions.add(match[1])
        if len(versions) > 1:
            several = " and ".join(sorted(versions))
            raise BadInput(f"{self.option}: the files are from {self.title} {several}")
        return versions.pop()

    def require_collective(self, collective: str) -> None:
        if collective not in self.algorithms:
            raise BadInput(
                f"{self.option}: the algorithms of {collective} are not known; known: those of "
                f"{', '.join(self.algorithms)}; choose with --collective"
            )

    def find_algorithm(self, collective: str, name: str) -> str:
        """Returns what the library's file calls the algorithm native:NAME. Raises BadInput if the
        collective or the name is not known."""
        self.require_collective(collective)
        known = self.algorithms[collective]
        own = name.removeprefix(PREFIX)
        if own not in known:
            raise BadInput(
                f"{self.option}: '{own}' is not known among the algorithms of {collective}; known: "
                f"{', '.join(known)}"
            )
        return known[own]


def number(*names: str) -> dict[str, str]:
    """Returns the number of each algorithm, as text; Open MPI counts from 1."""
    return {name: str(place) for place, name in enumerate(names, 1)}


OPEN_MPI = Library(
    "--openmpi",
    "Open MPI",
    "Open MPI 4.1 or 5.0",
    re.compile(r"Open MPI v(4\.1|5\.0)\."),
    {
        "allgather": number(
            *("linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit")
        ),
        "allgatherv": number("default", "bruck", "ring", "neighbor", "two_proc", "sparbit"),
        "alltoall": number("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
        "bcast": number(
            *("basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial"),
            *("knomial", "scatter_allgather", "scatter_allgather_ring"),
        ),
        "reduce": number(
            *("linear", "chain", "pipeline", "binary", "binomial", "in-order_binary"),
            *("rabenseifner", "knomial"),
        ),
        "allreduce": number(
            *("basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring"),
            *("rabenseifner", "allgather_reduce"),  # the last from 5.0 on
        ),
    },
)


def of_mpich(title: str, *names: str) -> dict[str, str]:
    """Returns the function of each algorithm, as MPICH's file calls it. One more, nb, is the
    non-blocking call and its wait. title: the collective's part of the names, such as Allgather."""
    named = {name: f"MPIR_{title}_intra_{name}" for name in names}
    return {**named, "nb": f"MPIR_{title}_allcomm_nb"}


MPICH = Library(
    "--mpich",
    "MPICH",
    "MPICH 4",
    re.compile(r"MPICH Version:\s*(4)\."),
    {
        "allgather": of_mpich("Allgather", "brucks", "recursive_doubling", "ring"),
        "allgatherv": of_mpich("Allgatherv", "brucks", "recursive_doubling", "ring"),
        "alltoall": of_mpich(
            *("Alltoall", "brucks", "pairwise", "pairwise_sendrecv_replace", "scattered")
        ),
        "bcast": of_mpich(
            *("Bcast", "binomial", "smp", "scatter_recursive_doubling_allgather"),
            "scatter_ring_allgather",
        ),
        "reduce": of_mpich("Reduce", "binomial", "smp", "reduce_scatter_gather"),
        "allreduce": of_mpich(
            *("Allreduce", "recursive_doubling", "smp", "reduce_scatter_allgather")
        ),
    },
)
