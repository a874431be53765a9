# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the programs tell without measuring: help, versions, lists, plans."""

import os
import re
import resource
import subprocess
from pathlib import Path

import pytest

from ..support.algorithms import NAMES, PARAMETERS
from ..support.inputs import ARRIVALS, DISTRIBUTIONS
from ..support.launch import Build

pytestmark = pytest.mark.slow

BENCHES = ("allgather_bench", "allgatherv_bench")
EVERY_BENCH = (*BENCHES, "alltoall_bench")
OPTIONS = ["-m,--message-size", "-i,--iterations", "-x,--warmup", "-f,--full", "-c,--validation",
           "-M,--mem-limit", "-l,--in-place", "-z,--tail-lat", "--sizes", "--algorithms", "--order",
           "--seed", "--precision", "--max-time", "--timeout", "--mapping", "--ranks-per-node",
           "--topology", "--noncontiguous", "-o,--output", "--resume", "--record", "--list",
           "--arrival", "--compute", "--wait", "--measure-model", "--sync", "--dry-run",
           "--version", "--config", "--table", "--progress", "--no-progress",
           "-h,--help"]  # fmt: skip

# --list begins their lines so.
ORDERS = ["switch", "node", "paired", "cyclic"]


@pytest.mark.parametrize("bench", EVERY_BENCH)
def test_help_names_every_option(build: Build, bench: str) -> None:
    ended = build.run(bench, "--help")
    assert ended.exit_code == 0
    assert bench not in ended.stderr
    lines = ended.stdout.splitlines()
    for option in OPTIONS + (["--distributions"] if bench == "allgatherv_bench" else []):
        assert any(line.lstrip().startswith(option) for line in lines), option
    assert ("--distributions" in ended.stdout) == (bench == "allgatherv_bench")
    assert max(map(len, lines)) <= 200
    assert ended.stdout.count("--dry-run") == 1  # once, not once a rank


@pytest.mark.parametrize("bench", EVERY_BENCH)
def test_version(build: Build, bench: str) -> None:
    ended = build.run(bench, "--version")
    assert ended.exit_code == 0
    assert re.fullmatch(rf"{bench} \d+\.\d+\.\d+ \(git \S+\)\n", ended.stdout)


@pytest.mark.parametrize("bench", BENCHES)
def test_list(build: Build, bench: str) -> None:
    ended = build.run(bench, "--list")
    assert ended.exit_code == 0
    tables = [re.findall(r"^  ([\w:]+)", table, re.M) for table in ended.stdout.split("\n\n")]
    names, *more = tables
    algorithms = [name for name in names[1:] if ":" not in name]  # without the column's name
    assert algorithms == NAMES
    for name, parameters in PARAMETERS.items():
        # Below the algorithm that takes them.
        lines = "".join(rf"\n    {name}:{parameter}= \S.*" for parameter in parameters)
        assert re.search(rf"^  {name} .*{lines}", ended.stdout, re.M)
    assert len(re.findall(r"^    \w", ended.stdout, re.M)) == sum(map(len, PARAMETERS.values()))
    assert more.pop(0) == ORDERS
    assert more.pop(0) == ARRIVALS
    assert more == ([[*DISTRIBUTIONS, "file:PATH"]] if bench == "allgatherv_bench" else [])


def test_what_is_listed_can_be_run(build: Build) -> None:
    """The library's own algorithms too, where it has any to choose from."""
    listed = re.findall(r"^  (native:\w+)", build.run("allgather_bench", "--list").stdout, re.M)
    names = ["native", *listed]
    ended = build.run("allgather_bench", "--algorithms", ",".join(names), "--sizes", "8", "-i", "2",
                      "-x", "0", "-c")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    for name in names:
        assert f"algorithm: {name}," in ended.stdout


@pytest.mark.parametrize(
    ("option", "exit_code"), [("--help", 0), ("--version", 0), ("--iterations=x", 2)]
)
def test_what_needs_no_run_needs_no_mpi(build: Build, option: str, exit_code: int) -> None:
    """There is no launcher, and Open MPI cannot start here. Here Open MPI cannot start."""
    told = ("OMPI_", "PMI_", "PMIX_", "SLURM_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(told)}
    env["OMPI_MCA_pml"] = "none_of_them"
    command = [str(build.program("allgather_bench")), option]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == exit_code, ended.stderr
    assert "pml" not in ended.stderr


def test_a_schedule_of_a_million_ranks_is_printed_as_it_is_made(build: Build) -> None:
    """The whole text takes more memory than this."""
    most = 120_000_000
    command = [str(build.program("allgather_schedule")), "show", "--algorithm", "linear",
               "--ranks", "1048576", "--rank", "5"]  # fmt: skip
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count(" from ") == (1 << 20) - 1


@pytest.mark.parametrize("mode", ["--dry-run", "--list", "--version", "--help"])
def test_touches_nothing(build: Build, tmp_path: Path, mode: str) -> None:
    ended = build.run("allgatherv_bench", mode, "--output", "out.csv", "--record", "ranks",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_dry_run(build: Build) -> None:
    ended = build.run("allgatherv_bench", "--dry-run", "--sizes", "1,1M", "--distributions",
                      "regular,spike", "--mapping", "sequential,cyclic", "--algorithms",
                      "ring,neighbor_exchange,sparbit", ranks=3)  # fmt: skip
    assert ended.exit_code == 0
    told: dict[str, list[str]] = {}
    for line in ended.stdout.splitlines():
        key, value = line.split(maxsplit=1)
        told.setdefault(key, []).append(value)
    assert told["launches"][0].startswith("1, of 3 ranks on 1 node")
    assert told["cases"] == ["4"]
    assert told["distributions"] == ["regular, spike"]
    assert told["sizes"] == ["1, 1048576"]
    assert told["algorithms"] == ["ring, sparbit"]
    assert told["skipped"] == ["neighbor_exchange: needs an even number of ranks; ranks = 3"]
    assert any("cyclic" in note for note in told["note"])
    # The spike: 3 MiB sent by rank 0, and 3 + 2 * 1.5 MiB received by all.
    assert told["memory"][0].startswith("9.0 MiB a rank, 27.0 MiB a node at most; ")


def test_dry_run_of_what_does_not_fit(build: Build) -> None:
    ended = build.run("allgather_bench", "--dry-run", "--sizes", "1024T", "--algorithms", "ring")
    assert ended.exit_code == 2
    assert "bytes needs" in ended.messages[0]
