# SPDX-License-Identifier: BSD-3-Clause
"""The programs whose logs are read: a row a format, found by what is in the file."""

from collections.abc import Callable
from dataclasses import dataclass

from agformats.peers import imb, nccl_json, nccl_text, osu
from agformats.peers.log_text import LogText, has_title, log_text
from agformats.peers.tables import Found


@dataclass(frozen=True)
class Format:
    """is_in: by a title that no other format has."""

    name: str
    is_in: Callable[[LogText], bool]
    read: Callable[[LogText], Found]


FORMATS = (
    Format("OSU micro-benchmarks", has_title(osu.TITLE), osu.read),
    Format("Intel MPI Benchmarks", has_title(imb.TITLE), imb.read),
    Format("nccl-tests", has_title(nccl_text.TITLE), nccl_text.read),
    Format("nccl-tests as JSON", nccl_json.is_in, nccl_json.read),
)
NAMES = tuple(each.name for each in FORMATS)


@dataclass(frozen=True)
class PeerLog:
    """names: of the formats in it; told: what a user has added, `#@key=value`."""

    names: list[str]
    found: Found
    told: dict[str, str]


def read_log(data: bytes) -> PeerLog | None:
    """None: of no program that is known. A job's log may have the output of several. Raises
    Illegal, with what is legal."""
    log = log_text(data)
    formats = [each for each in FORMATS if each.is_in(log)]
    if not formats:
        return None
    found = Found()
    for each in formats:
        found.add(each.read(log))
    return PeerLog([each.name for each in formats], found, log.told)
