# SPDX-License-Identifier: BSD-3-Clause
"""Result files with the checksums that the benchmark writes, and without."""

import re
import zlib

CHECKSUM = re.compile(r" crc32:[0-9a-f]{8}$", re.MULTILINE)


def checksummed(text: str) -> str:
    """Puts a checksum behind the end of each case; those that the text has are made anew."""
    written = ""
    for line in without_checksums(text).splitlines(keepends=True):
        written += line
        if line.startswith(("#@case_end=", "#@head_end=", "#@resumed=", "#@load_end=")):
            written = written.removesuffix("\n")
            written += f" crc32:{zlib.crc32(written.encode()):08x}\n"
    return written


def without_checksums(text: str) -> str:
    return CHECKSUM.sub("", text)
