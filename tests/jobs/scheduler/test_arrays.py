# SPDX-License-Identifier: BSD-3-Clause
"""Arrays, where schedulers differ."""

from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.sweep.sweep_file import load
from agsweep.sweep.tables import SCHEDULERS
from program.support.launch import Build

from ..sweeps import bench, build_table, written
from ..test_scripts import dry

ARRAYS = {"slurm": "#SBATCH --array=0-1", "pbs": "#PBS -J 0-1", "lsf": "#BSUB -J test-n4[1-2]"}


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ARRAYS)
def test_array_of_one(build: Build, tmp_path: Path, scheduler: str) -> None:
    """PBS refuses it: its script is that of one job."""
    points = "[[points]]\nnodes = 2\nranks_per_node = 8\n" \
             "[[points]]\nnodes = 4\nranks_per_node = 8\nranks = [31, 32]\n"  # fmt: skip
    asks = f'[resources]\nscheduler = "{scheduler}"\njobs = "array"\ntime = "90s"\n'
    sweep = written(tmp_path, build_table("mine", build.folder), points, bench(), asks)
    one, two = (dry(sweep)[f"n{nodes}.{SCHEDULERS[scheduler]}"] for nodes in (2, 4))
    for text in ("--array", "-J 0", "[1-", "$index", "_INDEX", "JOBINDEX"):
        assert text not in one
    assert one.endswith("\ngroup_0\n")
    assert ARRAYS[scheduler] in two.splitlines() and two.endswith('\n"group_$index"\n')
    if scheduler == "lsf":  # whole minutes, and elements have one LSB_JOBID
        assert "#BSUB -W 0:02" in one
        assert "job=${LSB_JOBID}_$LSB_JOBINDEX " in two


def test_an_array_of_pbs_may_be_started_again(tmp_path: Path) -> None:
    tables = (build_table("mine", tmp_path), "[[points]]\nranks = 2\n", bench())
    asks = '[resources]\njobs = "array"\nrequeue = false\nscheduler = "{}"\n'
    with pytest.raises(
        BadInput, match=r"resources\.requeue: false is not legal; .*: true; or jobs"
    ):
        load(written(tmp_path, *tables, asks.format("pbs")).file)
    load(written(tmp_path, *tables, asks.format("slurm")).file)
