# SPDX-License-Identifier: BSD-3-Clause
"""Files that people have compressed with xz."""

import lzma
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.files.gzip_text import first_comments, read_bytes

TEXT = b"#@start=1\n#@mpi=x\na,b\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(1000))


def written(folder: Path, data: bytes) -> Path:
    path = folder / "x.csv.xz"
    path.write_bytes(data)
    return path


def test_streams(tmp_path: Path) -> None:
    """Also several behind each other, with zeros between them, as xz pads them."""
    whole = lzma.compress(TEXT) + bytes(8) + lzma.compress(b"3,4\n")
    path = written(tmp_path, whole)
    assert read_bytes(path) == TEXT + b"3,4\n"
    assert first_comments(path) == [b"#@start=1\n", b"#@mpi=x\n"]


def test_what_was_cut(tmp_path: Path) -> None:
    """Its whole lines, but for the last one, which could say that it is complete."""
    found = read_bytes(written(tmp_path, lzma.compress(TEXT)[:-40]))
    assert found.endswith(b"\n") and TEXT.startswith(found) and len(found) < len(TEXT)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"hello\n", "is no xz file, whatever its name"),
        (lzma.compress(TEXT)[:100] + bytes(200), "is no whole xz file: corrupt"),
        (lzma.compress(bytes(32 << 20)), "expands to "),
    ],
    ids=["another file", "damaged", "a bomb"],
)
def test_what_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_bytes(written(tmp_path, data))
