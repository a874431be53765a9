# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a text that begin with `#`."""

from collections.abc import Iterator


def comment_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Where comment lines begin and end; several times faster than a regular expression."""
    before = -1 if data.startswith(b"#") else data.find(b"\n#")
    while before >= 0 or data.startswith(b"#", before + 1):
        end = data.find(b"\n", before + 1)
        yield before + 1, end if end >= 0 else len(data)
        if end < 0 or (before := data.find(b"\n#", end)) < 0:
            return


def without_comments(data: bytes) -> bytes:
    """With empty lines in their place, so that the numbers of lines stay."""
    kept: list[bytes] = []
    done = 0
    for start, end in comment_spans(data):
        kept.append(data[done:start])
        done = end
    return b"".join([*kept, data[done:]])


def comments(data: bytes) -> list[bytes]:
    return [data[start:end] for start, end in comment_spans(data)]
