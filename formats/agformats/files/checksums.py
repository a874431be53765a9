# SPDX-License-Identifier: BSD-3-Clause
"""The checksums of result files: lines `#@... crc32:1a2b3c4d` say the CRC-32 of all bytes before
that text, from the first of the file on (formats/checksum.h). Files of 0.1.0, and those that others
made, have none."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agformats.errors import BadInput
from agformats.files.comment_lines import comment_spans

MARK = re.compile(rb" crc32:([0-9a-f]{8})$")
OPTION = "--keep-going"


@dataclass(frozen=True)
class Part:
    """A part of a file, between the ends of two checksums. start, end: the place of the part. name:
    the last line without its checksum. fault: what is wrong with the part; empty: nothing."""

    start: int
    end: int
    name: str
    fault: str


@dataclass(frozen=True)
class Proven:
    """The content of a file whose checksums were checked.

    data: what is as it was written, with empty lines for the rest. cut_rows: the number of rows
    behind the last checksum. left_out: what is wrong with the cases that were altered.
    """

    data: bytes
    has_checksums: bool
    cut_rows: int = 0
    left_out: tuple[str, ...] = ()


def prove(path: Path, data: bytes, keep_going: bool) -> Proven:
    """Refuses a file that is not what was written. With keep_going, altered cases are left out
    instead, if the metadata and the column names are as they were."""
    found = list(parts(data))
    if not found:
        refuse_returns(path, data)
        return Proven(data, has_checksums=False)
    end = found[-1].end
    refuse_unproven(path, data, end)
    left_out: list[str] = []
    kept: list[bytes] = []
    done = 0
    for number, part in enumerate(found):
        if not part.fault:
            continue
        fault = describe(path, data, part)
        if not keep_going or not number:
            legal = "; legal: the file as it was written"
            raise BadInput(fault + legal + (f", or {OPTION}" if number else ""))
        left_out.append(f"{fault}; these rows are left out")
        kept += [data[done : part.start], empty_lines(data[part.start : part.end])]
        done = part.end
    tail = data[end:]
    if done or tail:
        data = b"".join([*kept, data[done:end], empty_lines(tail)])
    return Proven(data, True, count_rows(tail), tuple(left_out))


def parts(data: bytes) -> Iterator[Part]:
    """Yields the parts of a file, each up to the end of a checksum; none if the file has no
    checksums."""
    view = memoryview(data)
    start, crc, unproven = 0, 0, ""
    for begin, end in comment_spans(data):
        if not data.startswith(b"#@", begin):
            continue
        # Only the end of a line is looked at: some lines are long.
        found = MARK.search(data, max(begin, end - 16), end)
        if found is None:
            if start and not unproven:
                unproven = f"the line '{shown(data[begin:end])}' in it has no checksum"
            continue
        here = zlib.crc32(view[start : found.start()], crc)
        said = int(found[1], 16)
        fault = f"its checksum is {said:08x}, it has {here:08x}" if here != said else unproven
        after = min(len(data), end + 1)
        yield Part(start, after, shown(data[begin : found.start()]), fault)
        # The next checksum is of what was written here, whatever stands here now: so the CRC goes
        # on from the checksum that this one says, not from the one that was found.
        crc = zlib.crc32(view[found.start() : after], said)
        start, unproven = after, ""


def refuse_returns(path: Path, data: bytes) -> None:
    """Refuses with BadInput a file whose line ends were changed to returns with line feeds: none of
    its checksums is at the end of its line, so nothing would be checked."""
    for begin, end in comment_spans(data):
        if data.endswith(b"\r", begin, end) and MARK.search(data, max(begin, end - 17), end - 1):
            line = without_checksum(data[begin : end - 1])
            raise BadInput(
                f"{path}:{line_of(data, begin)}: was altered: the line '{shown(line)}' ends in a "
                "carriage return behind its checksum, as editors for Windows write; legal: the "
                "file as it was written"
            )


def refuse_unproven(path: Path, data: bytes, start: int) -> None:
    """Refuses with BadInput a file that has a whole `#@` line behind its last checksum, which ends
    at `start`. A launch writes no `#@` line behind its first checksum that has none; a kill may
    leave half a one at the end of the file."""
    for begin, end in comment_spans(data[start:]):
        if data.startswith(b"#@", start + begin) and start + end < len(data):
            line = line_of(data, start + begin)
            raise BadInput(
                f"{path}:{line}: was altered: the line '{shown(data[start + begin : start + end])}'"
                " has no checksum; legal: the file as it was written"
            )


def describe(path: Path, data: bytes, part: Part) -> str:
    first, last = line_of(data, part.start), line_of(data, part.end - 1)
    return f"{path}:{first}: was altered in lines {first} to {last} ({part.name}): {part.fault}"


def line_of(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def empty_lines(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


def count_rows(tail: bytes) -> int:
    return sum(1 for line in tail.splitlines() if line.strip() and not line.startswith(b"#"))


def shown(line: bytes) -> str:
    text = line.decode(errors="replace")
    return text if len(text) <= 100 else f"{text[:100]}..."


def without_checksum(line: bytes) -> bytes:
    return MARK.sub(b"", line)
