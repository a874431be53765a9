# SPDX-License-Identifier: BSD-3-Clause
"""Numbers for people."""

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def unit_of(size: int) -> int:
    """Returns the exponent of 1024 in the largest unit in which the size is 1 or more: 0 for B, 1
    for KiB."""
    return max(power for power in range(len(UNITS)) if size >= 1024**power or power == 0)


def in_units(size: int) -> str:
    """Returns a size in bytes as people write it: 1000 B, 1 KiB, 31.9 KiB."""
    unit = unit_of(size)
    return f"{f'{size / 1024**unit:.1f}'.removesuffix('.0')} {UNITS[unit]}"


def exactly(size: int) -> str:
    """Returns a size so that it tells cases apart: 1 KiB, 1.5 KiB, 65552 B (not 64 KiB)."""
    unit = 1024 ** unit_of(size)
    return in_units(size) if size * 10 % unit == 0 else f"{size} B"


def three_digits(number: float) -> str:
    """Returns a number as a text of three digits at most, with an exponent where it is large or
    small: 120, 1.23e6."""
    return f"{number:.3g}".replace("e+0", "e").replace("e+", "e")


def in_percent(percent: float) -> str:
    """Returns percents as a text of three digits, or of more rather than with an exponent: 12.3 %,
    1520 %."""
    return f"{percent:.3g} %" if abs(percent) < 999.5 else f"{percent:.0f} %"


def time_unit(largest_us: float) -> tuple[float, str]:
    """Returns the unit in which a time is between 1 and 1000: its microseconds, and its name."""
    for us, name in ((1e6, "s"), (1e3, "ms")):
        if largest_us >= us:
            return us, name
    return 1.0, "\N{MICRO SIGN}s"
