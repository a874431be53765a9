# SPDX-License-Identifier: BSD-3-Clause
"""Small result files whose numbers the tests work out by hand, and a stand-in for the program."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agreport.figure.plain_matplotlib import settings_of_figures
from agreport.figure.sheet import STYLE
from shared.checksums import checksummed

from .support.fake import PROGRAM

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HEADER = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,run_us,imbalance_us,prepare_us,status,reason"
)
METADATA = {
    "suite": "gatherbench 0.1.0",
    "mpi": "Open MPI <4.1.4> & friends",
    "nodes": "1",
    "ranks": "4",
    "oversubscribed": "no",
    "registry": "ring,bruck,sparbit",
}


def lines(
    algorithm: str,
    times: Iterable[float] = (),
    *,
    size: int = 1,
    ranks: int = 4,
    nodes: int = 1,
    place: str = "allgather,{},regular,none,sequential",
    status: str = "ok",
    reason: str = "",
) -> list[str]:
    """Rows of one algorithm in one case; min is 1 us below avg, and max 2 us above."""
    start = f"{place.format(algorithm)},{ranks},{nodes},{size},{size * ranks}"
    if status != "ok":
        return [f"{start},,,,,,,,{status},{reason}"]
    return [f"{start},{i},{t - 1},{t},{t + 2},{t + 3},0.0,9.5,ok," for i, t in enumerate(times)]


@pytest.fixture(autouse=True)
def style() -> Iterator[None]:
    """Returns what main draws figures in."""
    with settings_of_figures(STYLE):
        yield


@pytest.fixture
def rows() -> Callable[..., list[str]]:
    return lines


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    from .support.browser import chromium  # only tests with a browser need its package

    with chromium() as found:
        yield found


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """write(name, *cases, tail=..., **metadata): a launch; a case is a list of rows. With a tail it
    has no checksums, as those of 0.1.0."""
    return writer(tmp_path)


def writer(folder: Path) -> Callable[..., Path]:
    def write_launch(
        name: str, *cases: list[str], tail: str | None = None, **metadata: str
    ) -> Path:
        text = [f"#@{key}={value}" for key, value in {**METADATA, **metadata}.items()]
        text.append(HEADER)
        for number, case in enumerate(cases):
            text += [*case, f"#@case_end={number}"]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = "\n".join(text) + "\n"
        path.write_text(checksummed(whole) if tail is None else whole + tail)
        return path

    return write_launch


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return example_in(tmp_path)


def example_in(folder: Path) -> Path:
    """One panel with every kind of cell; sparbit against ring and bruck, by mean avg:

    size 1: 8 / 10 / 16, 20 % better     size 8:  skipped / 3 / 4
    size 2: 5 / 10 / 12, 50 % better     size 16: wrong / 3 / 4
    size 4: 9 / 6 / 12, ring is best     size 32: 7 / skipped / wrong
    size 64: skipped by all              size 128: 10 / 10 / 12, a tie
    """
    odd = "needs <even>; ranks = 4"
    return writer(folder)(
        "example.csv",
        [*lines("sparbit", [6, 10]), *lines("ring", [10, 10]), *lines("bruck", [16, 16])],
        [
            *lines("sparbit", [5, 5], size=2),
            *lines("ring", [10, 10], size=2),
            *lines("bruck", [12, 12], size=2),
        ],
        [
            *lines("sparbit", [9], size=4),
            *lines("ring", [6], size=4),
            *lines("bruck", [12], size=4),
        ],
        [
            *lines("sparbit", size=8, status="skipped", reason=odd),
            *lines("ring", [3], size=8),
            *lines("bruck", [4], size=8),
        ],
        [
            *lines("sparbit", size=16, status="wrong", reason='"rank 2, block 1: # is <b>"'),
            *lines("ring", [3], size=16),
            *lines("bruck", [4], size=16),
        ],
        [
            *lines("sparbit", [7], size=32),
            *lines("ring", size=32, status="skipped", reason=odd),
            *lines("bruck", size=32, status="wrong", reason="byte 3"),
        ],
        [
            line
            for name in ("sparbit", "ring", "bruck")
            for line in lines(name, size=64, status="skipped", reason=odd)
        ],
        [
            *lines("sparbit", [10], size=128),
            *lines("ring", [10], size=128),
            *lines("bruck", [12], size=128),
        ],
    )


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Is what agreport finds as the program; every call's arguments become a line of calls.txt."""
    folder = tmp_path / "fake_build" / "bin"
    folder.mkdir(parents=True)
    program = folder / "allgather_schedule"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    monkeypatch.setenv("GATHERBENCH_BUILD", str(folder.parent))
    return program
