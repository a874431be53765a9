# SPDX-License-Identifier: BSD-3-Clause
"""Files that may be compressed: `x.csv`, `x.csv.gz`. Such a file has a member for each case."""

import gzip
import zlib
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from agformats.errors import BadInput

GZIP = ".gz"
GZIP_FORMAT = 16 + zlib.MAX_WBITS


def read_bytes(path: Path) -> bytes:
    """The text of the file. Of a compressed one whose last member a kill has cut off, that member's
    whole lines but for the last one, which could say that it is complete."""
    whole = data = path.read_bytes()
    if path.suffix != GZIP:
        return data
    parts: list[bytes] = []
    while data:
        member = zlib.decompressobj(GZIP_FORMAT)
        try:
            text = member.decompress(data)
        except zlib.error:
            at = len(whole) - len(data)
            raise BadInput(
                f"{path}: is damaged from byte {at} on; legal: a whole copy of it, or only what is "
                f"before (truncate --size={at})"
            ) from None
        if not member.eof:
            last = text.rfind(b"\n", 0, max(0, text.rfind(b"\n")))
            parts.append(text[: last + 1])
            break
        parts.append(text)
        data = member.unused_data
    return b"".join(parts)


def first_comments(path: Path) -> list[bytes]:
    """The lines before the first that does not begin with `#`, without reading what follows; of a
    damaged file those that are good."""
    lines: list[bytes] = []
    damage = suppress(EOFError, gzip.BadGzipFile, zlib.error)
    with gzip.open(path) if path.suffix == GZIP else path.open("rb") as file, damage:
        lines += takewhile(lambda line: line.startswith(b"#"), file)
    return lines


def endings(ending: str) -> tuple[str, ...]:
    """.csv -> .csv, .csv.gz"""
    return ending, ending + GZIP


def without_ending(name: str, ending: str) -> tuple[str, str]:
    """run.csv.gz, .csv -> run, .gz: the name, and what is left behind its ending."""
    for whole in endings(ending):
        if name.endswith(whole):
            return name.removesuffix(whole), whole.removeprefix(ending)
    return name, ""
