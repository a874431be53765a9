# SPDX-License-Identifier: BSD-3-Clause
"""The same under a real Slurm."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from program.support.launch import Build
from program.support.results import read_results

from ..sweeps import Sweep, bench, build_table, written
from ..test_slurm import SLURM_HERE, on_slurm, openmpi

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


def test_a_folder_with_a_percent_sign(openmpi: Build, tmp_path: Path) -> None:
    """Slurm read %j in it as the number of the job, and the job ended before it began. Such a job
    is told, too: here the folder of its output is gone."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 2\nranks_per_node = 1\n", bench(), '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    results = tmp_path / "50%jobs a'b"
    printed = on_slurm(
        """
        scontrol update PartitionName=main State=DOWN >&2
        agsweep submit
        mv "$RESULTS/jobs" "$RESULTS/away"
        scontrol update PartitionName=main State=UP >&2
        ended
        mv "$RESULTS/away" "$RESULTS/jobs"
        agsweep status || true
        agsweep resume 2>&1
        finish
        """,
        Sweep(sweep.file, results),
        hosts=2,
    )
    name = "n2_p2_sequential_allgather_mine_0"
    why = f"{name}: job 1 ended: FAILED (JobLaunchFailure), before this launch began"
    assert f"missing  {why}\n" in printed, printed
    assert f"note: {why}; submitted again\n" in printed
    assert read_results(results / "launches" / f"{name}.csv.gz").cases
    assert (results / "jobs" / "test-n2.2.out").is_file()


def test_the_testbed_asks_its_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's shell says of another one."""
    for name in ("SINFO_PARTITION", "SLURM_CLUSTERS", "SBATCH_PARTITION", "SQUEUE_PARTITION"):
        monkeypatch.setenv(name, "other")
    assert on_slurm("srun -N 2 hostname | sort", hosts=2) == "h0\nh1\n"


@pytest.mark.parametrize("name", ["a b", "50%j", "a$b", 'a"b'])
def test_the_testbed_refuses_folders_that_its_programs_misread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    done = subprocess.run(
        [sys.executable, str(SLURM_HERE), "1", "--", "true"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"hosts_here: TMPDIR: {str(folder)!r} is not legal; legal: ")
