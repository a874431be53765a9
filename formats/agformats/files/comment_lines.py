# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a text that begin with `#`."""

from collections.abc import Iterator


def comment_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Returns where comment lines begin and end."""
    start = next_comment(data, 0)
    while start >= 0:
        end = data.find(b"\n", start)
        yield start, end if end >= 0 else len(data)
        start = next_comment(data, end + 1) if end >= 0 else -1


def next_comment(data: bytes, line: int) -> int:
    """The begin of the first one, from the begin of a line on; -1: there is none."""
    # A single byte is found several times as fast as two, and few rows have one.
    found = data.find(b"#", line)
    if found <= line or data.startswith(b"\n", found - 1):
        return found
    before = data.find(b"\n#", found)
    return before + 1 if before >= 0 else -1


def without_comments(data: bytes) -> bytes:
    """Puts empty lines in the place of comments, so that the numbers of lines stay."""
    kept: list[bytes] = []
    done = 0
    for start, end in comment_spans(data):
        kept.append(data[done:start])
        done = end
    return b"".join([*kept, data[done:]])


def comments(data: bytes) -> list[bytes]:
    return [data[start:end] for start, end in comment_spans(data)]
