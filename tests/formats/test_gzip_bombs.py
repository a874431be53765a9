# SPDX-License-Identifier: BSD-3-Clause
"""A compressed file that is small and becomes large, or that has many members."""

import gzip
import zlib
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.files import gzip_text
from agformats.files.gzip_text import UNSUSPECTED, decompressed, first_comments, read_bytes

HEAD = b"\x1f\x8b\x08" + 7 * b"\0"
MIB = 1 << 20


def bomb(text: bytes, times: int) -> bytes:
    """A member that becomes the text, so many times. It lacks its end, which nobody comes to."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packer.compress(text)
    packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)
    return HEAD + times * block


@pytest.mark.parametrize(
    "text",
    [b"\0" * MIB, b"#\n" * (MIB // 2), b"ring,1,2,3\n" * 100_000],
    ids=["zeros", "lines", "rows"],
)
def test_a_bomb_is_refused_before_it_is_large(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.csv.gz"
    data = gzip.compress(b"#@suite=gatherbench 0.2.0\n") + bomb(text, 10 * 1024)
    assert len(data) * 200 < 10 * 1024 * len(text)
    path.write_bytes(data)
    size = 0
    with pytest.raises(BadInput) as error:
        for piece in decompressed(path, data):
            size += len(piece)
    assert size <= UNSUSPECTED
    told = str(error.value)
    assert told.startswith(f"{path}: expands to ") and "\n" not in told
    assert told.endswith(
        "legal: up to 8 GiB, and beyond 16 MiB up to 200 times what it is compressed to"
    )
    with pytest.raises(BadInput, match="expands to"):
        read_bytes(path)


def test_what_is_far_smaller_compressed_is_no_bomb(tmp_path: Path) -> None:
    """Up to a size; and rows of the same times beyond it."""
    path = tmp_path / "a.csv.gz"
    text = b"\0" * MIB
    path.write_bytes(gzip.compress(text))
    assert read_bytes(path) == text
    row = (
        b"allgather,recursive_doubling,regular,none,sequential,1024,32,8,8192,%d,1.5,1.5,1.5,ok,\n"
    )
    rows = b"".join(row % number for number in range(20_000))
    whole = -(-UNSUSPECTED // len(rows)) * gzip.compress(rows)
    assert sum(map(len, decompressed(path, whole))) > UNSUSPECTED


def test_a_text_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gzip_text, "MOST_BYTES", 1000)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(bytes(1000)))
    assert read_bytes(path) == bytes(1000)
    path.write_bytes(gzip.compress(bytes(500)) + gzip.compress(bytes(501)))
    with pytest.raises(BadInput, match=r"expands to 1001 B or more, from .*; legal: up to 1000 B"):
        read_bytes(path)


def test_zlib_is_not_given_all_that_is_behind_a_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It makes a copy of that for each member, so that 400,000 of them took a minute."""
    given = []
    original = zlib.decompressobj

    class Member:
        def __init__(self, form: int) -> None:
            self.member = original(form)

        def decompress(self, data: memoryview) -> bytes:
            given.append(len(data))
            return self.member.decompress(data)

        def __getattr__(self, name: str) -> object:
            return getattr(self.member, name)

    many = 3000
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"first\n") + many * gzip.compress(b"") + gzip.compress(b"x\n"))
    monkeypatch.setattr("agformats.files.gzip_text.zlib.decompressobj", Member)
    assert read_bytes(path) == b"first\nx\n"
    assert len(given) < 2 * many and max(given) <= gzip_text.PIECE


@pytest.mark.parametrize("line", [b"#" * MIB, b"#\n" * (MIB // 2)], ids=["a line", "lines"])
def test_an_endless_head_is_read_in_part(
    tmp_path: Path, line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 1 << 16
    monkeypatch.setattr(gzip_text, "MOST_HEAD", most)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"#@start=1\n") + bomb(line, 100))
    lines = first_comments(path)
    assert lines[0] == b"#@start=1\n"
    assert sum(map(len, lines)) == most
