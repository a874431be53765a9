# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm's programs print is not all an answer, and no answer is not `no job`: whatever they
say, no launch is submitted while a job may have it."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from agsweep import launch_log
from program.support.launch import Build

from ..sweeps import PYTHONPATH, Sweep
from .conftest import Slurm, asked, log

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine_0"
TIMED_OUT = "Socket timed out on send/recv operation"


def numbers(sweep: Sweep) -> list[str]:
    """Returns the numbers on record."""
    lines = (sweep.results / "jobs" / "submitted.jsonl").read_text().splitlines()
    return [json.loads(line)["number"] for line in lines]


def check_it_waits(sweep: Sweep, slurm: Slurm) -> None:
    """Once submitted, the launch is not submitted again."""
    assert "waiting 1" in sweep.run("status").stdout
    assert "nothing to submit" in sweep.ok("resume")
    assert len(slurm.lines("submitted")) == 1


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ("echo $number; echo 'sbatch: Job is charged to project abc123' >&2", "abc123"),
        ("echo Welcome to cluster 9; echo $number; echo; echo 'Have a nice day 2026'", ""),
        ("echo 'sbatch: no partition, taking default partition 1' >&2; echo \"$number;here\"", "1"),
        ("printf 'Bonjour \\xe0 tous\\n'; echo $number", ""),
    ],
    ids=["stderr", "banners", "cluster", "latin-1"],
)
def test_the_number_of_a_job(
    build: Build, tmp_path: Path, slurm: Slurm, answers: str, told: str
) -> None:
    slurm.sbatch(f"enqueue; {answers}")
    sweep = asked(tmp_path, build.folder)
    ended = sweep.run("submit")
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.endswith("n1.sbatch: job 4711\n")
    assert told in ended.stderr, "what sbatch tells the user"
    assert numbers(sweep) == ["", "4711"], "the job is on record before it is submitted, too"
    check_it_waits(sweep, slurm)


@pytest.mark.parametrize(
    "answers",
    [
        f"enqueue; echo 'sbatch: error: {TIMED_OUT}' >&2; exit 1",
        "enqueue; echo Submitted batch job $number, good luck",
        "enqueue; echo 2026; echo $number",
        "enqueue",
    ],
    ids=["timed out", "no number", "two numbers", "nothing"],
)
def test_a_job_is_found_by_its_name(
    build: Build, tmp_path: Path, slurm: Slurm, answers: str
) -> None:
    slurm.sbatch(answers)
    sweep = asked(tmp_path, build.folder)
    ended = sweep.run("submit")
    assert ended.exit_code == 0, ended.stderr
    assert "n1.sbatch: job 4711\n" in ended.stdout
    assert "squeue has the job, by its name test-n1-" in ended.stderr
    check_it_waits(sweep, slurm)


