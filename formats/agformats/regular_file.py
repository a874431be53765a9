# SPDX-License-Identifier: BSD-3-Clause
"""Reads files whole that users name: regular ones, of a stated size at most, as the benchmarks do
(formats/text/read_file.h). A device may give bytes for ever, and who opens a pipe waits until
somebody writes to it."""

import os
import stat
from pathlib import Path

from agformats.errors import BadInput
from agformats.units import in_units

# This is the limit for measurements. The benchmarks go on with files of 1 GiB, but many ranks'
# times, uncompressed, may be more than that; at 8 GiB the rows take all the memory that most
# machines have.
MOST_BYTES = 8 << 30
# This is the limit for what is a few kilobytes as a rule: schedules of many ranks as JSON and
# platforms as XML have some megabytes.
MOST_TEXT_BYTES = 64 << 20
CHUNK = 1 << 20
# A link is what it leads to.
KINDS = {
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISDIR: "a directory",
}


def fault_of(path: Path, most: int = MOST_BYTES, legal: str = "a regular file") -> str:
    """Returns why this must not be read; empty if it may. It is not opened. OSError: it is not
    there."""
    status = path.stat()
    for is_one, what in KINDS.items():
        if is_one(status.st_mode):
            return f"is {what}; legal: {legal}"
    return too_large(status.st_size, most) if status.st_size > most else ""


def too_large(size: int, most: int) -> str:
    return f"is too large, {in_units(size)}; legal: up to {in_units(most)}"


def require_regular(path: Path, most: int = MOST_BYTES) -> None:
    """Raises BadInput; OSError: it is not there."""
    if fault := fault_of(path, most):
        raise BadInput(f"{path}: {fault}")


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """Raises as require_regular does."""
    require_regular(path, most)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        parts = [file.read(size)]
        # It may be written just now, and files of the kernel say that they have no bytes.
        while more := file.read(CHUNK):
            parts.append(more)
            size += len(more)
            if size > most:
                raise BadInput(f"{path}: {too_large(size, most)}")
    return b"".join(parts)


def read_text(path: Path, most: int = MOST_TEXT_BYTES, errors: str = "strict") -> str:
    """Reads text in UTF-8. Raises as require_regular does, and UnicodeDecodeError, a ValueError."""
    return read_whole(path, most).decode("utf-8", errors)
