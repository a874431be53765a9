# SPDX-License-Identifier: BSD-3-Clause
"""Says what launches must have in common, so that a difference is the MPI's and not the
conditions'.

The catalogue says which metadata keys: those of how it was measured, on what, and what ran.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agreport.data.load import PAIR, Launch, Results
from agreport.data.mpi_name import library_of
from agreport.data.settings import MACHINE, NOT_GIVEN, Pools, by_name, machine, several_in
from agreport.data.settings import must_agree as must_agree_to_pool

from .sides import Pairing, Sides

DUET = "duet"  # whether a launch was in a duet; this is no key of metadata
COMPARED = catalogue().must_agree_to("compare")
KEYS = {**must_agree_to_pool(), **by_name(COMPARED)}
MUST_AGREE = (DUET, *by_name(COMPARED))
BUILD = "build"  # the note, by the name that facts have
# Launches that are taken together in a case, as those of one side are, must agree in these keys.
POOLED = (MACHINE, BUILD, *must_agree_to_pool())
# A comparison is about these keys, and so shows them. Launches that are pooled must agree in them.
SUBJECTS = (
    *(key.key for key in catalogue().must_agree_to("pool") if key not in COMPARED),
    f"note.{BUILD}",
)
# Launches of one MPI library must agree in this key. Two libraries have different settings, which
# are part of what is compared.
OF_ONE_LIBRARY = "library_settings"
LIBRARY_BARRIERS = {"barrier", "double-barrier"}  # values of --sync
OF_NODE = "machine."  # keys that say what a node is begin so
PART = "part"  # the launches that may be taken together; this is no key of metadata
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


def check_sides(sides: Sides, pairing: Pairing, allowed: Collection[str]) -> Sides:
    """Returns the sides; raises BadInput, as check_pooled does, if launches of one side must not be
    taken together. Launches without a partner do not count. allowed: keys that may differ."""
    paired = {number for pair in pairing.pairs for number in pair}
    parts = {
        name: [number for number in sides.numbers(new) if number in paired or not paired]
        for name, new in (("base", False), ("new", True))
    }
    return replace(sides, results=check_pooled(sides.results, parts, "--allow", allowed))


def check_pooled(
    results: Results, parts: Mapping[str, Collection[int]], option: str, allowed: Collection[str]
) -> Results:
    """Returns the results, with the keys that launches of one case and part differ in although they
    are taken together (pooled). Raises BadInput if one of these keys is not allowed.

    parts: the numbers of the launches that are taken together, by what they are called, such as
    those of a side. option: the option that gave what is allowed.
    """
    found = find_pooled(results, parts)
    if refused := [key for key in found if key not in allowed]:
        part, one, other = found[refused[0]]
        first, second = (
            f"'{shorten(metadata_value(launch, refused[0]))}' in {launch.path}"
            for launch in (one, other)
        )
        keys = ",".join([*(key for key in allowed if key in POOLED), *refused])
        raise BadInput(
            f"{part}: launches of one case differ in {refused[0]}: {first}, {second}; legal: "
            f"--where {refused[0]}=VALUE, or {option} {keys} to take them together"
        )
    return replace(results, pooled=[*found])


def find_pooled(
    results: Results, parts: Mapping[str, Collection[int]]
) -> dict[str, tuple[str, Launch, Launch]]:
    """Returns each key that launches of one case and part differ in, though launches must agree in
    it to be taken together; with the part and two such launches."""
    launches = results.launches
    of_launch = {number: name for name, numbers in parts.items() for number in numbers}
    values = {key: [metadata_value(launch, key) for launch in launches] for key in POOLED}
    values[PART] = [of_launch.get(number, "") for number in range(len(launches))]
    runs = results.timed_runs
    pools = Pools(runs[runs["launch"].isin([*of_launch])], values, PAIR)
    found: dict[str, tuple[str, Launch, Launch]] = {}
    for key in pools.differing([PART], several_in(values, POOLED)):
        known: dict[int, dict[str, int]] = defaultdict(dict)
        for sample, number in zip(
            pools.samples([PART]).tolist(), pools.launch.tolist(), strict=True
        ):
            own = known[sample]
            for other in own.values() if values[key][number] not in own else ():
                if is_comparable(key, launches[other], launches[number]):
                    part = of_launch[number]
                    found.setdefault(key, (part, launches[other], launches[number]))
            own.setdefault(values[key][number], number)
            if key in found:
                break
    return found


def is_comparable(key: str, first: Launch, other: Launch) -> bool:
    """Returns whether a difference in the key tells something. Files of older versions lack some
    keys, and two libraries have different settings."""
    told = NOT_GIVEN not in (metadata_value(first, key), metadata_value(other, key))
    if key == OF_ONE_LIBRARY:
        one, two = (library_of(launch.metadata.get("mpi", "")) for launch in (first, other))
        return told and one == two
    return told or not key.startswith(OF_NODE)


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
    if key == MACHINE:
        return machine(launch.metadata)
    if key == BUILD:
        key = f"note.{BUILD}"
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
