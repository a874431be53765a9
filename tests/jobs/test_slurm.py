# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts under a real Slurm, on hosts of jobs/testbed/slurm_here.py."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from program.support.cluster import UNABLE
from program.support.folders import ROOT
from program.support.launch import IMPATIENT, Build
from program.support.results import read_results

from .sweeps import PYTHONPATH, Sweep, agreport, bench, build_table, written

pytestmark = [pytest.mark.slurm, pytest.mark.rest]

SLURM_HERE = ROOT / "jobs" / "testbed" / "slurm_here.py"
DEADLINE_S = 400.0
# Some steps of Debian's Open MPI 4.1.4 crash here as they start under srun (one in ten to thirty,
# before the benchmark says anything). A user resumes then, and so do these scripts.
FUNCTIONS = """
agsweep() { "$PYTHON" -m agsweep.main "$1" "$SWEEP" --results "$RESULTS" "${@:2}"; }
ended() { until [ -z "$(squeue -h)" ]; do sleep 0.2; done; }
finish() {
    ended
    for _ in 1 2 3 4 5 6; do
        agsweep status >"$RESULTS/status" && return
        agsweep resume
        ended
    done
}
"""


def on_slurm(script: str, sweep: Sweep | None = None, hosts: int = 4) -> str:
    """Returns what a script prints on a host of a cluster with Slurm; skips where there can be
    none."""
    names = {"PYTHON": sys.executable, "PYTHONPATH": PYTHONPATH}
    if sweep:
        names |= {"SWEEP": str(sweep.file), "RESULTS": str(sweep.results)}
    done = subprocess.run(
        [sys.executable, str(SLURM_HERE), str(hosts), "--", "bash", "-euc", FUNCTIONS + script],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, **IMPATIENT, **names}, timeout=DEADLINE_S,
    )  # fmt: skip
    if done.returncode == UNABLE:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("command", "exit_code", "told"),
    [
        ("no-such-program", 127, "no-such-program: not found"),
        ("sh -c 'kill -TERM $$'", 143, ""),
        # As a terminal does, to all processes of its group but for the hosts.
        ("sh -c 'trap \"exit 9\" INT; kill -INT 0; while :; do sleep 0.1; done'", 9, ""),
    ],
)
def test_exit_codes_of_commands(command: str, exit_code: int, told: str) -> None:
    words = [sys.executable, str(SLURM_HERE), "1", "--", *shlex.split(command)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=DEADLINE_S,
        start_new_session=True,
    )  # fmt: skip
    if done.returncode == UNABLE:
        pytest.skip(done.stderr.strip())
    assert done.returncode == exit_code, done.stderr
    assert "Traceback" not in done.stderr and told in done.stderr


@pytest.fixture
def openmpi(build: Build) -> Build:
    if "mpich" in build.cached("GATHERBENCH_MPIEXEC"):
        pytest.skip("the build under test is not of Open MPI")
    return build


def test_mappings_arrive(openmpi: Build, tmp_path: Path) -> None:
    """5 ranks on 4 hosts of 2: filled one after the other, or dealt out; and what was kept."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 4\nranks_per_node = 2\nranks = 5\n"
        'mappings = ["sequential", "cyclic"]\n',
        bench(), '[resources]\ntime = "5m"\njobs = "array"\n',
    )  # fmt: skip
    printed = on_slurm(
        """
        scontrol update PartitionName=main State=DOWN
        agsweep submit
        agsweep status || true
        scontrol update PartitionName=main State=UP
        finish
        agsweep collect
        """,
        sweep,
    )
    assert "done 0  running 0  waiting 2" in printed
    name = "n4_p5_{}_allgather_mine_0.csv.gz"
    for mapping, hosts, each in (
        ("sequential", "h0,h1,h2", "2,2,1"),
        ("cyclic", "h0,h1,h2,h3", "2,1,1,1"),
    ):
        found = read_results(sweep.file_of(name.format(mapping)))
        assert found.metadata["hosts"] == hosts
        assert found.metadata["ranks_per_node"] == each
        assert {row["mapping"] for row in found.rows} == {mapping}
        (entry,) = [e for e in sweep.manifest()["files"] if e["mapping"] == mapping]
        assert (entry["hosts"], entry["nodes"]) == (hosts, 4)
    kept = "".join(path.read_text() for path in (sweep.results / "jobs").glob("*.environment"))
    assert "h0\nh1\nh2\nh3\n" in kept
    assert "SLURM_JOB_NUM_NODES=4" in kept


def test_more_ranks_than_cores(openmpi: Build, tmp_path: Path) -> None:
    """5 ranks on 2 hosts of 2 cores: Slurm grants 4 tasks. Both fill, then the first again."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 2\ncores = 2\nranks_per_node = 4\nranks = 5\n"
        'mappings = ["sequential", "cyclic"]\n',
        bench(), '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    on_slurm("agsweep submit; finish", sweep)
    for mapping in ("sequential", "cyclic"):
        found = read_results(sweep.file_of(f"n2_p5_{mapping}_allgather_mine_0.csv.gz"))
        assert found.metadata["ranks_per_node"] == "3,2"
        assert found.metadata["oversubscribed"] == "yes"
        assert {row["mapping"] for row in found.rows} == {mapping}


