# SPDX-License-Identifier: BSD-3-Clause
"""Tests how launches and jobs end that squeue does not have: between two questions, or before a
launch began."""

from pathlib import Path

import pytest

from agsweep import launch_log
from agsweep.launch_log import by_job, command_line, end_line, try_line
from agsweep.results_folder import Folder
from agsweep.sweep.sweep_file import load
from program.support.launch import Build

from ..sweeps import Sweep, bench, build_table, written
from ..test_launch_log import ended_well
from .conftest import Slurm, asked, log

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine_0"
TRY = f"{try_line('2026-11-27T10:00:00Z', by_job('4711', 'h'))}\n{command_line('srun')}\n"
HARMLESS = "srun: cluster configuration lacks support for cpu binding\n"
END = end_line("2026-11-27T10:01:00Z", 0)


def under_way(folder: Path, build: Build) -> Sweep:
    """Its launch has a whole result, and its log no end yet."""
    sweep = asked(folder, build.folder)
    sweep.ok("submit")
    ended_well(sweep, NAME)
    sweep.file_of(f"{NAME}.log").write_text(TRY + HARMLESS)
    return sweep


@pytest.mark.parametrize(
    ("command", "told"),
    [("status", "done 1"), ("resume", "nothing to submit"), ("collect", "1 of 1 launches")],
)
def test_a_launch_that_ends_while_squeue_is_asked(
    build: Build, tmp_path: Path, slurm: Slurm, command: str, told: str
) -> None:
    sweep = under_way(tmp_path, build)
    slurm.squeue(f"echo '{END}' >>{sweep.file_of(NAME)}.log; echo JOBID NAME")
    assert told in sweep.ok(command)
    assert len(slurm.lines("submitted")) == 1


@pytest.mark.parametrize("command", ["status", "resume", "collect"])
def test_a_launch_that_ends_meanwhile_asks_for_more(
    build: Build, tmp_path: Path, slurm: Slurm, command: str
) -> None:
    """Two launches with times that differ are not precise enough."""
    sweep = written(tmp_path, 'launches = 2\nprecision = "5%"', build_table("mine", build.folder),
                    "[[points]]\nranks = 2\n", bench(), '[resources]\ntime = "10m"\n')  # fmt: skip
    sweep.ok("submit")
    ended_well(sweep, NAME)
    last = ended_well(sweep, NAME.replace("_0", "_1"), 19.0)
    last.with_suffix(".log").write_text(TRY)
    slurm.squeue(f"echo '{END}' >>{last.with_suffix('.log')}; echo JOBID NAME")
    printed = sweep.run(command).stdout
    told = {"status": "2 of 3 launches\n", "resume": "job 4712\n", "collect": "2 of 3 launches,"}
    assert told[command] in printed, sweep.run(command).stderr


def test_a_launch_that_begins_while_squeue_is_asked(
    build: Build, tmp_path: Path, slurm: Slurm
) -> None:
    """It is begun by a job that is in no list yet."""
    sweep = under_way(tmp_path, build)
    again = TRY.replace("4711", "4712").strip()
    slurm.squeue(f"cat >>{sweep.file_of(NAME)}.log <<'END'\n{again}\nEND\necho JOBID NAME")
    assert f"running  {NAME} since " in sweep.run("status").stdout
    sweep.file_of(f"{NAME}.log").write_text(TRY)
    assert "nothing to submit" in sweep.ok("resume")


