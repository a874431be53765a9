# SPDX-License-Identifier: BSD-3-Clause
"""Says what a log of another program says: tables of times, a time a size, which are statistics
over iterations that the log does not have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
SIZE = re.compile(r"\d{1,18}")
NOT_TOLD = 0  # stands for a number of ranks or nodes that a log does not say
NAN = float("nan")
NATIVE, NON_BLOCKING, PERSISTENT = "native", "native_nonblocking", "native_persistent"


@dataclass(frozen=True)
class Time:
    """The time of one size, in us.

    avg_us, min_us, max_us: over the ranks; NaN where the log does not say it. bytes: the size of a
    block, which is what a rank sends to all or to one other rank, or of the message.
    """

    bytes: int
    avg_us: float
    min_us: float = NAN
    max_us: float = NAN
    status: str = "ok"
    reason: str = ""


@dataclass(frozen=True)
class PeerTable:
    """A table of times in a log of another program.

    program: the name of the program, with its version. collective: empty where the log does not say
    the collective, which is then one of `maybe`. line: the number of the line in which the table
    begins. facts: metadata, as a launch of this suite has it.
    """

    program: str
    collective: str
    algorithm: str
    ranks: int
    line: int
    times: Sequence[Time]
    facts: Mapping[str, str] = field(default_factory=dict)
    maybe: Sequence[str] = ()
    nodes: int = NOT_TOLD


@dataclass
class Found:
    """What was found in a log of another program.

    others: what the suite does not have, by name and line. damaged: lines of tables that are no
    rows. cut: whether the last row may not be whole, and is left out.
    """

    tables: list[PeerTable] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    cut: bool = False

    def add(self, more: "Found") -> None:
        self.tables += more.tables
        self.others += more.others
        self.damaged += more.damaged
        self.cut = self.cut or more.cut


def number(text: str) -> float:
    """Returns the number that the text is; NaN: it is none."""
    return float(text) if NUMBER.fullmatch(text) else NAN


def size(text: str) -> int | None:
    return int(text) if SIZE.fullmatch(text) else None


def of_ranks(bytes_: int, known: Mapping[str, float]) -> Time:
    """Returns the time of one size. known: the times in us, by the names of Time's fields; those
    over the ranks that are lacking are NaN, but avg_us has to be there."""
    return Time(bytes_, known["avg_us"], known.get("min_us", NAN), known.get("max_us", NAN))
