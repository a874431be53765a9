# SPDX-License-Identifier: BSD-3-Clause
"""What launches must have in common, so that a difference is the MPI's and not the conditions'."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from agformats.errors import BadInput, check_known
from agreport.data.load import Launch

from .pairing import Pairing
from .sides import Sides

# How it was measured, on what, and what ran. Not the MPI, its settings, the compiler or the suite:
# those are what one compares.
MUST_AGREE = (
    *("sync", "thread_level", "delay", "compute", "order", "warmup", "validation", "clock", "duet"),
    *("in_place", "noncontiguous", "distribution_file", "arrival_trace", "topology_tree"),
    *("hosts", "kernel", "binding", "oversubscribed", "ranks_per_node", "pretended_ranks_per_node"),
)
# What is shown of the two sides where it differs, although it may.
WORTH_SAYING = ("suite", "mpi", "compiler", "note.build")
LIBRARY_SETTINGS = "env."
NUMBERED = ("distribution_file", "arrival_trace")
NOT_GIVEN = "not given"
MOST_SHOWN = 60  # characters of a value


def check_allowed(allowed: Sequence[str], more: Collection[str]) -> None:
    check_known("--allow", allowed, [*MUST_AGREE, *more], "a key that may be allowed to differ")


def check_agreement(sides: Sides, pairing: Pairing, allowed: Collection[str]) -> None:
    """Refuse the first key that differs between launches that are compared with each other."""
    for key in MUST_AGREE:
        if key in allowed:
            continue
        for group in compared(sides, pairing):
            first = sides.launches[group[0]]
            for number in group[1:]:
                other = sides.launches[number]
                if told(first, key) != told(other, key):
                    raise BadInput(
                        f"{key} differs, and must not: '{short(told(first, key))}' in "
                        f"{first.path}, '{short(told(other, key))}' in {other.path}; "
                        f"--allow {key} compares all the same"
                    )


def compared(sides: Sides, pairing: Pairing) -> Iterator[Sequence[int]]:
    """The two of a pair; without pairs, all launches of as many ranks and nodes."""
    if pairing.pairs:
        yield from pairing.pairs
        return
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, launch in enumerate(sides.launches):
        groups[tuple(told(launch, key) for key in ("collective", "ranks", "nodes"))].append(number)
    yield from groups.values()


def told(launch: Launch, key: str) -> str:
    if key == "duet":
        return "yes" if "duet_pair" in launch.metadata else "no"
    if key in NUMBERED:
        found = [value for name, value in launch.metadata.items() if name.startswith(key)]
        return "; ".join(sorted(found)) or NOT_GIVEN
    return launch.metadata.get(key, NOT_GIVEN)


def differences(sides: Sides) -> Iterator[tuple[str, str, str]]:
    """Key, base's values and new's, of what differs and may: what the comparison is about."""
    steering = {
        key
        for launch in sides.launches
        for key in launch.metadata
        if key.startswith(LIBRARY_SETTINGS) and steers(key.removeprefix(LIBRARY_SETTINGS))
    }
    for key in (*WORTH_SAYING, *MUST_AGREE, *sorted(steering)):
        base, new = (
            {told(sides.launches[number], key) for number in sides.numbers(side)}
            for side in (False, True)
        )
        if base != new:
            yield key, short(" | ".join(sorted(base))), short(" | ".join(sorted(new)))


def steers(variable: str) -> bool:
    """Settings of the library that a user makes; others are the launcher's own."""
    if variable.startswith("OMPI_MCA_"):
        launcher = ("orte_", "ess", "pmix_", "prte_", "initial_wdir", "plm", "schizo", "rmaps")
        return not variable.removeprefix("OMPI_MCA_").startswith(launcher)
    return variable.startswith(("MPIR_", "MPICH_", "I_MPI_", "UCX_", "FI_"))


def short(value: str) -> str:
    return value if len(value) <= MOST_SHOWN else f"{value[: MOST_SHOWN - 3]}..."
