# SPDX-License-Identifier: BSD-3-Clause
"""Arrival patterns as the user spelled them -> what they are, and how large their delays."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from agformats.catalogue import catalogue
from agformats.durations import microseconds

NONE = "none"
# These patterns have the same delays in every iteration.
STEADY = tuple(each.name for each in catalogue().arrival_patterns if each.steady)
UNKNOWN_SIZE = "asked imbalance"


@dataclass(frozen=True)
class ArrivalPattern:
    """The label of an arrival pattern, taken apart.

    family: what the patterns of one curve share, which is all but how long the delays are. size:
    how long the delays are, as it was spelled; empty if that is no single number. number: the same
    as a number; NaN if it is none. unit: the unit of number: us, or t for times of one block's
    message.
    """

    label: str
    name: str
    family: str
    size: str
    number: float
    unit: str

    @property
    def order(self) -> tuple[int, str, str, float]:
        """Returns the order in which the catalogue lists the patterns; families together, with
        growing delays."""
        known = catalogue().names_of("pattern")
        place = known.index(self.name) if self.name in known else len(known)
        return place, self.family, self.unit, self.number

    @property
    def meaning(self) -> str:
        """Returns what `number` is of the delays."""
        known = catalogue().arrival_pattern(self.name)
        return known.size_meaning if known and self.size else UNKNOWN_SIZE

    def us(self, message_us: float) -> float:
        return self.number * (message_us if self.unit == "t" else 1)


def pattern_name(label: str) -> str:
    """Returns what stands before the parameters of a label: uniform of uniform:max=5ms."""
    return label.partition(":")[0]


def parse(label: str) -> ArrivalPattern:
    """Takes a label apart. A label that is not understood has no size and is a family of its
    own."""
    name, _, rest = label.partition(":")
    if label == NONE:
        return ArrivalPattern(label, name, NONE, "0", 0.0, "us")
    known = catalogue().arrival_pattern(name)
    others = dict(part.partition("=")[::2] for part in rest.split(","))
    spelled = {key: others.pop(key, "0") for key in (known.times if known else ())}
    numbers, units = measured(spelled)
    if not numbers or not all(map(isfinite, numbers.values())) or len(units) > 1:
        return ArrivalPattern(label, name, label, "", float("nan"), "us")
    key = max(numbers, key=numbers.__getitem__)
    family = family_of(name, others, numbers)
    return ArrivalPattern(label, name, family, spelled[key], numbers[key], units.pop())


def measured(spelled: Mapping[str, str]) -> tuple[dict[str, float], set[str]]:
    """Returns the numbers by their keys, and the units of those that are not 0 (us if all are)."""
    times = {key: time(text) for key, text in spelled.items()}
    units = {unit for number, unit in times.values() if number > 0}
    return {key: number for key, (number, _) in times.items()}, units or {"us"}


def family_of(name: str, others: Mapping[str, str], numbers: Mapping[str, float]) -> str:
    """Returns what stays the same along a curve: all but the times, and of several times what
    each is of the largest one."""
    fixed = dict(others)
    if len(numbers) > 1:
        largest = max(numbers.values()) or 1
        fixed.update({key: f"{number / largest:.4g}x" for key, number in numbers.items()})
    listed = ",".join(f"{key}={value}" for key, value in sorted(fixed.items()))
    return f"{name}:{listed}" if listed else name


def time(text: str) -> tuple[float, str]:
    """Returns the number and the unit of a time: 5ms -> 5000, us; 4t -> 4, t. The number is NaN for
    a text that is no time."""
    unit = "t" if text.endswith("t") else "us"
    try:
        return float(text[:-1]) if unit == "t" else microseconds(text, "us"), unit
    except ValueError:
        return float("nan"), unit
