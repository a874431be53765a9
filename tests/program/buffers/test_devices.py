# SPDX-License-Identifier: BSD-3-Clause
"""--buffers-in cuda, cuda-managed, hip: buffers in the memory of a device, with a driver that
stands in for a real one (device_stand_in.cpp): what touches that memory without it dies."""

import ctypes
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV, listing, refused
from ..support.results import read_results
from ..support.stand_in import StandIn

pytestmark = pytest.mark.slow

STUDY = Path(__file__).parents[3] / "docs" / "studies" / "devices.py"
SHORT = ("-i", "3", "-x", "1", "-c", "--output", "out.csv")
# Schedules in files are those of a rank each.
NOT_HERE = ("file",)
REASONS = ("needs ", "has buffers of its own in the host's memory; legal: stage=host")


def algorithms_of(build: Build, program: str) -> list[str]:
    """Returns all that the program runs, but for what the stand-in gives no addresses to."""
    catalogue = json.loads(build.schedule("catalogue", "--json").stdout)
    collectives = {
        each["name"] for each in catalogue["collectives"] if each["executable"] == program
    }
    return [
        each["name"]
        for each in catalogue["algorithms"]
        if collectives & set(each["collectives"]) and each["name"] not in NOT_HERE
    ]


def rows_of(ended: Ended, folder: Path) -> Counter[str]:
    """Counts the statuses, and looks at why what was skipped was skipped."""
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(folder / "out.csv").rows
    for row in rows:
        assert row["status"] != "skipped" or row["reason"].startswith(REASONS), row
    return Counter(row["status"] for row in rows)


@pytest.mark.parametrize(
    ("program", "ranks", "arguments", "least"),
    [
        (GATHER, 1, ["--buffers-in", "cuda", "--sizes", "1,5000"], 60),
        (GATHER, 4, ["--buffers-in", "cuda", "--sizes", "1,1000,20000"], 300),
        (GATHER, 3, ["--buffers-in", "hip", "--sizes", "999", "--noncontiguous", "packed"], 90),
        (GATHER, 5, ["--buffers-in", "hip", "--sizes", "64", "--noncontiguous", "datatype"], 20),
        (GATHER, 4, ["--buffers-in", "cuda-managed", "--sizes", "1000", "--in-place"], 100),
        (GATHER, 4, ["--buffers-in", "cuda", "--sizes", "1200", "--datatype", "vector:4:12",
                     "--buffers", "rotate:1M"], 100),
        (GATHER, 2, ["--buffers-in", "hip", "--sizes", "1200", "--datatype", "vector:4:12",
                     "--buffer-offset", "3,77", "--read"], 30),
        (GATHERV, 4, ["--buffers-in", "cuda", "--sizes", "1000", "--distributions",
                      "spike,half_full,linear", "--displacements", "gaps:8"], 100),
        ("alltoall_bench", 4, ["--buffers-in", "cuda", "--sizes", "500"], 10),
        ("bcast_bench", 4, ["--buffers-in", "hip", "--sizes", "5000", "--root", "1"], 10),
    ],
)  # fmt: skip
def test_every_byte_is_right(
    build: Build,
    stand_in: StandIn,
    tmp_path: Path,
    program: str,
    ranks: int,
    arguments: list[str],
    least: int,
) -> None:
    """Straight from the device: addresses go to the MPI library, and no processor looks there."""
    names = ",".join(algorithms_of(build, program))
    assert "native_persistent" in names
    ended = build.run(program, *arguments, "--algorithms", names, *SHORT, ranks=ranks,
                      cwd=tmp_path, env=stand_in.aware(arguments[1]))  # fmt: skip
    statuses = rows_of(ended, tmp_path)
    assert set(statuses) <= {"ok", "skipped"} and statuses["ok"] >= least, statuses


@pytest.mark.parametrize(
    "program",
    [GATHER, GATHERV, "alltoall_bench", "bcast_bench", "reduce_bench", "allreduce_bench"],
)
@pytest.mark.parametrize("driver", ["cuda", "hip"])
def test_persistent_calls(
    build: Build, stand_in: StandIn, tmp_path: Path, program: str, driver: str
) -> None:
    """Their requests are made with the device's addresses, for each pair of buffers, or those of
    the host. Only a library without such calls skips them, and Open MPI's reductions do, whose
    processor would look into the device."""
    asked = (program, "--buffers-in", driver, "--sizes", "8,5000", "--buffers", "rotate:1M",
             "--algorithms", "native,native_persistent,native_persistent:stage=host")  # fmt: skip
    ended = build.run(*asked, *SHORT, ranks=3, cwd=tmp_path, env=stand_in.aware(driver))
    assert ended.exit_code == 0, ended.stderr
    for row in read_results(tmp_path / "out.csv").rows:
        lacks = "needs the persistent collectives of MPI 4" in row["reason"]
        reduces = program in ("reduce_bench", "allreduce_bench") and build.family == "openmpi"
        if reduces and row["algorithm"] == "native_persistent":
            assert lacks or "has Open MPI combine by the processor" in row["reason"], row
            lacks = True
        assert row["status"] == ("skipped" if lacks else "ok"), row


