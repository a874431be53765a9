# SPDX-License-Identifier: BSD-3-Clause
"""Files that may be compressed: `x.csv` and `x.csv.gz`, of which the benchmarks write a member for
each case."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agformats.errors import BadInput
from agformats.regular_file import MOST_BYTES, read_whole, require_regular
from agformats.units import in_units

GZIP = ".gz"
XZ = ".xz"
GZIP_FORMAT = 16 + zlib.MAX_WBITS
PIECE = 1 << 14  # of a compressed file; it expands to 16 MiB at most
# Rows of equal times become 40 times smaller, those of ranks 30 times, and nothing that a benchmark
# writes 200 times; zeros become 1000 times smaller. Texts of up to UNSUSPECTED bytes may be of any
# ratio.
MOST_RATIO = 200
UNSUSPECTED = 16 << 20
MOST_HEAD = 8 << 20  # of the lines before the rows; the hosts of 100,000 ranks are the longest


def read_bytes(path: Path) -> bytes:
    """Returns the text of the file, uncompressed. Of a compressed one whose last member a kill has
    cut off, that member's whole lines come back but for the last one, which could say that the
    member is complete. Raises BadInput if the file ends in .xz, is damaged, or expands to too
    much."""
    data = read_whole(path)
    refuse_xz(path)
    return b"".join(decompressed(path, data)) if path.suffix == GZIP else data


def refuse_xz(path: Path) -> None:
    if path.suffix == XZ:
        raise BadInput(f"{path}: is not read, as it ends in {XZ}; legal: what xz -d makes of it")


def decompressed(path: Path, data: bytes) -> Iterator[bytes]:
    """Yields the text in pieces, each looked at before the next is made."""
    view = memoryview(data)
    at = size = 0
    while at < len(data):
        member, start = zlib.decompressobj(GZIP_FORMAT), at
        texts: list[bytes] = []
        while at < len(data) and not member.eof:
            # The view is taken in pieces since zlib makes a copy of what is behind a member.
            piece = view[at : at + PIECE]
            try:
                texts.append(member.decompress(piece))
            except zlib.error:
                raise BadInput(
                    f"{path}: is damaged from byte {start} on; legal: a whole copy of it, or only "
                    f"what is before (truncate --size={start})"
                ) from None
            at += len(piece) - len(member.unused_data)
            size += len(texts[-1])
            refuse_bomb(path, at, size)
        if member.eof:
            yield from texts
        else:
            yield whole_lines(b"".join(texts))


def refuse_bomb(path: Path, packed: int, size: int) -> None:
    if size > MOST_BYTES or size > max(UNSUSPECTED, MOST_RATIO * packed):
        raise BadInput(
            f"{path}: expands to {in_units(size)} or more, from {in_units(packed)}; legal: up to "
            f"{in_units(MOST_BYTES)}, and beyond {in_units(UNSUSPECTED)} up to {MOST_RATIO} times "
            "what it is compressed to"
        )


def whole_lines(text: bytes) -> bytes:
    """Returns the text without its last whole line, and without the half line behind that."""
    return text[: text.rfind(b"\n", 0, max(0, text.rfind(b"\n"))) + 1]


def first_comments(path: Path) -> list[bytes]:
    """Returns the lines before the first that does not begin with `#`, as first_lines reads
    them."""
    return [line for line in first_lines(path) if line.startswith(b"#")]


def first_lines(path: Path) -> list[bytes]:
    """Returns the lines up to the first that does not begin with `#`, without reading what follows;
    of a damaged file those that are good, of an endless head its begin."""
    require_regular(path)
    refuse_xz(path)
    lines: list[bytes] = []
    left = MOST_HEAD
    damage = suppress(EOFError, gzip.BadGzipFile, zlib.error)
    with gzip.open(path) if path.suffix == GZIP else path.open("rb") as file, damage:
        while left and (line := file.readline(left)):
            lines.append(line)
            if not line.startswith(b"#"):
                break
            left -= len(line)
    return lines


def endings(ending: str) -> tuple[str, ...]:
    """Returns the endings that a file of this kind may have: .csv -> .csv, .csv.gz."""
    return ending, ending + GZIP


def without_ending(name: str, ending: str) -> tuple[str, str]:
    """Returns a name without its ending, and what stood behind that ending: run.csv.gz, .csv ->
    run, .gz. A name with another ending comes back as it is, with an empty text."""
    for whole in endings(ending):
        if name.endswith(whole):
            return name.removesuffix(whole), whole.removeprefix(ending)
    return name, ""
