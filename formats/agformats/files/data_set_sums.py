# SPDX-License-Identifier: BSD-3-Clause
"""SHA256SUMS of a data set's files, as `sha256sum --check` reads it. Parquet's own checksums are of
pages of data; names, types and counts have none."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from agformats.errors import BadInput
from agformats.regular_file import MOST_TEXT_BYTES, read_whole, require_regular

SUMS = "SHA256SUMS"
MANIFEST = "manifest.json"
CHUNK = 1 << 20
FILES = ("launches.parquet", "results.parquet")


def write_sums(folder: Path) -> None:
    """Writes the sums of all files that are below the folder now."""
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    lines = [
        f"{sha256_of(folder / name)}  {name.as_posix()}\n" for name in names if str(name) != SUMS
    ]
    (folder / SUMS).write_bytes(os.fsencode("".join(lines)))  # names may be no UTF-8


def find_altered(folder: Path, names: Iterable[str]) -> Path | None:
    """Returns the path of the first of these files that is not what was written. None: all are, or
    there are no sums, as beside data sets of 0.1.0. A file that is not there passes. So does one
    that the sums do not name, but for the two of Parquet: the sums that earlier versions wrote are
    of these two alone."""
    sums = folder / SUMS
    if not sums.exists():
        return None
    told = {name: digest for digest, _, name in read_lines(sums)}
    for name in names:
        path = folder / name
        known = name in told or name in FILES
        if known and path.exists() and told.get(name) != sha256_of(path):
            return path
    return None


def read_lines(sums: Path) -> list[tuple[str, str, str]]:
    text = os.fsdecode(read_whole(sums, MOST_TEXT_BYTES))
    lines = [line.partition("  ") for line in text.splitlines()]
    if bad := [line[0] for line in lines if not line[2]]:
        raise BadInput(f"{sums}: '{bad[0][:100]}' is no checksum and name")
    return lines


def sha256_of(path: Path) -> str:
    require_regular(path)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