def test_time_limit_and_resume(openmpi: Build, tmp_path: Path) -> None:
    """More cases than a minute holds, Slurm's shortest limit. SIGTERM comes before it, the file
    ends with a case, and the next job goes on. A first job that crashed as it started left no
    case (see above), and is resumed until one has begun to measure."""
    name = "n4_p4_sequential_allgather_mine_0"
    sizes = ",".join(map(str, range(1, 13)))
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 4\nranks_per_node = 1\n",
        bench(f'sizes = "{sizes}"\nalgorithms = "ring"\niterations = 10000000\nwarmup = 0\n'
              'max-time = "5s"\n'), '[resources]\ntime = "1m"\nsignal = "10s"\n',
    )  # fmt: skip
    on_slurm(
        """
        agsweep submit
        ended
        for _ in 1 2 3 4 5 6; do
            zgrep -q '^#@case_end=' "$RESULTS/launches/NAME.csv.gz" && break
            agsweep resume
            ended
        done
        cp -r "$RESULTS" "$RESULTS.first"
        agsweep status >"$RESULTS.first/status" || true
        finish
        agsweep collect
        """.replace("NAME", name),
        sweep,
    )
    first = Path(f"{sweep.results}.first")
    before = read_results(first / "launches" / f"{name}.csv.gz")
    status = (first / "status").read_text()
    assert 1 <= len(before.cases) < 12
    # Whose words arrive is left open: the first rank that ends lets srun kill rank 0, which may not
    # have spoken yet, and srun itself may be gone before rank 0 writes (SIGPIPE, 141).
    assert re.search(rf"failed +{name}: exit code (143|141|137)\b", status), status
    after = read_results(sweep.file_of(f"{name}.csv.gz"))
    assert len(after.cases) == 12
    assert after.rows[: len(before.rows)] == before.rows
    assert after.resumed >= 1
    assert sorted((sweep.results / "jobs").glob("n4*.sbatch"))[1:], "one script a submission"
    assert "ring" in agreport("summary", str(sweep.results / "dataset"))


