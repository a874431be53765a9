# SPDX-License-Identifier: BSD-3-Clause
"""Files that people have compressed with xz, where space is short. Nothing here writes them."""

import lzma
from collections.abc import Callable, Iterator
from pathlib import Path

from agformats.errors import BadInput

XZ = ".xz"
BEGIN = b"\xfd7zXZ\0"
PIECE = 1 << 20  # of what it expands to
MOST_MEMORY = 256 << 20  # xz -9 takes 65 MiB


def decompressed(
    path: Path, data: bytes, refuse: Callable[[Path, int, int], None]
) -> Iterator[bytes]:
    """In pieces, each looked at before the next is made; of a file that was cut, what there is.
    refuse: raises where so much is made of so little."""
    if not data.startswith(BEGIN):
        raise BadInput(f"{path}: is no xz file, whatever its name; legal: what xz wrote")
    size = 0
    rest = data
    while rest.strip(b"\0"):  # between streams there may be zeros
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_MEMORY)
        given = rest.lstrip(b"\0") if size else rest
        while not stream.eof:
            try:
                piece = stream.decompress(given, PIECE)
            except lzma.LZMAError as error:
                raise BadInput(
                    f"{path}: is no whole xz file: {str(error).lower()}; legal: a whole copy of it"
                ) from None
            given = b""
            size += len(piece)
            refuse(path, len(data), size)
            yield piece
            if stream.needs_input and not stream.eof:
                return
        rest = stream.unused_data