@pytest.mark.parametrize("stage", ["stage=host", "stage=host:pieces=3"])
@pytest.mark.parametrize(
    ("program", "ranks", "arguments"),
    [
        (GATHER, 3, ["--buffers-in", "cuda", "--sizes", "1,5000"]),
        (GATHER, 4, ["--buffers-in", "hip", "--sizes", "1200", "--datatype", "vector:4:12"]),
        (GATHER, 2, ["--buffers-in", "cuda-managed", "--sizes", "3000", "--in-place"]),
        (GATHER, 4, ["--buffers-in", "cuda", "--sizes", "3000", "--buffers", "rotate:1M"]),
        (GATHERV, 3, ["--buffers-in", "cuda", "--sizes", "1000", "--distributions", "spike",
                      "--displacements", "gaps:8"]),
        ("alltoall_bench", 4, ["--buffers-in", "cuda", "--sizes", "500"]),
        ("bcast_bench", 3, ["--buffers-in", "cuda", "--sizes", "500", "--root", "2"]),
        ("reduce_bench", 4, ["--buffers-in", "hip", "--sizes", "800", "--root", "1"]),
        ("allreduce_bench", 4, ["--buffers-in", "cuda", "--sizes", "800"]),
    ],
)  # fmt: skip
def test_every_byte_is_right_staged(
    build: Build,
    stand_in: StandIn,
    tmp_path: Path,
    program: str,
    ranks: int,
    arguments: list[str],
    stage: str,
) -> None:
    """By the host, where every algorithm can run, as a whole also those that choose or predict."""
    names = algorithms_of(build, program)
    staged = ",".join(f"{name}:{stage}" for name in names)
    ended = build.run(program, *arguments, "--algorithms", staged, "--compute", "1us", *SHORT,
                      ranks=ranks, cwd=tmp_path, env=stand_in.driver)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    assert {row["status"] for row in rows} <= {"ok", "skipped"}
    ran = {row["algorithm"] for row in rows if row["status"] == "ok"}
    assert f"native:{stage}" in ran and len(ran) > len(names) / 2
    assert not any("device" in row["reason"] for row in rows)


def test_pieces_are_refused_where_there_are_none(
    build: Build, stand_in: StandIn, tmp_path: Path
) -> None:
    """Of a byte, of what goes by what it finds in each call, and of calls in parts."""
    names = "native:stage=host,native:stage=host:pieces=3,adaptive:stage=host:pieces=3"
    ended = build.run(GATHER, "--buffers-in", "cuda", "--algorithms", names, "--sizes", "2,3",
                      *SHORT, cwd=tmp_path, env=stand_in.driver)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    said = {
        (int(row["bytes"]), row["algorithm"]): row["reason"]
        for row in read_results(tmp_path / "out.csv").rows
    }
    cut = "native:stage=host:pieces=3"
    assert said[2, cut] == (
        "has no element for each piece (pieces=3); legal: at most as many as the largest block "
        "has elements, 2"
    )
    assert said[3, cut] == said[2, "native:stage=host"] == ""
    chosen = said[3, "adaptive:stage=host:pieces=3"]
    assert chosen == "goes by what it finds in each call (pieces=3); legal: stage=host"
    message = refused(
        build.run(GATHER, "--buffers-in", "cuda", "--overlap", "2", "--algorithms",
                  "native_nonblocking:stage=host:pieces=2", cwd=tmp_path, env=stand_in.driver)
    )  # fmt: skip
    assert "cannot be begun and waited for apart (--overlap)" in message


def test_staged_calls_have_what_the_host_has(
    build: Build, stand_in: StandIn, tmp_path: Path
) -> None:
    """Copies through a window, calls in parts, and arrival patterns."""
    asked = (GATHER, "--buffers-in", "cuda", "--sizes", "5000", "--arrival",
             "alternating:even=0us,odd=20us", "--overlap", "2", "--algorithms",
             "ring:via=window:stage=host,native_nonblocking:stage=host")  # fmt: skip
    ended = build.run(*asked, *SHORT, ranks=3, cwd=tmp_path, env=stand_in.driver)
    assert set(rows_of(ended, tmp_path)) == {"ok"}


