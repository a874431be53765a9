# SPDX-License-Identifier: BSD-3-Clause
"""The programs whose logs are read: a row a format, found by what is in the file."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from agformats.errors import Illegal
from agformats.peers import imb, nccl_json, nccl_text, osu
from agformats.peers.log_text import LogText, log_text
from agformats.peers.tables import Found


@dataclass(frozen=True)
class Format:
    """A format in which another program prints its log. title: matches a line that no other format
    has; None: the log is no text of lines."""

    name: str
    title: re.Pattern[str] | None
    read: Callable[[LogText], Found]

    def is_in(self, log: LogText) -> bool:
        return bool(log.titles_like(self.title)) if self.title else nccl_json.is_in(log)


FORMATS = (
    Format("OSU micro-benchmarks", osu.TITLE, osu.read),
    Format("Intel MPI Benchmarks", imb.TITLE, imb.read),
    Format("nccl-tests", nccl_text.TITLE, nccl_text.read),
    Format("nccl-tests as JSON", None, nccl_json.read),
)
NAMES = tuple(each.name for each in FORMATS)


@dataclass(frozen=True)
class PeerLog:
    """What was read of a log of other programs. names: the names of the formats in the log. told:
    what a user has added to the log, in lines `#@key=value`."""

    names: list[str]
    found: Found
    told: dict[str, str]


def read_log(data: bytes) -> PeerLog | None:
    """Reads a log; None: it is of no program that is known. A job's log may have the output of
    several. Raises Illegal, with what is legal."""
    log = log_text(data)
    formats = [each for each in FORMATS if each.is_in(log)]
    if not formats:
        refuse_hidden(log)
        return None
    # The table of one program ends where that of another begins.
    titles = [log.titles_like(each.title) for each in formats if each.title]
    log = replace(log, titles=frozenset().union(*titles))
    found = Found()
    for each in formats:
        found.add(each.read(log))
    return PeerLog([each.name for each in formats], found, log.told)


def refuse_hidden(log: LogText) -> None:
    """Raises Illegal where the title of a table stands in a line, behind what is not known to stand
    before lines."""
    for number, line in enumerate(log.lines, 1):
        for each in FORMATS:
            found = each.title.search(line) if each.title and "#" in line else None
            if found and found[0].startswith("#"):
                raise Illegal(
                    f"the lines as {each.name} printed them; line {number} has the title of a "
                    f"table behind '{line[: found.start()]}'"
                )
