# SPDX-License-Identifier: BSD-3-Clause
"""Says what launches must have in common, so that a difference is the MPI's and not the
conditions'.

The catalogue says which metadata keys: those of how it was measured, on what, and what ran.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agreport.data.load import Launch
from agreport.data.mpi_name import library_of
from agreport.data.settings import NOT_GIVEN, by_name

from .sides import Pairing, Sides

DUET = "duet"  # whether a launch was in a duet; this is no key of metadata
COMPARED = catalogue().must_agree_to("compare")
KEYS = by_name(COMPARED)
MUST_AGREE = (DUET, *KEYS)
# A comparison is about these keys, and so shows them. Launches that are pooled must agree in them.
SUBJECTS = (
    *(key.key for key in catalogue().must_agree_to("pool") if key not in COMPARED),
    "note.build",
)
# Launches of one MPI library must agree in this key. Two libraries have different settings, which
# are part of what is compared.
OF_ONE_LIBRARY = "library_settings"
LIBRARY_BARRIERS = {"barrier", "double-barrier"}  # values of --sync
MACHINE = "machine."  # keys that say what a node is begin so
MAX_SHOWN = 60  # characters of a value in a message


def check_comparable(sides: Sides, pairing: Pairing, allowed: Collection[str]) -> None:
    """Raises BadInput, naming the first key that must agree, but differs between two launches that
    are compared with each other. allowed: keys that may differ."""
    for key in MUST_AGREE:
        if key in allowed:
            continue
        for group in group_compared(sides, pairing):
            first, *others = (sides.launches[number] for number in group)
            for other in others:
                one, two = metadata_value(first, key), metadata_value(other, key)
                if one != two and is_comparable(key, first, other):
                    raise BadInput(
                        f"{key} differs, and must not: '{shorten(metadata_value(first, key))}' in "
                        f"{first.path}, '{shorten(metadata_value(other, key))}' in {other.path}; "
                        f"--allow {key} compares all the same"
                    )


def is_comparable(key: str, first: Launch, other: Launch) -> bool:
    """Returns whether a difference in the key tells something. Files of older versions lack some
    keys, and two libraries have different settings."""
    told = NOT_GIVEN not in (metadata_value(first, key), metadata_value(other, key))
    if key == OF_ONE_LIBRARY:
        one, two = (library_of(launch.metadata.get("mpi", "")) for launch in (first, other))
        return told and one == two
    return told or not key.startswith(MACHINE)


def group_compared(sides: Sides, pairing: Pairing) -> Iterator[Sequence[int]]:
    """Yields the numbers of launches that are compared with each other: the two of a pair; without
    pairs, all launches of the same collective with as many ranks and nodes."""
    if pairing.pairs:
        yield from pairing.pairs
        return
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, launch in enumerate(sides.launches):
        place = tuple(metadata_value(launch, key) for key in ("collective", "ranks", "nodes"))
        groups[place].append(number)
    yield from groups.values()


def metadata_value(launch: Launch, key: str) -> str:
    if key == DUET:
        return "yes" if "duet_pair" in launch.metadata else "no"
    known = KEYS.get(key)
    value = known.value_in(launch.metadata) if known else launch.metadata.get(key)
    return NOT_GIVEN if value is None else value


def find_differences(sides: Sides) -> Iterator[tuple[str, str, str]]:
    """Yields a key, base's values and new's, for each key in which the sides differ, and may: these
    differences are what the comparison is about."""
    for key in (*SUBJECTS, *MUST_AGREE):
        base, new = (
            {metadata_value(sides.launches[number], key) for number in sides.numbers(side)}
            for side in (False, True)
        )
        if base != new:
            yield key, shorten(" | ".join(sorted(base))), shorten(" | ".join(sorted(new)))


def find_library_barriers(sides: Sides) -> Iterator[str]:
    """Yields a warning where two MPI libraries are compared, each with its own barrier before
    what is timed."""
    libraries = {metadata_value(launch, "mpi") for launch in sides.launches}
    syncs = {metadata_value(launch, "sync") for launch in sides.launches}
    if len(libraries) > 1 and (own := sorted(syncs & LIBRARY_BARRIERS)):
        yield (
            f"Each MPI library's own barrier brought the ranks together (--sync {', '.join(own)}). "
            "How far apart it lets them go is in the times, so a change may be the barrier's. "
            "Measure with --sync dissemination, which is the same with every library."
        )


def shorten(value: str) -> str:
    return value if len(value) <= MAX_SHOWN else f"{value[: MAX_SHOWN - 3]}..."
