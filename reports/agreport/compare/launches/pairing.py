# SPDX-License-Identifier: BSD-3-Clause
"""Which launch of one side belongs to which of the other: the strongest way that the files hold."""

from collections import defaultdict
from dataclasses import dataclass, field

from agformats.errors import BadInput
from agreport.figure.words import plural

from .sides import Sides

DUETS, ALTERNATED, LAUNCHES = "duets", "alternated launches", "launches"
KEYS = {DUETS: "duet_pair", ALTERNATED: "note.pair"}
UNITS = {DUETS: ("duet", DUETS), ALTERNATED: ("pair", "pairs"), LAUNCHES: ("launch", LAUNCHES)}


@dataclass(frozen=True)
class Pairing:
    """pairs: numbers of a base and a new launch; without pairs every launch is by itself."""

    kind: str
    pairs: list[tuple[int, int]] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)

    def count_units(self, units: int) -> str:
        return plural(units, *UNITS[self.kind])


def find_pairing(sides: Sides) -> Pairing:
    """Duets, which ran at the same time; else launches that took turns; else none."""
    for kind, key in KEYS.items():
        if pairs := match_launches(sides, key):
            used = {number for pair in pairs for number in pair}
            return Pairing(kind, pairs, [n for n in range(len(sides.new)) if n not in used])
    return Pairing(LAUNCHES)


def match_launches(sides: Sides, key: str) -> list[tuple[int, int]]:
    """Launches with one value of the key, one on each side; in the order of the values."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, launch in enumerate(sides.launches):
        if value := launch.metadata.get(key):
            found[value].append(number)
    pairs = []
    for value, numbers in sorted(found.items()):
        of_side: dict[bool, list[int]] = {False: [], True: []}
        for number in numbers:
            of_side[bool(sides.new[number])].append(number)
        for several in of_side.values():
            if len(several) > 1:
                one, other = (sides.launches[number].path for number in several[:2])
                raise BadInput(f"{one} and {other}: both are {key}={value}, on one side")
        if of_side[False] and of_side[True]:
            pairs.append((of_side[False][0], of_side[True][0]))
    return pairs
