# SPDX-License-Identifier: BSD-3-Clause
"""Compressed files are read up to the first member that a kill has left in part."""

import gzip
import lzma
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.files.gzip_text import first_comments, read_bytes, without_ending

FIRST, SECOND = b"a,b\n1,2\n", b"3,4\n" * 1000


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (b"", FIRST + SECOND),
        (gzip.compress(b"more")[:-1], FIRST + SECOND),
        (gzip.compress(b"more")[:5], FIRST + SECOND),
        (gzip.compress(b"5,6\n7,8\n#end\n")[:-1], FIRST + SECOND + b"5,6\n7,8\n"),
        (gzip.compress(b"5,6\n"), FIRST + SECOND + b"5,6\n"),
    ],
    ids=["whole", "without its last byte", "cut in its head", "its whole lines", "one more"],
)
def test_members(tmp_path: Path, tail: bytes, expected: bytes) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(FIRST) + gzip.compress(SECOND) + tail)
    assert read_bytes(path) == expected


def test_damaged(tmp_path: Path) -> None:
    """What is behind may be whole, and must not be lost without a word."""
    path = tmp_path / "x.csv.gz"
    first, second = gzip.compress(FIRST), bytearray(gzip.compress(SECOND))
    second[12] ^= 4
    for tail, at in ((second + gzip.compress(b"5,6\n"), len(first)), (b"xyz", len(first))):
        path.write_bytes(first + tail)
        with pytest.raises(BadInput, match=f"is damaged from byte {at} on"):
            read_bytes(path)


def test_plain(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(FIRST)
    assert read_bytes(path) == FIRST


def test_xz_is_refused(tmp_path: Path) -> None:
    """One line says what makes of it a file that is read."""
    path = tmp_path / "x.csv.xz"
    path.write_bytes(lzma.compress(FIRST))
    for read in (read_bytes, first_comments):
        with pytest.raises(BadInput, match=r"x\.csv\.xz: is not read, .*; legal: what xz -d makes"):
            read(path)


@pytest.mark.parametrize(
    ("name", "ending", "expected"),
    [
        ("run.csv", ".csv", ("run", "")),
        ("run.csv.gz", ".csv", ("run", ".gz")),
        ("run.ranks.csv.gz", ".ranks.csv", ("run", ".gz")),
        ("run.txt", ".csv", ("run.txt", "")),
    ],
)
def test_endings(name: str, ending: str, expected: tuple[str, str]) -> None:
    assert without_ending(name, ending) == expected