def test_a_launch_that_ends_while_the_owner_of_the_folder_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, without a scheduler."""
    sweep = written(tmp_path, build_table("mine", tmp_path), "[[points]]\nranks = 2\n", bench())
    Folder(sweep.results).begin(load(sweep.file), "auto")
    ended_well(sweep, NAME)
    log_file = sweep.file_of(f"{NAME}.log")
    log_file.write_text(launch_log.began(["mpirun"]))

    def ends(_: Folder) -> str:
        with log_file.open("a") as file:
            file.write(launch_log.ended(0, ""))
        return ""

    monkeypatch.setattr(Folder, "user", ends)
    assert "done 1" in sweep.ok("status")


def test_a_launch_that_is_cut_off(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """A harmless line is no reason; how its job ended is."""
    sweep = under_way(tmp_path, build)
    slurm.forget()
    status = sweep.run("status").stdout
    log_file = sweep.file_of(f"{NAME}.log")
    why = f"failed   {NAME}: cut off; no exit code was noted: see {log_file}; job 4711 ended: "
    assert f"{why}Slurm no longer knows how\n" in status
    assert HARMLESS.strip() not in status
    slurm.program("sacct", "printf 'JobID|State|ExitCode\\n4711|TIMEOUT|0:0\\n'")
    assert f"{why}TIMEOUT, exit code 0:0\n" in sweep.run("status").stdout


ONE = "JobId=4711 JobName=x JobState=FAILED Reason=JobLaunchFailure Dependency=(null)"
KNOWN = {
    "accounts": ("echo 'Welcome 2026'; printf 'JobID|State|ExitCode\\n4711|CANCELLED by 7|0:53\\n'",
                 "exit 1", "CANCELLED by 7, exit code 0:53"),
    "no accounts": ("exit 1", f"echo '{ONE}'", "FAILED (JobLaunchFailure)"),
    "accounts are late": ("printf 'JobID|State|ExitCode\\n4711|RUNNING|0:0\\n'", f"echo '{ONE}'",
                          "FAILED (JobLaunchFailure)"),
    "another job": ("printf 'JobID|State|ExitCode\\n4712|FAILED|1:0\\n'", "exit 1",
                    "Slurm no longer knows how"),
    "forgotten": ("exit 1", "exit 1", "Slurm no longer knows how"),
}  # fmt: skip


@pytest.mark.parametrize("known", KNOWN)
def test_a_job_that_ended_before_its_launches_began(
    build: Build, tmp_path: Path, slurm: Slurm, known: str
) -> None:
    """All commands say how; resume says so and submits again."""
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    slurm.forget()
    sacct, scontrol, end = KNOWN[known]
    slurm.program("sacct", sacct)
    slurm.program("scontrol", scontrol)
    why = f"{NAME}: job 4711 ended: {end}, before this launch began"
    status = sweep.run("status")
    assert status.exit_code == 3
    assert "missing 1" in status.stdout and f"missing  {why}\n" in status.stdout
    output = sweep.results / "jobs" / "test-n1.4711.out"
    output.write_text("cannot open\n")
    assert f"missing  {why}; see {output}\n" in sweep.run("status").stdout
    ended = sweep.run("resume")
    assert ended.exit_code == 0 and "job 4712" in ended.stdout
    assert ended.stderr == f"note: {why}; see {output}; submitted again\n"
    assert "waiting 1" in sweep.run("status").stdout


def test_elements_that_ended_before_they_began(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """Each has an end of its own; those that ended alike are told in a line."""
    slurm.sbatch("echo $number")
    sweep = asked(tmp_path, build.folder, 'jobs = "array"', "ranks = [2, 3, 4]")
    sweep.ok("submit")
    row = ONE.replace("JobId=4711", "JobId={} ArrayJobId=4711 ArrayTaskId={}")
    slurm.program("scontrol", f"echo '{row.format(4711, 2)}'; echo '{row.format(4712, 0)}'")
    status = sweep.run("status").stdout
    assert f"missing  {NAME}: job 4711_0 ended: FAILED (JobLaunchFailure), before" in status
    forgotten = NAME.replace("p2", "p3")
    assert f"missing  {forgotten}: job 4711_1 ended: Slurm no longer knows how, before" in status
    assert "missing 3" in status


def test_many_launches_of_a_job_are_told_in_a_line(
    build: Build, tmp_path: Path, slurm: Slurm
) -> None:
    sweep = asked(tmp_path, build.folder, "", "ranks = [2, 3, 4]")
    sweep.ok("submit")
    slurm.forget()
    lines = sweep.run("status").stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("missing  ")]
    assert line.endswith("before this launch began (and 2 more: --all)")
    assert len([x for x in sweep.run("status", "--all").stdout.splitlines() if "4711" in x]) == 3


def test_whether_slurm_took_a_job_is_not_known(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    slurm.sbatch("exit 1")
    sweep = asked(tmp_path, build.folder)
    assert sweep.run("submit").exit_code == 2
    status = sweep.run("status").stdout
    assert f"missing  {NAME}: sbatch told no number of its job test-n1-" in status


def test_slurm_that_is_of_no_cluster(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """Its programs are installed, and say so in four lines."""
    fatal = "fatal: Could not establish a configuration source"
    lines = [
        "error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host",
        "error: fetch_config: DNS SRV lookup failed",
        "error: _establish_config_source: failed to fetch config", fatal,
    ]  # fmt: skip
    for name in ("sbatch", "srun", "squeue"):
        slurm.program(name, "\n".join(f"echo '{name}: {x}' >&2" for x in lines) + "\nexit 1")
    for more in ("", 'mpi = "pmix"'):
        sweep = asked(tmp_path, build.folder, more)
        ended = sweep.run("submit")
        assert ended.exit_code == 2
        assert ended.stderr == (
            f"agsweep: error: squeue: {fatal}; "
            "legal: on a login node of a Slurm cluster, or --dry-run\n"
        )
        assert not sweep.results.exists()
    sweep.ok("submit", "--dry-run")


def test_the_log_of_a_try_before(build: Build, tmp_path: Path, slurm: Slurm) -> None:
    """A failure that has its exit code needs no word of Slurm's."""
    sweep = asked(tmp_path, build.folder)
    sweep.ok("submit")
    slurm.forget()
    log(sweep, NAME, f"{TRY}allgather_bench: no\n{end_line('now', 2)}\n")
    assert f"failed   {NAME}: exit code 2: allgather_bench: no\n" in sweep.run("status").stdout
