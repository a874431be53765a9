# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a text that begin with `#`."""

from collections.abc import Iterator
from itertools import chain


def comment_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields where each comment line begins and ends, without its line end."""
    start = next_comment(data, 0)
    while start >= 0:
        end = data.find(b"\n", start)
        yield start, end if end >= 0 else len(data)
        start = next_comment(data, end + 1) if end >= 0 else -1


def next_comment(data: bytes, line: int) -> int:
    """Returns where the first comment line begins, from `line` on, which is where a line begins;
    -1: there is none."""
    # To find one byte is several times as fast as to find two, and few rows have a `#`.
    found = data.find(b"#", line)
    if found <= line or data.startswith(b"\n", found - 1):
        return found
    before = data.find(b"\n#", found)
    return before + 1 if before >= 0 else -1


def without_comments(data: bytes) -> bytes:
    """Puts empty lines in the place of comments, so that the numbers of lines stay."""
    return b"".join(row_blocks(data, len(data) + 1))


def row_blocks(data: bytes, size: int) -> Iterator[bytes]:
    """Yields what without_comments returns, in blocks of whole lines: the shortest ones that have
    so many bytes, and the rest."""
    view = memoryview(data)
    parts: list[memoryview] = []
    length = done = 0
    for start, end in chain(comment_spans(data), [(len(data), len(data))]):
        while done < start:
            line_end = data.find(b"\n", min(done + size - length - 1, start), start)
            upto = line_end + 1 if line_end >= 0 else start
            parts.append(view[done:upto])
            length, done = length + upto - done, upto
            if length >= size:
                yield b"".join(parts)
                parts, length = [], 0
        done = end
    if parts:
        yield b"".join(parts)


def comments(data: bytes) -> list[bytes]:
    return [data[start:end] for start, end in comment_spans(data)]
