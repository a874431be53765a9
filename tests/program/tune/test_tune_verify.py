# SPDX-License-Identifier: BSD-3-Clause
"""The sweep that agreport tune --verify writes asks for what the benchmark can do.

Times are invented, so that an algorithm of the library's own gains whatever the machine is.
"""

from pathlib import Path

import pytest

from agreport.main import main
from agsweep import bench_options
from agsweep.command import options
from agsweep.sweep.sweep_file import load

from ..support.invented import invent
from ..support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 2
# Of each collective an algorithm of Open MPI's own, and how it is called.
MEASURED = {
    "allgather": ("bruck", ["--in-place", "--datatype", "int"]),
    "alltoall": ("pairwise", []),
    "bcast": ("chain", ["--root", "1"]),
    "reduce": ("binomial", ["--in-place", "--root", "1", "--op", "max", "--type", "double"]),
    "allreduce": ("rabenseifner", ["--in-place", "--op", "bxor", "--type", "long"]),
}


@pytest.mark.parametrize("collective", MEASURED)
def test_a_launch_of_the_sweep_runs(
    build: Build, mpi: str, tmp_path: Path, collective: str
) -> None:
    if not mpi.startswith("Open MPI v"):
        pytest.skip(f"{mpi[:20]} has no dynamic rules")
    name, told = MEASURED[collective]
    bench, times = f"{collective}_bench", tmp_path / "times.csv"
    asked = ("--algorithms", f"native,native:{name}", "--sizes", "4096", "-i", "3", "-x", "0")
    ended = build.run(bench, *asked, *told, "--output", times.name, ranks=RANKS, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    invent(times, lambda row: 2 if row["algorithm"] == "native" else 1)
    sweep, rules = tmp_path / "sweep.toml", tmp_path / "rules.conf"
    assert main(["tune", str(times), "--openmpi", str(rules), "--verify", str(sweep)]) == 0
    read = load(sweep)
    bench_options.check(read)
    words = options(read.bench[0].options)
    assert set(told) <= set(words)
    ended = build.run(bench, *words, "-i", "3", "-x", "0", ranks=RANKS, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    assert "skipped" not in ended.stdout
