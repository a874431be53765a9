# SPDX-License-Identifier: BSD-3-Clause
"""Launches that end with one line about bad input, many at once."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

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


@dataclass(frozen=True)
class Launched:
    ended: Ended
    folder: Path


def all_at_once(
    folders: pytest.TempPathFactory, launches: Mapping[str, Callable[[Path], Ended]]
) -> dict[str, Future[Launched]]:
    """Each in a folder of its own. A launch that is refused mostly waits for its launcher."""

    def launch(run: Callable[[Path], Ended]) -> Launched:
        folder = folders.mktemp("refused")
        return Launched(run(folder), folder)

    with ThreadPoolExecutor(4) as pool:
        return {name: pool.submit(launch, run) for name, run in launches.items()}
