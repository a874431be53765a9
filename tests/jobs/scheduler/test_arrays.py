# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of jobs."""

from pathlib import Path

import pytest

from program.support.launch import Build

from ..sweeps import bench, build_table, written
from ..test_scripts import dry


@pytest.mark.slow
def test_array_of_one(build: Build, tmp_path: Path) -> None:
    """Its script is that of one job."""
    points = "[[points]]\nnodes = 2\nranks_per_node = 8\n" \
             "[[points]]\nnodes = 4\nranks_per_node = 8\nranks = [31, 32]\n"  # fmt: skip
    asks = '[resources]\njobs = "array"\ntime = "90s"\n'
    sweep = written(tmp_path, build_table("mine", build.folder), points, bench(), asks)
    one, two = (dry(sweep)[f"n{nodes}.sbatch"] for nodes in (2, 4))
    for text in ("--array", "$index"):
        assert text not in one
    assert one.endswith("\ngroup_0\n")
    assert "#SBATCH --array=0-1" in two.splitlines() and two.endswith('\n"group_$index"\n')