def test_native_reduces_in_a_device(build: Build, stand_in: StandIn, tmp_path: Path) -> None:
    """Our own reductions, which the processor would do, do not."""
    asked = ("allreduce_bench", "--buffers-in", "cuda", "--sizes", "800")
    ended = build.run(*asked, "--algorithms", "native,ring", *SHORT, ranks=3, cwd=tmp_path,
                      env=stand_in.aware())  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = {row["algorithm"]: row for row in read_results(tmp_path / "out.csv").rows}
    assert rows["native"]["status"] == "ok"
    assert "combine blocks, which are in a device; legal: stage=host" in rows["ring"]["reason"]


def test_file_says_which_devices(build: Build, stand_in: StandIn, tmp_path: Path) -> None:
    asked = (GATHER, "--sizes", "8", "--algorithms", "native:stage=host", "-i", "1", "--output")
    in_cuda = ("--buffers-in", "cuda")
    for arguments, driver, devices in [
        (in_cuda, "CUDA 12.4", "0,1,0"),
        ((*in_cuda, "--devices", "1"), "CUDA 12.4", "1,1,1"),
        ((*in_cuda, "--devices", "1,0"), "CUDA 12.4", "1,0,1"),
        (("--buffers-in", "hip"), "HIP 6.1", "0,1,0"),
    ]:
        name = f"{len(listing(tmp_path))}.csv"
        ended = build.run(*asked, name, *arguments, ranks=3, cwd=tmp_path, env=stand_in.driver)
        assert ended.exit_code == 0, ended.stderr
        metadata = read_results(tmp_path / name).metadata
        assert metadata["device"] == "Stand-In"
        assert metadata["device_driver"] == driver
        assert metadata["device_of_rank"] == devices
    message = refused(
        build.run(*asked, "0.csv", *in_cuda, "--devices", "1", "--resume", ranks=3,
                  cwd=tmp_path, env=stand_in.driver)
    )  # fmt: skip
    assert "device_of_rank is '0,1,0', now it is '1,1,1'" in message


@pytest.mark.parametrize(
    ("arguments", "settings", "parts"),
    [
        ("--devices 0,2", {}, ["--devices: '2' is no device", "counts 2; legal: 0 to 1"]),
        ("", {"STAND_IN_DEVICES": "0"}, ["--buffers-in: 'cuda' needs a device", "counts none"]),
        ("", {"STAND_IN_BYTES": "1000000"},
         ["--buffers-in: 'cuda' needs up to", "for 2 ranks, and 1000000 (976.6 KiB) of it are free",
          "legal: private, or smaller blocks (--sizes)"]),
        ("--buffers cold:1M", {}, ["--buffers: 'cold:1048576' is about the processor's caches"]),
        ("--algorithms native", {},
         ["--algorithms: nothing is left to run: native has the MPI library take addresses of a "
          "device", "legal: with stage=host"]),
        ("--algorithms ring:via=window", {}, ["via=window", "stage=host"]),
    ],
)  # fmt: skip
def test_refused_before_a_file_is_begun(
    build: Build,
    stand_in: StandIn,
    tmp_path: Path,
    arguments: str,
    settings: dict[str, str],
    parts: list[str],
) -> None:
    if arguments == "--algorithms native" and stand_in.library_has_cuda:
        pytest.skip("the MPI library takes addresses of a device")
    by_default = "" if "--algorithms" in arguments else "--algorithms native:stage=host"
    asked = f"--buffers-in cuda --sizes 1000000 {arguments} {by_default} --output out.csv"
    ranks = 4 if "STAND_IN_BYTES" in settings else 2
    ended = build.run(GATHER, *asked.split(), ranks=ranks, cwd=tmp_path,
                      env={**stand_in.driver, **settings})  # fmt: skip
    message = refused(ended)
    assert [part for part in parts if part not in message] == [], message
    assert listing(tmp_path) == {}


def test_no_driver(build: Build, tmp_path: Path) -> None:
    try:
        ctypes.CDLL("libamdhip64.so.6")
    except OSError:
        message = refused(build.run(GATHER, "--buffers-in", "hip", "--sizes", "8", cwd=tmp_path))
        assert "--buffers-in: 'hip' needs AMD's HIP, and there is no libamdhip64.so.6" in message
        assert message.endswith("here; legal: private, window")
    else:
        pytest.skip("this machine has AMD's HIP")


def test_stage_needs_a_device(build: Build, tmp_path: Path) -> None:
    asked = (GATHER, "--algorithms", "ring:stage=host", "--output", "out.csv")
    message = refused(build.run(*asked, cwd=tmp_path))
    assert "--algorithms: " in message
    assert "ring:stage=host copies buffers of a device" in message
    assert "legal: with --buffers-in cuda" in message
    assert listing(tmp_path) == {}