def test_requeued(openmpi: Build, tmp_path: Path) -> None:
    """A scheduler does so for a job of more urgency: the same job goes on with the same file."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 2\nranks_per_node = 1\n",
        bench('sizes = "1,2,3,4,5,6"\nalgorithms = "ring"\niterations = 10000000\nwarmup = 0\n'
              'max-time = "2s"\n'), '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    name = "n2_p2_sequential_allgather_mine_0.csv.gz"
    on_slurm(
        f"""
        agsweep submit
        until [ "$(zgrep -c '^#@case_end=' "$RESULTS/launches/{name}")" -ge 2 ]; do
            [ -n "$(squeue -h)" ] || agsweep resume
            sleep 0.2
        done
        cp "$RESULTS/launches/{name}" "$RESULTS.before.gz"
        job=$(squeue -h -o %i)
        scontrol requeue "$job"
        until [ "$(squeue -h -o %T)" = PENDING ]; do sleep 0.2; done
        scontrol update JobId="$job" StartTime=now
        finish
        """,
        sweep,
        hosts=2,
    )
    before, after = (
        read_results(Path(f"{sweep.results}.before.gz")),
        read_results(sweep.file_of(name)),
    )
    assert 2 <= len(before.cases) < 6 == len(after.cases)
    finished = [row for row in before.rows if row["bytes"] in ("1", "2")]
    assert finished and after.rows[: len(finished)] == finished
    assert after.resumed >= 1


def test_duet_of_two_steps(openmpi: Build, tmp_path: Path) -> None:
    """Two overlapping steps of one job, on the same hosts."""
    sweep = written(
        tmp_path, 'pairing = "duet"', build_table("mine", openmpi.folder),
        build_table("other", openmpi.folder, 'environment.OMPI_MCA_coll = "^tuned"\n'),
        "[[points]]\nnodes = 2\nranks_per_node = 1\n", bench(), '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    on_slurm("agsweep submit\nfinish", sweep, hosts=2)
    mine, other = (
        read_results(sweep.file_of(f"n2_p2_sequential_allgather_{build}_0.csv.gz")).metadata
        for build in ("mine", "other")
    )
    assert mine["duet_pair"] == other["duet_pair"]
    assert mine["hosts"] == other["hosts"] == "h0,h1"
    assert mine["env.SLURM_JOB_ID"] == other["env.SLURM_JOB_ID"]
    assert mine["env.SLURM_STEP_ID"] != other["env.SLURM_STEP_ID"]
    assert other["env.OMPI_MCA_coll"] == "^tuned"
    assert "env.OMPI_MCA_coll" not in mine


def test_mpirun_in_a_job(openmpi: Build, tmp_path: Path) -> None:
    sweep = written(
        tmp_path, 'launcher = "openmpi"', build_table("mine", openmpi.folder),
        '[[points]]\nnodes = 2\nranks_per_node = 2\nmappings = ["sequential", "cyclic"]\n', bench(),
        '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    # jobs/testbed/hosts_here.py sets these for mpirun without Slurm.
    on_slurm("unset ${!OMPI_MCA_plm*} ${!OMPI_MCA_orte*}\nagsweep submit\nfinish", sweep, hosts=2)
    assert "#SBATCH --signal=B:TERM@60" in (sweep.results / "jobs" / "n2.sbatch").read_text()
    for mapping in ("sequential", "cyclic"):
        found = read_results(sweep.file_of(f"n2_p4_{mapping}_allgather_mine_0.csv.gz"))
        assert found.metadata["hosts"] == "h0,h1"
        assert {row["mapping"] for row in found.rows} == {mapping}


def test_the_script_that_works_alone(openmpi: Build, tmp_path: Path) -> None:
    """jobs/slurm/allgather.sbatch, with its three lines edited; requeued, it goes on."""
    text = (ROOT / "jobs" / "slurm" / "allgather.sbatch").read_text()
    for old, new in (
        (r"--nodes=4 --ntasks-per-node=8 --time=01:00:00", "--nodes=2 --ntasks-per-node=1 -t 5"),
        (r"build=.*", f"build={openmpi.folder}"),
        (r"options=.*", "options=(--algorithms ring --sizes 1,1K -i 3)"),
    ):
        text, count = re.subn(old, new, text)
        assert count == 1
    (tmp_path / "mine.sbatch").write_text(text)
    on_slurm(
        f"""
        cd {tmp_path}
        for _ in 1 2 3 4 5 6; do sbatch --wait mine.sbatch && break; done
        for _ in 1 2 3 4 5 6; do sbatch --wait mine.sbatch && break; done
        """,
        hosts=2,
    )
    found = read_results(tmp_path / "allgather-2nodes-2ranks.csv")
    assert len(found.cases) == 2


def test_submitted_twice(openmpi: Build, tmp_path: Path) -> None:
    """It is submitted at once, and in turn: one job has the launch, whichever submission came
    first."""
    sweep = written(
        tmp_path, build_table("mine", openmpi.folder),
        "[[points]]\nnodes = 2\nranks_per_node = 1\n", bench(), '[resources]\ntime = "5m"\n',
    )  # fmt: skip
    printed = on_slurm(
        """
        scontrol update PartitionName=main State=DOWN >&2
        agsweep submit 2>&1 & agsweep submit 2>&1 & wait
        agsweep submit 2>&1 || true
        agsweep resume
        echo "jobs: $(squeue -h | wc -l)"
        scontrol update PartitionName=main State=UP >&2
        finish
        """,
        sweep,
        hosts=2,
    )
    assert printed.count(": job ") == 1, printed
    assert "jobs: 1\n" in printed
    assert "is under way there; legal: agsweep resume" in printed
    assert "nothing to submit" in printed
    assert read_results(sweep.file_of("n2_p2_sequential_allgather_mine_0.csv.gz")).cases
