# SPDX-License-Identifier: BSD-3-Clause
"""--buffers-in window: every algorithm, in every company, with buffers that the node shares; and
how much memory there is to share, which via=window needs, too."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import read_results

pytestmark = pytest.mark.slow

OUTPUT = ("--output", "out.csv")
IN_WINDOW = ("--buffers-in", "window", "-i", "3", "-x", "1", "-c", *OUTPUT)
BY_WINDOW = "ring:via=window,linear:via=window,bruck:via=window,leader:via=window"


@pytest.mark.parametrize(
    ("bench", "ranks", "arguments"),
    [
        (GATHER, 1, ["--sizes", "1,5000"]),
        (GATHER, 2, ["--sizes", "2047,2048,100000", "--buffer-offset", "3"]),
        (GATHER, 4, ["--sizes", "5000", "--buffers", "rotate:1M"]),
        (GATHER, 3, ["--sizes", "5000", "--overlap", "3", "--in-place", "--algorithms", BY_WINDOW]),
        (GATHER, 4, ["--sizes", "12000", "--datatype", "vector:4:12"]),
        (GATHER, 4, ["--sizes", "5000", "--groups", "mod:2"]),
        (GATHER, 2, ["--sizes", "5000", "--sync", "none"]),
        (GATHERV, 3, ["--sizes", "5000", "--distributions", "spike,half_full"]),
        (GATHERV, 6, ["--sizes", "5000", "--distributions", "linear", "--ranks-per-node", "3"]),
        ("alltoall_bench", 3, ["--sizes", "5000", "--algorithms", "linear:via=window,native"]),
    ],
)
def test_every_byte_is_right(
    build: Build, tmp_path: Path, bench: str, ranks: int, arguments: list[str]
) -> None:
    """The library's algorithm and messages of ours have the same buffers."""
    asked = () if "--algorithms" in arguments else ("--algorithms", f"native,ring,{BY_WINDOW}")
    ended = build.run(bench, *IN_WINDOW, *asked, *arguments, ranks=ranks, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} == {"ok"}
    assert results.metadata["buffers_in"] == "window"
    assert ", in a window. Order: " in ended.stdout


def test_resume_asks_for_the_same_memory(build: Build, tmp_path: Path) -> None:
    """The second launch is not told, so it has the default."""
    run = (GATHER, "--sizes", "1", "--algorithms", "ring", "-i", "1", "--output", "out.csv")
    assert build.run(*run, "--buffers-in", "window", cwd=tmp_path).exit_code == 0
    before = (tmp_path / "out.csv").read_bytes()
    message = refused(build.run(*run, "--resume", cwd=tmp_path))
    assert "its buffers_in is 'window', now it is 'private'" in message
    assert (tmp_path / "out.csv").read_bytes() == before


def test_what_is_set_aside_counts_as_memory(build: Build, tmp_path: Path) -> None:
    """Buffers of a page each, and a page that may go to the alignment."""
    enough = (GATHER, "--sizes", "64", "--algorithms", "native", "-i", "1", "--mem-limit", "8K")
    assert build.run(*enough, cwd=tmp_path).exit_code == 0
    message = refused(build.run(*enough, "--buffers-in", "window", cwd=tmp_path))
    assert "--mem-limit" in message


def test_channels_are_of_the_ranks_of_a_node(build: Build, tmp_path: Path) -> None:
    """A rank has 520 KiB with 8 ranks on a node, and 328 KiB with 2."""
    asked = (GATHER, "--algorithms", "ring:via=window", "--sizes", "1", "--mem-limit", "400K",
             "--dry-run")  # fmt: skip
    message = refused(build.run(*asked, ranks=8, cwd=tmp_path))
    assert "--mem-limit" in message
    assert "or fewer --algorithms by windows, whose channels take 520.0 KiB" in message
    ended = build.run(*asked, "--ranks-per-node", "2", ranks=8, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr


@dataclass(frozen=True)
class SmallBuild(Build):
    """Its launches have so much memory to share, in a namespace of their own."""

    size: str = "24m"

    def within(self, *command: str) -> list[str]:
        mount = f"mount -t tmpfs -o size={self.size} shm /dev/shm"
        return ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]

    def command(self, *given: Any) -> list[str]:
        return self.within(*super().command(*given))


@pytest.fixture
def small(build: Build) -> Build:
    small = SmallBuild(build.folder)
    tried = subprocess.run(small.within("true"), capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"no namespace: {tried.stderr.decode()}")
    return small