def test_copy_that_fails(build: Build, stand_in: StandIn, tmp_path: Path) -> None:
    """In the middle of a sweep: the cases before it are in the file."""
    asked = (GATHER, "--buffers-in", "cuda", "--sizes", "8,16,32,64", "--algorithms",
             "native:stage=host", "--cycles", "0", *SHORT)  # fmt: skip
    fails = {"STAND_IN_FAILS": "90", "STAND_IN_RANK": "1"}
    ended = build.run(*asked, cwd=tmp_path, env={**stand_in.driver, **fails})
    assert ended.exit_code == 3
    # The other rank may say that this one has ended.
    own = [message for message in ended.messages if message.startswith("rank 1: ")]
    assert own == ["rank 1: cuMemcpyAsync: CUDA_ERROR_ILLEGAL_ADDRESS"]
    rows = read_results(tmp_path / "out.csv").rows
    assert {row["status"] for row in rows} == {"ok"}
    assert 0 < len({row["bytes"] for row in rows}) < 4


def test_memory_that_another_takes(build: Build, stand_in: StandIn, tmp_path: Path) -> None:
    """The driver told of more than it gives later."""
    asked = (GATHER, "--buffers-in", "cuda", "--sizes", "100000", "--algorithms",
             "native:stage=host", *SHORT)  # fmt: skip
    ended = build.run(*asked, cwd=tmp_path, env={**stand_in.driver, "STAND_IN_HOLDS": "150000"})
    assert ended.exit_code == 3
    assert "no memory" in {message.partition(": ")[2] for message in ended.messages}


@pytest.mark.parametrize(
    ("stage", "copy"),
    [
        *(("stage=host", copy) for copy in (7, 8, 10)),
        *(("stage=host:pieces=3", copy) for copy in range(7, 13)),
    ],
)
def test_copy_that_is_not_done(
    build: Build, stand_in: StandIn, tmp_path: Path, stage: str, copy: int
) -> None:
    """One that fetches what is sent, one that puts the result, and one that looks at it; of a call
    in pieces each that fetches or puts one."""
    asked = (GATHER, "--buffers-in", "cuda", "--sizes", "5000", "--algorithms",
             f"native:{stage}", "--cycles", "0", *SHORT)  # fmt: skip
    drops = {"STAND_IN_DROPS": str(copy), "STAND_IN_RANK": "1"}
    ended = build.run(*asked, cwd=tmp_path, env={**stand_in.driver, **drops})
    assert ended.exit_code == 1, (ended.stdout, ended.stderr)
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"wrong"}


def test_library_that_says_more_than_it_can(
    build: Build, stand_in: StandIn, tmp_path: Path
) -> None:
    """It looks where only the device may: the stand-in would find that of our own copies, too."""
    if stand_in.library_has_cuda:
        pytest.skip("the MPI library does what it says")
    asked = (GATHER, "--buffers-in", "cuda", "--sizes", "5000", "--algorithms", "ring", *SHORT)
    ended = build.run(*asked, cwd=tmp_path, env={**stand_in.aware(), "STAND_IN_LIES": "1"})
    assert ended.exit_code not in (0, 1, 2)


def test_the_study_prints_its_table(build: Build, stand_in: StandIn) -> None:
    """With an MPI library that takes addresses of a device, and with one that does not."""
    for env, in_device in (
        (stand_in.aware(), True),
        (stand_in.driver, stand_in.library_has_cuda),
    ):
        ended = subprocess.run(
            [sys.executable, STUDY, build.folder, "--ranks", "2", "--sizes", "2:4", "--launches",
             "1"],
            env={**os.environ, **env}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        rows = [line.split(" | ") for line in ended.stdout.splitlines() if line.startswith("| ")]
        header, two, four = ([cell.strip("| ") for cell in row] for row in rows)
        assert header[:4] == ["bytes", "native", "staged", "in pieces"]
        assert two[3] == "-" and float(four[3]) > 0
        assert (four[1] != "-") == (four[4] != "-") == in_device
        assert float(two[2]) > 0 and float(two[6]) > 0


def test_peers_have_the_same_buffers(build: Build, stand_in: StandIn, tmp_path: Path) -> None:
    """A program that prints OSU's rows, and says how it was called."""
    osu = tmp_path / "osu_allgather"
    osu.write_text('#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exit\n'
                   f'echo "$@" >{tmp_path}/called\nprintf "8 1.5\\n64 2.5\\n"\n')  # fmt: skip
    osu.chmod(0o755)
    words = ["--sizes", "8,64", "--iterations", "5", "--rounds", "1", "--buffers-in"]
    ended = subprocess.run(
        [sys.executable, STUDY.with_name("peers.py"), build.folder, "osu", osu, *words, "cuda"],
        env={**os.environ, **stand_in.aware()}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (tmp_path / "called").read_text() == "-m 8:64 -i 5 -d cuda\n"
    assert [line.split(" | ")[:2] for line in ended.stdout.splitlines()[2:]] == [
        ["| 8", "1.50"], ["| 64", "2.50"]
    ]  # fmt: skip
