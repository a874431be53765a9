# SPDX-License-Identifier: BSD-3-Clause
"""What is written into the log of a launch is what is read from it, and so is whose a folder is.
A log that tells of a good end is not enough: the result has to be there, and of the point."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep import launch_log
from agsweep.launchers import kind_of
from agsweep.results_folder import Folder
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import load
from program.support.launch import Build
from reports.conftest import HEADER, METADATA, lines

from .sweeps import Sweep, bench, build_table, written

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine_0"


def test_what_agsweep_writes(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("before all tries\n" + launch_log.began(["mpirun", "-n", "2", "a b"]))
    (last,) = launch_log.tries(log)
    assert (last.by, last.exit_code, last.seconds) == (launch_log.this_process(), None, None)
    with log.open("a") as file:
        file.write("allgather_bench: no\n" + launch_log.ended(3, "agsweep got SIGTERM"))
        file.write(launch_log.began(["true"]) + launch_log.ended(0, ""))
    first, last = launch_log.tries(log)
    assert (first.exit_code, first.why, first.said) == (
        3, "agsweep got SIGTERM", ["allgather_bench: no"],
    )  # fmt: skip
    assert first.reason == "exit code 3, agsweep got SIGTERM: allgather_bench: no"
    assert (last.exit_code, last.why, last.said, last.job) == (0, "", [], "")
    assert last.seconds is not None and last.seconds >= 0


def test_what_job_scripts_write(build: Build, tmp_path: Path) -> None:
    """A job script without its scheduler; the third time there is nothing left to do, until the
    result is moved away, or a later try is cut off. Words that are no text change nothing."""
    mpirun = [build.cached("GATHERBENCH_MPIEXEC"), "--version"]
    kind = kind_of(subprocess.run(mpirun, capture_output=True, text=True, check=True).stdout)
    sweep = written(tmp_path, f'launcher = "{kind}"', build_table("mine", build.folder),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    sweep.ok("submit", "--dry-run")
    script = sweep.results / "jobs" / "n1.sbatch"
    script.write_text(script.read_text().replace("build_0() {", "build_0() { ${FAIL:-:};"))
    log = sweep.file_of(f"{NAME}.log")
    tries = (("exit 7", 7, 1), ("", 0, 2), ("", 0, 2), ("", 0, 3), ("", 0, 5), ("", 0, 5))
    for number, (fail, exit_code, count) in enumerate(tries):
        with log.open("ab") as file:
            file.write(b"\0\xff\n" * (number == 2))
            cut_off = launch_log.try_line("2026-01-01T00:00:00Z", launch_log.by_job("4710", "h"))
            file.write(f"{cut_off}\n".encode() * (number == 4))
        if number == 3:
            sweep.file_of(f"{NAME}.csv.gz").rename(tmp_path / "away.csv.gz")
        environment = {**os.environ, "SLURM_JOB_ID": "4711", "FAIL": fail}
        subprocess.run(["bash", script], check=False, capture_output=True, env=environment)
        found = launch_log.tries(log)
        assert len(found) == count
        assert found[-1].exit_code == exit_code, found[-1].said
        assert found[-1].by == f"job 4711 on {os.uname().nodename}"
        assert found[-1].job == "4711"
        assert found[-1].seconds is not None
    assert "1 of 1 launches" in sweep.ok("status")


def ended_well(sweep: Sweep, name: str, us: float = 9.0, **head: str) -> Path:
    """A launch whose result file has this time, and this in its head."""
    result = sweep.file_of(f"{name}.csv")
    result.parent.mkdir(parents=True, exist_ok=True)
    result.with_suffix(".log").write_text(launch_log.began(["true"]) + launch_log.ended(0, ""))
    told = [f"#@{key}={value}" for key, value in {**METADATA, **head}.items()]
    result.write_text("\n".join([*told, HEADER, *lines("ring", [us]), "#@case_end=0", ""]))
    return result


def test_more_hosts_than_the_point_has(tmp_path: Path) -> None:
    """All commands agree that such a launch is not done, and collect takes the other one."""
    sweep = written(tmp_path, "launches = 2", build_table("mine", tmp_path),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    Folder(sweep.results).begin(load(sweep.file), "auto")
    ended_well(sweep, NAME, hosts="h0")
    spread = ended_well(sweep, NAME.replace("_0", "_1"), hosts="h0,h1")
    why = f"{spread}: ran on 2 hosts, h0,h1, and its point has nodes = 1; legal: "
    status = sweep.run("status")
    assert status.exit_code == 3
    assert "1 of 2 launches" in status.stdout and "done 1  running 0" in status.stdout
    assert f"failed   {spread.stem}: {why}" in status.stdout
    assert "1 of 2 launches" in sweep.ok("collect")
    assert list(sweep.manifest()["missing"]) == [spread.stem]
    assert sweep.manifest()["missing"][spread.stem].startswith(why)
    refused = sweep.run("collect", "--partial", "-o", str(tmp_path / "other"))
    assert refused.exit_code == 2 and why in refused.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("points", "hosts", "filled"),
    [
        ("nodes = 2\nranks = 4", 1, 2),
        ('nodes = 4\nranks = 8\nmappings = "cyclic"', 3, 4),
        ('nodes = 4\nranks = 2\nmappings = "cyclic"', 1, 2),  # two of four nodes have a rank
        ("nodes = 4\nranks_per_node = 2\nranks = 5", 2, 3),  # sequential leaves one node empty
        ("nodes = 2\ncores = 2\nranks_per_node = 4\nranks = 5", 1, 2),
    ],
)
def test_fewer_hosts_than_the_ranks_fill(
    tmp_path: Path, points: str, hosts: int, filled: int
) -> None:
    """Such as all ranks on this machine, as its mpirun knows of no other. A launch that has a host
    more is done, and so is one that does not tell its hosts."""
    sweep = written(tmp_path, build_table("mine", tmp_path), f"[[points]]\n{points}\n", bench())
    Folder(sweep.results).begin(load(sweep.file), "auto")
    (launch,) = plan(load(sweep.file)).launches
    names = [f"h{i}" for i in range(filled)]
    for told in (",".join(names), ""):
        ended_well(sweep, launch.name, hosts=told)
        assert "done 1  running 0" in sweep.ok("status")
    few = ended_well(sweep, launch.name, hosts=",".join(names[:hosts]))
    status = sweep.run("status")
    assert status.exit_code == 3
    (line,) = [x for x in status.stdout.splitlines() if x.startswith(f"failed   {launch.name}: ")]
    fill = f", of which its {launch.point.ranks} ranks fill {filled}; legal: --hostfile, "
    assert f"{few}: ran on {hosts} host" in line and fill in line
    assert line.endswith(f", or nodes = {hosts}, after this file was moved away")
    refused = sweep.run("collect", "--partial")
    assert refused.exit_code == 2 and fill in refused.stderr


def test_last_words_that_end_within_a_line(build: Build, tmp_path: Path) -> None:
    """The end of a launch is on a line of its own all the same, here and in job scripts."""
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(f'#!/bin/bash\n{build.folder}/bin/mpirun_here "$@"; code=$?\n'
                      "printf 'bye' >&2; exit $code\n")  # fmt: skip
    mpirun.chmod(0o755)
    sweep = written(tmp_path, f'launcher = "{mpirun} {{ranks}} {{program}}"',
                    build_table("mine", build.folder), "[[points]]\nranks = 2\n", bench(),
                    bench(program="allgatherv_bench"))  # fmt: skip
    sweep.ok("submit", "--dry-run")
    script = sweep.results / "jobs" / "n1.sbatch"
    subprocess.run(["bash", script], check=True, env={**os.environ, "SLURM_JOB_ID": "1"})
    for name in sweep.names(".log"):
        (last,) = launch_log.tries(sweep.file_of(f"{name}.log"))
        assert last.exit_code == 0 and last.said[-1] == "bye"
    sweep = replace(sweep, results=tmp_path / "here")
    assert "2 of 2 launches are done" in sweep.ok("run")
    for name in sweep.names(".log"):
        text = sweep.file_of(f"{name}.log").read_text()
        assert f"bye\n{launch_log.END}" in text


@pytest.mark.parametrize("is_said", [True, False], ids=["said", "not_yet_said"])
def test_who_has_the_folder(tmp_path: Path, is_said: bool) -> None:
    """Between taking the lock and writing into it, its owner is nameless, but there."""
    folder = Folder(tmp_path)
    with folder.locked():
        if not is_said:
            folder.lock.write_text("")
        who = launch_log.this_process() if is_said else "another agsweep"
        with pytest.raises(BadInput, match=f"in use by {who}$"), folder.locked():
            pass
    with folder.locked():
        assert folder.user() == launch_log.this_process()