@pytest.fixture
def twice_as_much(small: Build) -> Build:
    return SmallBuild(small.folder, size="48m")


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["measured", "dry"])
def test_more_than_the_ranks_can_share(small: Build, tmp_path: Path, dry: list[str]) -> None:
    """2 ranks, of which each sends 8 MiB and receives 16 MiB."""
    asked = (GATHER, "--buffers-in", "window", "--algorithms", "ring:via=window,native", "-i", "2")
    message = refused(small.run(*asked, "--sizes", "8M", *dry, *OUTPUT, cwd=tmp_path))
    assert "--buffers-in: 'window' needs 503" in message and "(48.0 MiB)" in message
    assert "/dev/shm has room for 1" in message and "legal: private, or smaller blocks" in message
    assert not (tmp_path / "out.csv").exists()


def test_what_the_ranks_can_share(small: Build, tmp_path: Path) -> None:
    """12 MiB of 24."""
    asked = (GATHER, "--buffers-in", "window", "--algorithms", "ring:via=window,native", "-i", "2")
    ended = small.run(*asked, "--sizes", "2M", *OUTPUT, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"ok"}


def test_what_the_library_refuses(small: Build, tmp_path: Path) -> None:
    """191 MiB of 200: Open MPI wants a twentieth more than it is asked for."""
    asked = (GATHER, "--buffers-in", "window", "--algorithms", "native", "-i", "1", *OUTPUT)
    of_200 = SmallBuild(small.folder, size="200m")
    message = refused(of_200.run(*asked, "--sizes", "33400000", cwd=tmp_path))
    assert "(191.1 MiB)" in message
    assert not (tmp_path / "out.csv").exists()


NAMES = ("linear", "ring", "sparbit", "recursive_doubling", "bruck_in_place", "bruck",
         "neighbor_exchange")  # fmt: skip
SEVEN = ",".join(f"{name}:via=window" for name in NAMES)
MAY_TAKE_ANY = ",".join(f"adaptive:policy=random:{seed}" for seed in range(7))
TAKE_NONE = ",".join(f"adaptive:policy=fixed:{name}" for name in NAMES)
ONCE = ("-i", "1", "-x", "0", *OUTPUT)


def refused_for_room(ended: Ended, folder: Path) -> str:
    message = refused(ended)
    assert "the 8 ranks on " in message and "/dev/shm has room for 2" in message
    assert not (folder / "out.csv").exists()
    return message


@pytest.mark.parametrize(
    ("algorithms", "options"),
    [(SEVEN, ["--order", "sequential"]), (SEVEN, ["--ranks-per-node", "4"]), (TAKE_NONE, [])],
    ids=["one after the other", "smaller nodes", "selected by messages"],
)
def test_channels_that_there_is_room_for(
    twice_as_much: Build, tmp_path: Path, algorithms: str, options: list[str]
) -> None:
    """Eight ranks on a node take 4 MiB a plan, and there is room for 22 MiB."""
    asked = (GATHER, "--algorithms", algorithms, "--sizes", "1", *ONCE, *options)
    ended = twice_as_much.run(*asked, ranks=8, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr


@pytest.mark.parametrize(
    ("algorithms", "first", "legal"),
    [
        (SEVEN, "linear:via=window", "via=messages"),
        (MAY_TAKE_ANY, "adaptive:policy=random:0", "one by messages"),
    ],
    ids=["asked for", "selected"],
)
def test_the_channels_of_all_plans(
    twice_as_much: Build, tmp_path: Path, algorithms: str, first: str, legal: str
) -> None:
    """A choice by times has channels as soon as it tries an algorithm by a window."""
    asked = (GATHER, "--algorithms", algorithms, "--sizes", "1", *ONCE)
    ended = twice_as_much.run(*asked, ranks=8, cwd=tmp_path)
    message = refused_for_room(ended, tmp_path)
    assert message.startswith(f"--algorithms: '{first}' with 6 more, needs 298")
    assert f"legal: {legal}, fewer of them, or fewer ranks a node" in message


def test_the_channels_of_a_replay(build: Build, twice_as_much: Build, tmp_path: Path) -> None:
    """A plan for each different call: of all of them there are too many, of one there are not."""
    folder = tmp_path / "trace"
    env = {"LD_PRELOAD": str(build.folder / "lib" / "libagtrace.so"), "AGTRACE_DIR": str(folder)}
    ended = build.run(GATHER, "--algorithms", "native", "--sizes", "1,2,4", *ONCE[:-2], "--output",
                      "traced.csv", ranks=8, env=env, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    names = "linear:via=window,ring:via=window,sparbit:via=window"
    asked = (GATHER, "--replay", str(folder), "--replay-gaps", "none", "--algorithms", names, *ONCE)
    message = refused_for_room(twice_as_much.run(*asked, ranks=8, cwd=tmp_path), tmp_path)
    assert message.startswith("--algorithms: 'linear:via=window' with 2 more, needs ")
    assert "legal: via=messages, fewer of them, or fewer calls (--replay-calls)" in message
    ended = twice_as_much.run(*asked, "--replay-calls", "1", ranks=8, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
