# SPDX-License-Identifier: BSD-3-Clause
"""Variables of the user's shell bend neither what Slurm is asked for nor what it answers."""

from pathlib import Path

import pytest

from agsweep.queue import cluster_of
from program.support.launch import Build

from .conftest import Slurm, asked

SLURM_JUST = {"SLURM_CONF": "/etc/slurm/slurm.conf"}
SQUEUE = {
    "SQUEUE_FORMAT": "%j", "SQUEUE_STATES": "RUNNING", "SQUEUE_USERS": "root",
    "SQUEUE_PARTITION": "other", "SQUEUE_ACCOUNT": "other", "SLURM_CLUSTERS": "",
}  # fmt: skip
SBATCH = {
    "SBATCH_TIMELIMIT": "1", "SBATCH_JOB_NAME": "other", "SBATCH_ACCOUNT": "abc",
    "SBATCH_ARRAY_INX": "0-7", "SBATCH_WAIT": "1", "SBATCH_EXCLUSIVE": "", "SBATCH_OVERCOMMIT": "",
    "SBATCH_WAIT4SWITCH": "5",
}  # fmt: skip


@pytest.mark.slow
def test_variables(
    build: Build, tmp_path: Path, slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**SLURM_JUST, **SQUEUE, **SBATCH}.items():
        monkeypatch.setenv(name, value)
    sweep = asked(tmp_path, build.folder, "exclusive = false\nextra = [\"--comment='a b' # c\"]")
    ended = sweep.run("submit")
    assert ended.exit_code == 0, ended.stderr
    (words,) = slurm.lines("submitted")
    for word in ("--parsable", "--time=0:10:00", "--nodes=1", "--requeue", "--comment=a b"):
        assert f"{word} " in words
    assert words.rindex("--job-name=test-n1-") > words.index("--job-name=test-n1 ")
    assert "# c" not in words and "exclusive" not in words
    # The user's variables hold where the sweep file says nothing, and are told.
    got = slurm.environment("sbatch")
    assert {name for name in got if name.startswith("SBATCH_")} == {
        "SBATCH_ACCOUNT", "SBATCH_JOB_NAME", "SBATCH_TIMELIMIT", "SBATCH_WAIT4SWITCH",
    }  # fmt: skip
    assert (
        "note: what the sweep file does not say, sbatch takes from SBATCH_ACCOUNT, " in ended.stderr
    )
    assert "waiting 1" in sweep.run("status").stdout
    got = slurm.environment("squeue")
    assert not SQUEUE.keys() & got.keys() and SLURM_JUST.items() <= got.items()


@pytest.mark.slow
def test_clusters(
    build: Build, tmp_path: Path, slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job is asked for where it was submitted, whatever the shell says by then."""
    monkeypatch.setenv("SLURM_CLUSTERS", "a,b")
    slurm.sbatch('enqueue; echo "$number;b"')
    slurm.squeue(
        "echo CLUSTER: b; echo JOBID NAME; if [[ $* == *--clusters=b* ]]; then cat queue; fi"
    )
    sweep = asked(tmp_path, build.folder)
    assert "job 4711\n" in sweep.ok("submit")
    assert "--clusters=a,b " in slurm.lines("submitted")[0]
    monkeypatch.setenv("SLURM_CLUSTERS", "c")
    status = sweep.run("status").stdout
    assert "waiting 1" in status
    assert [word for line in slurm.lines("asked") for word in line.split() if "clusters" in word]
    assert "nothing to submit" in sweep.ok("resume")


@pytest.mark.parametrize(
    ("words", "cluster"),
    [
        (["--time=1", "--clusters=x"], "x"), (["--clusters", "x"], "x"), (["-M", "x,y"], "x,y"),
        (["-Mx"], "x"), (["-M", "x", "--clusters=y"], "y"), (["--time=1"], "shell"), ([], "shell"),
    ],
)  # fmt: skip
def test_the_script_says_the_cluster_or_the_shell(
    monkeypatch: pytest.MonkeyPatch, words: list[str], cluster: str
) -> None:
    monkeypatch.setenv("SLURM_CLUSTERS", "shell")
    assert cluster_of(words) == cluster
    monkeypatch.delenv("SLURM_CLUSTERS")
    monkeypatch.delenv("SBATCH_CLUSTERS", raising=False)
    assert cluster_of([]) == ""
