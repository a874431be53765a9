# SPDX-License-Identifier: BSD-3-Clause
"""SHA256SUMS beside the two files of a data set, as `sha256sum --check` reads it. Parquet's own
checksums are of pages of data; names, types and counts have none."""

import hashlib
from pathlib import Path

from agformats.errors import BadInput

SUMS = "SHA256SUMS"
CHUNK = 1 << 20
FILES = ("launches.parquet", "results.parquet")


def write_sums(folder: Path) -> None:
    lines = [f"{sha256_of(folder / name)}  {name}\n" for name in FILES]
    (folder / SUMS).write_text("".join(lines))


def find_altered(folder: Path) -> Path | None:
    """The first file that is not what was written; none where there are no sums, as beside data
    sets of 0.1.0."""
    sums = folder / SUMS
    if not sums.is_file():
        return None
    told = {name: digest for digest, _, name in read_lines(sums)}
    return next(
        (folder / name for name in FILES if told.get(name) != sha256_of(folder / name)), None
    )


def read_lines(sums: Path) -> list[tuple[str, str, str]]:
    lines = [line.partition("  ") for line in sums.read_text(errors="replace").splitlines()]
    if bad := [line[0] for line in lines if not line[2]]:
        raise BadInput(f"{sums}: '{bad[0][:100]}' is no checksum and name")
    return lines


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
