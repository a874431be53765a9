# SPDX-License-Identifier: BSD-3-Clause
"""Durations as a user spells them: a number with a unit, 1.5us, or several parts, the largest unit
first, 2h30m."""

import math
import re
from decimal import Decimal

from agformats.errors import Illegal

# Each unit: how it may be spelled, and its seconds. The largest comes first.
UNITS = {
    "d": ("d", Decimal(86400)),
    "h": ("h", Decimal(3600)),
    "m": ("m(?:in)?", Decimal(60)),
    "s": ("s", Decimal(1)),
    "ms": ("ms", Decimal("1e-3")),
    "us": ("us", Decimal("1e-6")),
    "ns": ("ns", Decimal("1e-9")),
}
LEGAL = f"a duration such as 90s, 2h30m, 1.5us (units: {', '.join(UNITS)})"
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?"
PARTS = re.compile("".join(f"(?:({NUMBER}){spelling})?" for spelling, _ in UNITS.values()))


def seconds(text: str, without_unit: str = "") -> float:
    """Returns the seconds of a duration, 0 or more. A number without a unit has the unit
    `without_unit`; by default it is Illegal."""
    return finite(total(text, without_unit))


def microseconds(text: str, without_unit: str = "") -> float:
    """Returns the microseconds of a text that seconds() takes."""
    return finite(total(text, without_unit) * 10**6)


def total(text: str, without_unit: str) -> Decimal:
    """Returns the seconds of a duration as a decimal number, so that 0.3ms are 300 us and not
    299.99999999999994 us. Raises Illegal if the text is none."""
    match = PARTS.fullmatch(text + without_unit if re.fullmatch(NUMBER, text) else text)
    if match is None or not text:
        raise Illegal(LEGAL)
    parts = zip(match.groups(), UNITS.values(), strict=True)
    return sum((Decimal(number) * unit for number, (_, unit) in parts if number), Decimal(0))


def finite(number: Decimal) -> float:
    if math.isinf(float(number)):
        raise Illegal(LEGAL)
    return float(number)