def test_a_job_that_comes_late(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """Neither sbatch nor squeue tells of it at first."""
    slurm.sbatch(f"echo 'sbatch: error: {TIMED_OUT}' >&2; echo $number $name >late; exit 1")
    sweep = asked(tmp_path, build.folder)
    ended = sweep.run("submit")
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert TIMED_OUT in ended.stderr and "should it come late, agsweep status tells" in ended.stderr
    assert "missing 1" in sweep.run("status").stdout
    (slurm.folder / "late").rename(slurm.folder / "queue")
    assert "waiting 1" in sweep.run("status").stdout
    again = sweep.run("submit")
    assert again.exit_code == 2 and "is under way there; legal: agsweep resume" in again.stderr
    check_it_waits(sweep, slurm)
    kept = sweep.file.read_text()
    sweep.file.write_text(f"{kept}# changed\n")
    again = sweep.run("submit")
    assert again.exit_code == 2 and "another version" in again.stderr
    assert (sweep.results / "sweep.toml").read_text() == kept


def test_who_submits_meanwhile_changes_nothing(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """A second agsweep, with another version of the file, while sbatch works for the first."""
    other = tmp_path / "other" / "test.toml"
    second = f"submit {other} --results {tmp_path}/results --note of=second"
    slurm.sbatch(f"PYTHONPATH={PYTHONPATH} {sys.executable} -m agsweep.main {second} 2>second\n"
                 "echo $? >code; enqueue; echo $number")  # fmt: skip
    sweep = asked(tmp_path, build.folder)
    other.parent.mkdir()
    other.write_text(f"{sweep.file.read_text()}# changed\n")
    sweep.ok("submit", "--note", "of=first")
    assert slurm.lines("code") == ["2"]
    (line,) = slurm.lines("second")
    assert "in use by process " in line
    assert (sweep.results / "notes").read_text() == "of=first\n"
    assert (sweep.results / "sweep.toml").read_text() == sweep.file.read_text()
    check_it_waits(sweep, slurm)


def test_jobs_have_hosts_of_their_own(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    (tmp_path / "hosts").write_text("h\n")
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    slurm.forget()
    ended = sweep.run("resume", "--hostfile", str(tmp_path / "hosts"))
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert f"--hostfile: '{tmp_path}/hosts' does not go with {sweep.results}, " in ended.stderr
    assert "; legal: a sweep that run began" in ended.stderr
    assert len(slurm.lines("submitted")) == 1


def test_neither_answers(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    slurm.sbatch(f"enqueue; echo 'sbatch: error: {TIMED_OUT}' >&2; exit 1")
    slurm.squeue("exit 1")
    sweep = asked(tmp_path, build.folder)
    ended = sweep.run("submit")
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert "is there a job test-n1-" in ended.stderr
    assert sweep.run("submit").exit_code == 2
    assert len(slurm.lines("submitted")) == 1, "nothing is known, so nothing is submitted"


def test_what_slurm_refuses_may_be_mended(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """There is no job, so the sweep has not begun, and its file may change."""
    slurm.sbatch("echo 'sbatch: error: Invalid account' >&2; exit 1")
    sweep = asked(tmp_path, build.folder)
    ended = sweep.run("submit")
    assert ended.exit_code == 2
    assert "sbatch: sbatch: error: Invalid account; squeue has no job test-n1-" in ended.stderr
    slurm.sbatch()
    sweep = asked(tmp_path, build.folder, 'account = "abc"')
    assert "n1.2.sbatch: job 4712" in sweep.ok("submit")


def test_elements_of_an_array(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """One of three has ended, another begins; sbatch did not tell the number."""
    slurm.sbatch("for i in 0 1 2; do echo ${number}_$i $name; done >queue; exit 1")
    sweep = asked(tmp_path, build.folder, 'jobs = "array"', "ranks = [2, 3, 4]")
    assert "job 4711\n" in sweep.ok("submit")
    (slurm.folder / "queue").write_text("\n".join(slurm.lines("queue")[1:]) + "\n")
    log(sweep, NAME, f"{launch_log.try_line('then', launch_log.by_job('4711_0', 'h'))}\n")
    log(sweep, NAME.replace("p2", "p4"),
        f"{launch_log.try_line('then', launch_log.by_job('4711_2', 'h'))}\n")  # fmt: skip
    status = sweep.run("status").stdout
    assert "running 1  waiting 1  failed 1" in status
    assert f"failed   {NAME}: cut off" in status


def test_a_result_that_is_gone(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """Its launch is submitted again, once."""
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    slurm.forget()
    begun = launch_log.try_line("then", launch_log.by_job("4711", "h"))
    log(sweep, NAME, f"{begun}\n{launch_log.ended(0, '')}")
    assert f"failed   {NAME}: it ended well, but its result is gone" in sweep.run("status").stdout
    assert "job 4712\n" in sweep.ok("resume")
    assert "waiting 1  failed 0" in sweep.run("status").stdout
    assert "nothing to submit" in sweep.ok("resume")


SILENT = {
    "timed out, exit code 0": (f"echo 'slurm_load_jobs error: {TIMED_OUT}' >&2", TIMED_OUT),
    "timed out": (f"echo 'slurm_load_jobs error: {TIMED_OUT}' >&2; exit 1", TIMED_OUT),
    "nothing": ("exit 0", "squeue: exit code 0"),
    "wrapper": ("echo 'JOBID PARTITION NAME ST'", "JOBID PARTITION NAME ST"),
    "another language": ("echo AUFTRAG NAME; cat queue", "AUFTRAG NAME"),
    "one of two clusters": (f"echo JOBID NAME; echo 'squeue: error: {TIMED_OUT}' >&2", TIMED_OUT),
    "elements as one": ("echo JOBID NAME; echo '4711_[0-3%2] x'", "squeue lists 4711_[0-3%2]"),
    "heterogeneous": ("echo JOBID NAME; echo 4711+0 x", "squeue lists 4711+0"),
}


@pytest.mark.parametrize("silent", SILENT)
def test_no_answer_is_not_no_job(build: Build, tmp_path: Path, slurm: Slurm, silent: str) -> None:
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    answers, told = SILENT[silent]
    slurm.squeue(answers)
    ended = sweep.run("status")
    assert ended.exit_code == 3
    assert "missing 0  unknown 1\n" in ended.stdout
    assert f"unknown  {NAME}: " in ended.stdout
    assert told in ended.stdout
    ended = sweep.run("resume")
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert "is unknown" in ended.stderr and told in ended.stderr
    assert len(slurm.lines("submitted")) == 1
    assert sorted(path.name for path in (sweep.results / "jobs").glob("*.sbatch")) == ["n1.sbatch"]


def test_a_list_that_is_set_in_columns(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    slurm.squeue("echo '2 jobs of 12'; { echo JOBID NAME; cat queue; } | sed 's/ /    /; s/^/  /'")
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    check_it_waits(sweep, slurm)


def test_other_jobs_are_passed_over(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """Parts of a heterogeneous job in a list, none of which agsweep submits."""
    slurm.squeue("echo JOBID NAME; echo 9000+0 other; echo '9001_[1-3] other'; cat queue")
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    check_it_waits(sweep, slurm)


def test_jobs_that_are_gone(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """An empty list is an answer, whatever stands around it."""
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    slurm.squeue("echo '*** maintenance on Monday ***'; echo 'JOBID NAME'; echo 'hm' >&2")
    assert "missing 1" in sweep.run("status").stdout
    assert "n1.2.sbatch: job 4712" in sweep.ok("resume")


def test_without_squeue(
    build: Build, tmp_path: Path, slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results that were copied to a laptop: two jobs, and one has ended."""
    sweep = asked(tmp_path, build.folder, "", "nodes = [1, 2]\nranks_per_node = 1")
    sweep.ok("submit")
    launch = NAME.replace("p2", "p1")
    log(sweep, launch, launch_log.began(["true"]) + launch_log.ended(0, ""))
    ran = build.run("allgather_bench", "--algorithms", "ring", "--sizes", "1", "-i", "1",
                    "--output", str(sweep.file_of(f"{launch}.csv")), ranks=1)  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "sh", "env"):
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(programs))
    sweep.ok("plan")
    ended = sweep.run("status")
    assert ended.exit_code == 3
    assert "done 1  running 0  waiting 0  failed 0  missing 0  unknown 1" in ended.stdout
    assert "not asked, there is no squeue on the PATH" in ended.stdout
    sweep.ok("collect")
    (missing,) = sweep.manifest()["missing"].values()
    assert missing == "not asked, there is no squeue on the PATH"
    for command in ("resume", "submit"):
        assert sweep.run(command).exit_code == 2


def test_a_launch_that_failed_and_waits_again(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """It is not submitted a third time."""
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    log(sweep, NAME, f"{launch_log.try_line('then', launch_log.by_job('4711', 'h'))}\n"
        + launch_log.ended(1, ""))  # fmt: skip
    assert "failed 1" in sweep.run("status").stdout
    assert "nothing to submit" in sweep.ok("resume"), "its job is there, and may be requeued"
    slurm.forget()
    assert "job 4712" in sweep.ok("resume")
    assert "waiting 1  failed 0" in sweep.run("status").stdout
    assert "nothing to submit" in sweep.ok("resume")
    assert len(slurm.lines("submitted")) == 2


def test_a_script_that_was_submitted_by_hand(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit", "--dry-run")
    log(sweep, NAME, f"{launch_log.try_line('then', launch_log.by_job('99', 'h'))}\n")
    (slurm.folder / "queue").write_text("99 test-n1\n")
    assert "running 1" in sweep.run("status").stdout
    assert "nothing to submit" in sweep.ok("resume")
