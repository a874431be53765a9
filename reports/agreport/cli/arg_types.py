# SPDX-License-Identifier: BSD-3-Clause
"""Types of arguments, for argparse."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

from agformats.errors import Illegal

T = TypeVar("T")


def legal(read: Callable[[str], T]) -> Callable[[str], T]:
    """Makes a type for argparse of a function that raises Illegal."""

    def parse(text: str) -> T:
        try:
            return read(text)
        except Illegal as error:
            raise ArgumentTypeError(f"'{text}' is not legal; legal: {error}") from None

    return parse


def percent(text: str, least: float = 0) -> float:
    """5%, 5 or 2.5 %."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1
    if not least <= value < 1000:
        raise ArgumentTypeError(f"'{text}' is no percentage such as 5%, from {least:g}% to 1000%")
    return value


def count(text: str, least: int = 1) -> int:
    """1, 2, ..."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise ArgumentTypeError(f"'{text}' is no whole number of {least} or more")
    return int(text)
