# SPDX-License-Identifier: BSD-3-Clause
"""The same under a real Slurm."""

import re
from pathlib import Path

import pytest

from program.support.launch import Build
from program.support.results import read_results

from ..sweeps import bench, build_table, written
from ..test_slurm import on_slurm, openmpi

__all__ = ["openmpi"]

pytestmark = [pytest.mark.slurm, pytest.mark.rest]


@pytest.mark.parametrize("says", ['exec SBATCH "$@"', 'SBATCH "$@" >/dev/null; exit 1'])
def test_the_shell_of_the_user(openmpi: Build, tmp_path: Path, says: str) -> None:
    """Its variables bend neither what is asked for nor what squeue answers; what sbatch says on
    standard error is no number, and if it says none, the job is found by its name."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 2\nranks_per_node = 1\n", bench(),
        '[resources]\ntime = "5m"\nextra = ["--comment=\'a b\' # c"]\n',
    )  # fmt: skip
    printed = on_slurm(
        """
        mkdir "$RESULTS.bin"
        cat >"$RESULTS.bin/sbatch" <<'END'
#!/bin/sh
echo 'sbatch: charged to project 7' >&2
SAYS
END
        sed -i "s|SBATCH|$(command -v sbatch)|" "$RESULTS.bin/sbatch"
        chmod +x "$RESULTS.bin/sbatch"
        mine() {
            PATH=$RESULTS.bin:$PATH SBATCH_TIMELIMIT=1 SBATCH_JOB_NAME=other SBATCH_WAIT=1 \
                SBATCH_ARRAY_INX=0-3 SBATCH_COMMENT=x SQUEUE_STATES=COMPLETED SQUEUE_FORMAT=%j \
                SQUEUE_USERS=nobody agsweep "$@"
        }
        scontrol update PartitionName=main State=DOWN >&2
        mine submit
        mine status || true
        mine resume
        squeue -h --format="is %i %j %l %k"
        scontrol update PartitionName=main State=UP >&2
        finish
        """.replace("SAYS", says),
        sweep,
        hosts=2,
    )
    assert "n2.sbatch: job 1\n" in printed and "waiting 1" in printed
    assert "nothing to submit" in printed
    (line,) = re.findall(r"is .*", printed)
    assert re.fullmatch(r"is 1 test-n2-[0-9a-f]{8} 5:00 a b", line)
    assert read_results(sweep.file_of("n2_p2_sequential_allgather_mine_0.csv.gz")).cases


def test_the_testbed_asks_its_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's shell says of another one."""
    for name in ("SINFO_PARTITION", "SLURM_CLUSTERS", "SBATCH_PARTITION", "SQUEUE_PARTITION"):
        monkeypatch.setenv(name, "other")
    assert on_slurm("srun -N 2 hostname | sort", hosts=2) == "h0\nh1\n"
