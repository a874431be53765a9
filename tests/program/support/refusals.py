# SPDX-License-Identifier: BSD-3-Clause
"""Launches that end with one line about bad input."""

from pathlib import Path

from .launch import Ended

GATHER, GATHERV = "allgather_bench", "allgatherv_bench"


def refused(ended: Ended) -> str:
    """The one line."""
    assert ended.exit_code == 2, ended.stderr
    assert ended.stdout == ""
    # One line, and not one a rank; what follows it is the launcher's.
    assert ended.stderr.count(f"{ended.program}: ") == 1
    (message,) = ended.messages
    if ended.program == "allgather_schedule":  # has no launcher
        assert ended.stderr.count("\n") == 1
    return message


def listing(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
